import Adw from 'gi://Adw';
import Gdk from 'gi://Gdk';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk';
import Gio from 'gi://Gio';
import {ExtensionPreferences} from 'resource:///org/gnome/Shell/Extensions/js/extensions/prefs.js';

import {Service, errorMessage} from './service.js';
import {isShortcut} from './shortcuts.js';

const LIVE_TEXT = [['field', 'In the text field'], ['panel', 'In the panel'], ['off', 'Not at all']];
const MODIFIERS = Gdk.ModifierType.CONTROL_MASK | Gdk.ModifierType.ALT_MASK | Gdk.ModifierType.SUPER_MASK |
    Gdk.ModifierType.META_MASK;
const COMMIT_AFTER = [[0, 'Only with the key'], [1000, '1 second'], [2000, '2 seconds'], [5000, '5 seconds']];

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

/** The name of a language in the user's language, such as "British English". */
function languageName(tag) {
    // "C" is no language.
    const locale = /^[a-z]{2,3}(?:_[A-Z]{2})?/u.exec(GLib.get_language_names()[0])?.[0].replace('_', '-') ?? 'en';
    try {
        return new Intl.DisplayNames([locale], {type: 'language'}).of(tag);
    } catch {
        // Intl knows no such language.
        return tag;
    }
}

/** A row to choose a language by its name, with a search. */
function languageRow(settings, tags) {
    const choices = [['', 'Default'], ...tags.map(tag => [tag, `${languageName(tag)} (${tag})`])
        .sort(([, one], [, other]) => one.localeCompare(other))];
    const list = new Gtk.DropDown({
        model: Gtk.StringList.new(choices.map(([, label]) => label)), enable_search: true, valign: Gtk.Align.CENTER,
        expression: Gtk.PropertyExpression.new(Gtk.StringObject, null, 'string'),
    });
    list.selected = Math.max(0, choices.findIndex(([tag]) => tag === settings.get_string('language')));
    list.connect('notify::selected', () => settings.set_string('language', choices[list.selected]?.[0] ?? ''));
    const row = new Adw.ActionRow({title: 'Language', activatable_widget: list});
    row.add_suffix(list);
    return row;
}

/** A row that waits for a key combination. */
function keyRow(settings, key, title, subtitle) {
    const row = new Adw.ActionRow({title, subtitle});
    const label = new Gtk.ShortcutLabel({valign: Gtk.Align.CENTER, disabled_text: 'None'});
    const show = () => {
        label.accelerator = settings.get_strv(key)[0] ?? '';
    };
    show();
    const button = new Gtk.Button({label: 'Change', valign: Gtk.Align.CENTER});
    row.add_suffix(label);
    row.add_suffix(button);
    const controller = new Gtk.EventControllerKey();
    let isListening = false;
    const listen = (isWanted, explanation = subtitle) => {
        isListening = isWanted;
        button.label = isWanted ? 'Press the keys' : 'Change';
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
            listen(true, 'Hold Ctrl, Alt or Super too: this key alone could no longer be typed');
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

/** The engines. Why the chosen one cannot be used is said in full. */
function engineRow(settings, engines) {
    const explain = value => GLib.markup_escape_text(
        engines.find(([name, details]) => name === value && !details.available)?.[1].message ?? '', -1);
    const choices = [['', 'Default'], ...engines.map(([name, {available}]) => [name, available ? name : `${name} (does not answer)`])];
    const row = choiceRow('Engine', explain(settings.get_string('engine')), choices, settings.get_string('engine'), value => {
        settings.set_string('engine', value);
        row.subtitle = explain(value);
    });
    return row;
}

/** A program into whose windows text is pasted. */
function pasteRow(settings, wmClass, remove) {
    const row = new Adw.ActionRow({title: GLib.markup_escape_text(wmClass, -1), subtitle: 'Text is pasted into its windows'});
    const button = new Gtk.Button({icon_name: 'user-trash-symbolic', tooltip_text: 'Stop pasting', valign: Gtk.Align.CENTER});
    button.connect('clicked', () => {
        settings.set_strv('paste-programs', settings.get_strv('paste-programs').filter(each => each !== wmClass));
        remove(row);
    });
    row.add_suffix(button);
    return row;
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
        const page = new Adw.PreferencesPage({title: 'Dictation', icon_name: 'audio-input-microphone-symbolic'});
        window.add(page);
        page.add(this._typing(settings));
        const speech = new Adw.PreferencesGroup({title: 'Speech'});
        page.add(speech);
        const permissions = new Adw.PreferencesGroup({title: 'Permissions', description: 'Applications that may dictate.'});
        page.add(permissions);
        this._fill(settings, service, speech, permissions).catch(error => {
            speech.description = errorMessage(error);
        });
    }

    _typing(settings) {
        const group = new Adw.PreferencesGroup({title: 'Typing'});
        group.add(keyRow(settings, 'toggle-key', 'Key', 'Tap to toggle, or hold to talk'));
        group.add(switchRow(settings, 'formatting', 'Formatting', 'Spoken punctuation, numbers, capitals'));
        group.add(choiceRow('Live text', 'Where words are shown while you speak', LIVE_TEXT, settings.get_string('live-text'),
            value => settings.set_string('live-text', value)));
        group.add(choiceRow('Type after silence', 'How long to wait before text is typed', COMMIT_AFTER,
            settings.get_uint('commit-after'), value => settings.set_uint('commit-after', value)));
        group.add(switchRow(settings, 'keep-awake', 'Keep the screen on', 'While you speak'));
        group.add(switchRow(settings, 'paste', 'Paste where programs report no text fields',
            'Asks once for each program, because it does not report fields for passwords. Replaces what is on the clipboard'));
        for (const wmClass of settings.get_strv('paste-programs'))
            group.add(pasteRow(settings, wmClass, row => group.remove(row)));
        return group;
    }

    async _fill(settings, service, speech, permissions) {
        const [routes, engines, languages] = await Promise.all(
            [service.routes(), service.property('Engines'), service.property('Languages')]);
        const setting = key => [settings.get_string(key), value => settings.set_string(key, value)];
        speech.add(choiceRow('Microphone', '', [['', 'Default'],
            ...routes.map(route => [route.name, route.description || route.name])], ...setting('microphone')));
        speech.add(engineRow(settings, engines));
        speech.add(languageRow(settings, languages));
        for (const client of await service.permissions()) {
            const isAllowed = client.microphone === 'granted' && client.speech === 'granted';
            const row = new Adw.ActionRow({title: GLib.markup_escape_text(client.id, -1), subtitle: client.kind});
            const control = new Gtk.Switch({valign: Gtk.Align.CENTER, active: isAllowed});
            control.connect('notify::active', () => {
                service.setPermission(client, control.active ? 'granted' : 'denied').catch(error => {
                    permissions.description = errorMessage(error);
                });
            });
            row.add_suffix(control);
            permissions.add(row);
        }
    }
}
