/* The text field that has the focus, and how to type into it. */
import Clutter from 'gi://Clutter';
import GLib from 'gi://GLib';
import Shell from 'gi://Shell';
import * as Config from 'resource:///org/gnome/shell/misc/config.js';
import * as Main from 'resource:///org/gnome/shell/ui/main.js';

import {Contexts} from './contexts.js';
import {Paster} from './paster.js';

/** Until GNOME 45 the cursor in surrounding text is a position in bytes. */
const CURSOR_IN_BYTES = parseInt(Config.PACKAGE_VERSION, 10) <= 45;
/** Of Clutter's InputContentPurpose and InputContentHintFlags. */
const PURPOSES = new Map([[8, 'password'], [12, 'terminal']]);
const HINT_HIDDEN_TEXT = 64;
const HINT_SENSITIVE_DATA = 128;
/** Of IBus: passwords, PINs, terminals. */
const IBUS_PURPOSES = new Map([[8, 'password'], [9, 'pin'], [10, 'terminal']]);
const IBUS_HINT_PRIVATE = 1 << 11;
/** A text of this length is pasted as one, in bytes. */
const MAX_PASTE_BYTES = 1 << 20;
/** How long a window has to get the focus back from a menu, in seconds, and how often that is checked, in milliseconds. */
const SETTLE_SECONDS = 2;
const SETTLE_STEP = 50;
/** Programs that are known to report their text fields; those that have ended need not be remembered. */
const MAX_REPORTERS = 256;

/** Whether typing into a field is forbidden. */
export function isSecret(field) {
    return ['password', 'pin'].includes(field.purpose) || field.sensitive;
}

/** The position of the cursor in characters. */
function characterOffset(text, cursor) {
    const length = Array.from(text).length;
    if (!CURSOR_IN_BYTES && cursor <= length)
        return cursor;
    const bytes = new TextEncoder().encode(text).slice(0, cursor);
    return Math.min(length, Array.from(new TextDecoder().decode(bytes)).length);
}

/**
 * Calls `visited` whenever a text field gets the focus. When the focus moves within a window GNOME 48 emits no signal: the
 * input method only sets this property to null and to the same object again.
 * @returns {Function} ends this.
 */
function watchFocus(input, visited) {
    let focus = input._currentFocus;
    const define = property => Object.defineProperty(input, '_currentFocus', {
        ...property, configurable: true, enumerable: true,
    });
    define({
        get: () => focus,
        set(value) {
            focus = value;
            if (value)
                visited();
        },
    });
    return () => define({value: focus, writable: true});
}

export class Fields {
    /** @param {Function} canPaste - whether to paste into windows of a program, given its window class. */
    constructor(canPaste) {
        /**
         * Has `fieldChanged()`, called when `current` may have changed, and `committed(token, arrival)`, called after a commit in
         * a field that reports commits.
         */
        this.observer = null;
        this._canPaste = canPaste;
        this._input = Main.inputMethod;
        this._visit = 0;
        this._place = null;
        this._focusNumbers = new WeakMap();
        this._lastFocusNumber = 0;
        this._shownIn = null;
        this._idle = 0;
        /** The timers of settled(). */
        this._settling = new Set();
        /** IBus has reported a focus. The window with the focus may be known only a little later. */
        this._hasNewContext = false;
        /** The process ids of programs that have reported a text field. */
        this._reporters = new Set();
        this._contexts = new Contexts(this);
        this._paster = new Paster();
        this._endWatch = watchFocus(this._input, () => this._visitField());
        this._signals = [];
        const listen = (object, signal, handler) => this._signals.push([object, object.connect(signal, handler)]);
        // GNOME 43 emits this also when a field is enabled again without losing the focus.
        listen(this._input, 'notify::can-show-preedit', () => this._visitField());
        listen(this._input, 'notify::content-purpose', () => this._touch());
        listen(this._input, 'notify::content-hints', () => this._touch());
        listen(this._input, 'surrounding-text-set', () => this._touch());
        listen(this._input, 'cursor-location-changed', (_input, rectangle) => {
            this._place = this._placeOf(rectangle);
            this._touch();
        });
        listen(global.display, 'notify::focus-window', () => this._visitField());
        listen(Main.sessionMode, 'updated', () => this._touch());
    }

    destroy() {
        this._endWatch();
        this._endWatch = null;
        for (const [object, id] of this._signals)
            object.disconnect(id);
        this._signals = [];
        if (this._idle)
            GLib.source_remove(this._idle);
        this._idle = 0;
        for (const timer of this._settling)
            GLib.source_remove(timer);
        this._settling.clear();
        this.clear();
        this._contexts.destroy();
        this._paster.destroy();
        this._contexts = this._paster = this._input = this.observer = this._canPaste = null;
    }

    _placeOf(rectangle) {
        const frame = global.display.focus_window?.get_frame_rect();
        return frame ? {x: Math.round(rectangle.get_x() - frame.x), y: Math.round(rectangle.get_y() - frame.y)} : null;
    }

    _visitField() {
        this._visit += 1;
        this._place = null;
        this._touch();
    }

    /** Merges the signals of one change. */
    _touch() {
        if (this._idle)
            return;
        this._idle = GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
            this._idle = 0;
            if (this._hasNewContext && this._contexts.hasFocus)
                this._trust(global.display.focus_window);
            this._hasNewContext = false;
            this.observer?.fieldChanged();
            return GLib.SOURCE_REMOVE;
        });
    }

    // The observer of contexts

    contextVisited() {
        this._hasNewContext = true;
        if (!this._input.currentFocus)
            this._visit += 1;
        this._touch();
    }

    contextChanged() {
        this._touch();
    }

    /**
     * The field with the focus, with the keys of FieldChanged and `route`, the way to type into it: 'input-method', 'ibus' or
     * 'paste'. Null if there is none.
     */
    /** Waits until the shell's menus are closed and a window's field has the focus again, or until none gets it. */
    settled() {
        const end = GLib.get_monotonic_time() + SETTLE_SECONDS * 1e6;
        return new Promise(resolve => {
            const check = () => {
                const isSettled = this._input === null || (Main.modalCount === 0 && this.current !== null);
                if (!isSettled && GLib.get_monotonic_time() < end)
                    return GLib.SOURCE_CONTINUE;
                this._settling.delete(timer);
                resolve();
                return GLib.SOURCE_REMOVE;
            };
            const timer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, SETTLE_STEP, check);
            this._settling.add(timer);
        });
    }

    get current() {
        const field = this._field;
        return field ? {...field, application: this.application || null} : null;
    }

    get _field() {
        // Nothing of a session is shown or typed on the lock screen.
        if (Main.sessionMode.isLocked)
            return null;
        const window = global.display.focus_window;
        const number = window?.get_stable_sequence() ?? 0;
        const visit = this._visit;
        const focus = this._input.currentFocus;
        if (focus) {
            this._trust(window);
            return {route: 'input-method', id: `input-method ${number} ${this._numberOf(focus)}`, visit, ...this._content()};
        }
        if (!window || Main.modalCount > 0)
            return null;
        if (this._contexts.hasFocus) {
            const {purpose, hints} = this._contexts;
            return {
                route: 'ibus', id: `ibus ${number}`, visit, purpose: IBUS_PURPOSES.get(purpose) ?? 'text',
                sensitive: (hints & IBUS_HINT_PRIVATE) !== 0, live: false, reports: true,
            };
        }
        if (this._reports(window) || !this._canPaste(window.get_wm_class()))
            return null;
        return {
            route: 'paste', id: `paste ${number}`, visit, purpose: 'text', sensitive: false, live: false, reports: true,
            limit: MAX_PASTE_BYTES,
        };
    }

    _content() {
        // GNOME 43 does not report the anchor.
        const [text, cursor, anchor] = this._input.getSurroundingText();
        return {
            purpose: PURPOSES.get(this._input.content_purpose) ?? 'text',
            sensitive: (this._input.content_hints & (HINT_HIDDEN_TEXT | HINT_SENSITIVE_DATA)) !== 0,
            live: true, reports: false, ...this._place, text: text ?? null,
            cursor: text ? characterOffset(text, cursor) : 0, selecting: (anchor ?? cursor) !== cursor,
        };
    }

    /** A program that has reported a text field reports them all, except those for passwords. */
    _trust(window) {
        const program = window?.get_pid() ?? 0;
        if (program <= 0 || this._reporters.has(program))
            return;
        this._reporters.add(program);
        if (this._reporters.size > MAX_REPORTERS)
            this._reporters.delete(this._reporters.values().next().value);
    }

    _reports(window) {
        return this._reporters.has(window.get_pid());
    }

    /**
     * The program of the window with the focus, {wmClass, name}, if it does not report text fields; null otherwise. It may be
     * asking for a password.
     */
    get silentProgram() {
        const window = global.display.focus_window;
        if (!window || this.current || this._reports(window) || !window.get_wm_class())
            return null;
        const name = Shell.WindowTracker.get_default().get_window_app(window)?.get_name();
        return {wmClass: window.get_wm_class(), name: name || window.get_wm_class()};
    }

    /** The desktop id of the application of the window with the focus; empty if unknown. */
    get application() {
        const window = global.display.focus_window;
        const id = window ? Shell.WindowTracker.get_default().get_window_app(window)?.get_id() ?? '' : '';
        return id.endsWith('.desktop') ? id.slice(0, -'.desktop'.length) : '';
    }

    _numberOf(focus) {
        if (!this._focusNumbers.has(focus)) {
            this._lastFocusNumber += 1;
            this._focusNumbers.set(focus, this._lastFocusNumber);
        }
        return this._focusNumbers.get(focus);
    }

    /** Shows live text, underlined. */
    show(text) {
        if (!this._input.currentFocus)
            return;
        const length = Array.from(text).length;
        this._shownIn = this._input.currentFocus;
        this._input.set_preedit_text(text, length, length, Clutter.PreeditResetMode.CLEAR);
    }

    /** Removes live text. */
    clear() {
        if (this._shownIn && this._shownIn === this._input.currentFocus)
            this._input.set_preedit_text(null, 0, 0, Clutter.PreeditResetMode.CLEAR);
        this._shownIn = null;
    }

    /** Types into the field with the focus. In one with `reports` the observer's `committed(token, arrival)` follows. */
    commit(text, token) {
        switch (this.current?.route) {
        case 'input-method':
            this._input.commit(text);
            break;
        case 'ibus':
            this._commitToContext(text, token);
            break;
        case 'paste': {
            const visit = this._visit;
            this._paster.paste(text, () => visit === this._visit && this.current?.route === 'paste',
                isPasted => this.observer?.committed(token, isPasted ? 'unknown' : 'refused'));
            break;
        }
        }
    }

    /** Only if the window passes its keys to IBus: a field for passwords looks like the field before it otherwise. */
    async _commitToContext(text, token) {
        const visit = this._visit;
        let arrival = 'refused';
        try {
            if (await this._contexts.passesKeys() && visit === this._visit && this.current?.route === 'ibus') {
                this._contexts.commit(text);
                arrival = 'unknown';
            }
        } catch (error) {
            if (this._input)
                console.warn(`Dictation: IBus takes no text: ${error.message}`);
        }
        this.observer?.committed(token, arrival);
    }

    /** Deletes this number of ASCII characters before the cursor. */
    delete(characters) {
        if (this._input.currentFocus)
            this._input.delete_surrounding(-characters, characters);
    }
}
