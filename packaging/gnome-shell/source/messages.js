/* What the extension says to people. Pure. */

/** For each reason of an interruption: what it is, and what ends it. The user need not be told of those without the latter. */
const REASONS = {
    'call': ['A call uses the microphone', 'Dictation goes on when the call ends.'],
    'no-source': ['There is no microphone', 'Dictation goes on when one is connected.'],
    'audio-server-lost': ['The sound server does not answer', 'Dictation goes on when it does.'],
    'suspend': ['The computer goes to sleep', ''],
    'session-locked': ['The screen is locked', ''],
    'session-inactive': ['Another session is active', ''],
    'preempted': ['Another application dictates', 'Dictation goes on when it has finished.'],
    'permission-lost': ['Dictation is no longer allowed', 'It goes on when it is allowed again in the settings.'],
    'engine-lost': ['The recognition engine failed', 'Dictation goes on when it answers again.'],
    'source-muted': ['The microphone is muted', 'Dictation goes on when it is no longer muted.'],
};

/** The description of a reason of interruption. */
export function reasonText(reason) {
    return REASONS[reason]?.[0] ?? 'Dictation is interrupted';
}

/** Why dictation is interrupted, and what happens next; empty if the user knows. */
export function interruptionNotice(reason) {
    const [why, next] = REASONS[reason] ?? ['Dictation is interrupted', 'It goes on when the reason ends.'];
    return next && `${why}. ${next}`;
}

const KEPT = {
    'password': 'Dictation does not type into password fields. The text is in the menu.',
    'no-field': 'There is no text field. The text is in the menu.',
    'left': 'Another field has the focus. The text is in the menu, and is typed when you return.',
    'refused': 'The window does not show that this is a text field, and no password field. The text is in the menu.',
    'unfinished': 'Dictation ended before the text was final. The text is in the menu.',
};

/** Why a text was not typed. */
export function keptNotice(why) {
    return KEPT[why];
}

/** The state of a dictation. */
export function statusText(state, reason) {
    switch (state) {
    case 'asking': return 'Waiting for your permission';
    case 'starting': return 'Starting…';
    case 'listening': return 'Listening';
    case 'paused': return 'Paused';
    case 'interrupted': return reasonText(reason);
    default: return 'Not dictating';
    }
}
