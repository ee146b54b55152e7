/* Pastes text into a window that reports no text fields. */
import Clutter from 'gi://Clutter';
import GLib from 'gi://GLib';
import St from 'gi://St';

import {Keyboard, areModifiersDown} from './keyboard.js';

/** How long to wait for modifiers to be released before a paste, in milliseconds: as long as somebody holds a key to talk. */
const MODIFIER_TIMEOUT = 60000;
const POLL_INTERVAL = 50;
/** How long a window may take to fetch the text, in milliseconds. Until then the clipboard must not change. */
const FETCH_TIME = 150;

/** Puts a text on the clipboard. */
export function copy(text) {
    const clipboard = St.Clipboard.get_default();
    clipboard.set_text(St.ClipboardType.CLIPBOARD, text);
    clipboard.set_text(St.ClipboardType.PRIMARY, text);
}

export class Paster {
    constructor() {
        this._keyboard = new Keyboard();
        this._timer = 0;
    }

    destroy() {
        if (this._timer)
            GLib.source_remove(this._timer);
        this._timer = 0;
        this._keyboard = null;
    }

    /**
     * Pastes with Shift+Insert, which nearly all applications support with one of the two selections.
     * @param {string} text
     * @param {Function} isHere - whether the window still has the focus.
     * @param {Function} done - called with whether it was pasted.
     */
    paste(text, isHere, done) {
        let left = MODIFIER_TIMEOUT;
        this._timer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, POLL_INTERVAL, () => {
            left -= POLL_INTERVAL;
            if (isHere() && areModifiersDown() && left > 0)
                return GLib.SOURCE_CONTINUE;
            this._timer = 0;
            if (!isHere() || areModifiersDown()) {
                done(false);
                return GLib.SOURCE_REMOVE;
            }
            copy(text);
            this._keyboard.press(Clutter.KEY_Shift_L, Clutter.KEY_Insert);
            this._timer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, FETCH_TIME, () => {
                this._timer = 0;
                done(true);
                return GLib.SOURCE_REMOVE;
            });
            return GLib.SOURCE_REMOVE;
        });
    }
}
