#!/usr/bin/python3
"""Calls org.example.Dictation.Fields of the shell.

Each line of the input is ["Open"], ["Edit", visit, text, ...], which commits each text by a call of its own, at once, or
["Close"]. Prints the last reply as JSON, or the name of the error.
"""
import json
import os
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NAME = "org.example.Dictation.Fields"


def arguments(visit, text):
    return GLib.Variant("(tasasat)", (visit, ["commit"], [text], [1]))


def all_arguments(visit=None, *texts):
    return [arguments(visit, text) for text in texts] or [None]


def main():
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    connection = Gio.DBusConnection.new_for_address_sync(os.environ["DBUS_SESSION_BUS_ADDRESS"], flags, None, None)
    for line in sys.stdin:
        method, *values = json.loads(line)
        *first, last = all_arguments(*values)
        call = (NAME, "/org/example/Dictation/Fields", NAME, method)
        try:
            for each in first:
                connection.call(*call, each, None, Gio.DBusCallFlags.NONE, 5000, None, None)
            reply = connection.call_sync(*call, last, None, Gio.DBusCallFlags.NONE, 5000, None)
            print(json.dumps(reply.unpack()), flush=True)
        except GLib.Error as error:
            print(json.dumps(Gio.DBusError.get_remote_error(error)), flush=True)


main()
