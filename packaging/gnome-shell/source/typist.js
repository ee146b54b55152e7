/*
 * The rules of typing: events in, effects out. No clock, no shell. The same rules as in Sources/Core/Typing:
 * Tests/TypingTests/typing-cases.json is run by the tests of both.
 *
 * Events:
 *   {type: 'begin', block}              a dictation begins in the present field
 *   {type: 'field', field}              the present field, null if there is none; sent again after every change of it
 *   {type: 'partial', block, text}      the text of a block so far
 *   {type: 'final', block, text, initialCapital}
 *                                       the text of a block, and whether it has a capital only because the block begins
 *   {type: 'retract', block, offset}    the user took back the end of a finished block, from a character on
 *   {type: 'cancel', block}             a block was discarded
 *   {type: 'end'}                       the dictation has ended
 *   {type: 'elapsed', token}            the time of a 'wait' effect has elapsed
 *   {type: 'committed', token, arrival} the result of a commit in a field that reports it: 'arrived', 'unknown' (it was typed),
 *                                       or 'refused' (it was not)
 *   {type: 'style', style}              see below
 *
 * A field is
 *   route       the way to type into it
 *   id          names it, or what is known of it, such as its window
 *   visit       a number that changes whenever a field gets the focus
 *   purpose     'text', 'password' or 'terminal'
 *   isSensitive whether its text is hidden or private
 *   text, cursor      the text around the cursor, and its position, in characters; text is null if unknown
 *   isSelecting       whether text is selected
 *   place       the position of the cursor in the window, a string; null if unknown
 *   isLive      it shows live text, and text can be deleted in it
 *   reports     commits are answered by 'committed'
 *   limit       maximum length of a commit in bytes
 *
 * Effects:
 *   {do: 'show', text}                  show live text; at most MAX_LIVE_BYTES
 *   {do: 'clear'}                       show no live text
 *   {do: 'commit', text, route, token}  type; at most once in a list of effects
 *   {do: 'delete', characters}          delete this number of characters before the cursor
 *   {do: 'stays', block, why}           text that was taken back was not deleted: 'not-here', or 'unseen' if the field did not
 *                                       report the deletion
 *   {do: 'wait', token, milliseconds}   send 'elapsed' after this time
 *   {do: 'outcome', id, block, text, outcome, why}    the outcome of a block. Blocks of later dictations have the same
 *       numbers; the `id` is unique. Sent again when the outcome changes.
 *       'arrived'    it is in the field
 *       'sent'       typed; whether it arrived is unknown
 *       'doubtful'   the focus moved right after it was typed: it may have arrived or not
 *       'kept'       not typed, because 'password', 'no-field', 'left', 'refused': the field did not take it, or 'unfinished':
 *                    the dictation ended before the text was final
 *       'retracted'  taken back
 *   {do: 'split'}                       commit the current block: its words belong to the field before this one
 *
 * A block belongs to the field that was present when the block began. When another field gets the focus the block waits
 * for its own field to return, or is kept; it is never typed into another field.
 */
import {MAX_COMMIT_BYTES, fit, pieces, tail} from './text.js';

/** Delay between two commits in milliseconds. Of two in one turn of the shell's loop the first is lost. */
export const COMMIT_GAP = 20;
/** How long a client may take to report the field after a commit, in milliseconds. */
export const ARRIVAL_TIMEOUT = 500;
/** The same after a deletion. Longer, because a false report of failure is worse than waiting. */
export const DELETION_TIMEOUT = 2000;
/** How long a field that reports commits may take, in milliseconds. */
export const REPORT_TIMEOUT = 60000;
/** The number of a field's characters that are compared. */
const COMPARED_CHARACTERS = 200;
/** Maximum number of texts that wait for their field, of blocks that wait for their text, and of texts that can be taken back. */
const MAX_WAITING = 16;

/** Whether typing into a field is forbidden. */
export function isSecret(field) {
    return field.purpose === 'password' || field.isSensitive;
}

/**
 * Whether text can be deleted in a field and the deletion can be verified. Only ASCII is deleted, because GNOME until 45 and
 * GTK until 4.12 count bytes instead of characters, and would delete too much or too little.
 */
export function canDelete(field) {
    return field !== null && field.isLive && !isSecret(field) && field.text !== null && !field.isSelecting &&
        field.purpose !== 'terminal';
}

function before({text, cursor}) {
    return Array.from(text).slice(0, cursor);
}

/** Whether `next` is the same field as `previous`, even if another had the focus in between. */
export function isSameField(previous, next) {
    if (!previous || !next)
        return previous === next;
    if (previous.id !== next.id)
        return false;
    if (previous.visit === next.visit)
        return true;
    if (previous.purpose !== next.purpose || previous.isSensitive !== next.isSensitive || previous.text !== next.text)
        return false;
    // A click moves the cursor, except in an empty field.
    return Boolean(next.text) || (next.place !== null && previous.place === next.place);
}

export class Typist {
    /**
     * @param {object} style - `live` b: show live text in the field; `capitals` b; `language` s; `formatted` b: live text is
     * in written form.
     */
    constructor(style = {}) {
        this._style = {live: true, capitals: true, language: '', formatted: false, ...style};
        this._field = null;
        /** The current block, {block, home, text}; null outside a dictation. */
        this._current = null;
        /** Blocks that were split off and have no final text yet. */
        this._closing = [];
        /** Finished blocks that are not typed yet: {id, dictation, block, text, home, rest, typed, sent, isProven}. */
        this._waiting = [];
        /** The commit in progress: {entry, isLast, token, hasWaited, before}. */
        this._inFlight = null;
        /** The typed texts of this dictation, the latest last. */
        this._past = [];
        /** Pending deletions: {block, offset}. */
        this._retractions = [];
        /**
         * The deletion in progress, {token, entry, offset, count, text, left}: `text` is the field's text before it, `left`
         * the expected text before the cursor.
         */
        this._deletion = null;
        /** The end of the text that was last typed into the present field; null if there is none. */
        this._typed = null;
        this._shown = '';
        this._token = 0;
        this._lastId = 0;
        /** Blocks of each dictation are numbered from 1. */
        this._dictation = 0;
    }

    handle(event) {
        const effects = [];
        switch (event.type) {
        case 'begin':
            this._dictation += 1;
            this._past = [];
            this._retractions = [];
            this._closing = [];
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
        case 'retract':
            this._retract(event.block, event.offset, effects);
            break;
        case 'cancel':
            this._closing = this._closing.filter(each => each.block !== event.block);
            if (this._current && event.block >= this._current.block)
                this._begin(event.block + 1);
            break;
        case 'end':
            this._end(effects);
            break;
        case 'elapsed':
            this._elapse(event.token, effects);
            break;
        case 'committed':
            if (this._inFlight?.token === event.token)
                this._advance(event.arrival, effects);
            break;
        case 'style':
            this._style = {...this._style, ...event.style};
            break;
        }
        this._deleteNext(effects);
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
        const unfinished = [...this._closing, this._current].filter(each => each && each.text.trim() !== '');
        this._current = null;
        this._closing = [];
        this._keepTextsOfOtherFields(effects);
        for (const {block, text} of unfinished)
            this._keep(block, text, 'unfinished', effects);
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
        if (this._deletion)
            this._checkDeletion(isSame, effects);
        if (isSame) {
            if (this._inFlight && this._hasArrived())
                this._advance('arrived', effects);
        } else {
            this._leave(effects);
        }
    }

    /** Blocks remember their field as it is now, to recognise it when it gets the focus again. */
    _recognise(field) {
        const refresh = home => field && home && isSameField(home, field)
            ? {...field, place: this._shown === '' ? field.place : home.place} : home;
        for (const owner of [this._current, ...this._closing, ...this._waiting, ...this._past]) {
            if (owner)
                owner.home = refresh(owner.home);
        }
    }

    _leave(effects) {
        this._typed = null;
        // A field that reports commits says whether all was typed before.
        if (this._inFlight && !this._inFlight.entry.home.reports) {
            const {entry, isLast, hasWaited} = this._inFlight;
            this._inFlight = null;
            const typed = hasWaited ? 'sent' : 'doubtful';
            this._settle(entry, isLast ? typed : 'kept', effects);
        }
        this._keepTextsOfOtherFields(effects);
        const current = this._current;
        if (!current || current.text !== '' || !this._field || isSameField(current.home, this._field))
            return;
        if (current.home === null) {
            current.home = this._field;
            return;
        }
        // Words that were spoken but not reported yet belong to the field before this one.
        this._close(current);
        this._begin(current.block + 1);
        effects.push({do: 'split'});
    }

    /** After the end of its dictation no text waits for its field. */
    _keepTextsOfOtherFields(effects) {
        const isOver = entry => !this._current || entry.dictation !== this._dictation;
        for (const entry of this._waiting.filter(each => isOver(each) && !isSameField(each.home, this._field)))
            this._settle(entry, 'kept', effects);
    }

    _keep(block, text, why, effects) {
        this._lastId += 1;
        effects.push({do: 'outcome', id: this._lastId, block, text, outcome: 'kept', why});
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
        if (this._style.live && this.text !== '' && this.isAtHome && this._field.isLive)
            text = tail(this._fit(this.text, this._style.formatted));
        if (text === this._shown)
            return;
        this._shown = text;
        effects.push(text === '' ? {do: 'clear'} : {do: 'show', text});
    }

    _fit(text, initialCapital) {
        const {purpose, cursor, text: around} = this._field;
        const isTerminal = purpose === 'terminal';
        // While a commit is in progress, the field still reports its earlier text.
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
        const home = owner?.home ?? null;
        if (home === null || isSecret(home)) {
            this._keep(block, text, home === null ? 'no-field' : 'password', effects);
            return;
        }
        this._lastId += 1;
        const id = this._lastId;
        this._waiting.push({
            id, dictation: this._dictation, block, text, initialCapital, home, rest: null, typed: '', sent: '', isProven: true,
        });
        if (!isSameField(home, this._field))
            effects.push({do: 'outcome', id, block, text, outcome: 'kept', why: 'left'});
        if (this._waiting.length > MAX_WAITING)
            this._settle(this._waiting.find(each => each.rest === null), 'kept', effects);
    }

    _typeNext(effects) {
        if (this._inFlight || this._deletion || !this._field)
            return;
        const entry = this._waiting.find(each => isSameField(each.home, this._field));
        if (!entry)
            return;
        if (isSecret(this._field)) {
            // It has become private after the text began.
            this._settle(entry, 'kept', effects, 'password');
            this._typeNext(effects);
            return;
        }
        if (entry.rest === null) {
            entry.typed = this._fit(entry.text, entry.initialCapital);
            entry.rest = pieces(entry.typed, this._field.limit ?? MAX_COMMIT_BYTES);
        }
        if (entry.rest.length === 0) {
            this._settle(entry, 'sent', effects);
            return;
        }
        if (this._shown !== '') {
            // In the same turn as the commit; otherwise some clients keep both.
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
        const {route, reports} = this._field;
        effects.push({do: 'commit', text: piece, route, token: this._token});
        effects.push({do: 'wait', token: this._token, milliseconds: reports ? REPORT_TIMEOUT : COMMIT_GAP});
    }

    _retract(block, offset, effects) {
        // The final text is still to come, and will not contain the retracted text.
        if (this._closing.some(each => each.block === block))
            return;
        const entry = this._find(this._waiting, block);
        if (!entry || entry.rest !== null) {
            this._retractions.push({block, offset});
            if (this._retractions.length > MAX_WAITING)
                this._retractions.shift();
            return;
        }
        entry.text = Array.from(entry.text).slice(0, offset).join('');
        if (entry.text === '')
            this._settle(entry, 'retracted', effects);
    }

    _find(entries, block) {
        return entries.find(each => each.dictation === this._dictation && each.block === block);
    }

    _deleteNext(effects) {
        while (!this._inFlight && !this._deletion && this._retractions.length > 0) {
            const {block, offset} = this._retractions[0];
            if (this._find(this._waiting, block))
                return;
            this._retractions.shift();
            const entry = this._find(this._past, block);
            const count = entry ? this._deletable(entry, offset) : 0;
            if (count > 0)
                this._delete(entry, offset, count, effects);
            else
                effects.push({do: 'stays', block, why: 'not-here'});
        }
    }

    /** The number of characters before the cursor that are this text from `offset` on; 0 if they are not all there. */
    _deletable(entry, offset) {
        const field = this._field;
        if (!canDelete(field) || !isSameField(entry.home, field))
            return 0;
        const typed = Array.from(entry.typed);
        let count = typed.length;
        if (offset > 0) {
            let removed = Array.from(entry.text).slice(offset).join('');
            // A full stop in the middle of a sentence was not typed.
            if (removed.endsWith('.') && !/\. *$/u.test(entry.typed))
                removed = removed.slice(0, -1);
            // A space may have been added after it. Then delete one of the two spaces.
            const hasSpaceBehind = !entry.typed.endsWith(removed) && entry.typed.endsWith(`${removed} `);
            if (!hasSpaceBehind && !entry.typed.endsWith(removed))
                return 0;
            count = Array.from(removed).length + (hasSpaceBehind && !removed.startsWith(' ') ? 1 : 0);
        }
        const end = typed.slice(-count - COMPARED_CHARACTERS).join('');
        // eslint-disable-next-line no-control-regex
        const isPlain = /^[\x00-\x7f]*$/u.test(typed.slice(-count).join(''));
        return isPlain && before(field).join('').endsWith(end) ? count : 0;
    }

    _delete(entry, offset, count, effects) {
        this._typed = null;
        if (this._shown !== '') {
            this._shown = '';
            effects.push({do: 'clear'});
        }
        this._token += 1;
        const {text} = this._field;
        this._deletion = {token: this._token, entry, offset, count, text, left: before(this._field).slice(0, -count)};
        effects.push({do: 'delete', characters: count});
        effects.push({do: 'wait', token: this._token, milliseconds: DELETION_TIMEOUT});
    }

    /** The deletion is done when the field reports it. */
    _checkDeletion(isSame, effects) {
        const {entry, offset, count, text, left} = this._deletion;
        if (!isSame || this._field === null || this._field.text === null) {
            this._giveUpDeletion(effects);
            return;
        }
        const ending = characters => characters.slice(-COMPARED_CHARACTERS).join('');
        if (this._field.text === text || ending(before(this._field)) !== ending(left))
            return;
        this._deletion = null;
        entry.text = Array.from(entry.text).slice(0, offset).join('');
        entry.typed = Array.from(entry.typed).slice(0, -count).join('');
        const outcome = entry.text === '' ? 'retracted' : 'arrived';
        effects.push({do: 'outcome', id: entry.id, block: entry.block, text: entry.text, outcome});
        if (entry.text === '')
            this._past = this._past.filter(each => each !== entry);
    }

    _giveUpDeletion(effects) {
        const {entry} = this._deletion;
        this._deletion = null;
        // The content of the field is no longer known.
        this._past = this._past.filter(each => each !== entry);
        effects.push({do: 'stays', block: entry.block, why: 'unseen'});
    }

    /** Whether the text before the cursor ends with the typed text. */
    _hasArrived() {
        if (!isSameField(this._inFlight.entry.home, this._field))
            return false;
        const {text, cursor} = this._field ?? {text: null};
        if (text === null || text === this._inFlight.before)
            return false;
        // A single-line entry may change newlines; a client may report only the text near the cursor.
        const flat = string => string.replace(/\s+/gu, ' ');
        const sent = flat(this._inFlight.entry.sent);
        const seen = flat(Array.from(text).slice(0, cursor).join(''));
        return seen.endsWith(sent) || (seen.length > 20 && sent.endsWith(seen));
    }

    _elapse(token, effects) {
        if (this._deletion?.token === token)
            this._giveUpDeletion(effects);
        const flight = this._inFlight;
        if (!flight || flight.token !== token)
            return;
        const canTell = this._field !== null && this._field.text !== null;
        if (canTell && !flight.hasWaited) {
            flight.hasWaited = true;
            effects.push({do: 'wait', token, milliseconds: ARRIVAL_TIMEOUT});
        } else {
            this._advance('unknown', effects);
        }
    }

    /** The commit is done; the next may follow. */
    _advance(arrival, effects) {
        const {entry, isLast} = this._inFlight;
        this._inFlight = null;
        const hasLeft = !isSameField(entry.home, this._field);
        if (arrival === 'refused') {
            this._settle(entry, 'kept', effects, hasLeft ? 'left' : 'refused');
            return;
        }
        entry.isProven &&= arrival === 'arrived';
        if (isLast)
            this._settle(entry, entry.isProven ? 'arrived' : 'sent', effects);
        else if (hasLeft)
            this._settle(entry, 'kept', effects);
    }

    _settle(entry, outcome, effects, why = 'left') {
        this._waiting = this._waiting.filter(each => each !== entry);
        if (outcome !== 'kept' && outcome !== 'retracted')
            this._past = [...this._past, entry].slice(-MAX_WAITING);
        const effect = {do: 'outcome', id: entry.id, block: entry.block, text: entry.text, outcome};
        if (outcome === 'kept')
            effect.why = why;
        effects.push(effect);
    }
}
