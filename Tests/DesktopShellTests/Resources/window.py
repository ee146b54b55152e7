#!/usr/bin/python3
"""A window with text fields for tests.

window.py KIND TITLE, KIND one of gtk4-entry, gtk4-view, gtk4-form, gtk3-entry, gtk3-view, terminal.

Writes a JSON object a line: {"field": N, "text": ...} when the text of a field changes, {"field": N, "preedit": ...} when
its preedit changes, {"active": true or false} when the window gets or loses the focus, {"key": NAME} when a GTK 4 window
gets a key; "t" is in microseconds since 1970. Reads commands: "focus N", "focus none", "set N TEXT", "caret N OFFSET", "settle", "quit". Writes
{"done": COMMAND} when it has carried out one. "settle" waits until the window is drawn and has nothing to do.
"""
import json
import sys
import time

import gi

kind, title = sys.argv[1], sys.argv[2]
for library in ["Gdk", "Gtk"]:
    gi.require_version(library, "4.0" if kind.startswith("gtk4") else "3.0")
if kind == "terminal":
    gi.require_version("Vte", "2.91")
    from gi.repository import Vte
from gi.repository import Gdk, GLib, Gtk

is_gtk4 = Gtk.get_major_version() == 4
fields = []


def tell(**what):
    what["t"] = time.time_ns() // 1000
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def entry(password=False):
    number = len(fields)
    if is_gtk4:
        widget = Gtk.PasswordEntry() if password else Gtk.Entry()
        text = widget.get_delegate()
    else:
        widget = text = Gtk.Entry()
        if password:
            widget.set_visibility(False)
            widget.set_input_purpose(Gtk.InputPurpose.PASSWORD)
    text.connect("changed", lambda *_: tell(field=number, text=text.get_text()))
    text.connect("preedit-changed", lambda _, preedit: tell(field=number, preedit=preedit))
    fields.append((widget, text.set_text, text.set_position))
    return widget


def pin():
    widget = entry()
    widget.set_input_purpose(Gtk.InputPurpose.PIN)
    return widget


def view():
    number = len(fields)
    widget = Gtk.TextView(wrap_mode=Gtk.WrapMode.WORD, vexpand=True)
    buffer = widget.get_buffer()

    def changed(*_):
        tell(field=number, text=buffer.get_text(*buffer.get_bounds(), True))

    buffer.connect("changed", changed)
    widget.connect("preedit-changed", lambda _, preedit: tell(field=number, preedit=preedit))
    fields.append((widget, buffer.set_text, lambda at: buffer.place_cursor(buffer.get_iter_at_offset(at))))
    return widget


def terminal():
    widget = Vte.Terminal()
    fields.append((widget, lambda text: None, lambda at: None))
    # What is typed comes back a line at a time, in brackets.
    program = 'printf "ready "; while IFS= read -r line; do printf "[%s]" "$line" >>"$0"; done'
    widget.spawn_async(
        Vte.PtyFlags.DEFAULT, None, ["/bin/bash", "-c", program, sys.argv[3]], None, GLib.SpawnFlags.DEFAULT,
        None, None, -1, None, None)
    return widget


def fill():
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=8)
    widgets = {
        "gtk4-entry": lambda: [entry()],
        "gtk4-view": lambda: [view()],
        "gtk4-form": lambda: [entry(), entry(), entry(password=True), pin()],
        "gtk3-entry": lambda: [entry(), entry(password=True)],
        "gtk3-view": lambda: [view()],
        "terminal": lambda: [terminal()],
    }[kind]()
    for widget in widgets:
        box.append(widget) if is_gtk4 else box.pack_start(widget, True, True, 0)
    return box


def settle(frames):
    """A widget tells where its cursor is when it is laid out, in its next frame."""
    if frames == 0:
        GLib.idle_add(lambda: tell(done="settle"), priority=GLib.PRIORITY_LOW)
        return
    window.queue_draw()
    window.add_tick_callback(lambda *_: settle(frames - 1) or False)


def command(channel, _condition):
    words = channel.readline().rstrip("\n").split(" ", 2)
    if words[0] == "focus":
        window.set_focus(None) if words[1] == "none" else fields[int(words[1])][0].grab_focus()
    elif words[0] == "set":
        fields[int(words[1])][1](words[2] if len(words) > 2 else "")
    elif words[0] == "caret":
        fields[int(words[1])][2](int(words[2]))
    elif words[0] == "settle":
        settle(frames=2)
        return True
    else:
        loop.quit()
        return False
    tell(done=" ".join(words))
    return True


loop = GLib.MainLoop()
if not is_gtk4:
    Gtk.init([])
window = Gtk.Window(title=title, default_width=640, default_height=320)
if is_gtk4:
    window.set_child(fill())
    keys = Gtk.EventControllerKey(propagation_phase=Gtk.PropagationPhase.CAPTURE)
    keys.connect("key-pressed", lambda _, keyval, *__: tell(key=Gdk.keyval_name(keyval)) or False)
    window.add_controller(keys)
else:
    window.add(fill())
    window.show_all()
window.connect("notify::is-active", lambda *_: tell(active=window.is_active()))
window.present()
fields[0][0].grab_focus()
GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, lambda *_: command(sys.stdin, None))
loop.run()
