/* Speaks to screen readers, and plays the sounds of the desktop's theme. */
import Atk from 'gi://Atk';
import GObject from 'gi://GObject';

import {_} from './translation.js';

/**
 * Has a screen reader say a text.
 * @param {Clutter.Actor} actor - from which it comes.
 * @param {string} text
 */
export function announce(actor, text) {
    const accessible = actor.get_accessible();
    // From ATK 2.50 on "notification" replaces "announcement".
    if (GObject.signal_lookup('notification', Atk.Object.$gtype))
        accessible?.emit('notification', text, Atk.Live.POLITE);
    else if (GObject.signal_lookup('announcement', Atk.Object.$gtype))
        accessible?.emit('announcement', text);
}

/** @param {string} name - of the freedesktop sound theme. */
export function play(name) {
    global.display.get_sound_player().play_from_theme(name, _('Dictation'), null);
}
