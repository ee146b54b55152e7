/* The words of a block. Pure. */

/** A block's text, assembled from Partial signals. */
export class BlockText {
    constructor() {
        this._stable = '';
        this._scalars = 0;
        this._volatile = '';
    }

    /** Puts `stable` at `offset` (in Unicode scalars), and `volatile` after it. */
    apply(offset, stable, volatile) {
        if (offset < this._scalars) {
            this._stable = Array.from(this._stable).slice(0, offset).join('');
            this._scalars = offset;
        }
        if (stable !== '') {
            this._stable += stable;
            this._scalars += Array.from(stable).length;
        }
        this._volatile = volatile;
    }

    /** The user took back the text from `offset` on. */
    retract(offset) {
        this.apply(offset, '', this._volatile);
    }

    get text() {
        return this._stable + this._volatile;
    }
}
