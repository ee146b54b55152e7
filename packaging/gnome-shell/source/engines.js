/* Whether the engine that is wanted gives the text. Pure. */

export class EngineWatch {
    constructor() {
        /** The name of an engine that does not answer, instead of which another is used; empty if there is none. */
        this.missing = '';
    }

    /** What does not work, for people; empty if all does. */
    get warning() {
        return this.missing && `${this.missing} does not answer. Another engine is used.`;
    }

    /** The property Engines of the service: the one that it prefers may not answer. */
    meet(engines) {
        this.missing = engines.find(([, {preferred, available}]) => preferred && !available)?.[0] ?? '';
    }

    /** The details of a final text: which engine it is from, and whether another has replaced it. */
    hear({engine = '', fallback = 0}) {
        if (fallback > 0)
            this.missing = engine || 'The engine';
        else if (engine === this.missing)
            this.missing = '';
    }
}
