import Adw from 'gi://Adw';
import Gdk from 'gi://Gdk';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk';
import Gio from 'gi://Gio';
import {ExtensionPreferences} from 'resource:///org/gnome/Shell/Extensions/js/extensions/prefs.js';

import {languageName} from './names.js';
import {Service, errorMessage} from './service.js';
import {isShortcut} from './shortcuts.js';
import {_, N_} from './translation.js';

const LIVE_TEXT = [['field', N_('In the text field')], ['panel', N_('In the panel')], ['off', N_('Not at all')]];
const MODIFIERS = Gdk.ModifierType.CONTROL_MASK | Gdk.ModifierType.ALT_MASK | Gdk.ModifierType.SUPER_MASK |
    Gdk.ModifierType.META_MASK;
const COMMIT_AFTER = [[0, N_('Only with the key')], [1000, N_('1 second')], [2000, N_('2 seconds')], [5000, N_('5 seconds')]];
const SOUNDS = [['outside-calls', N_('Except in calls')], ['always', N_('Always')], ['off', N_('Never')]];

/** The rows of settings whose choices are constants. */
function translated(choices) {
    return choices.map(([value, label]) => [value, _(label)]);
}

function switchRow(settings, key, title, subtitle) {
    const row = new Adw.ActionRow({title, subtitle});
    const control = new Gtk.Switch({valign: Gtk.Align.CENTER});
    settings.bind(key, control, 'active', Gio.SettingsBindFlags.DEFAULT);
    row.add_suffix(control);
    row.activatable_widget = control;
    return row;
}

/** A row to choose one of `[value, label]`. */
function choiceRow(title, subtitle, choices, current, choose) {
    const labels = choices.map(([, label]) => label);
    const row = new Adw.ComboRow({title, subtitle, model: Gtk.StringList.new(labels)});
    row.selected = Math.max(0, choices.findIndex(([value]) => value === current));
    row.connect('notify::selected', () => choose(choices[row.selected][0]));
    return row;
}

/** A row to choose a language by its name, with a search. */
function languageRow(settings, tags) {
    const choices = [['', _('Default')], ...tags.map(tag => [tag, `${languageName(tag)} (${tag})`])
        .sort(([, one], [, other]) => one.localeCompare(other))];
    const list = new Gtk.DropDown({
        model: Gtk.StringList.new(choices.map(([, label]) => label)), enable_search: true, valign: Gtk.Align.CENTER,
        expression: Gtk.PropertyExpression.new(Gtk.StringObject, null, 'string'),
    });
    list.selected = Math.max(0, choices.findIndex(([tag]) => tag === settings.get_string('language')));
    list.connect('notify::selected', () => settings.set_string('language', choices[list.selected]?.[0] ?? ''));
    const row = new Adw.ActionRow({title: _('Language'), activatable_widget: list});
    row.add_suffix(list);
    return row;
}

/** A row that waits for a key combination. */
function keyRow(settings, key, title, subtitle) {
    const row = new Adw.ActionRow({title, subtitle});
    const label = new Gtk.ShortcutLabel({valign: Gtk.Align.CENTER, disabled_text: _('None')});
    const show = () => {
        label.accelerator = settings.get_strv(key)[0] ?? '';
    };
    show();
    const button = new Gtk.Button({label: _('Change'), valign: Gtk.Align.CENTER});
    row.add_suffix(label);
    row.add_suffix(button);
    const controller = new Gtk.EventControllerKey();
    let isListening = false;
    const listen = (isWanted, explanation = subtitle) => {
        isListening = isWanted;
        button.label = isWanted ? _('Press the Keys') : _('Change');
        row.subtitle = explanation;
    };
    button.connect('clicked', () => listen(true));
    controller.connect('key-pressed', (_controller, keyval, _keycode, state) => {
        const modifiers = state & Gtk.accelerator_get_default_mod_mask();
        if (!isListening || !Gtk.accelerator_valid(keyval, modifiers))
            return false;
        if (keyval === Gdk.KEY_Escape && modifiers === 0) {
            listen(false);
        } else if (!isShortcut(Gdk.keyval_name(keyval), (modifiers & MODIFIERS) !== 0)) {
            listen(true, _('Hold Ctrl, Alt or Super too: this key alone could no longer be typed'));
        } else {
            settings.set_strv(key, [Gtk.accelerator_name(keyval, modifiers)]);
            show();
            listen(false);
        }
        return true;
    });
    button.add_controller(controller);
    return row;
}

/** What an engine does, or why it cannot be used. */
function engineFacts({available, message, languages = [], live}) {
    if (!available)
        return message || _('It does not answer.');
    const count = languages.length;
    return [
        count > 1 ? _('%s languages', count) : languages.map(languageName).join(', '),
        live ? _('text while you speak') : _('text after you have spoken'),
    ].filter(each => each).join(', ');
}

function engineRow(settings, engines) {
    const explain = value => {
        const details = engines.find(([name, {preferred}]) => value ? name === value : preferred)?.[1];
        return details ? GLib.markup_escape_text(engineFacts(details), -1) : '';
    };
    const choices = [['', _('Default')],
        ...engines.map(([name, {available}]) => [name, available ? name : _('%s (does not answer)', name)])];
    const current = settings.get_string('engine');
    const row = choiceRow(_('Engine'), explain(current), choices, current, value => {
        settings.set_string('engine', value);
        row.subtitle = explain(value);
    });
    return row;
}

/** A program into whose windows text is pasted. */
function pasteRow(settings, wmClass, remove) {
    const row = new Adw.ActionRow({
        title: GLib.markup_escape_text(wmClass, -1), subtitle: _('Text is pasted into its windows'),
    });
    row.add_suffix(iconButton('user-trash-symbolic', _('Stop Pasting Into %s', wmClass), () => {
        settings.set_strv('paste-programs', settings.get_strv('paste-programs').filter(each => each !== wmClass));
        remove(row);
    }));
    return row;
}

/** A button with a tooltip, which is also its name for screen readers. */
function iconButton(icon, label, action) {
    const button = new Gtk.Button({icon_name: icon, tooltip_text: label, valign: Gtk.Align.CENTER});
    button.add_css_class('flat');
    button.connect('clicked', action);
    return button;
}

/** The name and the icon of an application for people. */
function describe({kind, id}) {
    // An application that is not installed has no such file.
    const info = kind === 'executable' ? null : Gio.DesktopAppInfo.new(`${id}.desktop`);
    return {name: info?.get_display_name() ?? id, icon: info?.get_icon() ?? Gio.ThemedIcon.new('application-x-executable-symbolic')};
}

/** An application: whether it may dictate, and type into windows. */
class PermissionRow {
    /**
     * @param {Service} service
     * @param {object} client - as of List.
     * @param {object} observer - has `failed(error)` and `forgotten(row)`.
     */
    constructor(service, client, observer) {
        const {name, icon} = describe(client);
        this.row = new Adw.ExpanderRow({title: GLib.markup_escape_text(name, -1)});
        this.row.add_prefix(new Gtk.Image({gicon: icon, icon_size: Gtk.IconSize.LARGE}));
        const update = () => {
            this.row.subtitle = [
                dictates.active ? _('May dictate') : _('May not dictate'), types.active ? _('may type into windows') : '',
            ].filter(each => each).join(', ');
        };
        const add = (title, resources) => {
            const control = new Gtk.Switch({
                valign: Gtk.Align.CENTER, active: resources.every(resource => client[resource] === 'granted'),
            });
            const row = new Adw.ActionRow({title, activatable_widget: control});
            row.add_suffix(control);
            this.row.add_row(row);
            control.connect('notify::active', () => {
                update();
                service.setPermission(client, resources, control.active ? 'granted' : 'denied').catch(observer.failed);
            });
            return control;
        };
        const dictates = add(_('Dictate'), ['microphone', 'speech']);
        const types = add(_('Type Into Windows'), ['typing']);
        update();
        const last = new Adw.ActionRow({
            title: _('Forget the Decision'), subtitle: _('You are asked again when it wants to dictate'),
        });
        last.add_suffix(iconButton('user-trash-symbolic', _('Forget %s', name), () => {
            service.forget(client).then(() => observer.forgotten(this.row)).catch(observer.failed);
        }));
        this.row.add_row(last);
    }
}

export default class DictationPreferences extends ExtensionPreferences {
    fillPreferencesWindow(window) {
        const settings = this.getSettings();
        const service = new Service({
            serviceAppeared() {}, serviceVanished() {}, connectionClosed() {}, serviceSignal() {},
        });
        window.connect('close-request', () => {
            service.close();
            return false;
        });
        const page = new Adw.PreferencesPage({title: _('Dictation'), icon_name: 'audio-input-microphone-symbolic'});
        window.add(page);
        page.add(this._typing(settings));
        const speech = new Adw.PreferencesGroup({title: _('Speech')});
        page.add(speech);
        const permissions = new Adw.PreferencesGroup({
            title: _('Permissions'), description: _('Applications that have asked to dictate.'),
        });
        page.add(permissions);
        this._fill(settings, service, speech, permissions).catch(error => {
            speech.description = errorMessage(error);
        });
    }

    _typing(settings) {
        const group = new Adw.PreferencesGroup({title: _('Typing')});
        group.add(keyRow(settings, 'toggle-key', _('Key'), _('Tap to toggle, or hold to talk')));
        group.add(switchRow(settings, 'formatting', _('Formatting'), _('Spoken punctuation, numbers, capitals')));
        group.add(choiceRow(_('Live Text'), _('Where words are shown while you speak'), translated(LIVE_TEXT),
            settings.get_string('live-text'), value => settings.set_string('live-text', value)));
        group.add(choiceRow(_('Type After Silence'), _('How long to wait before text is typed'), translated(COMMIT_AFTER),
            settings.get_uint('commit-after'), value => settings.set_uint('commit-after', value)));
        group.add(choiceRow(_('Sounds'), _('When dictation begins, ends or is interrupted'), translated(SOUNDS),
            settings.get_string('sounds'), value => settings.set_string('sounds', value)));
        group.add(switchRow(settings, 'keep-awake', _('Keep the Screen On'), _('While you speak')));
        group.add(switchRow(settings, 'paste', _('Paste Where Programs Report No Text Fields'),
            _('Asks once for each program, because it does not report fields for passwords. Replaces what is on the clipboard')));
        for (const wmClass of settings.get_strv('paste-programs'))
            group.add(pasteRow(settings, wmClass, row => group.remove(row)));
        return group;
    }

    async _fill(settings, service, speech, permissions) {
        const [routes, engines, languages] = await Promise.all(
            [service.routes(), service.property('Engines'), service.property('Languages')]);
        const setting = key => [settings.get_string(key), value => settings.set_string(key, value)];
        speech.add(choiceRow(_('Microphone'), '', [['', _('Default')],
            ...routes.map(route => [route.name, route.description || route.name])], ...setting('microphone')));
        speech.add(engineRow(settings, engines));
        speech.add(languageRow(settings, languages));
        speech.add(switchRow(settings, 'language-by-layout', _('Language by Keyboard Layout'),
            _('Dictation begins in the language of the layout, if that is one of your languages')));
        const observer = {
            failed: error => {
                permissions.description = errorMessage(error);
            },
            forgotten: row => permissions.remove(row),
        };
        for (const client of await service.permissions())
            permissions.add(new PermissionRow(service, client, observer).row);
    }
}
