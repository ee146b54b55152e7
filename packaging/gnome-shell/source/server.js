/*
 * Offers the field with the focus to the dictation service, see dbus/org.example.Dictation.Fields.xml. The service decides
 * what is typed, when and where; this reports the field and carries out edits, unless the field has changed or is private.
 */
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {isWorker} from './caller.js';
import {isSecret} from './fields.js';

const NAME = 'org.example.Dictation.Fields';
const PATH = '/org/example/Dictation/Fields';
const INTERFACE = `
<node>
  <interface name="${NAME}">
    <method name="Open">
      <arg name="field" type="a{sv}" direction="out"/>
    </method>
    <method name="Edit">
      <arg name="visit" type="t" direction="in"/>
      <arg name="edits" type="as" direction="in"/>
      <arg name="texts" type="as" direction="in"/>
      <arg name="numbers" type="at" direction="in"/>
    </method>
    <method name="Close"/>
    <signal name="FieldChanged">
      <arg name="field" type="a{sv}"/>
    </signal>
    <signal name="Committed">
      <arg name="token" type="t"/>
      <arg name="arrival" type="s"/>
    </signal>
    <signal name="Closed"/>
  </interface>
</node>`;
const MAX_EDITS = 16;

/** The D-Bus types of what is reported of a field. */
const TYPES = {
    id: 's', visit: 't', purpose: 's', sensitive: 'b', text: 's', cursor: 'u', selecting: 'b', x: 'i', y: 'i', live: 'b',
    reports: 'b', limit: 'u', application: 's',
};

/** What is reported of a field that is private: never its text. */
const SECRET_KEYS = ['id', 'visit', 'purpose', 'sensitive'];

/** A field in the form for the bus; null is none. Leaves out what is unknown. */
function report(field) {
    const entries = Object.entries(TYPES).filter(([key]) => field !== null && (field[key] ?? null) !== null &&
        (!isSecret(field) || SECRET_KEYS.includes(key)));
    return new GLib.Variant('a{sv}', Object.fromEntries(entries.map(([key, type]) => [key, new GLib.Variant(type, field[key])])));
}

export class FieldsServer {
    /** @param {Fields} fields */
    constructor(fields) {
        this._fields = fields;
        fields.observer = this;
        this._connection = Gio.DBus.session;
        /** The connection that called Open last; null if it has closed. */
        this._client = null;
        this._watch = 0;
        this._cancellable = new Gio.Cancellable();
        /** What was reported last. */
        this._reported = null;
        /** Calls that wait their turn, as {invocation, carryOut}. */
        this._calls = [];
        this._pause = 0;
        this._object = Gio.DBusExportedObject.wrapJSObject(INTERFACE, this);
        this._object.export(this._connection, PATH);
        this._name = Gio.bus_own_name_on_connection(this._connection, NAME, Gio.BusNameOwnerFlags.NONE, null, null);
    }

    destroy() {
        this._cancellable.cancel();
        if (this._pause)
            GLib.source_remove(this._pause);
        for (const {invocation} of this._calls)
            invocation.return_dbus_error('org.freedesktop.DBus.Error.Failed', 'The extension is disabled.');
        this._leave();
        Gio.bus_unown_name(this._name);
        this._object.unexport();
        this._fields.observer = null;
        this._object = null;
        this._fields = null;
        this._connection = null;
    }

    // Calls

    async OpenAsync(_parameters, invocation) {
        const client = invocation.get_sender();
        if (!await this._mayOpen(client)) {
            invocation.return_dbus_error('org.freedesktop.DBus.Error.AccessDenied',
                'Fields are for the dictation service: programs type by its interface org.example.Dictation.Typing.');
            return;
        }
        if (this._client !== null && this._client !== client)
            this._emit('Closed', null);
        this._leave();
        this._client = client;
        this._watch = Gio.bus_watch_name_on_connection(this._connection, client, Gio.BusNameWatcherFlags.NONE, null,
            () => this._leave());
        this._reported = report(this._fields.current);
        invocation.return_value(GLib.Variant.new_tuple([this._reported]));
    }

    async _mayOpen(client) {
        try {
            return await isWorker(this._connection, client, this._cancellable) && this._object !== null;
        } catch (error) {
            // It has left the bus or ended meanwhile.
            console.warn(`Dictation: a caller is not known: ${error.message}`);
            return false;
        }
    }

    EditAsync(call, invocation) {
        this._enqueue(invocation, () => this._edit(call, invocation));
    }

    CloseAsync(_parameters, invocation) {
        this._enqueue(invocation, () => {
            if (invocation.get_sender() === this._client)
                this._leave();
            invocation.return_value(null);
            return false;
        });
    }

    /** @param {Function} carryOut - returns whether it has changed the text of the field. */
    _enqueue(invocation, carryOut) {
        this._calls.push({invocation, carryOut});
        this._work();
    }

    _work() {
        while (!this._pause && this._calls.length > 0) {
            if (this._calls.shift().carryOut())
                this._pauseAfterChange();
        }
    }

    /** Mutter sends a change to the window when the shell is idle. A second one before that would replace the first. */
    _pauseAfterChange() {
        this._pause = GLib.idle_add(GLib.PRIORITY_DEFAULT_IDLE + 1, () => {
            this._pause = 0;
            this._work();
            return GLib.SOURCE_REMOVE;
        });
    }

    _edit([visit, edits, texts, numbers], invocation) {
        if (invocation.get_sender() !== this._client) {
            invocation.return_dbus_error('org.freedesktop.DBus.Error.AccessDenied', 'Call Open first.');
            return false;
        }
        // What has changed is reported before an edit is refused for it.
        this.fieldChanged();
        const field = this._fields.current;
        const isAllowed = field !== null && field.visit === visit && !isSecret(field);
        for (const [index, edit] of edits.slice(0, MAX_EDITS).entries())
            this._carryOut(edit, texts[index] ?? '', numbers[index] ?? 0, isAllowed ? field : null);
        invocation.return_value(null);
        return isAllowed && (edits.includes('commit') || edits.includes('delete'));
    }

    _carryOut(edit, text, number, field) {
        if (edit === 'clear') {
            this._fields.clear();
        } else if (field === null) {
            if (edit === 'commit')
                this.committed(number, 'refused');
        } else if (edit === 'show') {
            this._fields.show(text);
        } else if (edit === 'commit') {
            this._fields.commit(text, number);
        } else if (edit === 'delete') {
            this._fields.delete(number);
        }
    }

    _leave() {
        if (this._watch)
            Gio.bus_unwatch_name(this._watch);
        this._watch = 0;
        if (this._client !== null)
            this._fields.clear();
        this._client = null;
        this._reported = null;
    }

    // The observer of fields

    fieldChanged() {
        if (this._client === null)
            return;
        const field = report(this._fields.current);
        if (this._reported?.equal(field))
            return;
        this._reported = field;
        this._emit('FieldChanged', GLib.Variant.new_tuple([field]));
    }

    committed(token, arrival) {
        if (this._client !== null)
            this._emit('Committed', new GLib.Variant('(ts)', [token, arrival]));
    }

    _emit(signal, parameters) {
        this._connection.emit_signal(this._client, PATH, NAME, signal, parameters);
    }
}
