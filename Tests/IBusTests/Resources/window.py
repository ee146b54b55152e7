#!/usr/bin/python3
"""A window with text fields for tests of IBus.

window.py KIND TITLE, KIND one of gtk3, qt, browser: two entries and one for passwords. A browser has one input context
for all of them, and does with it what Firefox 153 does when the focus moves.

Writes a JSON object a line: {"field": N, "text": ...} when the text of a field changes, {"field": N, "preedit": ...} when
its live text changes, {"focus": N} when a field gets the focus, {"done": COMMAND}; "t" is in microseconds since 1970.
Reads commands: "focus N", "set N TEXT", "quit".
"""
import json
import sys
import time

kind, title = sys.argv[1], sys.argv[2]


def tell(**what):
    what["t"] = time.time_ns() // 1000
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class Gtk3Window:
    def __init__(self):
        import gi

        gi.require_version("Gtk", "3.0")
        from gi.repository import GLib, Gtk

        Gtk.init([])
        self.loop = GLib.MainLoop()
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.fields = []
        for number in range(3):
            entry = Gtk.Entry()
            if number == 2:
                entry.set_visibility(False)
                entry.set_input_purpose(Gtk.InputPurpose.PASSWORD)
            entry.connect("changed", lambda e, n=number: tell(field=n, text=e.get_text()))
            entry.connect("preedit-changed", lambda _, preedit, n=number: tell(field=n, preedit=preedit))
            entry.connect("focus-in-event", lambda *_, n=number: tell(focus=n))
            box.add(entry)
            self.fields.append(entry)
        window = Gtk.Window(title=title)
        window.add(box)
        window.show_all()
        GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, lambda *_: obey(self))

    def focus(self, number):
        self.fields[number].grab_focus()

    def set(self, number, text):
        self.fields[number].set_text(text)
        self.fields[number].set_position(-1)

    def quit(self):
        self.loop.quit()

    def run(self):
        self.loop.run()


class BrowserWindow:
    def __init__(self):
        import gi

        gi.require_version("Gdk", "3.0")
        gi.require_version("Gtk", "3.0")
        from gi.repository import Gdk, GLib, Gtk

        Gtk.init([])
        # The input context takes the name of the program from here.
        GLib.set_prgname("firefox-esr")
        self.loop = GLib.MainLoop()
        self.Gdk, self.Gtk = Gdk, Gtk
        self.texts = ["", "", ""]
        self.number = 0
        self.has_focus = False
        self.context = Gtk.IMMulticontext()
        self.context.connect("commit", lambda _, text: self.set(self.number, self.texts[self.number] + text))
        self.context.connect("preedit-changed", self.tell_preedit)
        self.context.connect("retrieve-surrounding", self.tell_surrounding)
        area = Gtk.DrawingArea(can_focus=True)
        area.set_size_request(300, 300)
        area.add_events(Gdk.EventMask.KEY_PRESS_MASK | Gdk.EventMask.KEY_RELEASE_MASK)
        area.connect("realize", lambda _: self.context.set_client_window(area.get_window()))
        area.connect("key-press-event", lambda _, event: self.context.filter_keypress(event))
        area.connect("key-release-event", lambda _, event: self.context.filter_keypress(event))
        area.connect("focus-in-event", lambda *_: self.enter())
        area.connect("focus-out-event", lambda *_: self.leave())
        window = Gtk.Window(title=title)
        window.add(area)
        window.show_all()
        area.grab_focus()
        GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, lambda *_: obey(self))

    def tell_preedit(self, context):
        tell(field=self.number, preedit=context.get_preedit_string()[0])

    def tell_surrounding(self, context):
        text = self.texts[self.number]
        context.set_surrounding(text, len(text.encode()), len(text.encode()))
        return True

    def place(self):
        rectangle = self.Gdk.Rectangle()
        rectangle.x, rectangle.y, rectangle.width, rectangle.height = 10, 10 + 90 * self.number, 1, 20
        self.context.set_cursor_location(rectangle)

    def enter(self):
        purposes = self.Gtk.InputPurpose
        self.has_focus = True
        self.context.set_property(
            "input-purpose", purposes.PASSWORD if self.number == 2 else purposes.FREE_FORM)
        self.context.focus_in()
        self.place()
        tell(focus=self.number)

    def leave(self):
        self.has_focus = False
        self.context.focus_out()

    def focus(self, number):
        if self.has_focus and number != self.number:
            self.context.reset()
            self.leave()
            self.number = number
            self.enter()
        else:
            self.number = number

    def set(self, number, text):
        self.texts[number] = text
        tell(field=number, text=text)

    def quit(self):
        self.loop.quit()

    def run(self):
        self.loop.run()


class QtWindow:
    def __init__(self):
        from PyQt6.QtCore import QSocketNotifier
        from PyQt6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

        class Entry(QLineEdit):
            def inputMethodEvent(self, event):
                super().inputMethodEvent(event)
                tell(field=self.number, preedit=event.preeditString())

            def focusInEvent(self, event):
                super().focusInEvent(event)
                tell(focus=self.number)

        self.application = QApplication([sys.argv[0]])
        self.window = QWidget()
        self.window.setWindowTitle(title)
        layout = QVBoxLayout(self.window)
        self.fields = []
        for number in range(3):
            entry = Entry()
            entry.number = number
            if number == 2:
                entry.setEchoMode(QLineEdit.EchoMode.Password)
            entry.textChanged.connect(lambda text, n=number: tell(field=n, text=text))
            layout.addWidget(entry)
            self.fields.append(entry)
        self.window.show()
        self.notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
        self.notifier.activated.connect(lambda *_: obey(self))

    def focus(self, number):
        self.fields[number].setFocus()

    def set(self, number, text):
        self.fields[number].setText(text)

    def quit(self):
        self.notifier.setEnabled(False)
        self.application.quit()

    def run(self):
        self.application.exec()


def obey(window):
    line = sys.stdin.readline()
    words = line.rstrip("\n").split(" ", 2)
    if words[0] == "focus":
        window.focus(int(words[1]))
    elif words[0] == "set":
        window.set(int(words[1]), words[2] if len(words) > 2 else "")
    else:
        window.quit()
        return False
    tell(done=" ".join(words))
    return True


window = {"gtk3": Gtk3Window, "qt": QtWindow, "browser": BrowserWindow}[kind]()
window.focus(0)
window.run()
