#!/usr/bin/python3
"""An input context as ibus-wayland has it, which joins a compositor's windows to IBus: it passes on the keys of every field,
and says of none what it is for.

Writes "ready", each committed text, and "key" after each line that it reads, for which it presses Shift.
"""
import subprocess
import sys

from gi.repository import Gio, GLib

address = subprocess.run(["ibus", "address"], capture_output=True, text=True, check=True).stdout.strip()
bus = Gio.DBusConnection.new_for_address_sync(
    address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
NAME = "org.freedesktop.IBus"


def call(path, interface, method, arguments=None):
    return bus.call_sync(NAME, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, -1, None)


def say(text):
    print(text, flush=True)


def key(*_):
    if not sys.stdin.readline():
        loop.quit()
        return False
    shift = 0xFFE1
    for state in 0, 1 << 30:
        call(context, f"{NAME}.InputContext", "ProcessKeyEvent", GLib.Variant("(uuu)", (shift, 42, state)))
    say("key")
    return True


context = call("/org/freedesktop/IBus", NAME, "CreateInputContext", GLib.Variant("(s)", ("wayland",)))[0]
bus.signal_subscribe(
    NAME, f"{NAME}.InputContext", "CommitText", context, None, Gio.DBusSignalFlags.NONE,
    lambda *signal: say(signal[5][0][2]))
preedit, focus, surrounding = 1, 8, 32
call(context, f"{NAME}.InputContext", "SetCapabilities", GLib.Variant("(u)", (preedit | focus | surrounding,)))
call(context, f"{NAME}.InputContext", "FocusIn")
loop = GLib.MainLoop()
GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, key)
say("ready")
loop.run()
