/* Names of languages. */
import GLib from 'gi://GLib';

/** The name of a language in the user's language, such as "British English". */
export function languageName(tag) {
    // "C" is no language.
    const locale = /^[a-z]{2,3}(?:_[A-Z]{2})?/u.exec(GLib.get_language_names()[0])?.[0].replace('_', '-') ?? 'en';
    try {
        return new Intl.DisplayNames([locale], {type: 'language'}).of(tag);
    } catch {
        // Intl knows no such language.
        return tag;
    }
}
