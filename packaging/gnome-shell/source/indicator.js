/* The indicator in the panel, and its menu. */
import Clutter from 'gi://Clutter';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import St from 'gi://St';
import * as PanelMenu from 'resource:///org/gnome/shell/ui/panelMenu.js';
import * as PopupMenu from 'resource:///org/gnome/shell/ui/popupMenu.js';

import {AUTOMATIC} from './languages.js';
import {outcomeText} from './messages.js';
import {languageName} from './names.js';
import {errorMessage} from './service.js';
import {_} from './translation.js';

/** The level meter shows from -60 to 0 decibels. */
const QUIETEST = -60;
const METER_STEPS = 8;
const MAX_SHOWN = 60;

/** A microphone means one in use. */
const ICONS = {
    starting: 'audio-input-microphone-symbolic',
    listening: 'audio-input-microphone-symbolic',
    interrupted: 'microphone-sensitivity-muted-symbolic',
    asking: 'dialog-question-symbolic',
};

/** The end of a text in one line. */
function ending(text) {
    const characters = Array.from(text.replace(/\s+/gu, ' '));
    return characters.length <= MAX_SHOWN ? characters.join('') : `…${characters.slice(-MAX_SHOWN).join('')}`;
}

/** The beginning of a text in one line. */
function beginning(text) {
    const characters = Array.from(text.replace(/\s+/gu, ' '));
    return characters.length <= MAX_SHOWN ? characters.join('') : `${characters.slice(0, MAX_SHOWN).join('')}…`;
}

/** An entry that does nothing. A menu without entries does not open. */
function addNotice(menu, text) {
    menu.addMenuItem(new PopupMenu.PopupMenuItem(text, {reactive: false}));
}

/** Adds to a menu a section that scrolls where the menu is higher than the screen. */
function addScrolledSection(menu) {
    const section = new PopupMenu.PopupMenuSection();
    menu.addMenuItem(section);
    const scroll = new St.ScrollView({hscrollbar_policy: St.PolicyType.NEVER, style_class: 'vfade'});
    menu.box.replace_child(section.actor, scroll);
    // As the menu finds its items.
    scroll._delegate = section;
    // Until GNOME 45 a scroll view is a bin, and scrolls only what is added.
    if (scroll instanceof St.Bin)
        scroll.add_actor(section.actor);
    else
        scroll.child = section.actor;
    return {section, scroll};
}

/** Scrolls so far that an item is visible. */
function showItem(scroll, item) {
    const adjustment = scroll.vadjustment ?? scroll.vscroll.adjustment;
    const {y1, y2} = item.get_allocation_box();
    if (y1 < adjustment.value)
        adjustment.value = y1;
    else if (y2 > adjustment.value + adjustment.page_size)
        adjustment.value = y2 - adjustment.page_size;
}

export const Indicator = GObject.registerClass(
class Indicator extends PanelMenu.Button {
    /**
     * @param {object} actions - `toggle()`, `discard()`, `copy(text)`, `openPreferences()`, `openApplication()`,
     *     `hasApplication()`, whether the window with the settings of all programs is installed, `updateLanguages()` and
     *     `chooseLanguage(tag)`, `history()`, a promise of its texts, `copyFromHistory(id)`, `typeFromHistory(id)`,
     *     `recogniseFromHistory(id)`, a promise of its end, and `forgetFromHistory(id)`.
     * @param {Gio.File} folder - of the extension.
     */
    _init(actions, folder) {
        super._init(0.5, _('Dictation'));
        this._actions = actions;
        this._idleIcon = Gio.FileIcon.new(folder.resolve_relative_path('icons/dictation-symbolic.svg'));
        const box = new St.BoxLayout({style_class: 'panel-status-menu-box'});
        this._icon = new St.Icon({gicon: this._idleIcon, style_class: 'system-status-icon'});
        // The whole height of the meter is seen in silence too.
        this._meter = new St.Widget({
            style_class: 'dictation-level', y_align: Clutter.ActorAlign.CENTER, visible: false,
            layout_manager: new Clutter.BinLayout(),
        });
        // Scaled instead of resized, so that the panel need not be laid out again.
        this._bar = new St.Widget({style_class: 'dictation-level-bar', x_expand: true, y_expand: true, scale_y: 0});
        this._bar.set_pivot_point(0.5, 1);
        this._meter.add_child(this._bar);
        this._step = 0;
        this._live = new St.Label({style_class: 'dictation-live', y_align: Clutter.ActorAlign.CENTER, visible: false});
        for (const child of [this._icon, this._meter, this._live])
            box.add_child(child);
        this.add_child(box);

        this._status = new PopupMenu.PopupMenuItem('', {reactive: false});
        this.menu.addMenuItem(this._status);
        this._warning = new PopupMenu.PopupMenuItem('', {reactive: false});
        this._warning.label.clutter_text.line_wrap = true;
        this._warning.label.add_style_class_name('dictation-text');
        this.menu.addMenuItem(this._warning);
        this._toggle = this.menu.addAction(_('Start Dictating'), () => this._actions.toggle());
        this._discard = this.menu.addAction(_('Discard the Current Text'), () => this._actions.discard());
        this._languages = new PopupMenu.PopupSubMenuMenuItem('');
        this.menu.addMenuItem(this._languages);
        this.show_languages([], AUTOMATIC);
        this.menu.connect('open-state-changed', (_menu, isOpen) => {
            if (isOpen)
                this._actions.updateLanguages();
        });
        this._textsTitle = new PopupMenu.PopupSeparatorMenuItem(_('Copy a Text'));
        this.menu.addMenuItem(this._textsTitle);
        const {section, scroll} = addScrolledSection(this.menu);
        this._texts = section;
        this._scroll = scroll;
        this._history = new PopupMenu.PopupSubMenuMenuItem(_('Earlier Texts'));
        addNotice(this._history.menu, '…');
        this.menu.addMenuItem(this._history);
        this._history.menu.connect('open-state-changed', (_menu, isOpen) => {
            if (isOpen)
                this._updateHistory();
        });
        this.menu.addMenuItem(new PopupMenu.PopupSeparatorMenuItem());
        this.menu.addAction(_('Key and Typing'), () => this._actions.openPreferences());
        this._application = this.menu.addAction(_('Microphone, Engine and Words'), () => this._actions.openApplication());
        this._shownTexts = '';
        this._showTexts([]);
    }

    /**
     * @param {object} dictation - the state to show.
     * @param {boolean} showsLiveText - whether live text is shown in the panel.
     */
    show_dictation(dictation, showsLiveText) {
        const {state, status, warning, isWanted, text, texts} = dictation;
        if (ICONS[state])
            this._icon.icon_name = ICONS[state];
        else
            this._icon.gicon = this._idleIcon;
        const appearance = state === 'listening' && warning ? 'warning' : state;
        this._icon.style_class = `system-status-icon dictation-${appearance}`;
        this._warning.visible = warning !== '';
        this._warning.label.text = warning;
        this._meter.visible = state === 'listening';
        this._live.visible = showsLiveText && text !== '';
        this._live.text = this._live.visible ? ending(text) : '';
        this._status.label.text = status;
        this._toggle.label.text = isWanted ? _('Stop Dictating') : _('Start Dictating');
        this._discard.visible = text !== '';
        this._application.visible = this._actions.hasApplication();
        this.accessible_name = _('Dictation: %s', [status, warning].filter(each => each).join('. '));
        const shown = JSON.stringify(texts);
        if (shown !== this._shownTexts) {
            this._shownTexts = shown;
            this._showTexts(texts);
        }
    }

    _showTexts(texts) {
        this._textsTitle.visible = this._scroll.visible = texts.length > 0;
        this._texts.removeAll();
        for (const {text, outcome, time} of texts) {
            const item = this._texts.addAction(beginning(text), () => this._actions.copy(text));
            item.label.add_style_class_name('dictation-text');
            item.label.x_expand = true;
            item.add_child(new St.Label({
                text: `${outcomeText(outcome)} ${time}`, style_class: 'dictation-remark', y_align: Clutter.ActorAlign.CENTER,
            }));
            item.accessible_name = `${beginning(text)}. ${outcomeText(outcome)} ${time}`;
            item.connect('key-focus-in', () => showItem(this._scroll, item));
        }
    }

    async _updateHistory() {
        let entries = [];
        let notice = _('No text is kept. Settings, Last Texts.');
        try {
            entries = await this._actions.history();
        } catch (error) {
            notice = errorMessage(error);
        }
        const {menu} = this._history;
        if (!menu.isOpen)
            return;
        menu.removeAll();
        if (entries.length === 0)
            addNotice(menu, notice);
        for (const entry of entries)
            this._addHistoryItem(menu, entry);
    }

    /** Activated, it is copied; its buttons do more. */
    _addHistoryItem(menu, {id, text, time: seconds, sound}) {
        const time = GLib.DateTime.new_from_unix_local(seconds).format('%x %H:%M');
        const item = menu.addAction(beginning(text), () => this._actions.copyFromHistory(id));
        item.label.x_expand = true;
        item.add_child(new St.Label({text: time, style_class: 'dictation-remark', y_align: Clutter.ActorAlign.CENTER}));
        item.accessible_name = `${beginning(text)}. ${time}`;
        const addButton = (icon, name, clicked) => {
            const button = new St.Button({
                icon_name: icon, style_class: 'dictation-item-button', can_focus: true, accessible_name: name,
            });
            button.connect('clicked', () => clicked(button));
            item.add_child(button);
        };
        addButton('input-keyboard-symbolic', _('Type Again'), () => {
            this.menu.close();
            this._actions.typeFromHistory(id);
        });
        if (sound) {
            addButton('view-refresh-symbolic', _('Recognise Again'), async button => {
                button.reactive = false;
                button.icon_name = 'content-loading-symbolic';
                await this._actions.recogniseFromHistory(id);
                if (this._history)
                    this._updateHistory();
            });
        }
        addButton('edit-delete-symbolic', _('Erase'), () => {
            this._actions.forgetFromHistory(id);
            item.destroy();
            if (menu.isEmpty())
                addNotice(menu, '…');
        });
    }

    /**
     * @param {string[]} languages - of the user.
     * @param {string} spoken - one of them, or "auto".
     */
    show_languages(languages, spoken) {
        const name = tag => tag === AUTOMATIC ? _('Automatic') : languageName(tag);
        this._languages.visible = languages.length > 1;
        this._languages.label.text = _('Language: %s', name(spoken));
        this._languages.menu.removeAll();
        for (const tag of [AUTOMATIC, ...languages]) {
            const item = this._languages.menu.addAction(name(tag), () => this._actions.chooseLanguage(tag));
            item.setOrnament(tag === spoken ? PopupMenu.Ornament.DOT : PopupMenu.Ornament.NONE);
        }
    }

    /** @param {number} dbfs - decibels below full scale. */
    show_level(dbfs) {
        const share = Math.min(1, Math.max(0, 1 - dbfs / QUIETEST));
        const step = Math.round(share * METER_STEPS);
        if (step === this._step)
            return;
        this._step = step;
        this._bar.scale_y = step / METER_STEPS;
    }
});
