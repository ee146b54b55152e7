"""Uses the windows of dictation-settings in this process, as a person does, and prints what is shown.

    settings-window.py FOLDER setup|settings

Each step is a line of standard input, and has a line of standard output as its answer, "ok" or "not":

    press LABEL      presses the button or switch, or the row, with this label
    page NAME        shows a page
    choose LABEL N   chooses the N-th of a list
    write TITLE TEXT writes a text into an entry row and applies it
    shows TEXT       waits until this text is shown
    scheme NAME      uses light or dark colours, or high contrast
    size TEXT        the size of text, as 1.5
    state NAME B     waits until the switch of a row is on or off
    keys             moves through the page with Tab; every control gets the focus
    close            closes the window
"""

import sys

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, GLib, Gtk  # noqa: E402

folder, kind = sys.argv[1:]
sys.path.insert(0, folder)
from dictation_settings.__main__ import Application  # noqa: E402


def widgets(parent):
    child = parent.get_first_child()
    while child:
        if child.get_child_visible() and child.get_visible():
            yield child
            yield from widgets(child)
        child = child.get_next_sibling()


def texts(window):
    found = []
    for widget in widgets(window):
        if isinstance(widget, Gtk.Label):
            found.append(widget.get_text())
        elif isinstance(widget, Gtk.Button) and widget.get_tooltip_text():
            found.append(widget.get_tooltip_text())
    return found


class Steps:
    def __init__(self, application):
        self.application = application
        # Unbuffered, so that the watch sees each line.
        self.input = open(0, "rb", buffering=0)
        self.next()
        Gtk.init()
        Gtk.Settings.get_default().set_property("gtk-enable-animations", False)

    def next(self):
        GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, self.read)

    def read(self, _descriptor, _condition):
        line = self.input.readline().decode()
        if line:
            verb, _, rest = line.rstrip("\n").partition(" ")
            getattr(self, verb)(rest)
        else:
            self.application.quit()
        return False

    def answer(self, *words):
        print(*words, flush=True)
        self.next()

    def window(self):
        return self.application.get_active_window() or self.application.get_windows()[0]

    def later(self, condition, what):
        """Answers when the condition holds; what is shown, if it does not within 20 seconds."""
        tries = 400

        def check():
            nonlocal tries
            tries -= 1
            if condition():
                self.answer("ok", what)
                return False
            if not tries:
                self.answer("not", what, texts(self.window()))
                return False
            return True

        GLib.timeout_add(50, check)

    def find(self, text):
        """The control with a text: the smallest that can be activated and contains it."""
        for widget in widgets(self.window()):
            if isinstance(widget, Gtk.Button):
                label = widget.get_label() or widget.get_tooltip_text() or ""
                if label.replace("_", "") == text and widget.get_sensitive():
                    return widget
        for widget in widgets(self.window()):
            if isinstance(widget, (Adw.ActionRow, Adw.ExpanderRow)) and widget.get_title() == text:
                return widget
        return None

    def press(self, text):
        def pressed():
            widget = self.find(text)
            if widget is None:
                return False
            if isinstance(widget, Gtk.Button):
                widget.emit("clicked")
            elif isinstance(widget, Adw.ExpanderRow):
                widget.set_expanded(not widget.get_expanded())
            elif isinstance(widget.get_activatable_widget(), Gtk.Switch):
                # Its activation waits for an animation.
                control = widget.get_activatable_widget()
                control.set_active(not control.get_active())
            else:
                widget.activate()
            return True

        self.later(pressed, f"press {text}")

    def page(self, name):
        self.window().set_visible_page_name(name)
        self.later(lambda: True, f"page {name}")

    def choose(self, rest):
        text, _, number = rest.rpartition(" ")

        def chosen():
            for widget in widgets(self.window()):
                if isinstance(widget, Adw.ComboRow) and widget.get_title() == text:
                    widget.set_selected(int(number))
                    return True
            return False

        self.later(chosen, f"choose {text}")

    def write(self, rest):
        title, _, text = rest.rpartition(" ")

        def written():
            for widget in widgets(self.window()):
                if isinstance(widget, Adw.EntryRow) and widget.get_title() == title:
                    widget.set_text(text)
                    widget.emit("apply")
                    return True
            return False

        self.later(written, f"write {title}")

    def shows(self, text):
        self.later(lambda: any(text in each for each in texts(self.window())), f"shows {text}")

    def scheme(self, name):
        manager = Adw.StyleManager.get_default()
        dark = name == "dark"
        manager.set_color_scheme(Adw.ColorScheme.FORCE_DARK if dark else Adw.ColorScheme.FORCE_LIGHT)
        self.later(lambda: manager.get_dark() == dark, f"scheme {name}")

    def size(self, factor):
        settings = Gtk.Settings.get_default()
        settings.set_property("gtk-xft-dpi", int(96 * 1024 * float(factor)))
        self.answer("ok size", factor)

    def state(self, rest):
        title, _, wanted = rest.rpartition(" ")

        def holds():
            for widget in widgets(self.window()):
                if isinstance(widget, Adw.ActionRow) and widget.get_title() == title:
                    control = widget.get_activatable_widget()
                    return isinstance(control, Gtk.Switch) and control.get_active() == (wanted == "on")
            return False

        self.later(holds, f"state {title} {wanted}")

    def controls(self):
        kinds = (Gtk.Button, Gtk.Switch, Gtk.CheckButton, Gtk.DropDown, Gtk.Text, Adw.ComboRow)
        return [
            each
            for each in widgets(self.window())
            if isinstance(each, kinds) and each.get_focusable() and each.is_sensitive() and each.get_mapped()
            # Alt+F4 and Ctrl+W do the same.
            and not isinstance(each.get_parent(), Gtk.WindowControls)
        ]

    def keys(self, _rest):
        window = self.window()
        tries = 0

        def are_reached():
            """GTK moves the focus only to what is laid out, with the next frame."""
            nonlocal tries
            tries += 1
            if all(each.get_width() > 0 for each in self.controls()) and not self.missed():
                return True
            # A compositor without a screen may ask for no frame before the window has another size.
            if tries % 2 == 0:
                window.unfullscreen() if window.is_fullscreen() else window.fullscreen()
            return False

        self.later(are_reached, "keys")

    def missed(self):
        """The controls that Tab does not reach."""
        window, controls = self.window(), self.controls()

        def begin():
            return any(each.grab_focus() for each in controls)

        begin()
        reached = {window.get_focus()}
        # A list of rows is left by the arrow keys, and each row by Tab.
        for _ in range(3 * len(controls) + 20):
            if not window.child_focus(Gtk.DirectionType.TAB_FORWARD):
                begin()
                continue
            focus = window.get_focus()
            reached.add(focus)
            # A switch or radio button of a row is that of the row.
            if isinstance(focus, Adw.ActionRow) and focus.get_activatable_widget():
                reached.add(focus.get_activatable_widget())
        missed = [f"{type(each).__name__} {list(texts(each.get_parent()))}" for each in controls if each not in reached]
        return missed if controls else ["there are no controls"]

    def close(self, _rest):
        self.window().close()
        self.answer("ok close")


application = Application(sets_up=kind == "setup")
steps = Steps(application)
sys.exit(application.run([]))
