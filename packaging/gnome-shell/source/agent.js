/* Asks the user, in a dialog of the shell, whether an application may dictate. */
import Clutter from 'gi://Clutter';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Shell from 'gi://Shell';
import St from 'gi://St';
import * as Dialog from 'resource:///org/gnome/shell/ui/dialog.js';
import * as ModalDialog from 'resource:///org/gnome/shell/ui/modalDialog.js';

import {question} from './question.js';
import {_} from './translation.js';

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

/** Where only the administrator installs programs. */
const PROGRAM_FOLDERS = ['/usr/bin/', '/usr/local/bin/', '/usr/games/'];

function isProgram(app, path) {
    const program = app.get_executable() ?? '';
    return program === path || PROGRAM_FOLDERS.some(folder => folder + program === path);
}

/**
 * The application of a client as people know it, {name, icon}; both empty if it is not known. The name of a program that runs
 * others would say nothing about who asks.
 */
function describe({kind, id}, isInterpreter) {
    if (kind === 'executable' && id === '/usr/bin/gnome-shell')
        return {name: _('Dictation'), icon: Gio.ThemedIcon.new('audio-input-microphone-symbolic')};
    const apps = Shell.AppSystem.get_default();
    let app = null;
    if (kind === 'executable' && !isInterpreter)
        app = apps.get_installed().find(each => each.should_show() && isProgram(each, id));
    else if (kind === 'snap')
        app = apps.get_installed().find(each => each.get_id()?.startsWith(`${id}_`));
    else if (kind === 'flatpak' || kind === 'app')
        app = apps.lookup_app(`${id}.desktop`)?.get_app_info();
    return app ? {name: line(app.get_name(), 60), icon: app.get_icon()} : {name: '', icon: null};
}

export class Agent {
    /** @param {object} observer - has `denied(client, name)`, called when the user has denied a client, {kind, id}. */
    constructor(observer) {
        this._observer = observer;
        this._interface = Gio.DBusNodeInfo.new_for_xml(AGENT_INTERFACE).interfaces[0];
        this._connection = null;
        this._object = 0;
        this._owner = null;
        /** The pending questions, {cookie, client, details, invocation}; the first is shown. */
        this._questions = [];
        this._dialog = null;
    }

    /** Accepts questions of `owner` on this connection. */
    serve(connection, owner) {
        this._owner = owner;
        if (this._object)
            return;
        this._connection = connection;
        this._object = connection.register_object(AGENT_PATH, this._interface,
            (_connection, _sender, _path, _interface, method, parameters, invocation) =>
                this._handle(method, parameters, invocation), null, null);
    }

    /** Withdraws all questions without an answer. */
    withdraw() {
        this._owner = null;
        const questions = this._questions;
        this._questions = [];
        for (const {invocation} of questions)
            invocation.return_value(new GLib.Variant('(s)', ['']));
        if (this._object)
            this._connection.unregister_object(this._object);
        this._connection = null;
        this._object = 0;
        this._closeDialog();
    }

    _handle(method, parameters, invocation) {
        if (method === 'Release') {
            invocation.return_value(null);
            return;
        }
        const isOwner = invocation.get_sender() === this._owner;
        // A number of 64 bits is no number of JavaScript.
        const cookie = parameters.get_child_value(0).print(false);
        if (method === 'Cancel') {
            if (isOwner)
                this._answer(cookie, '');
            invocation.return_value(null);
        } else if (!isOwner) {
            invocation.return_dbus_error(ACCESS_DENIED, 'Only the Dictation service may ask.');
        } else if (this._questions.length >= MAX_QUESTIONS) {
            invocation.return_dbus_error(LIMIT_EXCEEDED, 'There are too many questions already.');
        } else {
            const [client, resources, details] = [1, 2, 3].map(index => parameters.get_child_value(index).recursiveUnpack());
            this._questions.push({cookie, client, resources, details, invocation});
            this._ask();
        }
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
        const {cookie, client, resources, details} = this._questions[0];
        const interpreter = line(details.interpreter, 30);
        const {name, icon} = describe(client, interpreter !== '');
        const dialog = new ModalDialog.ModalDialog({styleClass: 'dictation-dialog'});
        this._dialog = dialog;
        if (icon) {
            dialog.contentLayout.add_child(new St.Icon({
                gicon: icon, style_class: 'dictation-dialog-icon', x_align: Clutter.ActorAlign.CENTER,
            }));
        }
        const {title, description} = question(client, name, resources, interpreter);
        dialog.contentLayout.add_child(new Dialog.MessageDialogContent({title, description}));
        // The button with the focus decides nothing: an accidental Return must not.
        const later = dialog.addButton({
            label: _('Not Now'), action: () => this._answer(cookie, ''), key: Clutter.KEY_Escape, default: true,
        });
        dialog.addButton({label: _('Deny'), action: () => this._deny(cookie, client, name)});
        dialog.addButton({label: _('Allow Once'), action: () => this._answer(cookie, 'allow-once')});
        dialog.addButton({label: _('Allow'), action: () => this._answer(cookie, 'allow')});
        dialog.setInitialKeyFocus(later);
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

    _deny(cookie, client, name) {
        this._answer(cookie, 'deny');
        this._observer.denied(client, name || line(client.id, 200));
    }
}
