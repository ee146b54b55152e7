/* What is said to people, in their language. */
import Gettext from 'gettext';

export const DOMAIN = 'dictation';

/**
 * @param {string} text - in English, with "%s" for each of the values, or "%1$s" where their order differs.
 * @param {Array} values
 */
export function _(text, ...values) {
    let next = 0;
    return Gettext.dgettext(DOMAIN, text).replace(/%(?:(\d)\$)?s/gu, (_match, number) =>
        String(values[number ? number - 1 : next++] ?? ''));
}

/** Marks a text that is translated where it is used. */
export function N_(text) {
    return text;
}
