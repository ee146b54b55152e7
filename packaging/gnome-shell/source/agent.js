/* Asks the user, in a dialog of the shell, whether an application may dictate. */
import Clutter from 'gi://Clutter';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import * as Dialog from 'resource:///org/gnome/shell/ui/dialog.js';
import * as ModalDialog from 'resource:///org/gnome/shell/ui/modalDialog.js';

export const AGENT_PATH = '/org/example/Dictation/ShellAgent';
const ACCESS_DENIED = 'org.freedesktop.DBus.Error.AccessDenied';
const LIMIT_EXCEEDED = 'org.freedesktop.DBus.Error.LimitsExceeded';
/** The service asks at most 16 questions at a time. */
const MAX_QUESTIONS = 16;

const AGENT_INTERFACE = `
<node>
  <interface name="org.example.Dictation.Agent">
    <method name="RequestPermission">
      <arg name="cookie" type="t" direction="in"/>
      <arg name="client" type="a{sv}" direction="in"/>
      <arg name="resources" type="as" direction="in"/>
      <arg name="details" type="a{sv}" direction="in"/>
      <arg name="decision" type="s" direction="out"/>
    </method>
    <method name="Cancel">
      <arg name="cookie" type="t" direction="in"/>
    </method>
    <method name="Release"/>
  </interface>
</node>`;

/** One line of bounded length. */
function line(value, length) {
    return typeof value === 'string' ? value.replace(/\s+/gu, ' ').slice(0, length) : '';
}

export class Agent {
    constructor() {
        this._exported = null;
        this._owner = null;
        /** The pending questions, {cookie, details, invocation}; the first is shown. */
        this._questions = [];
        this._dialog = null;
    }

    /** Accepts questions of `owner` on this connection. */
    serve(connection, owner) {
        this._owner = owner;
        if (this._exported)
            return;
        this._exported = Gio.DBusExportedObject.wrapJSObject(AGENT_INTERFACE, this);
        this._exported.export(connection, AGENT_PATH);
    }

    /** Withdraws all questions without an answer. */
    withdraw() {
        this._owner = null;
        const questions = this._questions;
        this._questions = [];
        for (const {invocation} of questions)
            invocation.return_value(new GLib.Variant('(s)', ['']));
        this._exported?.unexport();
        this._exported = null;
        this._closeDialog();
    }

    RequestPermissionAsync([cookie, _client, _resources, details], invocation) {
        if (invocation.get_sender() !== this._owner) {
            invocation.return_dbus_error(ACCESS_DENIED, 'Only the Dictation service may ask.');
            return;
        }
        if (this._questions.length >= MAX_QUESTIONS) {
            invocation.return_dbus_error(LIMIT_EXCEEDED, 'There are too many questions already.');
            return;
        }
        this._questions.push({cookie: String(cookie), details, invocation});
        this._ask();
    }

    CancelAsync([cookie], invocation) {
        if (invocation.get_sender() === this._owner)
            this._answer(String(cookie), '');
        invocation.return_value(null);
    }

    ReleaseAsync(_parameters, invocation) {
        invocation.return_value(null);
    }

    _answer(cookie, decision) {
        const question = this._questions.find(each => each.cookie === cookie);
        if (!question)
            return;
        const isShown = question === this._questions[0];
        this._questions = this._questions.filter(each => each !== question);
        question.invocation.return_value(new GLib.Variant('(s)', [decision]));
        if (isShown)
            this._closeDialog();
        this._ask();
    }

    _closeDialog() {
        const dialog = this._dialog;
        this._dialog = null;
        dialog?.close();
    }

    _ask() {
        if (this._dialog || this._questions.length === 0)
            return;
        const {cookie, details} = this._questions[0];
        const text = key => details[key]?.deepUnpack?.() ?? details[key];
        const dialog = new ModalDialog.ModalDialog({styleClass: 'dictation-dialog'});
        this._dialog = dialog;
        const description = [line(text('subtitle'), 300), line(text('body'), 600)].filter(each => each).join('\n\n');
        dialog.contentLayout.add_child(new Dialog.MessageDialogContent({
            title: line(text('title'), 100) || 'Allow dictation?', description,
        }));
        // The first button has the focus, so that an accidental Return denies.
        const deny = dialog.addButton({label: 'Deny', action: () => this._answer(cookie, 'deny'), default: true});
        dialog.addButton({label: 'Allow Once', action: () => this._answer(cookie, 'allow-once')});
        dialog.addButton({label: 'Allow', action: () => this._answer(cookie, 'allow')});
        dialog.setInitialKeyFocus(deny);
        dialog.addButton({label: 'Not Now', action: () => this._answer(cookie, ''), key: Clutter.KEY_Escape});
        dialog.connect('closed', () => {
            if (this._dialog === dialog) {
                this._dialog = null;
                this._answer(cookie, '');
            }
        });
        if (!dialog.open()) {
            this._dialog = null;
            dialog.destroy();
            this._answer(cookie, '');
        }
    }
}
