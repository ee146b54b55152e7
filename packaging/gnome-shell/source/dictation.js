/* Connects the service to the typist and the field with the focus. */
import GLib from 'gi://GLib';

import {Agent, AGENT_PATH} from './agent.js';
import {Fields} from './fields.js';
import {Service, errorMessage, errorName, isCancelled} from './service.js';
import {BlockText} from './text.js';
import {Typist, canDelete, isSecret} from './typist.js';

/** Delay before a lost connection is opened again, in seconds. */
const RECONNECT_SECONDS = 5;
/** Minimum time between two updates of the level meter, in microseconds. */
const LEVEL_INTERVAL = 200 * 1000;
/** For this time after new text the level meter is updated only with the next text, in microseconds. */
const TEXT_INTERVAL = 1000 * 1000;
/** Maximum number of texts in the menu. */
const MAX_TEXTS = 10;

const REASONS = {
    'call': 'A call uses the microphone',
    'no-source': 'There is no microphone',
    'audio-server-lost': 'The sound server does not answer',
    'suspend': 'The computer goes to sleep',
    'session-locked': 'The screen is locked',
    'session-inactive': 'Another session is active',
    'preempted': 'Another application dictates',
    'permission-lost': 'Dictation is no longer allowed',
    'engine-lost': 'The recognition engine failed',
    'source-muted': 'The microphone is muted',
};

/** The description of a reason of interruption, for people. */
export function reasonText(reason) {
    return REASONS[reason] ?? 'Dictation is interrupted';
}

export class Dictation {
    /**
     * @param {Gio.Settings} settings
     * @param {object} view - has `changed()`, called when anything shown has changed, `level(dbfs)`, and `notify(message)`.
     */
    constructor(settings, view) {
        this._settings = settings;
        this._view = view;
        this._wanted = false;
        this._isStarting = false;
        this._isStopping = false;
        this._isAsking = false;
        /** The chosen language has no rules for written form. */
        this._hasNoFormatting = false;
        this._session = null;
        this._state = 'idle';
        this._reason = '';
        this._block = 1;
        this._blockText = new BlockText();
        /** The last block that the user discarded; 0 if there is none. */
        this._discardedBlock = 0;
        this._texts = [];
        this._timers = new Set();
        this._reconnectTimer = 0;
        /** The highest level since the last update of the meter, in decibels below full scale. */
        this._level = -Infinity;
        this._levelTime = 0;
        this._textTime = -TEXT_INTERVAL;
        this._typist = new Typist(this._style());
        this._fields = new Fields(() => this._meetField(), settings.get_boolean('paste'));
        this._agent = new Agent();
        this._service = new Service(this);
        this._settingsId = settings.connect('changed', () => {
            this._fields.canPaste = settings.get_boolean('paste');
            this._hasNoFormatting = false;
            this._tell({type: 'style', style: this._style()});
        });
        this._meetField();
        this._connect();
    }

    destroy() {
        this._settings.disconnect(this._settingsId);
        for (const timer of this._timers)
            GLib.source_remove(timer);
        this._timers.clear();
        if (this._reconnectTimer)
            GLib.source_remove(this._reconnectTimer);
        this._reconnectTimer = 0;
        this._agent.withdraw();
        this._service.close();
        this._fields.destroy();
        this._agent = this._service = this._fields = this._typist = this._view = this._settings = null;
    }

    _style() {
        return {
            live: this._settings.get_string('live-text') === 'field',
            capitals: this._settings.get_boolean('formatting'),
            formatted: this._settings.get_boolean('formatting') && !this._hasNoFormatting,
            language: this._settings.get_string('language') || 'en-US',
        };
    }

    // What is shown

    /** Whether the user wants to dictate. */
    get isWanted() {
        return this._wanted;
    }

    /** idle, starting, listening, paused, interrupted, or asking (for permission). */
    get state() {
        if (this._isAsking)
            return 'asking';
        return this._session === null && this._wanted ? 'starting' : this._state;
    }

    /** The description of the state, for people. */
    get status() {
        switch (this.state) {
        case 'asking': return 'Waiting for your permission';
        case 'starting': return 'Starting…';
        case 'listening': return 'Listening';
        case 'paused': return 'Paused';
        case 'interrupted': return reasonText(this._reason);
        default: return 'Not dictating';
        }
    }

    /** The words of the current block. */
    get text() {
        return this._typist.text;
    }

    /** The latest texts, as {text, outcome, why}, the newest first. */
    get texts() {
        return this._texts;
    }

    // The user's actions

    toggle() {
        if (this._wanted)
            this.stop();
        else
            this.start();
    }

    start() {
        if (this._wanted)
            return;
        this._meetField();
        if (this._fields.current && isSecret(this._fields.current)) {
            this._view.notify('Dictation does not type into password fields.');
            return;
        }
        this._wanted = true;
        this._run();
        this._view.changed();
    }

    /** Ends the dictation. Speech so far is still typed. */
    stop() {
        if (!this._wanted)
            return;
        this._wanted = false;
        if (this._session !== null)
            this._stopSession();
        this._view.changed();
    }

    /** Discards the current block. */
    discard() {
        if (this._session === null)
            return;
        const session = this._session;
        this._discardedBlock = this._block;
        this._blockText = new BlockText();
        this._attempt(this._service.cancel().then(block => {
            if (this._session !== session)
                return;
            this._tell({type: 'cancel', block});
            this._block = Math.max(this._block, block + 1);
        }));
    }

    copy(text) {
        this._fields.copy(text);
    }

    // The session

    /** Starts a session if the user wants to dictate. */
    async _run() {
        if (this._isStarting)
            return;
        this._isStarting = true;
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
            const session = await this._service.start(this._options());
            if (!this._service)
                return false;
            this._begin(session);
            if (!this._wanted)
                this._stopSession();
            return false;
        } catch (error) {
            if (this._service && errorName(error) === 'UnsupportedLanguage' && this._settings.get_boolean('formatting') &&
                !this._hasNoFormatting) {
                // Perhaps only the rules for written form are missing. Try again without them.
                this._hasNoFormatting = true;
                this._tell({type: 'style', style: this._style()});
                return true;
            }
            if (!this._service || errorName(error) !== 'PermissionRequired')
                throw error;
        }
        this._isAsking = true;
        this._view.changed();
        try {
            if (await this._service.requestPermission())
                return true;
            this._wanted = false;
            return false;
        } finally {
            this._isAsking = false;
            this._view?.changed();
        }
    }

    _options() {
        const options = {levels: new GLib.Variant('b', true)};
        const commitAfter = this._settings.get_uint('commit-after');
        if (commitAfter > 0)
            options['auto-commit'] = new GLib.Variant('u', Math.max(200, commitAfter));
        for (const [key, option] of [['microphone', 'route'], ['engine', 'engine'], ['language', 'language']]) {
            const value = this._settings.get_string(key);
            if (value)
                options[option] = new GLib.Variant('s', value);
        }
        const isFormatted = this._settings.get_boolean('formatting') && !this._hasNoFormatting;
        options.formatting = new GLib.Variant('s', isFormatted ? 'dictation' : 'plain');
        // In other fields text cannot be deleted, so "scratch that" is typed as text.
        if (isFormatted && canDelete(this._fields.current))
            options.commands = new GLib.Variant('b', true);
        return options;
    }

    _begin(session) {
        if (this._session === session)
            return;
        this._session = session;
        this._state = 'starting';
        this._reason = '';
        this._block = 1;
        this._blockText = new BlockText();
        this._discardedBlock = 0;
        this._meetField();
        this._tell({type: 'begin', block: 1});
        this._view.changed();
    }

    /** Called once for a session. The user may start another before this one has ended. */
    _stopSession() {
        if (this._isStopping)
            return;
        this._isStopping = true;
        this._attempt(this._service.commit());
        this._attempt(this._service.stop().catch(error => {
            // The user may try again.
            if (errorName(error) !== 'NotRunning')
                this._isStopping = false;
            throw error;
        }));
    }

    _end() {
        this._session = null;
        this._wanted &&= this._isStopping;
        this._isStopping = false;
        this._state = 'idle';
        this._reason = '';
        // The service may have ended before it answered.
        this._tell({type: 'cancel', block: this._discardedBlock});
        this._tell({type: 'end'});
        this._view.changed();
        if (this._wanted)
            this._run();
    }

    _fail(error) {
        if (!this._service || isCancelled(error))
            return;
        this._wanted = false;
        if (errorName(error) !== 'NotRunning')
            this._view.notify(errorMessage(error));
        this._view.changed();
    }

    /** Reports the failure of a call to the user. */
    _attempt(promise) {
        promise.catch(error => {
            if (!this._service || isCancelled(error) || ['NotRunning', 'Cancelled'].includes(errorName(error)))
                return;
            this._view.notify(errorMessage(error));
        });
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
        this._service.registerAgent(AGENT_PATH).catch(error => {
            if (!isCancelled(error))
                console.warn(`Dictation: the shell cannot ask for permission: ${errorMessage(error)}`);
        });
    }

    serviceVanished() {
        this._agent.withdraw();
        if (this._session === null)
            return;
        this._view.notify('The Dictation service has ended.');
        this._end();
    }

    connectionClosed() {
        this.serviceVanished();
        this._reconnectTimer ||= GLib.timeout_add_seconds(GLib.PRIORITY_DEFAULT, RECONNECT_SECONDS, () => {
            this._reconnectTimer = 0;
            this._connect();
            return GLib.SOURCE_REMOVE;
        });
    }

    serviceSignal(name, parameters) {
        const [session, ...rest] = parameters;
        if (this._session === null && this._isStarting && name === 'StateChanged')
            this._begin(session);
        if (session !== this._session)
            return;
        switch (name) {
        case 'Partial':
            this._hear(...rest);
            break;
        case 'Final':
            this._meetField();
            this._tell({
                type: 'final', block: rest[0], text: rest[1], initialCapital: rest[2]['initial-capital'] ?? false,
            });
            if (rest[0] >= this._block) {
                this._block = rest[0] + 1;
                this._blockText = new BlockText();
            }
            this._view.changed();
            break;
        case 'Retracted':
            this._takeBack(rest[0], rest[1]);
            break;
        case 'StateChanged':
            [this._state] = rest;
            this._reason = rest[2].reasons?.at(-1) ?? '';
            this._view.changed();
            break;
        case 'Interrupted':
            this._state = 'interrupted';
            [this._reason] = rest;
            this._view.changed();
            break;
        case 'Error':
            this._view.notify(rest[1]);
            break;
        case 'Stopped':
            this._end();
            break;
        }
    }

    serviceLevel(session, dbfs) {
        if (session !== this._session)
            return;
        this._level = Math.max(this._level, dbfs);
        const now = GLib.get_monotonic_time();
        if (now - this._levelTime >= LEVEL_INTERVAL && now - this._textTime >= TEXT_INTERVAL)
            this._showLevel(now);
    }

    /**
     * Each update makes the shell draw a frame, which takes 10 ms where it draws in software. While text grows the meter
     * is updated in the frames that show the text.
     */
    _showLevel(now) {
        this._levelTime = now;
        if (this._level > -Infinity)
            this._view.level(this._level);
        this._level = -Infinity;
    }

    _hear(block, offset, stable, volatile) {
        if (block < this._block)
            return;
        if (block > this._block) {
            this._block = block;
            this._blockText = new BlockText();
        }
        this._blockText.apply(offset, stable, volatile);
        this._textTime = GLib.get_monotonic_time();
        this._showLevel(this._textTime);
        this._meetField();
        this._tell({type: 'partial', block, text: this._blockText.text});
        this._view.changed();
    }

    _takeBack(block, offset) {
        this._meetField();
        if (block === this._block) {
            this._blockText.retract(offset);
            this._tell({type: 'partial', block, text: this._blockText.text});
        } else {
            this._tell({type: 'retract', block, offset});
        }
        this._view.changed();
    }

    // The typist

    _meetField() {
        this._tell({type: 'field', field: this._fields.current});
    }

    _tell(event) {
        for (const effect of this._typist.handle(event))
            this._do(effect);
    }

    _do(effect) {
        switch (effect.do) {
        case 'show':
            this._fields.show(effect.text);
            break;
        case 'clear':
            this._fields.clear();
            break;
        case 'commit':
            this._fields.commit(effect.text, effect.route);
            break;
        case 'delete':
            this._fields.delete(effect.characters);
            break;
        case 'stays':
            this._view.notify(effect.why === 'unseen'
                ? 'The text field does not show whether that text was deleted. Please check.'
                : 'That text is no longer before the cursor, or cannot be deleted here. Delete it by hand.');
            break;
        case 'wait':
            this._wait(effect.token, effect.milliseconds);
            break;
        case 'split':
            this._attempt(this._service.commit());
            break;
        case 'outcome':
            this._note(effect);
            break;
        }
    }

    _wait(token, milliseconds) {
        // The shell sends a commit when it is idle. A second one before that would replace the first, so this runs at low
        // priority too.
        const timer = GLib.timeout_add(GLib.PRIORITY_LOW, milliseconds, () => {
            this._timers.delete(timer);
            this._meetField();
            this._tell({type: 'elapsed', token});
            return GLib.SOURCE_REMOVE;
        });
        this._timers.add(timer);
    }

    _note({id, text, outcome, why}) {
        const known = this._texts.find(each => each.id === id);
        if (outcome === 'retracted')
            this._texts = this._texts.filter(each => each !== known);
        else if (known)
            Object.assign(known, {text, outcome, why});
        else
            this._texts = [{id, text, outcome, why}, ...this._texts].slice(0, MAX_TEXTS);
        if (outcome === 'kept' && !known) {
            this._view.notify({
                'password': 'Dictation does not type into password fields. The text is in the menu.',
                'no-field': 'There is no text field. The text is in the menu.',
                'left': 'Another field has the focus. The text is in the menu, and is typed when you return.',
                'unfinished': 'Dictation ended before the text was final. The text is in the menu.',
            }[why]);
        }
        this._view.changed();
    }
}
