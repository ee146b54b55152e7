/* What the extension says to people. Pure. */
import {_, N_} from './translation.js';

/** For each reason of an interruption: what it is, and what ends it. The user need not be told of those without the latter. */
const REASONS = {
    'call': [N_('A call uses the microphone'), N_('Dictation goes on when the call ends.')],
    'no-source': [N_('There is no microphone'), N_('Dictation goes on when one is connected.')],
    'audio-server-lost': [N_('The sound server does not answer'), N_('Dictation goes on when it does.')],
    'suspend': [N_('The computer goes to sleep'), ''],
    'session-locked': [N_('The screen is locked'), ''],
    'session-inactive': [N_('Another session is active'), ''],
    'preempted': [N_('Another application dictates'), N_('Dictation goes on when it has finished.')],
    'permission-lost': [N_('Dictation is no longer allowed'), N_('It goes on when it is allowed again in the settings.')],
    'engine-lost': [N_('The recognition engine failed'), N_('Dictation goes on when it answers again.')],
    'source-muted': [N_('The microphone is muted'), N_('Dictation goes on when it is no longer muted.')],
};
const UNKNOWN = [N_('Dictation is interrupted'), N_('It goes on when the reason ends.')];

/** The description of a reason of interruption. */
export function reasonText(reason) {
    return _((REASONS[reason] ?? UNKNOWN)[0]);
}

/** Why dictation is interrupted, and what happens next; empty if the user knows. */
export function interruptionNotice(reason) {
    const [why, next] = REASONS[reason] ?? UNKNOWN;
    return next && `${_(why)}. ${_(next)}`;
}

/** What is wrong with the sound, and what helps. */
const PROBLEMS = {
    'muted': N_('The microphone is muted.'),
    'no-volume': N_('The volume of the microphone is 0.'),
    'input-silent': N_('The microphone gives no sound at all. Is it switched off?'),
    'input-too-quiet': N_('The microphone is very quiet.'),
    'clipping': N_('The microphone is too loud.'),
    'antiphase': N_('The channels of the microphone cancel each other.'),
};

/** What is wrong with the sound; empty if nothing is. */
export function problemText(problems) {
    const problem = problems.find(each => PROBLEMS[each]);
    return problem ? _(PROBLEMS[problem]) : '';
}

const KEPT = {
    'password': N_('Dictation does not type into password fields.'),
    'no-field': N_('There is no text field. The text is in the menu.'),
    'left': N_('Another field has the focus. The text is in the menu, and is typed when you return.'),
    'window': N_('The window does not show that this is a text field, and no password field. The text is in the menu.'),
    'unfinished': N_('Dictation ended before the text was final. The text is in the menu.'),
    'restarted': N_('Dictation failed and has started again. The text is in the menu.'),
};

const NOT_TYPED = N_('The text was not typed. It is in the menu.');

/** Why a text was not typed. */
export function keptNotice(why) {
    return _(KEPT[why] ?? NOT_TYPED);
}

const FAILURES = {
    'not-here': N_('That text is no longer before the cursor, or cannot be deleted here. Delete it by hand.'),
    'unseen': N_('The text field does not show whether that text was deleted. Please check.'),
};

/** What failed apart from a text; null if there are no words of ours for it. */
export function failureNotice(why) {
    return FAILURES[why] ? _(FAILURES[why]) : null;
}

const OUTCOMES = {arrived: N_('Typed'), sent: N_('Sent'), doubtful: N_('Perhaps Typed'), kept: N_('Not Typed')};

/** What became of a text. */
export function outcomeText(outcome) {
    return _(OUTCOMES[outcome]);
}

/** The state of a dictation. */
export function statusText(state, reason) {
    switch (state) {
    case 'asking': return _('Waiting for your permission');
    case 'starting': return _('Starting…');
    case 'listening': return _('Listening');
    case 'paused': return _('Paused');
    case 'interrupted': return reasonText(reason);
    default: return _('Not dictating');
    }
}
