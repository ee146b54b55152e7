#!/usr/bin/python3
"""A program that types through org.example.Dictation.Typing. Reads a JSON list a line, a method and its arguments, and writes
["METHOD", results...], ["error", NAME, MESSAGE] or ["Released", FIELD, REASON]. Calls do not wait for each other."""
import json
import os
import sys

import dbus
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.example.Dictation"
PATH = "/org/example/Dictation"
TYPING = "org.example.Dictation.Typing"


def tell(*what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def read(descriptor, _condition):
    global rest
    data = os.read(descriptor, 65536)
    if not data:
        loop.quit()
        return False
    *lines, rest = (rest + data).split(b"\n")
    for line in lines:
        call(line)
    return True


def call(line):
    method, *arguments = json.loads(line)
    interface = TYPING
    if method == "RequestPermission":
        interface, arguments = NAME, [["typing"], dbus.Dictionary({}, signature="sv")]
    elif method == "BeginField":
        arguments = [dbus.Dictionary(arguments[0] if arguments else {}, signature="sv")]
    elif arguments:
        arguments[0] = dbus.UInt64(arguments[0])
    bus.call_async(
        NAME, PATH, interface, method, signatures[method], arguments,
        lambda *results: tell(method, *results), lambda error: tell("error", error.get_dbus_name(), error.get_dbus_message()),
        timeout=90)


signatures = {
    "RequestPermission": "asa{sv}", "BeginField": "a{sv}", "Show": "ts", "Insert": "ts", "ReplaceLast": "ts", "Release": "t",
}
DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
bus.add_signal_receiver(lambda field, reason, _: tell("Released", field, reason), "Released", TYPING)
loop = GLib.MainLoop()
rest = b""
GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, read)
tell("ready")
loop.run()
