"""What a newcomer does on the machine of "packaging/machine newcomer", in GNOME. Prints each step and its seconds.

  newcomer.py setup RECORDING          answers the questions of "dictation-cli setup", and says a sentence
  newcomer.py editor RECORDING WORDS   opens the text editor, presses the key, allows it, and says a sentence; the editor then
                                       has these words

A line is the seconds, a tab and the step. What the screen showed is on standard error.
"""

import os
import pty
import re
import select
import subprocess
import sys
import time
import wave

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

TIMEOUT = 120
# The questions of "setup", and what the newcomer answers: an empty line takes what is proposed.
ANSWERS = [
    (r"Was that about right\? \[y\] $", "", "its text"),
    (r"Which language do you speak\?.*\] $", "", "the language"),
    (r"Set up Whisper.*\] $", "", "the speech engine"),
    (r"Keep the last texts\? \[n\] $", "", "the last texts"),
    (r"Turn on the key Super\+D.*\] $", "", "the key"),
]
# Codes of keys, as of Linux.
KEYS = {"esc": 1, "super": 125, "enter": 28, "tab": 15, "d": 32, " ": 57}
KEYS.update({letter: code for row, first in (("qwertyuiop", 16), ("asdfghjkl", 30), ("zxcvbnm", 44))
             for code, letter in enumerate(row, first)})


class Steps:
    """Prints how long each step took, from the end of the one before."""

    def __init__(self):
        self.began = time.monotonic()

    def done(self, step):
        now = time.monotonic()
        print(f"{now - self.began:.1f}\t{step}", flush=True)
        self.began = now


def wait(what, condition):
    """Waits until a condition is true, and returns its value."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        if value := condition():
            return value
        # Reading what is shown takes time of the shell.
        time.sleep(0.2)
    raise SystemExit(f"not within {TIMEOUT} s: {what}")


def length(recording):
    """In seconds."""
    with wave.open(recording) as sound:
        return sound.getnframes() / sound.getframerate()


def speak(recording):
    """Says a sentence into the microphone."""
    return subprocess.Popen(["pw-play", "--target", "voice", recording])


class Terminal:
    """A program on a terminal, and what it has written since the last answer."""

    def __init__(self, command):
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, {**os.environ, "TERM": "xterm-256color"})
        self.text = ""

    def read(self):
        """Reads what it writes within 0.1 s. False at its end."""
        if not select.select([self.descriptor], [], [], 0.1)[0]:
            return True
        try:
            some = os.read(self.descriptor, 65536)
        except OSError:
            return False
        sys.stderr.buffer.write(some)
        sys.stderr.flush()
        self.text += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", some.decode(errors="replace")).replace("\r", "")
        return bool(some)

    def answer(self, line):
        self.text = ""
        os.write(self.descriptor, line.encode() + b"\n")

    def status(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def set_up(recording):
    desktop = Desktop()
    steps = Steps()
    terminal = Terminal(["dictation-cli", "setup"])
    changed = time.monotonic()
    is_allowed = False
    speaker = None
    length_before = 0
    while terminal.read():
        if len(terminal.text) != length_before:
            length_before = len(terminal.text)
            changed = time.monotonic()
        if not is_allowed and (button := focused("gnome-shell", Atspi.Role.PUSH_BUTTON)):
            steps.done("dictation-cli setup, until GNOME asks whether it may listen")
            desktop.allow(button)
            is_allowed = True
        for pattern, answer, about in ANSWERS:
            if re.search(pattern, terminal.text):
                steps.done(f"dictation-cli setup, until it asks about {about}")
                terminal.answer(answer)
        if "Say a sentence" in terminal.text and "Listening" in terminal.text and not speaker:
            steps.done("dictation-cli setup, until it listens")
            speaker = speak(recording)
        if time.monotonic() - changed > TIMEOUT:
            raise SystemExit(f"setup waits for something unknown: {terminal.text!r}")
    steps.done("dictation-cli setup, its last words")
    return terminal.status()


class Desktop:
    """The keyboard and what GNOME shows."""

    def __init__(self):
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        (path,) = self.call("org.gnome.Mutter.RemoteDesktop", "/org/gnome/Mutter/RemoteDesktop",
                            "org.gnome.Mutter.RemoteDesktop", "CreateSession")
        self.keyboard = path
        self.control("Start")

    def call(self, name, path, interface, method, arguments=None):
        return self.bus.call_sync(name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, -1).unpack()

    def control(self, method, arguments=None):
        self.call("org.gnome.Mutter.RemoteDesktop", self.keyboard, "org.gnome.Mutter.RemoteDesktop.Session", method,
                  arguments)

    def press(self, *names):
        """Presses keys together and releases them."""
        for names_now, is_down in ((names, True), (reversed(names), False)):
            for name in names_now:
                self.control("NotifyKeyboardKeycode", GLib.Variant("(ub)", (KEYS[name], is_down)))
                time.sleep(0.02)

    def open_editor(self):
        """Searches for it in the overview, as people do. False if the shell did not find it, as just after the login."""
        if not self.has_overview():
            self.press("super")
            wait("the overview", self.has_overview)
        for letter in "text editor":
            self.press(letter)
        time.sleep(0.5)
        self.press("enter")
        end = time.monotonic() + 5
        while not editor_field():
            if time.monotonic() > end:
                # Once for the search, and once for the overview.
                self.press("esc")
                self.press("esc")
                return False
            time.sleep(0.1)
        return True

    def has_overview(self):
        properties = "org.freedesktop.DBus.Properties"
        arguments = GLib.Variant("(ss)", ("org.gnome.Shell", "OverviewActive"))
        return self.call("org.gnome.Shell", "/org/gnome/Shell", properties, "Get", arguments)[0]


    def allow(self, button):
        """Presses “Allow” in the question of the shell in which this button has the focus."""
        while button.get_name() != "Allow":
            name = button.get_name()
            self.press("tab")
            button = wait("another button", lambda name=name: (
                (found := focused("gnome-shell", Atspi.Role.PUSH_BUTTON)) and found.get_name() != name and found))
        self.press("enter")


def each(accessible):
    """A part of what is shown, and all within it. Parts can vanish meanwhile."""
    try:
        yield accessible
        for number in range(accessible.get_child_count()):
            child = accessible.get_child_at_index(number)
            if child:
                yield from each(child)
    except GLib.Error:
        return


def programs(name):
    desktop = Atspi.get_desktop(0)
    for number in range(desktop.get_child_count()):
        program = desktop.get_child_at_index(number)
        if program and name in (program.get_name() or ""):
            yield program


def focused(program, *roles):
    """The part of a program that has the focus, with one of these roles."""
    for part in (part for each_program in programs(program) for part in each(each_program)):
        try:
            if part.get_role() in roles and part.get_state_set().contains(Atspi.StateType.FOCUSED):
                return part
        except GLib.Error:
            continue
    return None


def indicator():
    """The indicator of dictation in the panel. Its name is what it shows, for screen readers."""
    for part in (part for program in programs("gnome-shell") for part in each(program)):
        if part.get_role() == Atspi.Role.MENU and (part.get_name() or "").startswith("Dictation"):
            return part
    return None


def editor_field():
    return focused("text-editor", Atspi.Role.TEXT)


def text_of(field):
    return Atspi.Text.get_text(field, 0, -1)


def name_of(part):
    part.clear_cache()
    return part.get_name() or ""


def dictate(recording, words):
    desktop = Desktop()
    steps = Steps()
    wait("a text field of the editor", desktop.open_editor)
    steps.done("Super, “text editor”, Enter: the editor is open")
    desktop.press("super", "d")
    button = wait("a question of the shell", lambda: focused("gnome-shell", Atspi.Role.PUSH_BUTTON))
    steps.done(f"Super+D: GNOME asks, with the button “{button.get_name()}”")
    desktop.allow(button)
    field = wait("the editor has the focus again", editor_field)
    shown = wait("the indicator", indicator)
    wait("the indicator shows that it listens", lambda: "Listening" in name_of(shown))
    steps.done("“Allow”: the indicator shows that it listens")
    speaker = speak(recording)
    text = wait(f"{words!r} in the editor", lambda: words in (seen := text_of(field)) and seen)
    speaker.wait()
    steps.done(f"a sentence of {length(recording):.1f} s is spoken, and in the editor: “{text.strip()}”")
    desktop.press("super", "d")
    wait("the indicator shows that it is off", lambda: "Listening" not in name_of(shown))
    steps.done("Super+D: it no longer listens")
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "setup":
        sys.exit(set_up(sys.argv[2]))
    sys.exit(dictate(sys.argv[2], sys.argv[3]))
