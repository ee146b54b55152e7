"""How text is written, and the user's own words."""

from typing import Any

from gi.repository import Adw, Gtk

from .command import Command, query
from .group import Group, button, choice_row, row, switch_row
from .translation import N_, _
from .user_settings import UserSettings

# Milliseconds of silence.
AUTO_COMMIT = [
    (0, N_("Only with the key")),
    (1000, N_("After 1 second")),
    (2000, N_("After 2 seconds")),
    (5000, N_("After 5 seconds")),
]


class WritingGroup(Group):
    """The settings of text."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("Text"), settings)

    def refresh(self) -> None:
        def formatting(active: bool) -> bool:
            return self.write("formatting", "dictation" if active else "plain")

        chosen = self.read("auto-commit", 0)
        choices = [(value, _(label)) for value, label in AUTO_COMMIT]
        if chosen not in [value for value, _label in choices]:
            choices.insert(0, (chosen, _("After {number} ms").format(number=chosen)))
        self.show_rows(
            [
                switch_row(
                    _("Formatting"),
                    _("Spoken punctuation, numbers, dates and capitals are written as people write them"),
                    self.read("formatting", "plain") == "dictation",
                    formatting,
                ),
                choice_row(
                    _("Finish a Text"),
                    _("How long to wait after you have spoken"),
                    choices,
                    chosen,
                    lambda value: self.write("auto-commit", value),
                ),
                switch_row(
                    _("Copy What Cannot Be Typed"),
                    _("Text without a field replaces what is on the clipboard"),
                    bool(self.read("copy-untyped", True)),
                    lambda active: self.write("copy-untyped", active),
                ),
                switch_row(
                    _("Pause Media Players"),
                    _("While dictation listens"),
                    bool(self.read("pause-playback", True)),
                    lambda active: self.write("pause-playback", active),
                ),
                switch_row(
                    _("Prefer a Bluetooth Microphone"),
                    _("To the system's default"),
                    bool(self.read("prefer-bluetooth", False)),
                    lambda active: self.write("prefer-bluetooth", active),
                ),
            ]
        )


class WordsGroup(Group):
    """Names and technical terms."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("Your Words"), settings, _("Names, products and technical terms that engines do not know."))
        # The word that the user says now, and the command that listens to it.
        self._spoken = ""
        self._command: Command | None = None
        self._is_stopped = False
        self._entry = Adw.EntryRow(title=_("New Word"), show_apply_button=True)
        self._entry.connect("apply", lambda entry: self._add(entry.get_text().strip()))
        self.add(self._entry)

    def refresh(self) -> None:
        query("words", "list", done=self._show, failed=self.say)

    def _show(self, words: list[dict[str, Any]]) -> None:
        rows: list[Gtk.Widget] = []
        sounds: dict[str, list[str]] = {}
        for each in words:
            sounds.setdefault(each["word"], []).extend([each["sounds-like"]] if each["sounds-like"] else [])
        for word, ways in sounds.items():
            entry = row(word, ", ".join(ways))
            label = _("Remove {word}").format(word=word)
            entry.add_suffix(button(label, lambda word=word: self._change("remove", word), icon="user-trash-symbolic"))
            rows.append(entry)
            if word == self._spoken:
                entry.set_subtitle(_("Say the word now, alone…"))
                entry.add_suffix(button(_("Stop"), self.end, icon="media-playback-stop-symbolic"))
            else:
                say = _("Say {word}").format(word=word)
                entry.add_suffix(button(say, lambda word=word: self._say(word), icon="audio-input-microphone-symbolic"))
        self.show_rows(rows)

    def _say(self, word: str) -> None:
        """Learns from the user how a word is said."""
        if self._spoken:
            return
        self._spoken = word
        self.refresh()
        self.announce(_("Say the word now, alone…"))

        def done(message: str) -> None:
            self._spoken = ""
            self._command = None
            if message and not self._is_stopped:
                self.say(message)
            self.refresh()

        self._is_stopped = False
        self._command = Command("words", "add", "--speak", "--", word, done=done, failed=done)

    def end(self) -> None:
        """Nothing is learned then."""
        if self._command:
            self._is_stopped = True
            self._command.interrupt()

    def _add(self, word: str) -> None:
        if word:
            self._change("add", word)

    def _change(self, verb: str, word: str) -> None:
        def done(_output: str) -> None:
            self._entry.set_text("")
            self.refresh()

        Command("words", verb, "--", word, done=done, failed=self.say)
