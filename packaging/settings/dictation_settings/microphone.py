"""Which microphone, its level, and a spoken sentence that comes back as text."""

import json
from typing import Any

from gi.repository import GLib, Gtk

from .command import Command, query
from .group import Group, button, row
from .translation import N_, _
from .user_settings import UserSettings

# The reasons for which a session waits, as the interface names them.
REASONS = {
    "call": N_("Waiting: a call uses the microphone."),
    "no-source": N_("There is no microphone. Plug one in, or turn it on in the sound settings."),
    "audio-server-lost": N_("The sound server does not answer."),
    "session-locked": N_("Waiting: the screen is locked."),
    "session-inactive": N_("Waiting: another session is active."),
    "source-muted": N_("The microphone is muted."),
    "permission-lost": N_("Dictation is not allowed."),
}

PROBLEMS = {
    "muted": N_("The microphone is muted."),
    "no-volume": N_("The volume of the microphone is 0."),
    "input-silent": N_("The microphone gives no sound at all."),
    "input-too-quiet": N_("The microphone is very quiet."),
    "clipping": N_("The microphone is too loud."),
    "antiphase": N_("The channels of the microphone cancel each other."),
}


class MicrophoneGroup(Group):
    """The microphones. The first row follows the system."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("Microphone"), settings)

    def refresh(self) -> None:
        query("routes", done=self._show, failed=self._failed)

    def _failed(self, message: str) -> None:
        self.show_rows([row(_("The microphones cannot be listed"), message)])

    def _show(self, routes: list[dict[str, Any]]) -> None:
        rows: list[Gtk.Widget] = []
        selected = next((route["name"] for route in routes if route["selected"]), None)
        first = Gtk.CheckButton(active=selected is None, valign=Gtk.Align.CENTER)
        default = next((route["description"] for route in routes if route["default"]), _("none is there"))
        rows.append(self._choice(_("System Default"), default, first, None))
        for route in routes:
            remarks = [word for word, key in ((_("muted"), "muted"), (_("in use"), "in-use")) if route[key]]
            if not route["available"]:
                remarks.append(_("not connected"))
            check = Gtk.CheckButton(active=route["selected"], valign=Gtk.Align.CENTER, group=first)
            title = route["description"] or route["name"]
            rows.append(self._choice(title, ", ".join(remarks), check, route["name"]))
        self.show_rows(rows)

    def _choice(self, title: str, subtitle: str, check: Gtk.CheckButton, name: str | None) -> Gtk.Widget:
        def toggled(check: Gtk.CheckButton) -> None:
            if check.get_active():
                Command("routes", "select", *([name] if name else ["--default"]), failed=self._refused)

        result = row(title, subtitle)
        check.connect("toggled", toggled)
        result.add_prefix(check)
        result.set_activatable_widget(check)
        return result

    def _refused(self, message: str) -> None:
        self.say(message)
        self.refresh()


class MicrophoneTest(Group):
    """Listens once, and shows the level and the text."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("Test"), settings)
        self._command: Command | None = None
        self._stable = ""
        self._is_over = False
        self._text = row(_("Say a sentence"), _("It is shown here, and not kept."))
        self._text.set_subtitle_lines(0)
        self._button = button(_("Start"), self._toggle)
        self._text.add_suffix(self._button)
        self._level = Gtk.LevelBar(valign=Gtk.Align.CENTER, hexpand=True, width_request=160)
        self._level.update_property([Gtk.AccessibleProperty.LABEL], [_("Sound level")])
        level = row(_("Level"))
        level.add_suffix(self._level)
        self.show_rows([level, self._text])

    def end(self) -> None:
        """Closes the microphone."""
        if self._command:
            self._command.interrupt()

    def _toggle(self) -> None:
        if self._command:
            self.end()
            return
        self._stable = ""
        self._is_over = False
        self._say(_("Starting…"), "")
        self._button.set_label(_("Stop"))
        words = ("listen", "--private", "--once", "--json", "--meter")
        self._command = Command(*words, line=self._event, done=self._ended, failed=self._failed)

    def _event(self, line: str) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            return
        match event.get("event"):
            case "level":
                self._level.set_value(min(1.0, max(0.0, 1 + event["rms_dbfs"] / 60)))
            case "state-changed" if event["state"] == "listening":
                self._say(_("Listening: say a sentence"), "")
            case "problems-changed" if not self._is_over:
                problems = [_(PROBLEMS[name]) for name in event["problems"] if name in PROBLEMS]
                self._say(problems[0] if problems else _("Listening: say a sentence"), self._stable)
            case "interrupted":
                self._say(_(REASONS.get(event["reason"], N_("Waiting."))), "")
            case "partial" if not self._is_over:
                self._stable = self._stable[: event["offset"]] + event["stable"]
                self._say(_("Listening"), self._stable + event["volatile"])
            case "final" if not self._is_over and event["text"]:
                self._is_over = True
                problems = [_(PROBLEMS[name]) for name in event.get("problems", []) if name in PROBLEMS]
                self._say(problems[0] if problems else _("You said"), event["text"])
            case "error":
                self._say(_("It does not work"), event["message"])

    def _say(self, title: str, subtitle: str) -> None:
        if title != self._text.get_title():
            self.announce(title)
        self._text.set_title(GLib.markup_escape_text(title))
        self._text.set_subtitle(GLib.markup_escape_text(subtitle))

    def _ended(self, _output: str) -> None:
        self._command = None
        self._level.set_value(0)
        self._button.set_label(_("Again"))
        if not self._is_over:
            self._say(_("Nothing was said"), _("Say a sentence, or choose another microphone."))

    def _failed(self, message: str) -> None:
        self._ended("")
        self._say(_("It does not work"), message)
