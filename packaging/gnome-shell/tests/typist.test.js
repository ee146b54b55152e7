// Run by: gjs -m typist.test.js FOLDER-OF-THE-SOURCES
import System from 'system';

const sources = ARGV[0];
const {BlockText, MAX_COMMIT_BYTES, byteLength, fit, pieces, tail, withoutCommands} = await import(`file://${sources}/text.js`);
const {COMMIT_GAP, Typist, canDelete} = await import(`file://${sources}/typist.js`);
const {HOLD_LIMIT, KeyHold, TAP_LIMIT} = await import(`file://${sources}/hold.js`);

let count = 0;
const failures = [];

function equal(seen, wanted, what = '') {
    const [a, b] = [JSON.stringify(seen), JSON.stringify(wanted)];
    if (a !== b)
        throw new Error(`${what} is ${a}, should be ${b}`);
}

function test(name, body) {
    count += 1;
    try {
        body();
    } catch (error) {
        failures.push(`${name}: ${error.message}\n${error.stack}`);
    }
}

const field = (properties = {}) => ({
    route: 'input-method', window: 1, focus: 1, visit: 1, purpose: 0, hints: 0, text: '', cursor: 0, place: '0,0', ...properties,
});

/** A typist, and a text field as a client of the input method has one. */
class Desk {
    constructor(properties, style = {}) {
        this.typist = new Typist({language: 'en-US', ...style});
        this.field = field(properties);
        this.log = [];
        this.waits = [];
        this.tell({type: 'field', field: this.field});
        this.tell({type: 'begin', block: 1});
    }

    tell(event) {
        const effects = this.typist.handle(event);
        this.waits.push(...effects.filter(effect => effect.do === 'wait').map(effect => effect.token));
        equal(effects.filter(effect => effect.do === 'commit').length <= 1, true, 'one commit in a turn');
        this.log.push(...effects.filter(effect => effect.do !== 'wait'));
        return effects;
    }

    /** The client takes a commit and reports the text of the field. */
    take(text) {
        const characters = Array.from(this.field.text);
        const cursor = this.field.cursor + Array.from(text).length;
        characters.splice(this.field.cursor, 0, ...Array.from(text));
        this.meet({text: characters.join(''), cursor});
    }

    meet(properties) {
        this.field = properties === null ? null : {...this.field, ...properties};
        return this.tell({type: 'field', field: this.field});
    }

    elapse() {
        const waits = this.waits;
        this.waits = [];
        for (const token of waits)
            this.tell({type: 'elapsed', token});
    }

    /** Carries out the effects as clients do, until there are no more. */
    run() {
        let taken = 0;
        for (let turn = 0; turn < 50; turn += 1) {
            const commits = this.commits;
            for (; taken < commits.length; taken += 1)
                this.take(commits[taken]);
            this.elapse();
        }
    }

    partial(text, block = 1) {
        this.tell({type: 'partial', block, text});
    }

    final(text, block = 1) {
        this.tell({type: 'final', block, text});
    }

    get commits() {
        return this.log.filter(effect => effect.do === 'commit').map(effect => effect.text);
    }

    get shown() {
        return this.log.filter(effect => ['show', 'clear'].includes(effect.do)).map(effect => effect.text ?? null).at(-1) ?? null;
    }

    get outcomes() {
        return this.log.filter(effect => effect.do === 'outcome').map(({block, outcome, why}) => [block, outcome, why].filter(x => x));
    }
}

test('live text becomes text in one turn', () => {
    const desk = new Desk();
    desk.partial('hello');
    desk.partial('hello world');
    equal(desk.log, [{do: 'show', text: 'Hello'}, {do: 'show', text: 'Hello world'}]);
    const effects = desk.tell({type: 'final', block: 1, text: 'hello world'});
    equal(effects.map(effect => effect.do), ['clear', 'commit', 'wait']);
    desk.take('Hello world');
    equal(desk.outcomes, [[1, 'arrived']]);
});

test('texts of two dictations have different ids, and one text keeps its id', () => {
    const desk = new Desk({text: 'Said: ', cursor: 6});
    desk.final('one');
    desk.take('one');
    desk.tell({type: 'end'});
    desk.tell({type: 'begin', block: 1});
    desk.partial('two');
    desk.meet({visit: 2, window: 2});
    desk.final('two');
    desk.meet({visit: 3, window: 1});
    desk.run();
    const told = desk.log.filter(effect => effect.do === 'outcome');
    equal(told.map(({id, text, outcome}) => [id, text, outcome]), [[1, 'one', 'arrived'], [2, 'two', 'kept'], [2, 'two', 'arrived']]);
});

test('a long text is typed in pieces, each after the previous one arrived', () => {
    const desk = new Desk();
    const text = `${'wörter '.repeat(800)}ende`;
    desk.final(text);
    equal(desk.commits.length, 1);
    desk.run();
    equal(desk.commits.every(piece => byteLength(piece) <= MAX_COMMIT_BYTES), true);
    equal(desk.commits.length, Math.ceil(byteLength(text) / MAX_COMMIT_BYTES));
    equal(desk.field.text, `W${text.slice(1)}`);
    equal(desk.outcomes, [[1, 'arrived']]);
});

test('the next piece follows after a timeout if the client reports nothing', () => {
    const desk = new Desk({text: null, purpose: 12});
    desk.final('a '.repeat(2500).trim());
    equal(desk.commits.length, 1);
    equal(COMMIT_GAP > 0, true);
    desk.elapse();
    equal(desk.commits.length, 2);
    desk.elapse();
    equal(desk.outcomes, [[1, 'sent']]);
});

test('unchanged text is no proof of arrival', () => {
    const desk = new Desk({text: 'old', cursor: 3});
    desk.final('new');
    desk.meet({text: 'old'});
    desk.elapse();
    equal(desk.outcomes, []);
    desk.elapse();
    equal(desk.outcomes, [[1, 'sent']]);
});

test('a text has arrived if all its pieces have', () => {
    const desk = new Desk({text: 'a', cursor: 1});
    desk.final('b '.repeat(2000).trim());
    desk.elapse();
    equal(desk.commits.length, 1, 'commits before the client told anything');
    desk.elapse();
    equal(desk.commits.length, 2);
    desk.take(desk.commits[1]);
    equal(desk.outcomes, [[1, 'sent']]);
});

test('the capital of a block is small in the middle of a sentence', () => {
    const style = {capitals: true, language: 'en', initialCapital: true};
    equal(fit('Market day', {before: 'on the ', after: ''}, style), 'market day');
    equal(fit('Market day', {before: 'End. ', after: ''}, style), 'Market day');
    equal(fit('Market day', {before: '', after: ''}, style), 'Market day');
    equal(fit('I go', {before: 'and ', after: ''}, style), 'I go');
    equal(fit('Market', {before: 'on ', after: ''}, {...style, initialCapital: false}), 'Market');
    equal(fit('Ls', {before: null, after: null}, {...style, isTerminal: true}), 'ls');
    equal(fit('', {before: null, after: null}, {...style, isTerminal: true}), '');
    const desk = new Desk({text: 'on the', cursor: 6}, {formatted: true});
    desk.partial('Market');
    equal(desk.shown, ' market');
    desk.tell({type: 'final', block: 1, text: 'Market day', initialCapital: true});
    equal(desk.commits, [' market day']);
});

test('a text that is taken back is deleted from its field', () => {
    const desk = new Desk({text: 'Said: ', cursor: 6});
    desk.final('one 😀 day. Two days.');
    desk.run();
    equal(desk.field.text, 'Said: one 😀 day. Two days.');
    desk.tell({type: 'retract', block: 1, offset: 10});
    equal(desk.log.at(-1), {do: 'delete', characters: 10});
    desk.partial('three', 2);
    equal(desk.commits.length, 1);
    desk.meet({text: 'Said: one 😀 day.', cursor: 16});
    equal(desk.outcomes.at(-1), [1, 'arrived']);
    equal(desk.log.filter(effect => effect.do === 'outcome').at(-1).text, 'one 😀 day.');
    // In bytes this would be more.
    desk.tell({type: 'retract', block: 1, offset: 0});
    equal(desk.log.at(-1), {do: 'stays', block: 1, why: 'not-here'});
    equal(desk.field.text, 'Said: one 😀 day.');
});

test('a whole text that is taken back leaves nothing', () => {
    const desk = new Desk({text: 'Said.', cursor: 5});
    desk.final('one day.');
    desk.run();
    equal(desk.field.text, 'Said. one day.');
    desk.tell({type: 'retract', block: 1, offset: 0});
    equal(desk.log.at(-1), {do: 'delete', characters: 9});
    equal(desk.outcomes.at(-1), [1, 'arrived']);
    desk.meet({text: 'Said.', cursor: 5});
    equal(desk.outcomes.at(-1), [1, 'retracted']);
});

test('a space that was added after a text is not deleted', () => {
    const desk = new Desk({text: 'here', cursor: 0});
    desk.final('one day. Two days.');
    desk.run();
    equal(desk.field.text, 'One day. Two days. here');
    desk.tell({type: 'retract', block: 1, offset: 8});
    equal(desk.log.at(-1), {do: 'delete', characters: 10});
});

test('a deletion that the field does not report is reported as unseen', () => {
    const desk = new Desk();
    desk.final('one day.');
    desk.run();
    desk.tell({type: 'retract', block: 1, offset: 0});
    desk.meet({});
    desk.elapse();
    equal(desk.log.at(-1), {do: 'stays', block: 1, why: 'unseen'});
    equal(desk.outcomes.at(-1), [1, 'arrived']);
    // Never twice.
    desk.tell({type: 'retract', block: 1, offset: 0});
    equal(desk.log.at(-1), {do: 'stays', block: 1, why: 'not-here'});
});

test('a text that is taken back before it is typed is not typed', () => {
    const desk = new Desk();
    desk.partial('one');
    desk.meet({visit: 2, window: 2});
    desk.final('one two');
    desk.tell({type: 'retract', block: 1, offset: 3});
    desk.meet({visit: 3, window: 1});
    desk.run();
    equal(desk.commits, ['One']);
});

test('a text that is no longer before the cursor is not deleted', () => {
    const changes = [{text: 'One day.!', cursor: 9}, {cursor: 0}, {visit: 2, window: 2}, {text: null}, {isSelecting: true},
        {hints: 64}];
    for (const change of changes) {
        const desk = new Desk();
        desk.final('one day.');
        desk.run();
        desk.meet(change);
        desk.tell({type: 'retract', block: 1, offset: 0});
        equal(desk.log.filter(effect => effect.do === 'delete'), []);
        equal(desk.log.at(-1), {do: 'stays', block: 1, why: 'not-here'});
    }
    const desk = new Desk({purpose: 12, text: null});
    desk.final('one day.');
    desk.elapse();
    desk.tell({type: 'retract', block: 1, offset: 0});
    equal(desk.log.at(-1), {do: 'stays', block: 1, why: 'not-here'});
});

test('a text of an earlier dictation is not deleted', () => {
    const desk = new Desk();
    desk.final('one day.');
    desk.run();
    desk.tell({type: 'end'});
    desk.tell({type: 'begin', block: 1});
    desk.tell({type: 'retract', block: 1, offset: 0});
    equal(desk.log.at(-1), {do: 'stays', block: 1, why: 'not-here'});
});

test('typing waits for a deletion in progress', () => {
    const desk = new Desk();
    desk.final('one day.');
    desk.run();
    desk.tell({type: 'retract', block: 1, offset: 0});
    desk.final('two', 2);
    equal(desk.commits.length, 1);
    desk.meet({text: '', cursor: 0});
    equal(desk.commits.at(-1), 'Two');
});

test('commands are requested if text can be deleted', () => {
    equal(canDelete(field()), true);
    for (const other of [{text: null}, {purpose: 12}, {purpose: 8}, {hints: 128}, {route: 'ibus'}, {isSelecting: true}])
        equal(canDelete(field(other)), false, JSON.stringify(other));
    equal(canDelete(null), false);
});

test('nothing is typed into a password field', () => {
    for (const secret of [{purpose: 8}, {hints: 64}, {hints: 128}, {hints: 192}]) {
        const desk = new Desk(secret);
        desk.partial('secret');
        desk.final('secret');
        desk.run();
        equal(desk.log, [{do: 'outcome', id: 1, block: 1, text: 'secret', outcome: 'kept', why: 'password'}]);
    }
});

test('a field that becomes a password field gets nothing', () => {
    const desk = new Desk();
    desk.partial('one');
    desk.meet({purpose: 8, hints: 192});
    equal(desk.shown, null);
    desk.final('one two');
    desk.run();
    equal(desk.commits, []);
});

test('another field gets no part of a sentence', () => {
    for (const other of [{visit: 2, window: 2}, {visit: 2, place: '0,40'}, {visit: 2, focus: 2}, {visit: 2, text: 'x', cursor: 1}]) {
        const desk = new Desk();
        desk.partial('one');
        desk.meet(other);
        desk.partial('one two');
        equal(desk.shown, 'One');
        desk.final('one two');
        desk.run();
        equal(desk.commits, []);
        equal(desk.outcomes, [[1, 'kept', 'left']]);
    }
});

test('a sentence waits for its field, and is typed when the field gets the focus again', () => {
    const desk = new Desk({text: 'Said: ', cursor: 6});
    desk.partial('one');
    desk.meet({visit: 2, window: 2, text: '', cursor: 0});
    desk.final('one two');
    equal(desk.outcomes, [[1, 'kept', 'left']]);
    desk.meet({visit: 3, window: 1, text: 'Said: ', cursor: 6});
    desk.run();
    equal(desk.field.text, 'Said: one two');
    equal(desk.outcomes, [[1, 'kept', 'left'], [1, 'arrived']]);
});

test('live text is shown again when its field gets the focus again', () => {
    const desk = new Desk();
    desk.partial('one');
    desk.meet(null);
    desk.meet({...field(), visit: 2});
    equal(desk.log.map(effect => effect.do), ['show', 'show']);
});

test('live text is shown again after a click into the field', () => {
    const desk = new Desk({text: 'some text', cursor: 9});
    desk.partial('one');
    desk.meet({visit: 2, cursor: 4, place: '4,0'});
    equal(desk.log.map(effect => effect.text), [' one', ' one']);
});

test('words spoken before the field changed belong to the previous field', () => {
    const desk = new Desk();
    desk.meet({visit: 2, window: 2});
    equal(desk.log, [{do: 'split'}]);
    desk.partial('other', 2);
    desk.final('late', 1);
    desk.run();
    equal(desk.commits, []);
    equal(desk.outcomes, [[1, 'kept', 'left']]);
    desk.final('other', 2);
    desk.run();
    equal(desk.commits, ['Other']);
});

test('a dictation without a field gets the first field with the focus', () => {
    const desk = new Desk();
    desk.meet(null);
    desk.tell({type: 'begin', block: 1});
    desk.meet({...field(), visit: 2});
    desk.final('hello');
    desk.run();
    equal(desk.commits, ['Hello']);
});

test('text without a field is kept', () => {
    const desk = new Desk();
    desk.meet(null);
    desk.tell({type: 'begin', block: 1});
    desk.partial('hello');
    desk.meet({...field(), visit: 2});
    desk.final('hello');
    equal(desk.commits, []);
    equal(desk.outcomes, [[1, 'kept', 'no-field']]);
});

test('text that waits is not typed after the end', () => {
    const desk = new Desk({text: 'a', cursor: 1});
    desk.partial('one');
    desk.meet({visit: 2, window: 2});
    desk.final('one');
    desk.tell({type: 'end'});
    desk.meet({visit: 3, window: 1});
    desk.run();
    equal(desk.commits, []);
});

test('texts whose field is left after the end are kept, and not typed later', () => {
    const desk = new Desk();
    desk.final('one', 1);
    desk.final('two', 2);
    desk.tell({type: 'end'});
    desk.meet({visit: 2, window: 2});
    equal(desk.outcomes, [[1, 'sent'], [2, 'kept', 'left']]);
    desk.meet({visit: 3, window: 1});
    desk.run();
    equal(desk.commits, ['One']);
});

test('texts of an earlier dictation do not wait for their field', () => {
    const desk = new Desk();
    desk.final('one', 1);
    desk.final('two', 2);
    desk.tell({type: 'end'});
    desk.tell({type: 'begin', block: 1});
    desk.meet({visit: 2, window: 2});
    equal(desk.outcomes, [[1, 'sent'], [2, 'kept', 'left']]);
    desk.meet({visit: 3, window: 1});
    desk.run();
    equal(desk.commits, ['One']);
});

test('a text whose field is left before it is typed is told once, and typed when the field returns', () => {
    const desk = new Desk({text: 'Said:', cursor: 5});
    desk.final('one', 1);
    desk.final('two', 2);
    desk.meet({visit: 2, window: 2, text: '', cursor: 0});
    desk.meet({visit: 3, window: 3});
    desk.meet({visit: 4, window: 1, text: 'Said:', cursor: 5});
    desk.run();
    equal(desk.outcomes, [[1, 'sent'], [2, 'kept', 'left'], [2, 'arrived']]);
});

test('a text that is being typed is finished after the end', () => {
    const desk = new Desk();
    desk.final('word '.repeat(1500).trim());
    desk.tell({type: 'end'});
    desk.run();
    equal(desk.commits.length, 3);
    equal(desk.outcomes, [[1, 'arrived']]);
});

test('the rest of a text stays out of another field', () => {
    const desk = new Desk();
    desk.final('word '.repeat(1500).trim());
    desk.meet({visit: 2, window: 2});
    desk.elapse();
    equal(desk.commits.length, 1);
    equal(desk.outcomes, [[1, 'kept', 'left']]);
});

test('a cancelled block leaves nothing', () => {
    const desk = new Desk();
    desk.partial('oops');
    desk.tell({type: 'cancel', block: 1});
    equal(desk.log.map(effect => effect.do), ['show', 'clear']);
    desk.partial('fine', 2);
    desk.final('fine', 2);
    desk.run();
    equal(desk.field.text, 'Fine');
});

test('text without a final text is kept at the end', () => {
    const desk = new Desk();
    desk.partial('one', 1);
    desk.partial('two', 2);
    desk.tell({type: 'end'});
    equal(desk.shown, null);
    equal(desk.outcomes, [[1, 'kept', 'unfinished'], [2, 'kept', 'unfinished']]);
    equal(desk.log.filter(effect => effect.do === 'outcome').map(({id, text}) => [id, text]), [[1, 'one'], [2, 'two']]);
    equal(desk.commits, []);
    desk.final('one', 1);
    equal(desk.outcomes.length, 2);
});

test('finished and discarded texts are not kept at the end', () => {
    const desk = new Desk();
    desk.partial('one', 1);
    desk.final('one', 1);
    desk.run();
    desk.partial('oops', 2);
    desk.partial('also', 3);
    desk.tell({type: 'cancel', block: 2});
    desk.tell({type: 'cancel', block: 3});
    desk.partial(' ', 4);
    desk.tell({type: 'end'});
    equal(desk.outcomes, [[1, 'arrived']]);
});

test('blocks are separated by spaces, even if the field reports nothing', () => {
    for (const text of ['', null]) {
        const desk = new Desk({text, purpose: text === null ? 12 : 0});
        desk.final('one', 1);
        desk.final('two', 2);
        for (let turn = 0; turn < 4; turn += 1) {
            if (text !== null)
                desk.run();
            desk.elapse();
        }
        equal(desk.commits.join('').toLowerCase(), 'one two');
    }
});

test('live text is shown only if wanted and possible', () => {
    for (const [properties, style] of [[{}, {live: false}], [{route: 'ibus'}, {}]]) {
        const desk = new Desk(properties, style);
        desk.partial('one');
        equal(desk.shown, null);
        desk.final('one');
        equal(desk.commits.length, 1);
    }
});

test('a terminal gets no newline', () => {
    const desk = new Desk({purpose: 12, text: null});
    desk.final('rm\r\nls\n\tx\u001b[31m');
    equal(desk.commits, ['rm ls x[31m']);
});

test('spaces and capitals follow the text before the cursor', () => {
    const style = {capitals: true, language: 'en-US', isTerminal: false};
    for (const [before, after, text, wanted] of [
        ['', '', 'hello', 'Hello'],
        ['Hello.', '', 'this is it', ' this is it'],
        ['Hello. ', '', 'this is it', 'This is it'],
        ['Hello.\n', '', 'this', 'This'],
        ['He said', '', 'The end', ' the end'],
        ['He met', '', 'Anna', ' Anna'],
        ['He met', '', 'I think', ' I think'],
        ['It is', '', 'US made', ' US made'],
        ['(', ')', 'Well', 'well'],
        ['word', '', ', and', ', and'],
        ['word', '', '. Next', '. Next'],
        ['one ', 'three', 'two', 'two '],
        ['say "', '', 'yes', 'yes'],
        ['"yes"', '', 'he said', ' he said'],
        ['日本', '', '語', '語'],
        [null, null, 'As it is', 'As it is'],
    ])
        equal(fit(text, {before, after}, style), wanted, JSON.stringify([before, text]));
    equal(fit('hello', {before: '', after: ''}, {...style, capitals: false}), 'hello');
    equal(fit('ls', {before: '', after: ''}, {...style, isTerminal: true}), 'ls');
});

test('pieces keep characters together', () => {
    for (const text of ['x'.repeat(7000), 'ä'.repeat(4000), '👩‍👩‍👧 '.repeat(900), '👍🏽'.repeat(1200), 'e\u0301'.repeat(3000), '']) {
        const cut = pieces(text);
        equal(cut.join(''), text);
        equal(cut.every(piece => byteLength(piece) <= MAX_COMMIT_BYTES), true);
        equal(cut.every(piece => !/^(?:\p{M}|\p{Emoji_Modifier}|\u{200d})/u.test(piece) && !/^[\udc00-\udfff]/.test(piece)), true);
    }
});

test('the end of long live text is shown', () => {
    const shown = tail('wörter '.repeat(400));
    equal(byteLength(shown) <= 1000, true);
    equal(shown.startsWith('…wörter'), true);
    equal(tail('short'), 'short');
    equal(byteLength(tail('😀'.repeat(2000))) <= 1000, true);
});

test('control characters are removed', () => {
    equal(withoutCommands('a\u0007b\u009bc\r\nd\u2028e', false), 'abc\nd\ne');
});

test('a block is put together from its partials', () => {
    const block = new BlockText();
    block.apply(0, '', 'hel');
    block.apply(0, 'hello', ' wor');
    equal(block.text, 'hello wor');
    block.apply(5, ' 😀', '');
    block.apply(7, ' x', 'y');
    equal(block.text, 'hello 😀 xy');
    block.apply(5, '!', '');
    equal(block.text, 'hello!');
});

test('a tap toggles, holding is push-to-talk', () => {
    const key = new KeyHold();
    equal(key.press(0, false, true), 'start');
    equal(key.poll(TAP_LIMIT - 1, true), null);
    equal(key.release(), null);
    equal(key.press(1000, true, true), 'stop');
    equal(key.poll(1000 + TAP_LIMIT * 2, true), null);
    equal(key.release(), null);
    equal(key.press(5000, false, true), 'start');
    equal(key.poll(5000 + TAP_LIMIT, true), null);
    equal(key.release(), 'stop');
    equal(key.release(), null);
});

test('a tap is no hold, although a busy shell notices its release late', () => {
    const key = new KeyHold();
    equal(key.press(0, false, true), 'start');
    equal(key.poll(TAP_LIMIT * 3, false), null);
    equal(key.press(5000, true, true), 'stop');
    equal(key.release(), null);
});

test('each tap counts, although the release before it has not been noticed', () => {
    const key = new KeyHold();
    equal(key.press(0, false, true), 'start');
    equal(key.press(20, true, true), 'stop');
    equal(key.press(40, false, true), 'start');
    equal(key.poll(50, false), null);
    key.press(1000, true, true);
    equal(key.press(1020, false, true), 'start');
    equal(key.poll(1020 + TAP_LIMIT, true), null);
    equal(key.press(2000, true, true), null);
    equal(key.release(), null);
});

test('a lost release is detected by the modifiers', () => {
    const key = new KeyHold();
    key.press(0, false, true);
    equal(key.poll(1000, true), null);
    equal(key.poll(1050, false), 'stop');
    equal(key.isHeld, false);
    key.press(2000, false, true);
    equal(key.poll(2000 + HOLD_LIMIT, true), 'stop');
});

test('a key without a visible release only toggles', () => {
    const key = new KeyHold();
    equal(key.press(0, false, false), 'start');
    equal(key.isHeld, false);
    equal(key.press(100, true, false), 'stop');
});

for (const failure of failures)
    printerr(failure);
print(`${count - failures.length} passed, ${failures.length} failed`);
System.exit(failures.length === 0 && count > 0 ? 0 : 1);
