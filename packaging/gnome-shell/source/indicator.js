/* The indicator in the panel, and its menu. */
import Clutter from 'gi://Clutter';
import GObject from 'gi://GObject';
import St from 'gi://St';
import * as PanelMenu from 'resource:///org/gnome/shell/ui/panelMenu.js';
import * as PopupMenu from 'resource:///org/gnome/shell/ui/popupMenu.js';

/** The level meter shows from -60 to 0 decibels. */
const QUIETEST = -60;
const METER_STEPS = 8;
const MAX_SHOWN = 60;
const IDLE_OPACITY = 115;

const ICONS = {
    idle: 'audio-input-microphone-symbolic',
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

const OUTCOMES = {arrived: 'Typed', sent: 'Sent', doubtful: 'Perhaps typed', kept: 'Not typed'};

export const Indicator = GObject.registerClass(
class Indicator extends PanelMenu.Button {
    /**
     * @param {object} actions - `toggle()`, `discard()`, `copy(text)`, `openPreferences()`, `openApplication()` and
     *     `hasApplication()`, whether the window with the settings of all programs is installed.
     */
    _init(actions) {
        super._init(0.5, 'Dictation');
        this._actions = actions;
        const box = new St.BoxLayout({style_class: 'panel-status-menu-box'});
        this._icon = new St.Icon({icon_name: ICONS.idle, style_class: 'system-status-icon'});
        this._meter = new St.Widget({style_class: 'dictation-level', y_align: Clutter.ActorAlign.CENTER, visible: false});
        // Scaled instead of resized, so that the panel need not be laid out again.
        this._meter.set_pivot_point(0.5, 1);
        this._step = 0;
        this._live = new St.Label({style_class: 'dictation-live', y_align: Clutter.ActorAlign.CENTER, visible: false});
        for (const child of [this._icon, this._meter, this._live])
            box.add_child(child);
        this.add_child(box);

        this._status = new PopupMenu.PopupMenuItem('', {reactive: false});
        this.menu.addMenuItem(this._status);
        this._warning = new PopupMenu.PopupMenuItem('', {reactive: false});
        this.menu.addMenuItem(this._warning);
        this._toggle = this.menu.addAction('Start dictating', () => this._actions.toggle());
        this._discard = this.menu.addAction('Discard the current text', () => this._actions.discard());
        this.menu.addMenuItem(new PopupMenu.PopupSeparatorMenuItem('Copy a text'));
        this._texts = new PopupMenu.PopupMenuSection();
        this.menu.addMenuItem(this._texts);
        this.menu.addMenuItem(new PopupMenu.PopupSeparatorMenuItem());
        this.menu.addAction('Settings', () => this._actions.openPreferences());
        this._application = this.menu.addAction('Microphone, engine and words', () => this._actions.openApplication());
        this._shownTexts = '';
    }

    /**
     * @param {object} dictation - the state to show.
     * @param {boolean} showsLiveText - whether live text is shown in the panel.
     */
    show_dictation(dictation, showsLiveText) {
        const {state, status, warning, isWanted, text, texts} = dictation;
        this._icon.icon_name = ICONS[state] ?? ICONS.idle;
        const appearance = state === 'listening' && warning ? 'warning' : state;
        this._icon.style_class = `system-status-icon dictation-${appearance}`;
        // A bright microphone would look like one in use.
        this._icon.opacity = state === 'idle' ? IDLE_OPACITY : 255;
        this._warning.visible = warning !== '';
        this._warning.label.text = warning;
        this._meter.visible = state === 'listening';
        this._live.visible = showsLiveText && text !== '';
        this._live.text = this._live.visible ? ending(text) : '';
        this._status.label.text = status;
        this._toggle.label.text = isWanted ? 'Stop dictating' : 'Start dictating';
        this._discard.visible = text !== '';
        this._application.visible = this._actions.hasApplication();
        this.accessible_name = `Dictation: ${[status, warning].filter(each => each).join('. ')}`;
        const shown = JSON.stringify(texts);
        if (shown !== this._shownTexts) {
            this._shownTexts = shown;
            this._showTexts(texts);
        }
    }

    _showTexts(texts) {
        this._texts.removeAll();
        for (const {text, outcome, time} of texts) {
            const item = this._texts.addAction(`${time} ${OUTCOMES[outcome]}: ${beginning(text)}`, () => this._actions.copy(text));
            item.label.add_style_class_name('dictation-text');
        }
    }

    /** @param {number} dbfs - decibels below full scale. */
    show_level(dbfs) {
        const share = Math.min(1, Math.max(0, 1 - dbfs / QUIETEST));
        const step = Math.max(1, Math.round(share * METER_STEPS));
        if (step === this._step)
            return;
        this._step = step;
        this._meter.scale_y = step / METER_STEPS;
    }
});
