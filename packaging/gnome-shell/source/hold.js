/*
 * One key for two gestures: a tap toggles, holding talks. Pure: events in, the wished state out.
 *
 * The compositor may not tell of a release: never before GNOME 48, and later not if a modifier goes up first. So while the
 * key is held its modifiers are looked at, and a modifier that is gone is a release.
 */

/** A press that lasts longer, in milliseconds, is a hold. */
export const TAP_LIMIT = 400;
/** How often the modifiers are looked at, in milliseconds. */
export const POLL_INTERVAL = 50;
/** No hold lasts longer, in milliseconds: a lost release must not record for hours. */
export const HOLD_LIMIT = 10 * 60 * 1000;

export class KeyHold {
    constructor() {
        this._pressed = null;
        this._startedByThisPress = false;
    }

    get isHeld() {
        return this._pressed !== null;
    }

    /**
     * The key went down.
     * @param {number} now - milliseconds.
     * @param {boolean} isDictating
     * @param {boolean} canSeeRelease - whether a release will be seen: by the compositor or by a modifier.
     * @returns {'start'|'stop'|null}
     */
    press(now, isDictating, canSeeRelease) {
        if (this._pressed !== null)
            return null;
        this._startedByThisPress = !isDictating;
        if (canSeeRelease)
            this._pressed = now;
        return isDictating ? 'stop' : 'start';
    }

    /**
     * The key, or one of its modifiers, went up.
     * @returns {'stop'|null}
     */
    release(now) {
        if (this._pressed === null)
            return null;
        const lasted = now - this._pressed;
        this._pressed = null;
        return this._startedByThisPress && lasted >= TAP_LIMIT ? 'stop' : null;
    }

    /**
     * What the modifiers are now.
     * @returns {'stop'|null}
     */
    poll(now, areModifiersDown) {
        if (this._pressed === null)
            return null;
        return !areModifiersDown || now - this._pressed >= HOLD_LIMIT ? this.release(now) : null;
    }

    /** The key is no longer ours. */
    forget() {
        this._pressed = null;
    }
}
