/* Types the text of a dictation into the field with the focus, and lists what became of it. */
import GLib from 'gi://GLib';

import {Fields} from './fields.js';
import {keptNotice} from './messages.js';
import {copy} from './paster.js';
import {BlockText} from './text.js';
import {_} from './translation.js';
import {Typist, isSecret} from './typist.js';

/** Maximum number of texts in the menu. */
const MAX_TEXTS = 10;

function timeOfDay() {
    return GLib.DateTime.new_now_local().format('%H:%M');
}

export class Typing {
    /**
     * @param {Gio.Settings} settings
     * @param {object} style - of the typist.
     * @param {object} observer - has `textsChanged()`, `notify(kind, message, buttons)` as of Notices, and `split()`, which
     * commits the current block.
     */
    constructor(settings, style, observer) {
        this._settings = settings;
        this._observer = observer;
        /** The latest texts, as {id, text, outcome, why, time}, the newest first. */
        this.texts = [];
        this._block = 1;
        this._blockText = new BlockText();
        /** The last block that the user discarded; 0 if there is none. */
        this._discardedBlock = 0;
        this._timers = new Set();
        this._typist = new Typist(style);
        this._fields = new Fields(this, wmClass => settings.get_boolean('paste') &&
            settings.get_strv('paste-programs').includes(wmClass));
        this._followField();
    }

    destroy() {
        for (const timer of this._timers)
            GLib.source_remove(timer);
        this._timers.clear();
        this._fields.destroy();
        this._fields = this._typist = this._observer = this._settings = null;
    }

    /** The field with the focus, in the form for the typist. */
    get field() {
        return this._fields.current;
    }

    /** Whether typing into the field with the focus is forbidden. */
    get isSecret() {
        const field = this.field;
        return field !== null && isSecret(field);
    }

    /** The live text of the current block. */
    get text() {
        return this._typist.text;
    }

    // A dictation

    begin() {
        this._block = 1;
        this._blockText = new BlockText();
        this._discardedBlock = 0;
        this.handle({type: 'begin', block: 1});
    }

    /** The dictation is over: text without a final text is kept. */
    end() {
        // The service may have ended before it has discarded it.
        this.handle({type: 'cancel', block: this._discardedBlock});
        this.handle({type: 'end'});
    }

    /** Text of the current block, as in the signal Partial. */
    partial(block, offset, stable, volatile) {
        if (block < this._block)
            return;
        if (block > this._block)
            this._beginBlock(block);
        this._blockText.apply(offset, stable, volatile);
        this.handle({type: 'partial', block, text: this._blockText.text});
    }

    /** The block that the service has kept in a crash. */
    restore(block, text) {
        this._beginBlock(block);
        this.partial(block, 0, text, '');
    }

    /** The text of a block, as in the signal Final. */
    final(block, text, details) {
        this.handle({type: 'final', block, text, initialCapital: details['initial-capital'] ?? false});
        if (block >= this._block)
            this._beginBlock(block + 1);
    }

    /** The user took back text, as in the signal Retracted. */
    retract(block, offset) {
        if (block === this._block) {
            this._blockText.retract(offset);
            this.handle({type: 'partial', block, text: this._blockText.text});
        } else {
            this.handle({type: 'retract', block, offset});
        }
    }

    /** The user discards the current block. */
    discard() {
        this._discardedBlock = this._block;
        this._blockText = new BlockText();
    }

    /** The service has discarded a block. */
    discarded(block) {
        this.handle({type: 'cancel', block});
        this._block = Math.max(this._block, block + 1);
    }

    _beginBlock(block) {
        this._block = block;
        this._blockText = new BlockText();
    }

    // The typist

    setStyle(style) {
        this.handle({type: 'style', style});
    }

    /** Handles an event of the typist in the field that has the focus now. */
    handle(event) {
        this._followField();
        this._apply(event);
    }

    _followField() {
        this._apply({type: 'field', field: this._fields.current});
    }

    // The observer of fields

    fieldChanged() {
        this._followField();
    }

    committed(token, arrival) {
        this.handle({type: 'committed', token, arrival});
    }

    _apply(event) {
        for (const effect of this._typist.handle(event))
            this._do(effect);
    }

    _do(effect) {
        switch (effect.do) {
        case 'show':
            this._fields.show(effect.text);
            break;
        case 'clear':
            this._fields.clear();
            break;
        case 'commit':
            this._fields.commit(effect.text, effect.route, effect.token);
            break;
        case 'delete':
            this._fields.delete(effect.characters);
            break;
        case 'stays':
            this._observer.notify('text', effect.why === 'unseen'
                ? _('The text field does not show whether that text was deleted. Please check.')
                : _('That text is no longer before the cursor, or cannot be deleted here. Delete it by hand.'));
            break;
        case 'wait':
            this._wait(effect.token, effect.milliseconds);
            break;
        case 'split':
            this._observer.split();
            break;
        case 'outcome':
            this._recordOutcome(effect);
            break;
        }
    }

    _wait(token, milliseconds) {
        // The shell sends a commit when it is idle. A second one before that would replace the first, so this runs at low
        // priority too.
        const timer = GLib.timeout_add(GLib.PRIORITY_LOW, milliseconds, () => {
            this._timers.delete(timer);
            this.handle({type: 'elapsed', token});
            return GLib.SOURCE_REMOVE;
        });
        this._timers.add(timer);
    }

    _recordOutcome({id, text, outcome, why}) {
        const known = this.texts.find(each => each.id === id);
        if (outcome === 'retracted')
            this.texts = this.texts.filter(each => each !== known);
        else if (known)
            Object.assign(known, {text, outcome, why});
        else
            this.texts = [{id, text, outcome, why, time: timeOfDay()}, ...this.texts].slice(0, MAX_TEXTS);
        if (outcome === 'kept' && !known)
            this._notifyKept(why, text);
        this._observer.textsChanged();
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
