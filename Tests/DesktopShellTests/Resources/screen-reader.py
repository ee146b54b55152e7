#!/usr/bin/python3
"""What screen readers get over AT-SPI.

screen-reader.py             prints what is announced, a JSON string a line, until it is ended; "" when it is ready
screen-reader.py names TITLE prints [role, name of the parent, name] of each control of a window that can get the focus, as JSON
"""
import json
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402


def tell(value):
    print(json.dumps(value, ensure_ascii=False), flush=True)


def controls(accessible):
    for child in children(accessible):
        states = child.get_state_set()
        if states.contains(Atspi.StateType.FOCUSABLE):
            # GTK 4.8 gives a widget without a name that of its type.
            name = child.get_name()
            yield [child.get_role_name(), accessible.get_name(), "" if name.startswith(("Gtk", "Adw")) else name]
        yield from controls(child)


def children(accessible):
    found = [accessible.get_child_at_index(index) for index in range(accessible.get_child_count())]
    return [each for each in found if each is not None]


def windows():
    for application in children(Atspi.get_desktop(0)):
        yield from children(application)


Atspi.init()
if sys.argv[1:2] == ["names"]:
    [window] = [each for each in windows() if each.get_name() == sys.argv[2]]
    tell(list(controls(window)))
else:
    listener = Atspi.EventListener.new(lambda event: tell(event.any_data))
    for kind in "object:announcement", "object:notification":
        listener.register(kind)
    tell("")
    Atspi.event_main()
