/* The service, over a separate connection to the bus. Closing it ends the session and closes the microphone. */
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {_} from './translation.js';

export const NAME = 'org.example.Dictation';
const PATH = '/org/example/Dictation';
const INTERFACE = NAME;
const TYPING = `${NAME}.Typing`;
const PERMISSIONS = `${NAME}.Permissions`;
const HISTORY = `${NAME}.History`;
const AGENTS = `${NAME}.AgentManager`;
const ERROR = `${NAME}.Error.`;
const BUS_ERROR = 'org.freedesktop.DBus.Error.';

/** Timeout of a call that waits for the user's answer, in milliseconds. */
const PERMISSION_TIMEOUT = 90 * 1000;
const COMMIT_TIMEOUT = 60 * 1000;
const CALL_TIMEOUT = 25 * 1000;

function open(type, cancellable) {
    return new Promise((resolve, reject) => {
        const flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION;
        const address = Gio.dbus_address_get_for_bus_sync(type, cancellable);
        Gio.DBusConnection.new_for_address(address, flags, null, cancellable, (_source, result) => {
            try {
                resolve(Gio.DBusConnection.new_for_address_finish(result));
            } catch (error) {
                reject(error);
            }
        });
    });
}

/** @param {Function} replied - gets the reply before any later message is handled. */
function call(connection, destination, path, iface, method, parameters, timeout, cancellable, replied = () => {}) {
    return new Promise((resolve, reject) => {
        connection.call(destination, path, iface, method, parameters, null, Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION,
            timeout, cancellable, (source, result) => {
                try {
                    const reply = source.call_finish(result).recursiveUnpack();
                    replied(reply);
                    resolve(reply);
                } catch (error) {
                    reject(error);
                }
            });
    });
}

function variants({kind, id}) {
    return {kind: new GLib.Variant('s', kind), id: new GLib.Variant('s', id)};
}

/** The path of this program. */
function executable(cancellable) {
    const attribute = Gio.FILE_ATTRIBUTE_STANDARD_SYMLINK_TARGET;
    return new Promise((resolve, reject) => {
        Gio.File.new_for_path('/proc/self/exe').query_info_async(attribute, Gio.FileQueryInfoFlags.NOFOLLOW_SYMLINKS,
            GLib.PRIORITY_DEFAULT, cancellable, (file, result) => {
                try {
                    resolve(file.query_info_finish(result).get_symlink_target());
                } catch (error) {
                    reject(error);
                }
            });
    });
}

function unpack(parameters, index) {
    return parameters.get_child_value(index).unpack();
}

/** Whether the service is on this bus, or is started by a call. */
async function hasService(connection, cancellable) {
    for (const method of ['ListNames', 'ListActivatableNames']) {
        // eslint-disable-next-line no-await-in-loop
        const [names] = await call(connection, 'org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', method,
            null, CALL_TIMEOUT, cancellable);
        if (names.includes(NAME))
            return true;
    }
    return false;
}

/** The last part of the name of an error of the service, such as PermissionRequired; empty for other errors. */
export function errorName(error) {
    const name = error instanceof GLib.Error ? Gio.DBusError.get_remote_error(error) ?? '' : '';
    return name.startsWith(ERROR) ? name.slice(ERROR.length) : '';
}

/** The message of an error, for people. */
export function errorMessage(error) {
    if (!(error instanceof GLib.Error))
        return String(error?.message ?? error);
    if (isGone(error))
        return _('The Dictation service has ended.');
    if (isMissing(error))
        return _('The Dictation service is not installed.');
    return error.message.replace(/^GDBus\.Error:[^:]*: /u, '');
}

/** Whether the service ended before it answered. */
export function isGone(error) {
    const name = error instanceof GLib.Error ? Gio.DBusError.get_remote_error(error) : '';
    return [`${BUS_ERROR}NoReply`, `${BUS_ERROR}Disconnected`, `${BUS_ERROR}NameHasNoOwner`].includes(name);
}

/** Whether the service does not run, and a call does not start it. */
export function isMissing(error) {
    return error instanceof GLib.Error && Gio.DBusError.get_remote_error(error) === `${BUS_ERROR}ServiceUnknown`;
}

export function isCancelled(error) {
    return error instanceof GLib.Error && error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED);
}

export class Service {
    /**
     * @param {object} observer - has `serviceAppeared(connection, owner)`, `serviceVanished()`, `connectionClosed()`,
     * `serviceLevel(session, dbfs)` and `serviceSignal(name, parameters)`.
     */
    constructor(observer) {
        this._observer = observer;
        this._cancellable = new Gio.Cancellable();
        this._connection = null;
        this._opening = null;
        this._watch = 0;
        this._subscriptions = [];
        this._closedId = 0;
    }

    /** Connects to the bus that has the service: the system bus if it is installed there, else the session bus. */
    connect() {
        this._opening ??= this._connect().catch(error => {
            this._opening = null;
            throw error;
        });
        return this._opening;
    }

    async _connect() {
        const cancellable = this._cancellable;
        let connection = null;
        try {
            connection = await open(Gio.BusType.SYSTEM, cancellable);
            if (!await hasService(connection, cancellable)) {
                connection.close(null, null);
                connection = null;
            }
        } catch (error) {
            if (isCancelled(error))
                throw error;
            connection?.close(null, null);
            connection = null;
        }
        connection ??= await open(Gio.BusType.SESSION, cancellable);
        if (cancellable.is_cancelled()) {
            connection.close(null, null);
            throw new GLib.Error(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED, 'closed');
        }
        this._connection = connection;
        this._closedId = connection.connect('closed', () => {
            this._forget();
            this._observer.connectionClosed();
        });
        this._watch = Gio.bus_watch_name_on_connection(connection, NAME, Gio.BusNameWatcherFlags.NONE,
            (_connection, _name, owner) => this._appeared(owner), () => this._vanished());
    }

    _appeared(owner) {
        this._unsubscribe();
        const receive = (_connection, sender, _path, _interface, signal, parameters) => {
            if (sender !== owner)
                return;
            // 20 times a second: only what is needed is unpacked.
            if (signal === 'Level')
                this._observer.serviceLevel(unpack(parameters, 0), unpack(parameters, 1));
            else
                this._observer.serviceSignal(signal, parameters.recursiveUnpack());
        };
        this._subscriptions = [INTERFACE, TYPING].map(name => this._connection.signal_subscribe(owner, name, null, PATH, null,
            Gio.DBusSignalFlags.NONE, receive));
        this._observer.serviceAppeared(this._connection, owner);
    }

    _vanished() {
        this._unsubscribe();
        this._observer.serviceVanished();
    }

    _unsubscribe() {
        for (const subscription of this._subscriptions)
            this._connection?.signal_unsubscribe(subscription);
        this._subscriptions = [];
    }

    _forget() {
        this._unsubscribe();
        if (this._watch)
            Gio.bus_unwatch_name(this._watch);
        this._watch = 0;
        if (this._closedId)
            this._connection?.disconnect(this._closedId);
        this._closedId = 0;
        this._connection = null;
        this._opening = null;
    }

    /** Closes the connection. Calls in progress fail. */
    close() {
        this._cancellable.cancel();
        const connection = this._connection;
        this._forget();
        connection?.close(null, null);
    }

    async _call(iface, method, parameters, timeout = CALL_TIMEOUT, replied = () => {}) {
        await this.connect();
        if (!this._connection)
            throw new Error(_('The connection to the Dictation service is lost.'));
        return call(this._connection, NAME, PATH, iface, method, parameters, timeout, this._cancellable, replied);
    }

    /**
     * Starts a session.
     * @param {object} options
     * @param {Function} started - called with the number of the session, before its first signal.
     */
    start(options, started) {
        return this._call(INTERFACE, 'Start', new GLib.Variant('(a{sv})', [options]), CALL_TIMEOUT,
            ([session]) => started(session));
    }

    /** The state of this connection's session. After a crash of the service this starts the service and restores the session. */
    async session() {
        const [session] = await this._call(INTERFACE, 'GetSession', null);
        return session;
    }

    resume() {
        return this._call(INTERFACE, 'Resume', null);
    }

    commit() {
        return this._call(INTERFACE, 'Commit', null, COMMIT_TIMEOUT);
    }

    stop() {
        return this._call(INTERFACE, 'Stop', null, COMMIT_TIMEOUT);
    }

    /** Discards the block and returns its number. */
    async cancel() {
        const [block] = await this._call(INTERFACE, 'Cancel', null);
        return block;
    }

    /** Asks the user. Returns whether all resources are granted. */
    async requestPermission() {
        const [status] = await this._call(INTERFACE, 'RequestPermission',
            new GLib.Variant('(asa{sv})', [['microphone', 'speech', 'typing'], {}]), PERMISSION_TIMEOUT);
        return Object.values(status).every(each => each === 'granted');
    }

    registerAgent(path) {
        return this._call(AGENTS, 'Register', new GLib.Variant('(oasa{sv})', [path, ['prompt'], {}]));
    }

    async routes() {
        const [routes] = await this._call(INTERFACE, 'ListRoutes', null);
        return routes;
    }

    /** A property of the service. */
    async property(name) {
        await this.connect();
        const [value] = await call(this._connection, NAME, PATH, 'org.freedesktop.DBus.Properties', 'Get',
            new GLib.Variant('(ss)', [INTERFACE, name]), CALL_TIMEOUT, this._cancellable);
        return value;
    }

    /** The last texts that the user keeps, the newest first, as of List; empty without a history. */
    async history(limit) {
        const [entries] = await this._call(HISTORY, 'List', new GLib.Variant('(a{sv})', [{limit: new GLib.Variant('u', limit)}]));
        return entries;
    }

    /** All of a text of the history. */
    async historyText(id) {
        const [entry] = await this._call(HISTORY, 'Get', new GLib.Variant('(t)', [id]));
        return entry.text;
    }

    /** Recognises a text of the history again, from its sound. Returns the new text. */
    async recogniseAgain(id) {
        const [entry] = await this._call(HISTORY, 'Again', new GLib.Variant('(ta{sv})', [id, {}]), PERMISSION_TIMEOUT);
        return entry.text;
    }

    /** Types a text into the field that has the focus. Returns why it was not typed, for people; empty if it was. */
    async typeText(text) {
        const [field] = await this._call(TYPING, 'BeginField', new GLib.Variant('(a{sv})', [{}]));
        const [outcome, details] = await this._call(TYPING, 'Insert', new GLib.Variant('(ts)', [field, text]), PERMISSION_TIMEOUT);
        await this._call(TYPING, 'Release', new GLib.Variant('(t)', [field]));
        return outcome === 'typed' ? '' : details.message ?? outcome;
    }

    forgetHistory(id) {
        return this._call(HISTORY, 'Forget', new GLib.Variant('(at)', [[id]]));
    }

    async permissions() {
        const [clients] = await this._call(PERMISSIONS, 'List', null);
        return clients;
    }

    /** Forgets the decisions about a client, {kind, id}: the user will be asked again. */
    forget(client) {
        return this._call(PERMISSIONS, 'Forget', new GLib.Variant('(a{sv})', [variants(client)]), COMMIT_TIMEOUT);
    }

    /** Forgets the decisions about this program. */
    async forgetOwn() {
        const program = await executable(this._cancellable);
        const clients = await this.permissions();
        const own = clients.find(({kind, id}) => kind === 'executable' && id === program);
        if (own)
            await this.forget(own);
    }

    /**
     * @param {object} client - {kind, id}.
     * @param {Array} resources - of "microphone", "speech" and "typing".
     * @param {string} status - granted, denied or not-determined.
     */
    async setPermission(client, resources, status) {
        const name = variants(client);
        for (const resource of resources) {
            // eslint-disable-next-line no-await-in-loop
            await this._call(PERMISSIONS, 'Set', new GLib.Variant('(a{sv}ss)', [name, resource, status]), COMMIT_TIMEOUT);
        }
    }
}
