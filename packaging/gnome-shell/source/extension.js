import * as Main from 'resource:///org/gnome/shell/ui/main.js';
import {Extension} from 'resource:///org/gnome/shell/extensions/extension.js';

import {Dictation} from './dictation.js';
import {Indicator} from './indicator.js';
import {Keys} from './keys.js';

// Session mode "user" only: the lock screen disables the extension, which closes its connection to the bus, and with it the
// session and the microphone.
export default class DictationExtension extends Extension {
    enable() {
        this._settings = this.getSettings();
        this._indicator = new Indicator({
            toggle: () => this._dictation.toggle(),
            discard: () => this._dictation.discard(),
            copy: text => this._dictation.copy(text),
            openPreferences: () => this.openPreferences(),
        });
        Main.panel.addToStatusArea(this.uuid, this._indicator);
        this._dictation = new Dictation(this._settings, {
            changed: () => this._show(),
            level: dbfs => this._indicator.show_level(dbfs),
            notify: message => Main.notify('Dictation', message),
        });
        this._keys = new Keys(this._settings, {
            start: () => this._dictation.start(),
            stop: () => this._dictation.stop(),
            discard: () => this._dictation.discard(),
            isWanted: () => this._dictation.isWanted,
        });
        this._show();
    }

    disable() {
        this._keys.destroy();
        this._keys = null;
        this._dictation.destroy();
        this._dictation = null;
        this._indicator.destroy();
        this._indicator = null;
        this._settings = null;
    }

    _show() {
        if (!this._dictation || !this._keys)
            return;
        this._indicator.show_dictation(this._dictation, this._settings.get_string('live-text') === 'panel');
        this._keys.setDiscardKey(this._dictation.text !== '');
    }
}
