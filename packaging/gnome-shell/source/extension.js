import GLib from 'gi://GLib';
import Shell from 'gi://Shell';
import * as Main from 'resource:///org/gnome/shell/ui/main.js';
import {Extension} from 'resource:///org/gnome/shell/extensions/extension.js';

import {announce, play} from './announcer.js';
import {Cues} from './cues.js';
import {Dictation} from './dictation.js';
import {Indicator} from './indicator.js';
import {Keys} from './keys.js';
import {Languages} from './languages.js';
import {layoutLanguage} from './layout.js';
import {Notices} from './notices.js';

/** How long a dictation is kept for enable() after disable() on the lock screen, in seconds. */
const KEEP_SECONDS = 5;

/** The window with the settings of all programs, or null. */
function settingsApplication() {
    return Shell.AppSystem.get_default().lookup_app('org.example.Dictation.Settings.desktop');
}

/**
 * The dictation of a disabled extension, {dictation, timer}. When the screen is locked the shell disables other extensions, and
 * with each also those that were enabled later; it enables these again at once.
 */
let kept = null;

function keep(dictation) {
    dictation.view = {changed() {}, level() {}, notify() {}, withdraw() {}, openPreferences() {}, layoutLanguage: () => ''};
    const timer = GLib.timeout_add_seconds(GLib.PRIORITY_DEFAULT, KEEP_SECONDS, () => {
        kept = null;
        dictation.destroy();
        return GLib.SOURCE_REMOVE;
    });
    kept = {dictation, timer};
}

function takeKept() {
    const dictation = kept?.dictation ?? null;
    if (kept)
        GLib.source_remove(kept.timer);
    kept = null;
    return dictation;
}

/**
 * Session mode "unlock-dialog": the service closes the microphone while the screen is locked, and keeps the session, which
 * resumes afterwards. It ends with its connection, so that must stay open. On the lock screen the extension shows nothing,
 * has no keys and types nothing.
 */
export default class DictationExtension extends Extension {
    enable() {
        this._settings = this.getSettings();
        this._notices = new Notices();
        this._cues = new Cues();
        this._languages = new Languages(() => this._indicator.show_languages(this._languages.all, this._languages.spoken));
        this._indicator = new Indicator({
            toggle: () => this._dictation.toggle(),
            discard: () => this._dictation.discard(),
            copy: text => this._dictation.copy(text),
            openPreferences: () => this.openPreferences(),
            hasApplication: () => settingsApplication() !== null,
            openApplication: () => settingsApplication()?.activate(),
            history: () => this._dictation.history(),
            copyFromHistory: id => this._dictation.copyFromHistory(id),
            typeFromHistory: id => this._dictation.typeFromHistory(id),
            recogniseFromHistory: id => this._dictation.recogniseFromHistory(id),
            forgetFromHistory: id => this._dictation.forgetFromHistory(id),
            updateLanguages: () => this._languages.update(),
            chooseLanguage: tag => this._chooseLanguage(tag),
        }, this.dir);
        Main.panel.addToStatusArea(this.uuid, this._indicator);
        const view = {
            changed: () => this._show(),
            level: dbfs => this._indicator.show_level(dbfs),
            notify: (kind, message, buttons) => this._notices.show(kind, message, buttons),
            withdraw: kind => this._notices.withdraw(kind),
            openPreferences: () => this.openPreferences(),
            layoutLanguage: () => this._settings.get_boolean('language-by-layout') ? layoutLanguage(this._languages.all) : '',
        };
        this._dictation = takeKept();
        if (this._dictation)
            this._dictation.view = view;
        else
            this._dictation = new Dictation(this._settings, view);
        this._keys = new Keys(this._settings, {
            start: () => this._dictation.start(),
            stop: () => this._dictation.stop(),
            discard: () => this._dictation.discard(),
            isWanted: () => this._dictation.isWanted,
        });
        this._languages.update();
        this._modeId = Main.sessionMode.connect('updated', () => this._show());
        this._show();
    }

    disable() {
        // The session mode unlock-dialog is needed because a dictation outlives the lock screen: its text continues afterwards.
        // Nothing is typed or shown there, and the service closes the microphone.
        Main.sessionMode.disconnect(this._modeId);
        this._modeId = 0;
        this._keys.destroy();
        this._keys = null;
        if (Main.sessionMode.isLocked)
            keep(this._dictation);
        else
            this._dictation.destroy();
        this._dictation = null;
        this._languages.destroy();
        this._languages = null;
        this._indicator.destroy();
        this._indicator = null;
        this._notices.destroy();
        this._notices = null;
        this._cues = null;
        this._settings = null;
    }

    /** A dictation goes on in the other language. */
    async _chooseLanguage(tag) {
        await this._languages.choose(tag);
        // The languages of all programs count, not one of the extension alone.
        this._settings?.reset('language');
        if (!this._dictation?.isWanted)
            return;
        this._dictation.stop();
        this._dictation.start();
    }

    _show() {
        if (!this._dictation || !this._keys)
            return;
        this._indicator.visible = !Main.sessionMode.isLocked;
        this._indicator.show_dictation(this._dictation, this._settings.get_string('live-text') === 'panel');
        const {sound, announcements} = this._cues.update(this._dictation, this._settings.get_string('sounds'));
        if (sound)
            play(sound);
        for (const text of announcements)
            announce(this._indicator, text);
        this._keys.setDiscardKey(this._dictation.isWanted, this._dictation.text !== '');
    }
}
