/* Keeps the session from becoming idle while somebody dictates: the screen would be locked, and dictation interrupted. */
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {_} from './translation.js';

const MANAGER = 'org.gnome.SessionManager';
const PATH = '/org/gnome/SessionManager';
/** Of the method Inhibit: the session must not be marked as idle. */
const INHIBIT_IDLE = 8;
const CALL_TIMEOUT = 5000;
/** How long the session is kept from becoming idle after words were heard, in microseconds. */
const AWAKE_TIME = 120 * 1000 * 1000;

function call(method, parameters) {
    return new Promise((resolve, reject) => {
        Gio.DBus.session.call(MANAGER, PATH, MANAGER, method, parameters, null, Gio.DBusCallFlags.NO_AUTO_START, CALL_TIMEOUT,
            null, (source, result) => {
                try {
                    resolve(source.call_finish(result).deepUnpack());
                } catch (error) {
                    reject(error);
                }
            });
    });
}

export class Awake {
    /** @param {Function} isAllowed - whether the user's settings allow this. */
    constructor(isAllowed) {
        this._isAllowed = isAllowed;
        this._isListening = false;
        this._heard = -AWAKE_TIME;
        this._timer = 0;
        this._isWanted = false;
        this._cookie = 0;
        this._isBusy = false;
        this._hasFailed = false;
    }

    /** Words were heard. */
    recordSpeech(now) {
        this._heard = now;
        this._decide(now);
    }

    /** @param {boolean} isListening - whether a session listens. Call it also when the settings have changed. */
    update(isListening) {
        this._isListening = isListening;
        this._decide(GLib.get_monotonic_time());
    }

    _decide(now) {
        const left = this._heard + AWAKE_TIME - now;
        this._set(this._isListening && left > 0 && this._isAllowed());
        if (!this._isWanted && this._timer) {
            GLib.source_remove(this._timer);
            this._timer = 0;
        } else if (this._isWanted && !this._timer) {
            this._timer = GLib.timeout_add_seconds(GLib.PRIORITY_DEFAULT, Math.ceil(left / 1e6), () => {
                this._timer = 0;
                this._decide(GLib.get_monotonic_time());
                return GLib.SOURCE_REMOVE;
            });
        }
    }

    _set(isWanted) {
        if (isWanted === this._isWanted)
            return;
        this._isWanted = isWanted;
        this._call().catch(error => {
            // Once, because there may be no session manager.
            if (!this._hasFailed)
                console.warn(`Dictation: the session may become idle: ${error.message}`);
            this._hasFailed = true;
        });
    }

    /** Calls the session manager until what holds is what is wanted. A failed call is not repeated before the next change. */
    async _call() {
        if (this._isBusy)
            return;
        this._isBusy = true;
        try {
            /* eslint-disable no-await-in-loop */
            while (this._isWanted !== (this._cookie !== 0)) {
                if (this._isWanted) {
                    [this._cookie] = await call('Inhibit', new GLib.Variant('(susu)',
                        ['org.example.Dictation', 0, _('Somebody dictates'), INHIBIT_IDLE]));
                } else {
                    const cookie = this._cookie;
                    this._cookie = 0;
                    await call('Uninhibit', new GLib.Variant('(u)', [cookie]));
                }
            }
            /* eslint-enable no-await-in-loop */
        } finally {
            this._isBusy = false;
        }
    }
}
