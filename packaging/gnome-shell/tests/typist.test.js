// Run by: gjs -m typist.test.js FOLDER-OF-THE-SOURCES TYPING-CASES
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

const [sources, casesFile] = ARGV.map(each => Gio.File.new_for_commandline_arg(each).get_path());
const {BlockText, MAX_COMMIT_BYTES, byteLength, fit, pieces, tail} = await import(`file://${sources}/text.js`);
const {COMMIT_GAP, Typist, canDelete} = await import(`file://${sources}/typist.js`);
const {interruptionNotice, keptNotice, reasonText} = await import(`file://${sources}/messages.js`);
const {Cues, SOUNDS} = await import(`file://${sources}/cues.js`);
const {_} = await import(`file://${sources}/translation.js`);
const {EngineWatch} = await import(`file://${sources}/engines.js`);
const {isShortcut} = await import(`file://${sources}/shortcuts.js`);
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
    route: 'input-method', id: 'entry', visit: 1, purpose: 'text', isSensitive: false, text: '', cursor: 0, isSelecting: false,
    place: '0,0', isLive: true, reports: false, ...properties,
});

const terminal = () => field({purpose: 'terminal', text: null});

/** A typist, and a text field as a client of the input method has one. */
class Desk {
    constructor(properties, style = {}) {
        this.typist = new Typist({language: 'en-US', ...style});
        this.field = properties === null ? null : field(properties);
        this.log = [];
        this.taken = 0;
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

    /** The client takes the commits that it has not taken yet, if it reports the text of its field. */
    takeAll() {
        const commits = this.commits;
        for (; this.taken < commits.length; this.taken += 1) {
            if (this.field !== null && this.field.text !== null)
                this.take(commits[this.taken]);
        }
    }

    /** Carries out the effects as clients do, until there are no more. */
    run() {
        for (let turn = 0; turn < 50; turn += 1) {
            this.takeAll();
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

// The table that the tests of Sources/Core/Typing run too.

const [, bytes] = GLib.file_get_contents(casesFile);
const table = JSON.parse(new TextDecoder().decode(bytes));

/** A field as the table describes it. */
function fieldOf(described) {
    if (described === null)
        return null;
    const {id, visit, purpose, sensitive, text = '', cursor, selecting, place = [0, 0], live = true, reports = false} = described;
    return field({
        id: id ?? 'entry', visit: visit ?? 1, purpose: purpose ?? 'text', isSensitive: sensitive ?? false, text,
        cursor: cursor ?? Array.from(text ?? '').length, isSelecting: selecting ?? false,
        place: place && place.join(','), isLive: live, reports,
    });
}

/** An effect as the table writes it. */
function lineOf(effect) {
    switch (effect.do) {
    case 'show':
    case 'commit': return `${effect.do} ${effect.text}`;
    case 'delete': return `delete ${effect.characters}`;
    case 'stays': return `stays ${effect.block} ${effect.why}`;
    case 'outcome': {
        const state = effect.outcome === 'kept' ? `kept-${effect.why}` : effect.outcome;
        return `outcome ${effect.id} ${effect.block} ${state} ${effect.text}`;
    }
    default: return effect.do;
    }
}

function step(desk, [name, ...values]) {
    const [first, second] = values;
    switch (name) {
    case 'partial': return desk.partial(second, first);
    case 'final': return desk.final(second, first);
    case 'capital': return desk.tell({type: 'final', block: first, text: second, initialCapital: true});
    case 'retract': return desk.tell({type: 'retract', block: first, offset: second});
    case 'cancel': return desk.tell({type: 'cancel', block: first});
    case 'begin': return desk.tell({type: 'begin', block: first});
    case 'end': return desk.tell({type: 'end'});
    case 'style': return desk.tell({type: 'style', style: first});
    case 'field':
        desk.field = fieldOf(first);
        return desk.tell({type: 'field', field: desk.field});
    case 'committed': return desk.tell({type: 'committed', token: first, arrival: second});
    case 'take': return desk.takeAll();
    case 'elapse': return desk.elapse();
    case 'settle': return desk.run();
    default: throw new Error(`unknown event ${name}`);
    }
}

for (const {before, text, after, typed, initialCapital = false, capitals = true, language = 'en-US', terminal: isTerminal = false}
    of table.fits) {
    test(`fits ${JSON.stringify([before, text, after])}`, () =>
        equal(fit(text, {before, after}, {capitals, language, isTerminal, initialCapital}), typed));
}

for (const {name, field: described = {}, style, steps} of table.cases) {
    test(`table: ${name}`, () => {
        const desk = new Desk(fieldOf(described), style);
        for (const parts of steps) {
            const count = desk.log.length;
            step(desk, parts.slice(0, -1));
            equal(desk.log.slice(count).map(lineOf), parts.at(-1), JSON.stringify(parts.slice(0, -1)));
        }
    });
}

// What the table has not.

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
    const desk = new Desk(terminal());
    desk.final('a '.repeat(2500).trim());
    equal(desk.commits.length, 1);
    equal(COMMIT_GAP > 0, true);
    desk.elapse();
    equal(desk.commits.length, 2);
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

test('commands are requested if text can be deleted', () => {
    equal(canDelete(field()), true);
    for (const other of [{text: null}, {purpose: 'terminal'}, {purpose: 'password'}, {isSensitive: true}, {isLive: false},
        {isSelecting: true}])
        equal(canDelete(field(other)), false, JSON.stringify(other));
    equal(canDelete(null), false);
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
    desk.meet({visit: 2, id: 'other'});
    desk.elapse();
    equal(desk.commits.length, 1);
    equal(desk.outcomes, [[1, 'kept', 'left']]);
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

test('a warning names an engine that does not answer until it is back', () => {
    const engines = new EngineWatch();
    const better = available => [['better', {preferred: true, available}], ['plain', {available: true}]];
    engines.start('');
    engines.update(better(false));
    equal(engines.warning, 'better does not answer. Another engine is used.');
    engines.final({engine: 'plain', fallback: 1});
    equal(engines.missing, 'better');
    engines.update(better(true));
    engines.final({engine: 'better'});
    equal(engines.warning, '');
    engines.final({engine: 'plain', fallback: 2});
    equal(engines.missing, 'better');
});

test('an engine that the service refuses is replaced until the next start', () => {
    const engines = new EngineWatch();
    engines.start('chosen');
    equal(engines.requested, 'chosen');
    engines.refuse();
    equal(engines.requested, '');
    equal(engines.missing, 'chosen');
    engines.start('chosen');
    equal(engines.missing, '');
    engines.update([['chosen', {available: false}]]);
    equal(engines.requested, 'chosen');
    equal(engines.missing, 'chosen');
    engines.start('');
    equal(engines.missing, '');
});

test('no key that types can be a shortcut alone', () => {
    for (const name of ['d', 'D', 'space', 'Return', 'BackSpace', 'Tab', 'Escape', 'eacute', '1', 'Delete', 'Insert', 'F'])
        equal([isShortcut(name, false), isShortcut(name, true)], [false, true], name);
    for (const name of ['F1', 'F13', 'Pause', 'Scroll_Lock', 'XF86AudioMicMute', 'Menu'])
        equal(isShortcut(name, false), true, name);
});

test('a notice of an interruption says why and what happens next', () => {
    equal(interruptionNotice('call'), 'A call uses the microphone. Dictation goes on when the call ends.');
    equal(interruptionNotice('session-locked'), '', 'what the user knows');
    equal(interruptionNotice('something new').startsWith(`${reasonText('something new')}. It goes on`), true);
    for (const why of ['password', 'no-field', 'left', 'refused', 'unfinished'])
        equal(keptNotice(why).includes('The text is in the menu'), true, why);
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

test('values replace placeholders in their order or by their numbers', () => {
    equal(_('%s of %s', 'one', 2), 'one of 2');
    equal(_('%2$s before %1$s: 100 %', 'one', '%s'), '%s before one: 100 %');
});

/** What is heard and said for states in their order. */
function cues(setting, ...states) {
    const all = new Cues();
    all.update({state: 'idle', reason: '', texts: []}, setting);
    return states.map(([state, reason = '', texts = []]) => all.update({state, reason, texts}, setting));
}

test('the beginning, the end and interruptions are heard and said', () => {
    equal(cues('always', ['starting'], ['listening'], ['listening'], ['interrupted', 'no-source'], ['listening'], ['idle']), [
        {sound: null, announcements: []},
        {sound: SOUNDS.start, announcements: ['Listening']},
        {sound: null, announcements: []},
        {sound: SOUNDS.error, announcements: ['There is no microphone. Dictation goes on when one is connected.']},
        {sound: SOUNDS.start, announcements: ['Listening']},
        {sound: SOUNDS.stop, announcements: ['Dictation has ended']},
    ]);
});

test('a start that fails makes no sound of an end', () => {
    equal(cues('always', ['starting'], ['idle']).map(({sound}) => sound), [null, null]);
});

test('nothing is heard in a call unless that is wanted', () => {
    const states = [['starting'], ['listening'], ['interrupted', 'call'], ['idle']];
    equal(cues('outside-calls', ...states).map(({sound}) => sound), [null, SOUNDS.start, null, null]);
    equal(cues('always', ...states).map(({sound}) => sound), [null, SOUNDS.start, SOUNDS.error, SOUNDS.stop]);
    equal(cues('off', ...states).map(({sound}) => sound), [null, null, null, null]);
});

test('what becomes of a text is said once', () => {
    const typed = {id: 1, text: 'Hello.', outcome: 'sent'};
    const kept = {id: 2, text: 'Secret.', outcome: 'kept'};
    const said = cues('off', ['idle', '', [typed]], ['idle', '', [{...typed, outcome: 'arrived'}]], ['idle', '', [kept, typed]]);
    equal(said.map(({announcements}) => announcements), [['Sent: Hello.'], [], ['Not Typed']]);
});

test('what holds when the extension is enabled is not said', () => {
    equal(new Cues().update({state: 'interrupted', reason: 'call', texts: [{id: 1, text: 'a', outcome: 'kept'}]}, 'always'),
        {sound: null, announcements: []});
});

for (const failure of failures)
    printerr(failure);
print(`${count - failures.length} passed, ${failures.length} failed`);
System.exit(failures.length === 0 && count > 0 ? 0 : 1);
