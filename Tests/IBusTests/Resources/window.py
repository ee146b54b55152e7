#!/usr/bin/python3
"""A window with text fields for tests of IBus.

window.py KIND TITLE, KIND one of gtk3, qt: two entries and one for passwords.

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


window = {"gtk3": Gtk3Window, "qt": QtWindow}[kind]()
window.focus(0)
window.run()
