/* When the level meter is updated. Each update makes the shell draw a frame, which takes 10 ms where it draws in software. */

/** Minimum time between two updates, in microseconds. */
const INTERVAL = 200 * 1000;
/** For this time after new text the meter is updated only with the next text, in microseconds. */
const TEXT_INTERVAL = 1000 * 1000;

export class LevelMeter {
    /** @param {Function} show - called with decibels below full scale. */
    constructor(show) {
        this._show = show;
        /** The highest level since the last update. */
        this._level = -Infinity;
        this._levelTime = 0;
        this._textTime = -TEXT_INTERVAL;
    }

    /** A dictation begins: the level of the last one is not shown. */
    begin() {
        this._level = -Infinity;
        this._levelTime = 0;
        this._textTime = -TEXT_INTERVAL;
        this._show(-Infinity);
    }

    setLevel(now, dbfs) {
        this._level = Math.max(this._level, dbfs);
        if (now - this._levelTime >= INTERVAL && now - this._textTime >= TEXT_INTERVAL)
            this._update(now);
    }

    /** Text is shown in this turn. */
    text(now) {
        this._textTime = now;
        this._update(now);
    }

    _update(now) {
        this._levelTime = now;
        if (this._level > -Infinity)
            this._show(this._level);
        this._level = -Infinity;
    }
}
