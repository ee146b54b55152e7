// Run by: gjs -m modules.test.js FOLDER-OF-THE-SOURCES
import Gio from 'gi://Gio';
import System from 'system';

const [sources] = ARGV.map(each => Gio.File.new_for_commandline_arg(each).get_path());
const {BlockText} = await import(`file://${sources}/blocktext.js`);
const {interruptionNotice, keptNotice, reasonText} = await import(`file://${sources}/messages.js`);
const {Cues, SOUNDS} = await import(`file://${sources}/cues.js`);
const {_} = await import(`file://${sources}/translation.js`);
const {EngineWatch} = await import(`file://${sources}/engines.js`);
const {isShortcut} = await import(`file://${sources}/shortcuts.js`);
const {languageOf} = await import(`file://${sources}/languages.js`);
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

test('the language of a keyboard layout is one of the user', () => {
    const tags = ['en-US', 'en-GB', 'de'];
    equal(languageOf(['deu'], 'de', tags), 'de');
    equal(languageOf(['eng'], 'gb', tags), 'en-GB');
    equal(languageOf(['eng'], 'us', tags), 'en-US');
    equal(languageOf(['eng'], 'latam', tags), 'en-US');
    equal(languageOf(['gsw', 'deu'], 'ch', tags), 'de');
    equal(languageOf(['fra'], 'fr', tags), '');
    equal(languageOf(['', 'no tag'], '', tags), '');
    equal(languageOf(['deu'], 'de', []), '');
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
    for (const why of ['no-field', 'left', 'window', 'unfinished', 'restarted'])
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
