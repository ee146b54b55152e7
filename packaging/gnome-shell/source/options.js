/* What the settings mean for a session. */
import GLib from 'gi://GLib';

/** The keys of the settings that are options of Start, and empty for the service's default. */
const NAMES = [['microphone', 'route'], ['language', 'language']];

/**
 * @param {Gio.Settings} settings
 * @param {boolean} isFormatted - whether text is wanted in written form.
 * @param {string} engine - the name of an engine; empty for the service's default.
 * @param {string} application - the desktop id of the application that is typed into; empty if unknown.
 * @param {string} language - where the settings have none; empty for the service's default.
 */
export function startOptions(settings, isFormatted, engine, application, language) {
    const options = {
        levels: new GLib.Variant('b', true),
        type: new GLib.Variant('b', true),
        'type-live': new GLib.Variant('b', settings.get_string('live-text') === 'field'),
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
    if (language && !settings.get_string('language'))
        options.language = new GLib.Variant('s', language);
    if (application)
        options.application = new GLib.Variant('s', application);
    if (engine)
        options.engine = new GLib.Variant('s', engine);
    return options;
}
