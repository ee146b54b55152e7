/* What the settings mean for a session and for the typist. */
import GLib from 'gi://GLib';

/** The keys of the settings that are options of Start, and empty for the service's default. */
const NAMES = [['microphone', 'route'], ['language', 'language']];

/**
 * @param {Gio.Settings} settings
 * @param {boolean} isFormatted - whether text is wanted in written form.
 * @param {boolean} canDelete - whether text can be deleted in the field. If not, "scratch that" is typed as text.
 * @param {string} engine - the name of an engine; empty for the service's default.
 */
export function startOptions(settings, isFormatted, canDelete, engine) {
    const options = {
        levels: new GLib.Variant('b', true),
        formatting: new GLib.Variant('s', isFormatted ? 'dictation' : 'plain'),
    };
    const commitAfter = settings.get_uint('commit-after');
    if (commitAfter > 0)
        options['auto-commit'] = new GLib.Variant('u', Math.max(200, commitAfter));
    for (const [key, option] of NAMES) {
        const value = settings.get_string(key);
        if (value)
            options[option] = new GLib.Variant('s', value);
    }
    if (engine)
        options.engine = new GLib.Variant('s', engine);
    if (isFormatted && canDelete)
        options.commands = new GLib.Variant('b', true);
    return options;
}

/**
 * The style of the typist.
 * @param {boolean} canFormat - whether there are rules for the written form of the language.
 */
export function typingStyle(settings, canFormat) {
    const isFormatted = settings.get_boolean('formatting');
    return {
        live: settings.get_string('live-text') === 'field',
        capitals: isFormatted,
        formatted: isFormatted && canFormat,
        language: settings.get_string('language') || 'en-US',
    };
}
