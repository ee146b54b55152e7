/* The user's dictation: the service, what it says, and the fields that it types into. */
import GLib from 'gi://GLib';

import {Agent, AGENT_PATH} from './agent.js';
import {Awake} from './awake.js';
import {EngineWatch} from './engines.js';
import {Fields, isSecret} from './fields.js';
import {LevelMeter} from './level.js';
import {interruptionNotice, problemText, statusText} from './messages.js';
import {startOptions} from './options.js';
import {copy} from './paster.js';
import {Recovery} from './recovery.js';
import {FieldsServer} from './server.js';
import {Service, errorMessage, errorName, isCancelled, isGone} from './service.js';
import {_} from './translation.js';
import {Typing} from './typing.js';

/** Delay before a lost connection is opened again, in seconds. */
const RECONNECT_SECONDS = 5;
/** Maximum number of sessions whose texts are followed. */
const MAX_SESSIONS = 10;

/** Maximum number of texts of the history in the menu. */
const MAX_HISTORY = 20;

export class Dictation {
    /**
     * @param {Gio.Settings} settings
     * @param {object} view - has `changed()`, called when anything shown has changed, `level(dbfs)`, `openPreferences()`,
     * `layoutLanguage()`, the language of the keyboard layout where that is wanted, else empty, `notify(kind, message, buttons)` and `withdraw(kind)`, as of Notices.
     */
    constructor(settings, view) {
        this._settings = settings;
        /** May be replaced. */
        this.view = view;
        this._wanted = false;
        this._isStarting = false;
        this._isStopping = false;
        this._isAsking = false;
        /** The chosen language has no rules for written form. */
        this._hasNoFormatting = false;
        this._engines = new EngineWatch();
        this._session = null;
        /** The latest sessions: their texts may still be typed or taken back after the start of the next one. */
        this._sessions = [];
        this._state = 'idle';
        this._reason = '';
        this._isInterrupted = false;
        this._problems = [];
        this._reconnectTimer = 0;
        this._awake = new Awake(() => settings.get_boolean('keep-awake'));
        this._meter = new LevelMeter(level => this.view.level(level));
        this._fields = new Fields(wmClass => settings.get_boolean('paste') &&
            settings.get_strv('paste-programs').includes(wmClass));
        this._server = new FieldsServer(this._fields);
        this._typing = new Typing(this._fields, settings, {
            textsChanged: () => this.view.changed(),
            notify: (...parameters) => this.view.notify(...parameters),
        });
        this._agent = new Agent({
            denied: (client, name) => this._offerUndo(client, name),
        });
        this._service = new Service(this);
        this._recovery = new Recovery(this._service, this);
        this._settingsId = settings.connect('changed', () => {
            this._hasNoFormatting = false;
            this._updateAwake();
        });
        this._connect();
    }

    destroy() {
        this._settings.disconnect(this._settingsId);
        if (this._reconnectTimer)
            GLib.source_remove(this._reconnectTimer);
        this._reconnectTimer = 0;
        this._recovery.destroy();
        this._awake.update(false);
        this._agent.withdraw();
        this._service.close();
        this._typing.destroy();
        this._server.destroy();
        this._fields.destroy();
        this._agent = this._service = this._recovery = this._typing = this._server = this._fields = null;
        this._awake = this._meter = this.view = this._settings = null;
    }

    // What is shown

    /** Whether the user wants to dictate now. A paused dictation waits for the user. */
    get isWanted() {
        return this._wanted && !this._isPaused;
    }

    get _isPaused() {
        return this._session !== null && this._state === 'paused' && !this._isStopping && !this._recovery.isWaiting;
    }

    /** idle, starting, listening, paused, interrupted, or asking (for permission). */
    get state() {
        if (this._isAsking)
            return 'asking';
        return this._session === null && this._wanted ? 'starting' : this._state;
    }

    /** The reason of the interruption; empty without one. */
    get reason() {
        return this._state === 'interrupted' ? this._reason : '';
    }

    /** The description of the state, for people. */
    get status() {
        return statusText(this.state, this._reason);
    }

    /** What does not work as it is set, for people; empty if all does. */
    get warning() {
        return [problemText(this._problems), this._engines.warning].filter(each => each).join(' ');
    }

    /** The words of the current block. */
    get text() {
        return this._typing.text;
    }

    /** The latest texts, as {id, text, outcome, why, time}, the newest first. */
    get texts() {
        return this._typing.texts;
    }

    // The user's actions

    toggle() {
        if (this.isWanted)
            this.stop();
        else
            this.start();
    }

    start() {
        if (this.isWanted)
            return;
        const field = this._fields.current;
        if (field !== null && isSecret(field)) {
            this.view.notify('text', _('Dictation does not type into password fields.'));
            return;
        }
        if (this._isPaused) {
            this._attempt(this._service.resume());
            return;
        }
        this._wanted = true;
        this._run();
        this.view.changed();
    }

    /** Ends the dictation. Speech so far is still typed. */
    stop() {
        if (!this._wanted)
            return;
        this._wanted = false;
        if (this._session !== null)
            this._stopSession();
        this.view.changed();
    }

    /** Discards the current block. */
    discard() {
        if (this._session === null)
            return;
        const session = this._session;
        this._typing.discard();
        this._attempt(this._service.cancel().then(block => {
            if (this._session === session)
                this._typing.finished(block);
        }));
    }

    copy(text) {
        copy(text);
    }

    /** The last texts of the history, the newest first. */
    history() {
        return this._service.history(MAX_HISTORY);
    }

    copyFromHistory(id) {
        this._attempt(this._service.historyText(id).then(text => copy(text)));
    }

    /** Types a text once more, into the field that has the focus when the menu is closed. */
    typeFromHistory(id) {
        this._attempt(this._typeFromHistory(id));
    }

    async _typeFromHistory(id) {
        const text = await this._service.historyText(id);
        await this._fields?.settled();
        const problem = await this._service?.typeText(text) ?? '';
        if (problem && this.view) {
            this.view.notify('text', _('The text was not typed: %s', problem),
                [[_('Copy'), () => this._attempt(this._service.historyText(id).then(whole => copy(whole)))]]);
        }
    }

    /** Recognises a text again, and replaces it. The promise ends when that is done, or reported. */
    recogniseFromHistory(id) {
        const work = this._service.recogniseAgain(id);
        this._attempt(work);
        return work.catch(() => {});
    }

    forgetFromHistory(id) {
        this._attempt(this._service.forgetHistory(id));
    }

    // The session

    /** Starts a session if the user wants to dictate. */
    async _run() {
        if (this._isStarting)
            return;
        this._isStarting = true;
        this._engines.start(this._settings.get_string('engine'));
        try {
            while (this._wanted && this._session === null) {
                // eslint-disable-next-line no-await-in-loop
                if (!await this._startSession())
                    break;
            }
        } catch (error) {
            this._fail(error);
        } finally {
            this._isStarting = false;
        }
    }

    /** Whether another attempt makes sense. */
    async _startSession() {
        try {
            await this._service.connect();
            await this._service.start(this._options(), session => this._begin(session));
            if (this._service && this._session !== null && !this._wanted)
                this._stopSession();
            return false;
        } catch (error) {
            if (this._service && errorName(error) === 'UnsupportedLanguage' && this._settings.get_boolean('formatting') &&
                !this._hasNoFormatting) {
                // Perhaps only the rules for written form are missing. Try again without them.
                this._hasNoFormatting = true;
                return true;
            }
            if (this._service && errorName(error) === 'EngineUnavailable' && this._engines.requested) {
                this._engines.refuse();
                this.view.notify('engine', `${this._engines.warning} ${errorMessage(error)}`, [this._settingsButton]);
                return true;
            }
            if (!this._service || errorName(error) !== 'PermissionRequired')
                throw error;
        }
        this._isAsking = true;
        this.view.changed();
        try {
            if (await this._service.requestPermission())
                return true;
            this._wanted = false;
            return false;
        } finally {
            this._isAsking = false;
            this.view?.changed();
        }
    }

    _options() {
        const isFormatted = this._settings.get_boolean('formatting') && !this._hasNoFormatting;
        return startOptions(this._settings, isFormatted, this._engines.requested, this._fields.application,
            this.view.layoutLanguage());
    }

    _begin(session) {
        this._session = session;
        this._sessions = [session, ...this._sessions].slice(0, MAX_SESSIONS);
        this._state = 'starting';
        this._reason = '';
        this._isInterrupted = false;
        this._problems = [];
        this._awake.recordSpeech(GLib.get_monotonic_time());
        this._meter.begin();
        this._typing.begin();
        this._attempt(this._updateEngines());
        this.view.changed();
    }

    /** Called once for a session. The user may start another before this one has ended. */
    _stopSession() {
        if (this._isStopping)
            return;
        this._isStopping = true;
        this._attempt(this._service.commit());
        this._attempt(this._service.stop().catch(error => {
            // The user may try again. A service that has ended keeps the session, which is stopped when it is back.
            if (errorName(error) !== 'NotRunning' && !isGone(error))
                this._isStopping = false;
            throw error;
        }));
    }

    /** The session is over: its text without a final text is kept. */
    _leaveSession() {
        this._session = null;
        this._isStopping = false;
        this._state = 'idle';
        this._reason = '';
        this._problems = [];
        this._endInterruption();
        this._typing.end();
        this._updateAwake();
    }

    _end(reason) {
        // The process with the sessions ends, with or without the service: either may be upgraded.
        const isRestarted = reason === 'shutdown';
        this._wanted &&= this._isStopping || isRestarted;
        this._leaveSession();
        this.view.changed();
        if (this._wanted && isRestarted)
            this._recover();
        else if (this._wanted)
            this._run();
    }

    _fail(error) {
        if (!this._service || isCancelled(error))
            return;
        this._wanted = false;
        const name = errorName(error);
        if (name === 'PermissionDenied')
            this._notifyDenied();
        else if (name !== 'NotRunning')
            this.view.notify('error', errorMessage(error), [[_('Try Again'), () => this.start()], this._settingsButton]);
        this.view.changed();
    }

    get _settingsButton() {
        return [_('Settings'), () => this.view.openPreferences()];
    }

    /** Reports the failure of a call to the user. */
    _attempt(promise) {
        promise.catch(error => {
            // That the service has ended is handled by serviceVanished().
            if (!this._service || isCancelled(error) || isGone(error) || ['NotRunning', 'Cancelled'].includes(errorName(error)))
                return;
            this.view.notify('error', errorMessage(error));
        });
    }

    // Permission

    _notifyDenied() {
        this.view.notify('error', _('Dictation is not allowed to listen.'), [
            [_('Ask Again'), () => this._attempt(this._service.forgetOwn().then(() => this.start()))], this._settingsButton,
        ]);
    }

    _offerUndo(client, name) {
        this.view.notify('permission', _('%s may not dictate.', name), [
            [_('Undo'), () => this._attempt(this._service.forget(client))], this._settingsButton,
        ]);
    }

    // A service that has ended

    serviceVanished() {
        this._agent.withdraw();
        // A call that starts a session fails, and reports it.
        if (this._isStarting || (this._session === null && !this._wanted))
            return;
        this._recover();
    }

    _recover() {
        this._state = 'starting';
        this._endInterruption();
        this._updateAwake();
        this.view.changed();
        this._recovery.begin();
    }

    recovered(found) {
        if (this._session !== null && found.session === this._session)
            this._restore(found);
        else
            this._startAgain();
        this.view.changed();
    }

    notRecovered(error) {
        this._wanted = false;
        this._leaveSession();
        this.view.notify('service', _('Dictation has ended. %s', errorMessage(error)),
            [[_('Try Again'), () => this.start()], this._settingsButton]);
        this.view.changed();
    }

    /** The session is paused, with the block that was not committed. */
    _restore({block, text = '', state}) {
        this._state = state;
        this._typing.restore(block, text);
        if (this._isStopping || !this._wanted) {
            this._isStopping = false;
            this._stopSession();
            return;
        }
        this._attempt(this._service.resume());
        this._notifyContinued();
    }

    /** The service has kept nothing. */
    _startAgain() {
        if (this._session !== null)
            this._leaveSession();
        if (!this._wanted)
            return;
        this._run();
        this._notifyContinued();
    }

    _notifyContinued() {
        this.view.notify('service', _('The Dictation service was restarted. Dictation goes on.'));
    }

    // Interruptions

    /** One notice for an interruption, whatever reasons follow. */
    _interrupt(reason) {
        this._state = 'interrupted';
        this._reason = reason;
        if (!this._isInterrupted) {
            this._isInterrupted = true;
            const notice = interruptionNotice(reason);
            if (notice)
                this.view.notify('interruption', notice, reason === 'permission-lost' ? [this._settingsButton] : []);
        }
        this.view.changed();
    }

    _endInterruption() {
        if (this._isInterrupted)
            this.view.withdraw('interruption');
        this._isInterrupted = false;
    }

    _change(state, reason, details) {
        this._state = state;
        this._reason = details.reasons?.at(-1) ?? '';
        if (state !== 'interrupted')
            this._endInterruption();
        if (state === 'paused' && reason === 'resume-limit') {
            this.view.notify('interruption', _('Dictation was interrupted for long and is paused.'),
                [[_('Go On'), () => this.start()]]);
        }
        this._updateAwake();
        this.view.changed();
    }

    // Idleness

    _updateAwake() {
        this._awake.update(this._state === 'listening');
    }

    // The service

    _connect() {
        this._service.connect().catch(error => {
            if (this._service && !isCancelled(error))
                this.connectionClosed();
        });
    }

    serviceAppeared(connection, owner) {
        this._agent.serve(connection, owner);
        this._recovery.serviceAppeared();
        this._service.registerAgent(AGENT_PATH).catch(error => {
            if (!isCancelled(error))
                console.warn(`Dictation: the shell cannot ask for permission: ${errorMessage(error)}`);
        });
    }

    /** The session has ended with the connection. */
    connectionClosed() {
        this._agent.withdraw();
        this._recovery.cancel();
        if (this._session !== null) {
            this._wanted = false;
            this._leaveSession();
            this.view.notify('service', _('The connection to the Dictation service is lost. Dictation has ended.'),
                [[_('Try Again'), () => this.start()]]);
            this.view.changed();
        }
        this._reconnectTimer ||= GLib.timeout_add_seconds(GLib.PRIORITY_DEFAULT, RECONNECT_SECONDS, () => {
            this._reconnectTimer = 0;
            this._connect();
            return GLib.SOURCE_REMOVE;
        });
    }

    serviceSignal(name, parameters) {
        const [session, ...rest] = parameters;
        if (name === 'Typed' && this._sessions.includes(session))
            this._typing.typed(...parameters);
        if (name === 'Failed' && this._sessions.includes(session))
            this._typing.failed(...rest);
        if (this._session === null || session !== this._session)
            return;
        // The process that has the sessions can fail while the service keeps its name.
        if (name === 'StateChanged' && rest[1] === 'service-restarted' && !this._recovery.isWaiting) {
            this._recover();
            this._recovery.serviceAppeared();
            return;
        }
        switch (name) {
        case 'Partial':
            this._showPartial(...rest);
            break;
        case 'Final':
            this._typing.finished(rest[0]);
            this._engines.final(rest[2]);
            this.view.changed();
            break;
        case 'Retracted':
            this._typing.retract(...rest);
            this.view.changed();
            break;
        case 'StateChanged':
            this._change(...rest);
            break;
        case 'Interrupted':
            this._interrupt(rest[0]);
            break;
        case 'ProblemsChanged':
            this._problems = rest[0];
            this.view.changed();
            break;
        case 'Error':
            this.view.notify('error', rest[1]);
            break;
        case 'Stopped':
            this._end(rest[0]);
            break;
        }
    }

    serviceLevel(session, dbfs) {
        if (session === this._session)
            this._meter.setLevel(GLib.get_monotonic_time(), dbfs);
    }

    async _updateEngines() {
        this._engines.update(await this._service.property('Engines'));
        this.view?.changed();
    }

    _showPartial(block, offset, stable, volatile) {
        const now = GLib.get_monotonic_time();
        this._meter.text(now);
        this._awake.recordSpeech(now);
        this._typing.partial(block, offset, stable, volatile);
        this.view.changed();
    }
}
