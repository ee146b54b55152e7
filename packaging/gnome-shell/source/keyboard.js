/* A virtual keyboard, for keys that the focused window shall get. */
import Clutter from 'gi://Clutter';
import GLib from 'gi://GLib';

const MODIFIERS = Clutter.ModifierType.SHIFT_MASK | Clutter.ModifierType.CONTROL_MASK |
    Clutter.ModifierType.MOD1_MASK | Clutter.ModifierType.MOD4_MASK | Clutter.ModifierType.SUPER_MASK;

/** Whether the user holds a modifier. */
export function areModifiersDown() {
    return (global.get_pointer()[2] & MODIFIERS) !== 0;
}

export class Keyboard {
    constructor() {
        this._device = null;
    }

    _open() {
        const backend = global.stage.context?.get_backend?.() ?? Clutter.get_default_backend();
        this._device ??= backend.get_default_seat().create_virtual_device(Clutter.InputDeviceType.KEYBOARD_DEVICE);
        return this._device;
    }

    /** Presses and releases a key, by its code in linux/input-event-codes.h. */
    pressCode(code) {
        const device = this._open();
        const time = GLib.get_monotonic_time();
        device.notify_key(time, code, Clutter.KeyState.PRESSED);
        device.notify_key(time, code, Clutter.KeyState.RELEASED);
    }

    /** Presses keys together, and releases them. */
    press(...keys) {
        const device = this._open();
        const time = GLib.get_monotonic_time();
        for (const key of keys)
            device.notify_keyval(time, key, Clutter.KeyState.PRESSED);
        for (const key of keys.reverse())
            device.notify_keyval(time, key, Clutter.KeyState.RELEASED);
    }
}
