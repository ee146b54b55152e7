/* The question for permission, as the service's core target Prompts has it too, in the user's language. */
import {_} from './translation.js';

/** What an application can ask for, and the sentence for it. */
const WISHES = {
    'microphone': name => _('%s wants to listen to the microphone.', name),
    'speech': name => _('%s wants to have speech recognised.', name),
    'typing': name => _('%s wants to type text into your windows.', name),
    'microphone speech': name => _('%s wants to listen to the microphone and to have speech recognised.', name),
    'microphone typing': name => _('%s wants to listen to the microphone and to type text into your windows.', name),
    'speech typing': name => _('%s wants to have speech recognised and to type text into your windows.', name),
    'microphone speech typing': name =>
        _('%s wants to listen to the microphone and to have speech recognised and to type text into your windows.', name),
};

const TITLES = {
    flatpak: id => _('The Flatpak application %s', id),
    snap: id => _('The snap %s', id),
    app: id => _('The application %s', id),
};

const MAX_LENGTH = 300;

/** A text without invisible characters that change how the rest is read, on one line of bounded length. */
function displayable(text) {
    return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Zs}]/gu, ' ').replace(/[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, '').slice(0, MAX_LENGTH);
}

/** An application as the service identifies it. */
function titleOf({kind, id}, interpreter) {
    if (kind === 'executable')
        return interpreter ? _('Any %s program (%s)', interpreter, id) : _('The program %s', id);
    return TITLES[kind]?.(id) ?? _('An unknown program');
}

/**
 * @param {object} client - the application, {kind, id}.
 * @param {string} name - the application's, as people know it; empty if it is not known.
 * @param {string[]} resources - what it asks for.
 * @param {string} interpreter - the language of the programs that it runs; empty if it is an ordinary program.
 * @returns {{title: string, description: string}}
 */
export function question(client, name, resources, interpreter) {
    const isTyping = resources.includes('typing');
    const isTypingAlone = isTyping && resources.length === 1;
    const usual = isTypingAlone ? _('Allow typing?') : _('Allow dictation?');
    const wish = WISHES[[...resources].sort().join(' ')];
    const sentences = [
        isTypingAlone ? '' : _('It would listen only while it dictates.'),
        isTyping ? _('It would type into the field that you have chosen, never into one for passwords.') : '',
        interpreter ? _('Your answer counts for every %s program: they cannot be told apart.', interpreter) : '',
        _('You can change this with “dictation-cli permissions”.'),
    ];
    return {
        title: name && !isTypingAlone ? _('Allow %s to listen?', name) : usual,
        description: [wish?.(displayable(titleOf(client, interpreter))) ?? '', sentences.filter(each => each).join(' ')]
            .filter(each => each).join('\n\n'),
    };
}
