/*
 * The rules of typing: events in, effects out. No clock, no shell.
 *
 * Events:
 *   {type: 'begin'}                     a dictation begins in the present field
 *   {type: 'field', field}              the present field, null where there is none; told again when anything of it changes
 *   {type: 'partial', block, text}      the text of a block so far
 *   {type: 'final', block, text, initialCapital}
 *                                       the text of a block, and whether it has a capital only because the block begins
 *   {type: 'cancel', block}             a block was discarded
 *   {type: 'end'}                       the dictation is over
 *   {type: 'elapsed', token}            the time of a 'wait' effect is over
 *   {type: 'style', style}              see below
 *
 * A field is
 *   route       'input-method' (shows live text), 'ibus', or 'paste' (takes any length)
 *   window      an identifier of its window
 *   focus       an identifier of what the input method calls the focus
 *   visit       a number that changes whenever a field gets the focus
 *   purpose, hints    as Clutter's InputContentPurpose and InputContentHintFlags
 *   text, cursor      what is around the cursor, in characters; text is null where unknown
 *   place       where the cursor is in the window, a string; null where unknown
 *
 * Effects:
 *   {do: 'show', text}                  show live text; at most MAX_LIVE_BYTES
 *   {do: 'clear'}                       show none
 *   {do: 'commit', text, route}         type; at most MAX_COMMIT_BYTES, at most once in a list of effects
 *   {do: 'wait', token, milliseconds}   tell 'elapsed' then
 *   {do: 'outcome', id, block, text, outcome, why}    what became of a block. Blocks of later dictations have the
 *       same numbers; no two have the same `id`. Told again when the outcome changes.
 *       'arrived'    it stands in the field
 *       'sent'       typed; whether it arrived cannot be seen
 *       'kept'       not typed, because 'password', 'no-field' or 'left'
 *   {do: 'split'}                       commit the current block: its words belong to the field before this one
 *
 * A block belongs to the field that was present when the block began. When another field gets the focus the block waits
 * for its own field to return, or is kept; it is never typed into another field.
 */
import {fit, pieces, tail} from './text.js';

const PURPOSE_PASSWORD = 8;
const PURPOSE_TERMINAL = 12;
const HINT_HIDDEN_TEXT = 64;
const HINT_SENSITIVE_DATA = 128;

/** Two commits in one turn of the shell's loop lose the first. */
export const COMMIT_GAP = 20;
/** How long a client may take to tell what stands in the field now. */
export const ARRIVAL_TIMEOUT = 500;
/** Texts that wait for their field, and blocks that wait for their text. */
const MAX_WAITING = 16;

/** Whether nothing must be typed into a field. */
export function isSecret(field) {
    return field.purpose === PURPOSE_PASSWORD || (field.hints & (HINT_HIDDEN_TEXT | HINT_SENSITIVE_DATA)) !== 0;
}

/** Whether `next` is the field that `previous` was, perhaps after another had the focus. */
export function isSameField(previous, next) {
    if (!previous || !next)
        return previous === next;
    if (previous.route !== next.route || previous.window !== next.window || previous.focus !== next.focus)
        return false;
    if (previous.visit === next.visit)
        return true;
    if (previous.purpose !== next.purpose || previous.hints !== next.hints || next.route !== 'input-method')
        return false;
    // A click into the field moves the cursor; in an empty field it cannot.
    if (previous.text !== next.text)
        return false;
    return Boolean(next.text) || (next.place !== null && previous.place === next.place);
}

export class Typist {
    /**
     * @param {object} style - `live` b: show live text in the field; `capitals` b; `language` s; `formatted` b: live text
     * is in written form.
     */
    constructor(style = {}) {
        this._style = {live: true, capitals: true, language: '', formatted: false, ...style};
        this._field = null;
        /** The block that is spoken now, {block, home, text}; null while nothing is dictated. */
        this._current = null;
        /** Blocks that were split off and have no final text yet. */
        this._closing = [];
        /** Finished blocks that are not typed yet: {id, block, text, home, rest, sent, isProven}. */
        this._waiting = [];
        /** The commit whose arrival is awaited: {entry, isLast, token, hasWaited, before}. */
        this._inFlight = null;
        /** The end of what was typed last into the present field; null where nothing was. */
        this._typed = null;
        this._shown = '';
        this._token = 0;
        this._lastId = 0;
    }

    handle(event) {
        const effects = [];
        switch (event.type) {
        case 'begin':
            this._begin(event.block);
            break;
        case 'field':
            this._meet(event.field, effects);
            break;
        case 'partial':
            this._hear(event.block, event.text);
            break;
        case 'final':
            this._finish(event.block, event.text, event.initialCapital ?? false, effects);
            break;
        case 'cancel':
            if (this._current && event.block >= this._current.block)
                this._begin(event.block + 1);
            break;
        case 'end':
            this._end(effects);
            break;
        case 'elapsed':
            this._elapse(event.token, effects);
            break;
        case 'style':
            this._style = {...this._style, ...event.style};
            break;
        }
        this._typeNext(effects);
        this._show(effects);
        return effects;
    }

    /** The live text of the current block. */
    get text() {
        return this._current?.text ?? '';
    }

    /** Whether the words of the current block go into the present field. */
    get isAtHome() {
        return Boolean(this._field && this._current) && !isSecret(this._field) &&
            isSameField(this._current.home, this._field);
    }

    _begin(block) {
        this._current = {block, home: this._field, text: ''};
    }

    _end(effects) {
        this._current = null;
        this._closing = [];
        for (const entry of this._waiting) {
            if (!isSameField(entry.home, this._field))
                this._settle(entry, 'kept', effects);
        }
    }

    _meet(field, effects) {
        const previous = this._field;
        const isSame = isSameField(previous, field);
        if (!isSame || previous?.visit !== field?.visit) {
            // Clients drop live text when the focus moves and when the field is clicked.
            this._shown = '';
        }
        this._field = field;
        this._recognise(field);
        if (isSame) {
            if (this._inFlight && this._hasArrived())
                this._advance('arrived', effects);
        } else {
            this._leave(effects);
        }
    }

    /** What belongs to this field remembers it as it is now, so as to recognise it when it returns. */
    _recognise(field) {
        const refresh = home => field && home && isSameField(home, field)
            ? {...field, place: this._shown === '' ? field.place : home.place} : home;
        for (const owner of [this._current, ...this._closing, ...this._waiting]) {
            if (owner)
                owner.home = refresh(owner.home);
        }
    }

    _leave(effects) {
        this._typed = null;
        if (this._inFlight) {
            const {entry, isLast} = this._inFlight;
            this._inFlight = null;
            this._settle(entry, isLast ? 'sent' : 'kept', effects);
        }
        const current = this._current;
        if (!current || current.text !== '' || !this._field || isSameField(current.home, this._field))
            return;
        if (current.home === null) {
            current.home = this._field;
            return;
        }
        // Words may have been spoken that were not told yet; they belong to the field before this one.
        this._close(current);
        this._begin(current.block + 1);
        effects.push({do: 'split'});
    }

    _close(block) {
        this._closing.push(block);
        if (this._closing.length > MAX_WAITING)
            this._closing.shift();
    }

    _hear(block, text) {
        if (!this._current)
            return;
        if (block > this._current.block) {
            this._close(this._current);
            this._begin(block);
        }
        const owner = [this._current, ...this._closing].find(each => each.block === block);
        if (owner)
            owner.text = text;
    }

    _show(effects) {
        let text = '';
        if (this._style.live && this.text !== '' && this.isAtHome && this._field.route === 'input-method')
            text = tail(this._fit(this.text, this._style.formatted));
        if (text === this._shown)
            return;
        this._shown = text;
        effects.push(text === '' ? {do: 'clear'} : {do: 'show', text});
    }

    _fit(text, initialCapital) {
        const {purpose, cursor, text: around} = this._field;
        const isTerminal = purpose === PURPOSE_TERMINAL;
        // While a commit is on its way the field still tells what was there before it.
        const isKnown = around !== null && this._inFlight === null;
        const characters = isKnown ? Array.from(around) : [];
        const before = isKnown ? characters.slice(0, cursor).join('') : this._typed;
        const after = isKnown ? characters.slice(cursor).join('') : null;
        const {capitals, language} = this._style;
        return fit(text, {before, after}, {capitals: capitals && around !== null, language, isTerminal, initialCapital});
    }

    _finish(block, text, initialCapital, effects) {
        if (!this._current)
            return;
        let owner;
        if (block >= this._current.block) {
            owner = this._current;
            this._begin(block + 1);
        } else {
            owner = this._closing.find(each => each.block === block);
            this._closing = this._closing.filter(each => each !== owner);
        }
        if (text.trim() === '')
            return;
        this._lastId += 1;
        const id = this._lastId;
        const home = owner?.home ?? null;
        if (home === null || isSecret(home)) {
            const why = home === null ? 'no-field' : 'password';
            effects.push({do: 'outcome', id, block, text, outcome: 'kept', why});
            return;
        }
        this._waiting.push({id, block, text, initialCapital, home, rest: null, sent: '', isProven: true});
        if (!isSameField(home, this._field))
            effects.push({do: 'outcome', id, block, text, outcome: 'kept', why: 'left'});
        if (this._waiting.length > MAX_WAITING)
            this._settle(this._waiting.find(each => each.rest === null), 'kept', effects);
    }

    _typeNext(effects) {
        if (this._inFlight || !this._field || isSecret(this._field))
            return;
        const entry = this._waiting.find(each => isSameField(each.home, this._field));
        if (!entry)
            return;
        if (entry.rest === null) {
            const fitted = this._fit(entry.text, entry.initialCapital);
            entry.rest = this._field.route === 'paste' ? [fitted] : pieces(fitted);
        }
        if (entry.rest.length === 0) {
            this._settle(entry, 'sent', effects);
            return;
        }
        if (this._shown !== '') {
            // In the same turn as the commit, or some clients keep both.
            this._shown = '';
            effects.push({do: 'clear'});
        }
        const piece = entry.rest.shift();
        this._token += 1;
        entry.sent = (entry.sent + piece).slice(-200);
        this._typed = entry.sent;
        this._inFlight = {
            entry, isLast: entry.rest.length === 0, token: this._token, hasWaited: false, before: this._field.text,
        };
        effects.push({do: 'commit', text: piece, route: this._field.route});
        effects.push({do: 'wait', token: this._token, milliseconds: COMMIT_GAP});
    }

    /** Whether the field ends, before the cursor, in what was typed. */
    _hasArrived() {
        const {text, cursor} = this._field;
        if (text === null || text === this._inFlight.before)
            return false;
        // A single-line entry may change newlines; a client may tell only what is near the cursor.
        const flat = string => string.replace(/\s+/gu, ' ');
        const sent = flat(this._inFlight.entry.sent);
        const seen = flat(Array.from(text).slice(0, cursor).join(''));
        return seen.endsWith(sent) || (seen.length > 20 && sent.endsWith(seen));
    }

    _elapse(token, effects) {
        const flight = this._inFlight;
        if (!flight || flight.token !== token)
            return;
        const canTell = this._field !== null && this._field.text !== null;
        if (canTell && !flight.hasWaited) {
            flight.hasWaited = true;
            effects.push({do: 'wait', token, milliseconds: ARRIVAL_TIMEOUT});
        } else {
            this._advance('sent', effects);
        }
    }

    /** The commit in flight is done with; the next may follow. */
    _advance(outcome, effects) {
        const {entry, isLast} = this._inFlight;
        this._inFlight = null;
        entry.isProven &&= outcome === 'arrived';
        if (isLast)
            this._settle(entry, entry.isProven ? 'arrived' : 'sent', effects);
    }

    _settle(entry, outcome, effects) {
        this._waiting = this._waiting.filter(each => each !== entry);
        const effect = {do: 'outcome', id: entry.id, block: entry.block, text: entry.text, outcome};
        if (outcome === 'kept')
            effect.why = 'left';
        effects.push(effect);
    }
}
