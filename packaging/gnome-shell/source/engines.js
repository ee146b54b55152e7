/* Whether the engine that is wanted gives the text. Pure. */
import {_} from './translation.js';

export class EngineWatch {
    constructor() {
        this._engines = [];
        this._chosen = '';
        this._isRefused = false;
        this._isReplaced = false;
    }

    /**
     * A session is about to start.
     *
     * @param {string} chosen - the engine of the settings; empty if the service chooses.
     */
    start(chosen) {
        if (chosen !== this._chosen)
            this._isReplaced = false;
        this._chosen = chosen;
        this._isRefused = false;
    }

    /** The service refused to start a session with the chosen engine. */
    refuse() {
        this._isRefused = true;
    }

    /** The name of the engine to start with; empty if the service shall choose. */
    get requested() {
        return this._isRefused ? '' : this._chosen;
    }

    get _wanted() {
        return this._chosen || (this._engines.find(([, {preferred}]) => preferred)?.[0] ?? '');
    }

    /** The name of an engine that does not answer, instead of which another is used; empty if there is none. */
    get missing() {
        const name = this._wanted;
        const isAway = this._engines.some(([each, {available}]) => each === name && !available);
        return this._isRefused || this._isReplaced || isAway ? name || _('The engine') : '';
    }

    /** What does not work, for people; empty if all does. */
    get warning() {
        return this.missing && _('%s does not answer. Another engine is used.', this.missing);
    }

    /** The property Engines of the service. */
    update(engines) {
        this._engines = engines;
    }

    /** The details of a final text: its engine, and how many passages another engine has recognised in its place. */
    final({engine = '', fallback = 0}) {
        if (fallback > 0)
            this._isReplaced = true;
        else if (engine === this._wanted)
            this._isReplaced = false;
    }
}
