/*
 * One key for two gestures: a tap toggles, holding it is push-to-talk. Pure: events in, actions out.
 *
 * The compositor may not report a release: never before GNOME 48, and later not if a modifier is released first. So the
 * modifiers are polled while the key is held. If one is no longer down, that counts as the release.
 *
 * A busy shell polls and hears of a release late. So a press is a hold only if a poll saw the key down after TAP_LIMIT,
 * not because its release was noticed after it.
 */

/** Maximum duration of a tap in milliseconds. A press that lasts longer, by a poll, is a hold. */
export const TAP_LIMIT = 400;
/** Interval for polling the modifiers, in milliseconds. */
export const POLL_INTERVAL = 50;
/** Maximum duration of a hold in milliseconds. After a lost release, recording must not continue for hours. */
export const HOLD_LIMIT = 10 * 60 * 1000;

export class KeyHold {
    constructor() {
        this._pressed = null;
        this._isLong = false;
        this._startedByThisPress = false;
    }

    get isHeld() {
        return this._pressed !== null;
    }

    /**
     * The key went down. If it was down already, its release has not been noticed; the compositor does not repeat presses.
     * @param {number} now - milliseconds.
     * @param {boolean} isDictating
     * @param {boolean} canSeeRelease - whether the release will be noticed, by the compositor or by a modifier.
     * @returns {'start'|'stop'|null}
     */
    press(now, isDictating, canSeeRelease) {
        const followsHold = this.release() === 'stop';
        this._startedByThisPress = followsHold || !isDictating;
        if (canSeeRelease)
            this._pressed = now;
        if (followsHold)
            return null;
        return isDictating ? 'stop' : 'start';
    }

    /**
     * The key, or one of its modifiers, went up.
     * @returns {'stop'|null}
     */
    release() {
        const isEndOfHold = this._isLong && this._startedByThisPress;
        this.forget();
        return isEndOfHold ? 'stop' : null;
    }

    /**
     * The present state of the modifiers.
     * @returns {'stop'|null}
     */
    poll(now, areModifiersDown) {
        if (this._pressed === null)
            return null;
        const lasted = now - this._pressed;
        if (areModifiersDown && lasted >= TAP_LIMIT)
            this._isLong = true;
        return !areModifiersDown || lasted >= HOLD_LIMIT ? this.release() : null;
    }

    /** The key is no longer grabbed. */
    forget() {
        this._pressed = null;
        this._isLong = false;
    }
}
