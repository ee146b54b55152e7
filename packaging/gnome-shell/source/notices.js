/* Notifications of the shell, shown in full, with buttons. */
import GObject from 'gi://GObject';
import * as Main from 'resource:///org/gnome/shell/ui/main.js';
import * as MessageTray from 'resource:///org/gnome/shell/ui/messageTray.js';

import {_} from './translation.js';

const ICON = 'audio-input-microphone-symbolic';

/** Shows the whole text at once, and not only its first line. */
const ExpandedPolicy = GObject.registerClass(
class ExpandedPolicy extends MessageTray.NotificationGenericPolicy {
    get forceExpanded() {
        return true;
    }
});

export class Notices {
    constructor() {
        this._source = null;
        /** The latest notification of each kind. */
        this._shown = new Map();
    }

    destroy() {
        this._source?.destroy();
        this._source = null;
        this._shown.clear();
    }

    /**
     * Shows a notification instead of the latest one of the same kind.
     * @param {string} kind
     * @param {string} message
     * @param {Array} buttons - of [label, action]; at most three.
     */
    show(kind, message, buttons = []) {
        this.withdraw(kind);
        const source = this._openSource();
        // Until GNOME 45 the parameters have no names.
        const isModern = Boolean(source.addNotification);
        const notification = isModern
            ? new MessageTray.Notification({source, title: _('Dictation'), body: message})
            : new MessageTray.Notification(source, _('Dictation'), message);
        for (const [label, action] of buttons)
            notification.addAction(label, action);
        this._shown.set(kind, notification);
        notification.connect('destroy', () => {
            if (this._shown.get(kind) === notification)
                this._shown.delete(kind);
        });
        if (isModern)
            source.addNotification(notification);
        else
            source.showNotification(notification);
    }

    /** Removes the notification of this kind, whose matter is over. */
    withdraw(kind) {
        this._shown.get(kind)?.destroy();
    }

    _openSource() {
        if (this._source)
            return this._source;
        const isModern = Boolean(MessageTray.Source.prototype.addNotification);
        const source = isModern
            ? new MessageTray.Source({title: _('Dictation'), iconName: ICON})
            : new MessageTray.Source(_('Dictation'), ICON);
        source.policy = new ExpandedPolicy();
        source.connect('destroy', () => {
            if (this._source === source)
                this._source = null;
        });
        Main.messageTray.add(source);
        this._source = source;
        return source;
    }
}
