/* What is heard and said to screen readers when a dictation changes. Pure. */
import {interruptionNotice, outcomeText, reasonText} from './messages.js';
import {_} from './translation.js';

/** The sounds of the freedesktop sound theme for each kind of change. */
export const SOUNDS = {start: 'device-added', stop: 'device-removed', error: 'dialog-error'};

/**
 * @param {string} setting - off, outside-calls or always.
 * @param {string} reason - of the present interruption.
 */
function allows(setting, reason) {
    return setting === 'always' || (setting === 'outside-calls' && reason !== 'call');
}

export class Cues {
    constructor() {
        /** Nothing before the first update is a change. */
        this._state = null;
        this._reason = '';
        this._texts = new Set();
    }

    /**
     * @param {object} dictation - its present `state`, `reason` and `texts`.
     * @param {string} setting - when sounds are played.
     * @returns {object} {sound, announcements}: the name of a sound, or null, and texts for screen readers.
     */
    update({state, reason, texts}, setting) {
        const isFirst = this._state === null;
        const [before, reasonBefore] = [this._state, this._reason];
        const announcements = this._newTexts(texts);
        this._state = state;
        this._reason = reason;
        if (isFirst)
            return {sound: null, announcements: []};
        let sound = null;
        if (state === 'interrupted' && (before !== state || reasonBefore !== reason)) {
            sound = before === state ? null : SOUNDS.error;
            announcements.push(interruptionNotice(reason) || reasonText(reason));
        } else if (state !== before) {
            const [kind, text] = this._change(before, state);
            sound = kind && SOUNDS[kind];
            if (text)
                announcements.push(text);
        }
        // A call that ends the dictation is still going on.
        return {sound: allows(setting, reason || reasonBefore) ? sound : null, announcements};
    }

    _change(before, state) {
        const wasOpen = ['listening', 'paused', 'interrupted'].includes(before);
        if (state === 'listening')
            return ['start', _('Listening')];
        if (state === 'paused')
            return [before === 'listening' ? 'stop' : null, _('Paused')];
        return state === 'idle' && wasOpen ? ['stop', _('Dictation has ended')] : [null, ''];
    }

    /** What became of texts of which that was not known. */
    _newTexts(texts) {
        const found = texts.filter(({id}) => !this._texts.has(id)).reverse();
        this._texts = new Set(texts.map(({id}) => id));
        return found.map(({text, outcome}) => outcome === 'kept' ? outcomeText(outcome) : `${outcomeText(outcome)}: ${text}`);
    }
}
