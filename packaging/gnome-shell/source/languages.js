/* The user's languages, and the one that is spoken: as dictation-cli knows them. */
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

/** The engine detects which of the languages is spoken. */
export const AUTOMATIC = 'auto';

export class Languages {
    /** @param {Function} changed - called when the languages or the spoken one have changed. */
    constructor(changed) {
        this._changed = changed;
        this._cancellable = new Gio.Cancellable();
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

    async _run(...choice) {
        const program = GLib.getenv('DICTATION_CLI') ?? 'dictation-cli';
        let output;
        try {
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
