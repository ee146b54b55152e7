/* Pure functions on text for the typist. This module imports nothing. */

/** A Wayland message has at most 4096 bytes. A longer commit ends the application that receives it. */
export const MAX_COMMIT_BYTES = 3000;
/** Maximum length of live text in bytes; the end of longer text is shown. */
export const MAX_LIVE_BYTES = 1000;

/** The length of one code point in UTF-8. */
function bytesOf(character) {
    const code = character.codePointAt(0);
    if (code < 0x80)
        return 1;
    if (code < 0x800)
        return 2;
    return code < 0x10000 ? 3 : 4;
}

/** The length of a string in UTF-8. */
export function byteLength(text) {
    let length = 0;
    for (const character of text)
        length += bytesOf(character);
    return length;
}

/** Whether a piece may begin with this character. Combining marks and joiners stay with the preceding character. */
function canBegin(character) {
    return !/^(?:\p{M}|\p{Emoji_Modifier}|\u{200d}|\u{fe0e}|\u{fe0f})$/u.test(character);
}

/**
 * Cuts a text into pieces of at most `limit` bytes, after spaces if there are any. Joined, the pieces are the text.
 */
export function pieces(text, limit = MAX_COMMIT_BYTES) {
    const result = [];
    let piece = '';
    let bytes = 0;
    let space = 0;
    let spaceBytes = 0;
    let boundary = 0;
    let boundaryBytes = 0;
    for (const character of text) {
        const length = bytesOf(character);
        if (canBegin(character)) {
            boundary = piece.length;
            boundaryBytes = bytes;
        }
        if (bytes + length > limit) {
            let cut = piece.length;
            let cutBytes = bytes;
            if (space > 0) {
                cut = space;
                cutBytes = spaceBytes;
            } else if (boundary > 0) {
                cut = boundary;
                cutBytes = boundaryBytes;
            }
            result.push(piece.slice(0, cut));
            piece = piece.slice(cut);
            bytes -= cutBytes;
            space = spaceBytes = boundary = boundaryBytes = 0;
        }
        piece += character;
        bytes += length;
        if (character === ' ' || character === '\n') {
            space = piece.length;
            spaceBytes = bytes;
        }
    }
    if (piece !== '')
        result.push(piece);
    return result;
}

/** The end of a text, in at most `limit` bytes, with an ellipsis if it was cut. */
export function tail(text, limit = MAX_LIVE_BYTES) {
    if (text.length * 3 <= limit || byteLength(text) <= limit)
        return text;
    const characters = Array.from(text.slice(-limit));
    let bytes = 3;
    let first = characters.length;
    while (first > 0 && bytes + bytesOf(characters[first - 1]) <= limit) {
        first -= 1;
        bytes += bytesOf(characters[first]);
    }
    while (first < characters.length && !canBegin(characters[first]))
        first += 1;
    const space = characters.indexOf(' ', first);
    if (space >= 0 && space - first < 40)
        first = space + 1;
    return `…${characters.slice(first).join('')}`;
}

/** The text without control characters. In a terminal newlines and tabs are replaced too, because they are commands there. */
export function withoutCommands(text, isTerminal) {
    const plain = text.replace(/\r\n?|\u2028|\u2029|\u0085/gu, '\n')
        // eslint-disable-next-line no-control-regex
        .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu, '');
    return isTerminal ? plain.replace(/[\n\t]+/gu, ' ') : plain;
}

const NO_SPACE_AFTER = /[\s([{<"'“‘„‚«‹¿¡/\\@#$£€_—–\-\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;
const NO_SPACE_BEFORE = /^[\s.,;:!?…)\]}>”’»›%\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const SENTENCE_END = /(^|[.!?…]["'”’»)\]]*\s+|\n\s*)$/u;
/** A straight quotation mark is a closing one if it follows a letter or a full stop. */
const CLOSING_QUOTE = /[\p{L}\p{N}.,!?]["']$/u;

/** English words that have no capital in the middle of a sentence. */
const SMALL_WORDS = new Set(
    ('a about after again all also although an and any are as at be because been before but by can could did do ' +
    'does even every few first for from had has have he her here his how however if in into is it its just like ' +
    'many may maybe might more most my no not now of on one only or other our out over perhaps she should since ' +
    'so some still such than that the their them then there these they this those though to too under until up ' +
    'very was we well were what when where which while who why will with would yes yet you your').split(' '));

/**
 * Fits a dictated text to the text around the cursor.
 * @param {string} text - the dictated text.
 * @param {object} around - the text `before` and `after` the cursor, each null if unknown.
 * @param {object} style - `capitals` b: may change the first letter, and leave out a full stop; `language` s; `isTerminal` b;
 * `initialCapital` b: the text has a capital only because the block begins with it.
 */
export function fit(text, around, style) {
    let fitted = withoutCommands(text, style.isTerminal);
    if (style.isTerminal && style.initialCapital)
        fitted = withSmallInitial(fitted);
    if (fitted === '' || around.before === null)
        return fitted;
    const space = needsSpace(around.before, fitted) ? ' ' : '';
    if (style.capitals && !style.isTerminal) {
        fitted = fitCapital(fitted, around.before + space, style);
        if (endsBeforeTheSentence(fitted, around.after))
            fitted = fitted.slice(0, -1);
    }
    fitted = space + fitted;
    if (around.after !== null && /^[\p{L}\p{N}]/u.test(around.after) && !/\s$/u.test(fitted) &&
        !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u.test(fitted))
        fitted = `${fitted} `;
    return fitted;
}

function needsSpace(before, text) {
    return before !== '' && (CLOSING_QUOTE.test(before) || !NO_SPACE_AFTER.test(before)) && !NO_SPACE_BEFORE.test(text);
}

/** Whether the text ends with a full stop in the middle of a sentence: a mark or a small letter follows. */
function endsBeforeTheSentence(text, after) {
    return after !== null && /(?<!\.)\.$/u.test(text) && /^ *[.,;:!?…\p{Lowercase}]/u.test(after);
}

/** The text with a small first letter, except for "I" and words with another capital inside. */
function withSmallInitial(text) {
    const word = /^\p{L}+/u.exec(text)?.[0] ?? '';
    const first = Array.from(text)[0] ?? '';
    return word === 'I' || word.slice(first.length) !== word.slice(first.length).toLowerCase()
        ? text : first.toLowerCase() + text.slice(first.length);
}

function fitCapital(text, before, {language, initialCapital}) {
    const first = Array.from(text)[0];
    if (SENTENCE_END.test(before))
        return first.toLocaleUpperCase(language || undefined) + text.slice(first.length);
    if (initialCapital)
        return withSmallInitial(text);
    const word = /^\p{L}+(?!['’.\p{L}])/u.exec(text)?.[0] ?? '';
    if ((language || 'en').startsWith('en') && SMALL_WORDS.has(word.toLowerCase()) && word.slice(1) === word.slice(1).toLowerCase())
        return first.toLowerCase() + text.slice(first.length);
    return text;
}

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
