/* The user's languages, and the one that is spoken: as dictation-cli knows them. */
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

/** The engine detects which of the languages is spoken. */
export const AUTOMATIC = 'auto';

/** The first part of a tag in its short form: "de" of "deu". */
function primary(tag) {
    try {
        return Intl.getCanonicalLocales(tag)[0].split('-')[0];
    } catch {
        // It is no tag.
        return '';
    }
}

/**
 * The tag, of several, that is of one of these languages, the first that has one; if possible, that of a region.
 * @param {string[]} codes - of languages, of ISO 639.
 * @param {string} region - of ISO 3166; may be something else.
 * @param {string[]} tags - BCP 47 tags.
 */
export function languageOf(codes, region, tags) {
    for (const code of codes.map(primary)) {
        const found = tags.filter(tag => code && primary(tag) === code);
        if (found.length > 0)
            return found.find(tag => tag.split('-').slice(1).includes(region.toUpperCase())) ?? found[0];
    }
    return '';
}

export class Languages {
    /** @param {Function} changed - called when the languages or the spoken one have changed. */
    constructor(changed) {
        this._changed = changed;
        this._cancellable = new Gio.Cancellable();
        /** The last run. One after the other: each shows what those before have changed. */
        this._last = Promise.resolve();
        /** BCP 47 tags. */
        this.all = [];
        /** One of them, or "auto". */
        this.spoken = AUTOMATIC;
    }

    destroy() {
        this._cancellable.cancel();
        this._changed = null;
    }

    /** Reads them. */
    update() {
        return this._run();
    }

    /** Switches to one of them, or to "auto". */
    choose(tag) {
        return this._run(tag);
    }

    _run(...choice) {
        this._last = this._last.then(() => this._execute(choice));
        return this._last;
    }

    async _execute(choice) {
        const program = GLib.getenv('DICTATION_CLI') ?? 'dictation-cli';
        let output;
        try {
            this._cancellable.set_error_if_cancelled();
            const process = Gio.Subprocess.new([program, 'language', ...choice, '--json'],
                Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_SILENCE);
            output = await new Promise((resolve, reject) => {
                process.communicate_utf8_async(null, this._cancellable, (_process, result) => {
                    try {
                        resolve(process.communicate_utf8_finish(result)[1]);
                    } catch (error) {
                        reject(error);
                    }
                });
            });
        } catch {
            // The command line is not installed, or the extension is disabled.
            return;
        }
        try {
            const {languages, spoken} = JSON.parse(output);
            this.all = languages;
            this.spoken = spoken;
        } catch {
            // It wrote no JSON: the settings cannot be read.
            this.all = [];
        }
        this._changed?.();
    }
}
