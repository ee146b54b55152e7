/* The text field that has the focus, and how to type into it. */
import Clutter from 'gi://Clutter';
import GLib from 'gi://GLib';
import IBus from 'gi://IBus';
import St from 'gi://St';
import * as Config from 'resource:///org/gnome/shell/misc/config.js';
import * as IBusManager from 'resource:///org/gnome/shell/misc/ibusManager.js';
import * as Main from 'resource:///org/gnome/shell/ui/main.js';

/** Until GNOME 45 the cursor in surrounding text is a position in bytes. */
const CURSOR_IN_BYTES = parseInt(Config.PACKAGE_VERSION, 10) <= 45;
const PURPOSE_PASSWORD = 8;
const PURPOSE_TERMINAL = 12;
const HINT_HIDDEN_TEXT = 64;
/** IBus uses other numbers. */
const IBUS_PURPOSE_PIN = 9;
const IBUS_PURPOSE_TERMINAL = 10;
const IBUS_HINT_PRIVATE = 1 << 11;
/** How long to wait for modifiers to be released before a paste, in milliseconds: as long as somebody holds a key to talk. */
const PASTE_TIMEOUT = 60000;
const PASTE_INTERVAL = 50;
const MODIFIERS = Clutter.ModifierType.SHIFT_MASK | Clutter.ModifierType.CONTROL_MASK |
    Clutter.ModifierType.MOD1_MASK | Clutter.ModifierType.MOD4_MASK | Clutter.ModifierType.SUPER_MASK;

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
    /**
     * @param {Function} changed - called when `current` may have changed.
     * @param {boolean} canPaste - whether to paste into windows without a text field.
     */
    constructor(changed, canPaste) {
        this._changed = changed;
        this.canPaste = canPaste;
        this._input = Main.inputMethod;
        this._ibus = IBusManager.getIBusManager();
        this._visit = 0;
        this._place = null;
        this._hasContext = false;
        this._contextPurpose = 0;
        this._contextHints = 0;
        this._focusNumbers = new WeakMap();
        this._lastFocusNumber = 0;
        this._shownIn = null;
        this._idle = 0;
        this._pasteTimer = 0;
        /** What the timer will paste. */
        this._waiting = {visit: 0, text: ''};
        this._keyboard = null;
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
        listen(this._ibus, 'focus-in', () => this._visitContext(true));
        listen(this._ibus, 'focus-out', () => this._visitContext(false));
        listen(this._ibus, 'set-content-type', (_manager, purpose, hints) => {
            this._contextPurpose = purpose;
            this._contextHints = hints;
            this._touch();
        });
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
        if (this._pasteTimer)
            GLib.source_remove(this._pasteTimer);
        this._pasteTimer = 0;
        this.clear();
        this._keyboard = null;
        this._ibus = null;
        this._input = null;
        this._changed = null;
    }

    _placeOf(rectangle) {
        const frame = global.display.focus_window?.get_frame_rect();
        return frame ? `${rectangle.get_x() - frame.x},${rectangle.get_y() - frame.y}` : null;
    }

    _visitField() {
        this._visit += 1;
        this._place = null;
        this._touch();
    }

    _visitContext(hasContext) {
        this._hasContext = hasContext;
        this._contextPurpose = 0;
        this._contextHints = 0;
        if (!this._input.currentFocus)
            this._visit += 1;
        this._touch();
    }

    /** Merges the signals of one change. */
    _touch() {
        if (this._idle)
            return;
        this._idle = GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
            this._idle = 0;
            this._changed();
            return GLib.SOURCE_REMOVE;
        });
    }

    /** The field in the form for the typist; null if there is none. */
    get current() {
        const window = global.display.focus_window?.get_stable_sequence() ?? 0;
        const common = {window, visit: this._visit, text: null, cursor: 0, isSelecting: false, place: null};
        const focus = this._input.currentFocus;
        if (focus) {
            // GNOME 43 does not report the anchor.
            const [text, cursor, anchor] = this._input.getSurroundingText();
            return {
                ...common, route: 'input-method', focus: this._numberOf(focus),
                purpose: this._input.content_purpose, hints: this._input.content_hints, place: this._place,
                text: text ?? null, cursor: text ? characterOffset(text, cursor) : 0, isSelecting: (anchor ?? cursor) !== cursor,
            };
        }
        if (!window || Main.modalCount > 0)
            return null;
        if (this._hasContext && this._panel)
            return {...common, route: 'ibus', focus: 0, ...this._contextKind()};
        return this.canPaste ? {...common, route: 'paste', focus: 0, purpose: 0, hints: 0} : null;
    }

    get _panel() {
        return this._ibus._panelService ?? null;
    }

    _contextKind() {
        const isSecret = [PURPOSE_PASSWORD, IBUS_PURPOSE_PIN].includes(this._contextPurpose) ||
            (this._contextHints & IBUS_HINT_PRIVATE) !== 0;
        const purpose = this._contextPurpose === IBUS_PURPOSE_TERMINAL ? PURPOSE_TERMINAL : 0;
        return {purpose: isSecret ? PURPOSE_PASSWORD : purpose, hints: isSecret ? HINT_HIDDEN_TEXT : 0};
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

    commit(text, route) {
        switch (route) {
        case 'input-method':
            this._input.commit(text);
            break;
        case 'ibus':
            this._panel?.commit_text(IBus.Text.new_from_string(text));
            break;
        case 'paste':
            this._paste(text);
            break;
        }
    }

    /** Deletes this number of ASCII characters before the cursor. */
    delete(characters) {
        if (this._input.currentFocus)
            this._input.delete_surrounding(-characters, characters);
    }

    /** Puts a text on the clipboard. */
    copy(text) {
        const clipboard = St.Clipboard.get_default();
        clipboard.set_text(St.ClipboardType.CLIPBOARD, text);
        clipboard.set_text(St.ClipboardType.PRIMARY, text);
    }

    /** Pastes with Shift+Insert, which nearly all applications support with one of the two selections. */
    _paste(text) {
        const visit = this._visit;
        if (this._pasteTimer) {
            GLib.source_remove(this._pasteTimer);
            if (visit === this._waiting.visit)
                text = this._waiting.text + text;
        }
        this._waiting = {visit, text};
        this.copy(text);
        let left = PASTE_TIMEOUT;
        this._pasteTimer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, PASTE_INTERVAL, () => {
            left -= PASTE_INTERVAL;
            const areModifiersDown = (global.get_pointer()[2] & MODIFIERS) !== 0;
            if (areModifiersDown && left > 0)
                return GLib.SOURCE_CONTINUE;
            this._pasteTimer = 0;
            // Not into a dialog of the shell, or a text field that has got the focus.
            if (!areModifiersDown && visit === this._visit && this.current?.route === 'paste')
                this._pressPaste();
            return GLib.SOURCE_REMOVE;
        });
    }

    _pressPaste() {
        const backend = global.stage.context?.get_backend?.() ?? Clutter.get_default_backend();
        this._keyboard ??= backend.get_default_seat().create_virtual_device(Clutter.InputDeviceType.KEYBOARD_DEVICE);
        const keys = [Clutter.KEY_Shift_L, Clutter.KEY_Insert];
        const time = GLib.get_monotonic_time();
        for (const key of keys)
            this._keyboard.notify_keyval(time, key, Clutter.KeyState.PRESSED);
        for (const key of keys.reverse())
            this._keyboard.notify_keyval(time, key, Clutter.KeyState.RELEASED);
    }
}
