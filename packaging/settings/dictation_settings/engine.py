"""Speech engines: which are there, and Whisper with one button."""

from typing import Any

from gi.repository import GLib, Gtk

from .command import Command, query
from .group import Group, button, row
from .user_settings import UserSettings

# As "dictation-cli engines add --help" describes them.
MODELS = [
    ("base", "Base: 150 MB, 99 languages"),
    ("tiny.en", "Tiny: 71 MB, English, for slow machines"),
    ("small", "Small: 490 MB, 99 languages, needs a fast machine"),
    ("turbo", "Turbo: 1.6 GB, 99 languages, needs a graphics card"),
]


class EngineGroup(Group):
    """The engines, and what can be installed."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__("Speech Engine", settings)
        self._command: Command | None = None
        self._engines: list[dict[str, Any]] = []
        self._progress = Gtk.ProgressBar(valign=Gtk.Align.CENTER, pulse_step=0.2)
        self._progress.update_property([Gtk.AccessibleProperty.LABEL], ["Installation"])

    def refresh(self) -> None:
        if not self._command:
            query("engines", done=self._show, failed=self._failed)

    def _failed(self, message: str) -> None:
        self.show_rows([row("The engines cannot be listed", message)])

    def _show(self, engines: list[dict[str, Any]]) -> None:
        self._engines = engines
        rows: list[Gtk.Widget] = []
        for engine in engines:
            if engine["available"]:
                facts = [f"{len(engine['languages'])} languages" if len(engine["languages"]) > 1 else "English"]
                facts.append("text while you speak" if engine["live"] else "text after you have spoken")
            else:
                facts = [engine["message"] or "It does not answer."]
            icon = "emblem-ok-symbolic" if engine["available"] else "dialog-warning-symbolic"
            entry = row("PocketSphinx" if engine["name"] == "pocketsphinx" else engine["name"], ", ".join(facts), icon)
            if engine["name"] == "pocketsphinx":
                entry.set_subtitle(f"{entry.get_subtitle()}. It gets many words wrong.")
            if engine["name"] == "whisper":
                entry.add_suffix(button("Remove", self._remove, icon="user-trash-symbolic"))
            rows.append(entry)
        if not any(engine["name"].startswith("whisper") for engine in engines):
            rows.append(self._offer())
        self.show_rows(rows)

    def _offer(self) -> Gtk.Widget:
        offer = row("Whisper", "Gets far fewer words wrong, and writes punctuation. It works without a network.")
        models = Gtk.DropDown(model=Gtk.StringList.new([label for _name, label in MODELS]), valign=Gtk.Align.CENTER)
        models.update_property([Gtk.AccessibleProperty.LABEL], ["Model of Whisper"])
        install = button("Install", lambda: self._install(MODELS[models.get_selected()][0]))
        install.add_css_class("suggested-action")
        offer.add_suffix(models)
        offer.add_suffix(install)
        return offer

    def _install(self, model: str) -> None:
        self._run("Whisper is being installed", "engines", "add", "whisper", "--model", model)

    def _remove(self) -> None:
        self._run("Whisper is being removed", "engines", "remove", "whisper")

    def _run(self, title: str, *arguments: str) -> None:
        progress = row(title)
        progress.add_suffix(self._progress)
        self.show_rows([progress])

        def pulse() -> bool:
            self._progress.pulse()
            return self._command is not None

        def ended(message: str) -> None:
            self._command = None
            self.refresh()
            if message:
                self.say(message)

        self._command = Command(
            *arguments,
            note=lambda line: progress.set_subtitle(GLib.markup_escape_text(line.strip())),
            done=lambda _output: ended(""),
            failed=ended,
        )
        GLib.timeout_add(200, pulse)
