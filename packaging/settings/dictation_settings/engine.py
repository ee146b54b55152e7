"""Speech engines: which are there, and Whisper with one button."""

from typing import Any

from gi.repository import GLib, Gtk

from .command import Command, query
from .group import Group, button, choice_row, row
from .languages import language_name
from .translation import N_, _
from .user_settings import UserSettings

# As "dictation-cli engines add --help" describes them.
MODELS = [
    ("base", N_("Base, 150 MB"), N_("99 languages")),
    ("tiny.en", N_("Tiny, 71 MB"), N_("English, for slow machines")),
    ("small", N_("Small, 490 MB"), N_("99 languages, needs a fast machine")),
    ("turbo", N_("Turbo, 1.6 GB"), N_("99 languages, needs a graphics card")),
]

NAMES = {"pocketsphinx": "PocketSphinx", "whisper": "Whisper"}


class EngineGroup(Group):
    """The engines, and what can be installed."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("Speech Engine"), settings)
        self._command: Command | None = None
        self._engines: list[dict[str, Any]] = []
        self._model = MODELS[0][0]
        self._progress = Gtk.ProgressBar(valign=Gtk.Align.CENTER, pulse_step=0.2)
        self._progress.update_property([Gtk.AccessibleProperty.LABEL], [_("Installation")])

    def refresh(self) -> None:
        if not self._command:
            query("engines", done=self._show, failed=self._failed)

    def _failed(self, message: str) -> None:
        self.show_rows([row(_("The engines cannot be listed"), message)])

    def _show(self, engines: list[dict[str, Any]]) -> None:
        self._engines = engines
        rows: list[Gtk.Widget] = []
        for engine in engines:
            icon = "emblem-ok-symbolic" if engine["available"] else "dialog-warning-symbolic"
            entry = row(NAMES.get(engine["name"], engine["name"]), self._facts(engine), icon)
            if engine["preferred"]:
                entry.add_suffix(Gtk.Label(label=_("Chosen"), css_classes=["dim-label"]))
            if engine["name"] == "whisper":
                entry.add_suffix(button(_("Remove"), self._remove, icon="user-trash-symbolic"))
            rows.append(entry)
        if not any(engine["name"].startswith("whisper") for engine in engines):
            rows.extend(self._offer())
        self.show_rows(rows)

    @staticmethod
    def _facts(engine: dict[str, Any]) -> str:
        """Its state, its size and what it does."""
        if not engine["available"]:
            return engine["message"] or _("It does not answer.")
        languages = engine["languages"]
        facts = [
            _("{number} languages").format(number=len(languages))
            if len(languages) > 1
            else ", ".join(map(language_name, languages)),
            _("text while you speak") if engine["live"] else _("text after you have spoken"),
        ]
        if engine["memory"]:
            size = GLib.format_size(engine["memory"])
            facts.insert(0, _("model {model}, {size} of memory while in use").format(model=engine["model"], size=size))
        if not engine["local"]:
            facts.append(_("on another machine"))
        if engine["name"] == "pocketsphinx":
            facts.append(_("gets many words wrong"))
        return ", ".join(facts)

    def _offer(self) -> list[Gtk.Widget]:
        offer = row("Whisper", _("Gets far fewer words wrong, and writes punctuation. It works without a network."))
        remarks = {name: _(remark) for name, _label, remark in MODELS}
        choices = [(name, _(label)) for name, label, _remark in MODELS]

        def choose(name: str) -> None:
            self._model = name
            models.set_subtitle(remarks[name])

        models = choice_row(_("Model of Whisper"), remarks[self._model], choices, self._model, choose)
        install = button(_("Install"), lambda: self._install(self._model))
        install.add_css_class("suggested-action")
        offer.add_suffix(install)
        return [offer, models]

    def _install(self, model: str) -> None:
        self._run(_("Whisper is being installed"), "engines", "add", "whisper", "--model", model)

    def _remove(self) -> None:
        self._run(_("Whisper is being removed"), "engines", "remove", "whisper")

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
