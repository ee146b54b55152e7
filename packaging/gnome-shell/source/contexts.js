/*
 * The input context of IBus that has the focus.
 *
 * Qt has one context for all fields of a program, and reports to IBus neither that the focus has moved to another field nor
 * that a field is for passwords. But it calls FocusIn of the context for each field that is not for passwords, and passes no
 * keys of the others to IBus. IBus tells its panel neither, so the calls of the focused context are watched on IBus's bus.
 */
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import IBus from 'gi://IBus';
import * as IBusManager from 'resource:///org/gnome/shell/misc/ibusManager.js';

import {Keyboard} from './keyboard.js';

const INTERFACE = 'org.freedesktop.IBus.InputContext';
/** The part of the interface that is watched. Calls that are not here must not be watched: GLib would answer them. */
const CONTEXT_INTERFACE = `
<node>
  <interface name="${INTERFACE}">
    <method name="FocusIn"/>
    <method name="ProcessKeyEvent">
      <arg name="keyval" type="u" direction="in"/>
      <arg name="keycode" type="u" direction="in"/>
      <arg name="state" type="u" direction="in"/>
      <arg name="handled" type="b" direction="out"/>
    </method>
  </interface>
</node>`;
/** The context that IBus focuses when no program has the focus. */
const FAKE_CONTEXT = '/InputContext_1';
/** KEY_WAKEUP of linux/input-event-codes.h, which types nothing. */
const SILENT_KEY = 143;
/** How long a window may take to pass a key to IBus, in milliseconds. */
const KEY_TIMEOUT = 3000;
/** The key is pressed again after this time, in milliseconds: Xwayland loses the first key of a new keyboard. */
const KEY_INTERVAL = 300;

export class Contexts {
    /**
     * @param {object} observer - has `contextVisited()`, called when a field may have got or lost the focus, and
     * `contextChanged()`, called when its content type has changed.
     */
    constructor(observer) {
        this._observer = observer;
        this._manager = IBusManager.getIBusManager();
        this._keyboard = new Keyboard();
        this._interface = Gio.DBusNodeInfo.new_for_xml(CONTEXT_INTERFACE).interfaces[0];
        this._cancellable = new Gio.Cancellable();
        this._panel = null;
        this._panelSignals = [];
        /** The path of the focused context; null if there is none. */
        this._path = null;
        this.purpose = 0;
        this.hints = 0;
        this._connection = null;
        this._closedId = 0;
        /** The watched context, {path, object, isComplete}. */
        this._watched = null;
        this._isWatching = false;
        /** What returns when the focused context is watched. */
        this._watching = null;
        /** Resolves the promise of a key. */
        this._keyArrived = null;
        this._keyTimer = 0;
        this._readyId = this._manager.connect('ready', () => this._attachPanel());
        this._attachPanel();
    }

    destroy() {
        this._cancellable.cancel();
        this._manager.disconnect(this._readyId);
        this._detachPanel();
        this._endKey(false);
        this._connection?.disconnect(this._closedId);
        this._connection?.close(null, null);
        this._leaveConnection();
        this._keyboard = null;
        this._manager = null;
        this._observer = null;
    }

    /** Whether a field has the focus, as far as IBus knows, and changes of the focus within its window are seen. */
    get hasFocus() {
        return this._panel !== null && this._path !== null && this._watched?.path === this._path && this._watched.isComplete;
    }

    commit(text) {
        this._panel?.commit_text(IBus.Text.new_from_string(text));
    }

    // The panel

    _attachPanel() {
        const panel = this._manager._panelService ?? null;
        if (panel === this._panel)
            return;
        this._detachPanel();
        this._panel = panel;
        if (!panel)
            return;
        this._panelSignals = [
            panel.connect('focus-in', (_panel, path) => this._focus(path.endsWith(FAKE_CONTEXT) ? null : path)),
            panel.connect('focus-out', () => this._focus(null)),
            panel.connect('set-content-type', (_panel, purpose, hints) => {
                this.purpose = purpose;
                this.hints = hints;
                this._observer.contextChanged();
            }),
        ];
    }

    _detachPanel() {
        // IBus has ended if the shell has another panel or none; the signals ended with it.
        if (this._panel && this._panel === this._manager?._panelService) {
            for (const id of this._panelSignals)
                this._panel.disconnect(id);
        }
        this._panelSignals = [];
        this._panel = null;
        this._path = null;
    }

    _focus(path) {
        this._path = path;
        this.purpose = 0;
        this.hints = 0;
        this._observer.contextVisited();
        this._watchUntilDone(path).catch(error => {
            if (this._observer && this._path === path)
                console.warn(`Dictation: the text fields of IBus cannot be watched: ${error.message}`);
        });
    }

    /** The first attempt may share the failure of an earlier one, on the connection of an IBus that has ended. */
    async _watchUntilDone(path) {
        try {
            await this._watch();
        } catch {
            if (!this._observer || this._path !== path)
                return;
            await this._watch();
        }
    }

    // The calls of the focused context

    /** Watches the focused context. Returns when it is watched. */
    _watch() {
        if (!this._isWatching) {
            this._isWatching = true;
            this._watching = this._watchFocused();
        }
        return this._watching;
    }

    async _watchFocused() {
        try {
            /* eslint-disable no-await-in-loop */
            while (this._observer && (this._watched?.path ?? null) !== this._path) {
                if (this._watched)
                    await this._unwatch(this._watched);
                else
                    await this._watchContext(this._path);
            }
            /* eslint-enable no-await-in-loop */
        } finally {
            // In the turn of the last look at the focus: a later change begins anew.
            this._isWatching = false;
        }
    }

    async _watchContext(path) {
        const connection = await this._connect();
        const object = connection.register_object(path, this._interface,
            (_connection, _sender, _path, _interface, method, parameters, _invocation) => {
                // The call is for IBus. It is not answered here.
                if (method === 'FocusIn')
                    this._observer?.contextVisited();
                else if (parameters.get_child_value(1).get_uint32() === SILENT_KEY)
                    this._endKey(true);
            }, null, null);
        const watched = {path, object, isComplete: false};
        this._watched = watched;
        await this._match('AddMatch', path, 'FocusIn');
        watched.isComplete = true;
        this._observer?.contextVisited();
    }

    async _unwatch({path, object}) {
        await this._match('RemoveMatch', path, 'FocusIn');
        // Afterwards no more calls arrive, which GLib would answer.
        this._connection?.unregister_object(object);
        this._watched = null;
    }

    async _connect() {
        if (this._connection)
            return this._connection;
        const flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION;
        const connection = await new Promise((resolve, reject) => {
            Gio.DBusConnection.new_for_address(IBus.get_address(), flags, null, this._cancellable, (_source, result) => {
                try {
                    resolve(Gio.DBusConnection.new_for_address_finish(result));
                } catch (error) {
                    reject(error);
                }
            });
        });
        this._connection = connection;
        this._closedId = connection.connect('closed', () => this._leaveConnection());
        return connection;
    }

    _leaveConnection() {
        this._connection = null;
        this._closedId = 0;
        this._watched = null;
    }

    _match(method, path, member) {
        const rule = `type='method_call',interface='${INTERFACE}',path='${path}',member='${member}'`;
        return new Promise((resolve, reject) => {
            if (!this._connection) {
                reject(new Error('IBus has ended'));
                return;
            }
            this._connection.call('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', method,
                new GLib.Variant('(s)', [rule]), null, Gio.DBusCallFlags.NONE, KEY_TIMEOUT, this._cancellable,
                (source, result) => {
                    try {
                        resolve(source.call_finish(result));
                    } catch (error) {
                        reject(error);
                    }
                });
        });
    }

    // Keys

    /** Whether the window passes keys to IBus now, which Qt does not do in fields for passwords. Presses a key without effect. */
    async passesKeys() {
        await this._watch();
        const path = this._path;
        if (path === null || this._keyArrived || this._watched?.path !== path)
            return false;
        const arrived = new Promise(resolve => {
            this._keyArrived = resolve;
        });
        try {
            // Only now, because it reports all keys.
            await this._match('AddMatch', path, 'ProcessKeyEvent');
            this._pressUntilItArrives(KEY_TIMEOUT);
            return await arrived && path === this._path;
        } finally {
            this._endKey(false);
            // Fails only if IBus or this has ended.
            this._match('RemoveMatch', path, 'ProcessKeyEvent').catch(() => {});
        }
    }

    _pressUntilItArrives(milliseconds) {
        this._keyboard?.pressCode(SILENT_KEY);
        this._keyTimer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, KEY_INTERVAL, () => {
            this._keyTimer = 0;
            if (milliseconds > 0)
                this._pressUntilItArrives(milliseconds - KEY_INTERVAL);
            else
                this._endKey(false);
            return GLib.SOURCE_REMOVE;
        });
    }

    _endKey(hasArrived) {
        if (this._keyTimer)
            GLib.source_remove(this._keyTimer);
        this._keyTimer = 0;
        this._keyArrived?.(hasArrived);
        this._keyArrived = null;
    }
}
