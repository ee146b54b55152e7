/* Starts the service again after it has ended, and asks for the session that it has kept. */
import GLib from 'gi://GLib';

import {isCancelled, isGone, isMissing} from './service.js';
import {_} from './translation.js';

/** How long to wait for a service that has ended before it is started again, in milliseconds: it may be upgraded. */
const DELAY = 1000;
/** How long to wait for a service that cannot be started by a call, in milliseconds. */
const PATIENCE = 30 * 1000;
/** A service that ends again and again is asked at most so often within so many microseconds. */
const MAX_ATTEMPTS = 5;
const PERIOD = 60 * 1000 * 1000;

export class Recovery {
    /**
     * @param {Service} service
     * @param {object} observer - has `recovered(found)`, called with the state of the session as of GetSession, and
     * `notRecovered(error)`.
     */
    constructor(service, observer) {
        this._service = service;
        this._observer = observer;
        this._timer = 0;
        this._isAsking = false;
        /** The times of the latest attempts. */
        this._attempts = [];
    }

    /** Whether the service has ended and is not back. */
    get isWaiting() {
        return this._timer !== 0 || this._isAsking;
    }

    cancel() {
        if (this._timer)
            GLib.source_remove(this._timer);
        this._timer = 0;
    }

    destroy() {
        this.cancel();
        this._observer = this._service = null;
    }

    /** The service has ended. */
    begin() {
        this._wait(DELAY, () => this._attempt());
    }

    /** The service runs. */
    serviceAppeared() {
        if (this._timer)
            this._attempt();
    }

    _wait(milliseconds, then) {
        this.cancel();
        this._timer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, milliseconds, () => {
            this._timer = 0;
            then();
            return GLib.SOURCE_REMOVE;
        });
    }

    async _attempt() {
        this.cancel();
        if (this._isAsking)
            return;
        const now = GLib.get_monotonic_time();
        this._attempts = [...this._attempts.filter(time => now - time < PERIOD), now];
        if (this._attempts.length > MAX_ATTEMPTS) {
            this._observer.notRecovered(new Error(_('The Dictation service ends again and again.')));
            return;
        }
        this._isAsking = true;
        try {
            const found = await this._service.session();
            this._isAsking = false;
            this._observer?.recovered(found);
        } catch (error) {
            this._isAsking = false;
            if (!this._observer || isCancelled(error))
                return;
            // If it has ended once more, begin() has been called.
            if (isGone(error) && this._timer)
                return;
            if (isMissing(error))
                this._wait(PATIENCE, () => this._observer.notRecovered(error));
            else
                this._observer.notRecovered(error);
        }
    }
}
