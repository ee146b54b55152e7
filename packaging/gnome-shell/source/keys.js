/* The keys: one that toggles dictation or is push-to-talk, and one that discards the text. */
import Clutter from 'gi://Clutter';
import GLib from 'gi://GLib';
import Meta from 'gi://Meta';
import Shell from 'gi://Shell';
import * as Main from 'resource:///org/gnome/shell/ui/main.js';

import {KeyHold, POLL_INTERVAL} from './hold.js';

const TOGGLE_KEY = 'toggle-key';
const DISCARD_KEY = 'discard-key';
const DISCARD_MODES = Shell.ActionMode.NORMAL | Shell.ActionMode.OVERVIEW;

const MASKS = {
    super: Clutter.ModifierType.MOD4_MASK | Clutter.ModifierType.SUPER_MASK,
    control: Clutter.ModifierType.CONTROL_MASK,
    ctrl: Clutter.ModifierType.CONTROL_MASK,
    primary: Clutter.ModifierType.CONTROL_MASK,
    alt: Clutter.ModifierType.MOD1_MASK,
    shift: Clutter.ModifierType.SHIFT_MASK,
};

/** The masks of the modifiers of an accelerator such as <Super>d. */
function modifiersOf(accelerator) {
    return [...accelerator.matchAll(/<(\w+)>/gu)].map(([, name]) => MASKS[name.toLowerCase()]).filter(mask => mask);
}

export class Keys {
    /** @param {object} actions - `start()`, `stop()`, `discard()`, `isWanted()`. */
    constructor(settings, actions) {
        this._settings = settings;
        this._actions = actions;
        this._hold = new KeyHold();
        this._poll = 0;
        this._isDictating = false;
        /** The grabbed keys that discard, by their numbers. */
        this._discards = [];
        this._discardId = 0;
        const {TRIGGER_RELEASE} = Meta.KeyBindingFlags;
        this._tellsRelease = TRIGGER_RELEASE !== undefined;
        const flags = Meta.KeyBindingFlags.IGNORE_AUTOREPEAT | (TRIGGER_RELEASE ?? 0);
        // The parameters are (display, window, binding) until GNOME 47, and (display, window, event, binding) later.
        Main.wm.addKeybinding(TOGGLE_KEY, settings, flags, Shell.ActionMode.NORMAL | Shell.ActionMode.OVERVIEW, (...parameters) => {
            const event = parameters.find(each => each instanceof Clutter.Event);
            if (event?.type() === Clutter.EventType.KEY_RELEASE)
                this._apply(this._hold.release());
            else
                this._press();
        });
    }

    destroy() {
        Main.wm.removeKeybinding(TOGGLE_KEY);
        this.setDiscardKey(false, false);
        this._hold.forget();
        this._watchModifiers();
        this._settings = this._actions = null;
    }

    /**
     * Grabs the key that discards for a dictation. Without text the shell leaves the key to the window.
     *
     * The key is grabbed as an accelerator. A key binding that is removed makes GNOME Shell 43 crash if the key is pressed before
     * the shell has updated its bindings, and with each update the shell writes to the journal.
     */
    setDiscardKey(isDictating, hasText) {
        if (isDictating !== this._isDictating) {
            this._isDictating = isDictating;
            if (isDictating)
                this._grabDiscardKeys();
            else
                this._ungrabDiscardKeys();
        }
        for (const action of this._discards)
            Main.wm.allowKeybinding(Meta.external_binding_name_for_action(action), hasText ? DISCARD_MODES : Shell.ActionMode.NONE);
    }

    _grabDiscardKeys() {
        this._discards = this._settings.get_strv(DISCARD_KEY)
            .map(key => global.display.grab_accelerator(key, Meta.KeyBindingFlags.IGNORE_AUTOREPEAT))
            .filter(action => action !== Meta.KeyBindingAction.NONE);
        this._discardId = global.display.connect('accelerator-activated', (_display, action) => {
            if (this._discards.includes(action))
                this._actions.discard();
        });
    }

    _ungrabDiscardKeys() {
        global.display.disconnect(this._discardId);
        this._discardId = 0;
        for (const action of this._discards) {
            Main.wm.allowKeybinding(Meta.external_binding_name_for_action(action), Shell.ActionMode.NONE);
            global.display.ungrab_accelerator(action);
        }
        this._discards = [];
    }

    _now() {
        return GLib.get_monotonic_time() / 1000;
    }

    get _modifiers() {
        const down = global.get_pointer()[2];
        const accelerators = this._settings.get_strv(TOGGLE_KEY).map(modifiersOf);
        return {
            areDown: accelerators.some(masks => masks.every(mask => (down & mask) !== 0)),
            exist: accelerators.length > 0 && accelerators.every(masks => masks.length > 0),
        };
    }

    _press() {
        const {areDown, exist} = this._modifiers;
        const canSeeRelease = this._tellsRelease || (exist && areDown);
        this._apply(this._hold.press(this._now(), this._actions.isWanted(), canSeeRelease));
    }

    _apply(action) {
        if (action === 'start')
            this._actions.start();
        else if (action === 'stop')
            this._actions.stop();
        this._watchModifiers();
    }

    _watchModifiers() {
        if (this._hold.isHeld === (this._poll !== 0))
            return;
        if (!this._hold.isHeld) {
            GLib.source_remove(this._poll);
            this._poll = 0;
            return;
        }
        this._poll = GLib.timeout_add(GLib.PRIORITY_DEFAULT, POLL_INTERVAL, () => {
            const {areDown, exist} = this._modifiers;
            const action = this._hold.poll(this._now(), areDown || !exist);
            if (this._hold.isHeld)
                return GLib.SOURCE_CONTINUE;
            this._poll = 0;
            this._apply(action);
            return GLib.SOURCE_REMOVE;
        });
    }
}
