/* The words of the present block, and what became of the latest texts. The service types them, see server.js. */
import GLib from 'gi://GLib';

import {BlockText} from './blocktext.js';
import {failureNotice, keptNotice} from './messages.js';
import {copy} from './paster.js';
import {_} from './translation.js';

/** Maximum number of texts in the menu. */
const MAX_TEXTS = 10;

function timeOfDay() {
    return GLib.DateTime.new_now_local().format('%H:%M');
}

/** What became of a text, for people: 'arrived', 'sent', 'doubtful' or 'kept'. */
function outcomeOf(outcome, details) {
    switch (outcome) {
    case 'typed': return details.seen ? 'arrived' : 'sent';
    case 'doubtful': return 'doubtful';
    default: return 'kept';
    }
}

export class Typing {
    /**
     * @param {Fields} fields
     * @param {Gio.Settings} settings
     * @param {object} observer - has `textsChanged()`, and `notify(kind, message, buttons)` as of Notices.
     */
    constructor(fields, settings, observer) {
        this._fields = fields;
        this._settings = settings;
        this._observer = observer;
        /** The latest texts, as {id, text, outcome, why, time}, the newest first. */
        this.texts = [];
        this._block = 1;
        this._blockText = new BlockText();
    }

    destroy() {
        this._fields = this._settings = this._observer = null;
    }

    /** The words of the current block. */
    get text() {
        return this._blockText.text;
    }

    // The words

    begin() {
        this._beginBlock(1);
    }

    end() {
        this._blockText = new BlockText();
    }

    /** Words of the current block, as in the signal Partial. */
    partial(block, offset, stable, volatile) {
        if (block < this._block)
            return;
        if (block > this._block)
            this._beginBlock(block);
        this._blockText.apply(offset, stable, volatile);
    }

    /** The block that the service has kept in a crash. */
    restore(block, text) {
        this._beginBlock(block);
        this.partial(block, 0, text, '');
    }

    /** A block is final or discarded. */
    finished(block) {
        if (block >= this._block)
            this._beginBlock(block + 1);
    }

    /** The user took back text, as in the signal Retracted. */
    retract(block, offset) {
        if (block === this._block)
            this._blockText.retract(offset);
    }

    /** The user discards the current block. */
    discard() {
        this._blockText = new BlockText();
    }

    _beginBlock(block) {
        this._block = block;
        this._blockText = new BlockText();
    }

    // What became of them

    /** As in the signal Typed. */
    typed(session, _block, outcome, text, details) {
        const id = `${session} ${details.number}`;
        const known = this.texts.find(each => each.id === id);
        if (outcome === 'retracted' || details.why === 'password') {
            this.texts = this.texts.filter(each => each !== known);
            // Nobody gets what was said for a field for a password.
            if (details.why === 'password')
                this._observer.notify('text', keptNotice('password'), []);
        } else {
            const result = {text, outcome: outcomeOf(outcome, details), why: details.why ?? ''};
            if (known)
                Object.assign(known, result);
            else
                this.texts = [{id, ...result, time: timeOfDay()}, ...this.texts].slice(0, MAX_TEXTS);
            if (result.outcome === 'kept' && !known)
                this._notifyKept(result.why, text);
        }
        this._observer.textsChanged();
    }

    /** As in the signal Failed. */
    failed(message, details) {
        this._observer.notify('text', failureNotice(details.why) ?? message);
    }

    _notifyKept(why, text) {
        const copyButton = [_('Copy'), () => copy(text)];
        const program = why === 'no-field' && this._settings.get_boolean('paste') ? this._fields.silentProgram : null;
        if (!program) {
            this._observer.notify('text', keptNotice(why), [copyButton]);
            return;
        }
        const {wmClass, name} = program;
        this._observer.notify('text', _('%s does not report which fields are for passwords. The text is in the menu.', name), [
            [_('Always Paste Into %s', name), () => this._settings.set_strv('paste-programs',
                [...new Set([...this._settings.get_strv('paste-programs'), wmClass])])],
            copyButton,
        ]);
    }
}
