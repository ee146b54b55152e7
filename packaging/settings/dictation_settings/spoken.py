"""What can be said for marks, lines, capitals and corrections."""

import functools
from pathlib import Path
from typing import Any

from gi.repository import Gtk
from ruamel.yaml import YAML

from .group import Group, expander_row, row
from .language import first_language
from .languages import language_name
from .translation import N_, _
from .user_settings import UserSettings

# Beside the folder of this program, in the sources and where it is installed.
LANGUAGES = Path(__file__).resolve().parents[2] / "languages"

MEANINGS = {
    "scratch": N_("Deletes the text since the last pause; repeated, the text before it"),
    "undo": N_("Does the same, said between two pauses"),
    "new-block": N_("Finishes the text, said between two pauses"),
    "stop": N_("Finishes the text and ends dictation, said between two pauses"),
    "capital-on": N_("From now on every word begins with a capital"),
    "capital-off": N_("Back to normal capitals"),
    "capitals-on": N_("From now on everything is written in capitals"),
    "capitals-off": N_("Back to normal capitals"),
    "lower-on": N_("From now on nothing has capitals"),
    "lower-off": N_("Back to normal capitals"),
    "capital": N_("The next word begins with a capital"),
    "capitals": N_("The next word is written in capitals"),
    "lower": N_("The next word is written without capitals"),
    "no-space-on": N_("From now on there are no spaces"),
    "no-space-off": N_("Back to normal spaces"),
    "no-space": N_("No space before the next word"),
}

BLANKS = {"\n": N_("a new line"), "\n\n": N_("a new paragraph"), "\t": N_("a tab"), " ": N_("a space")}


@functools.cache
def table(language: str) -> dict[str, Any]:
    """The table of a language; empty if there is none."""
    try:
        text = (LANGUAGES / f"{language}.yaml").read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    # Every value as text: "=" would be a value of another type in YAML 1.1.
    return dict(YAML(typ="base").load(text))


class SpokenGroup(Group):
    """The spoken commands and marks of the user's first language, in sections."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("What You Can Say"), settings)
        self._shown = ""

    def refresh(self) -> None:
        tag = first_language(self)
        if tag == self._shown:
            # Sections that are open stay open.
            return
        self._shown = tag
        words = table(tag.split("-")[0].lower())
        if not words:
            language = language_name(tag)
            self.show_rows(
                [row(_("There are no spoken commands in this language: {language}").format(language=language))]
            )
            return
        sections = [
            (_("Corrections"), [self._meaning(each) for each in words.get("commands", [])]),
            *[(title, [self._mark(each) for each in marks]) for title, marks in words.get("marks", {}).items()],
            (_("Capitals and Spaces"), [self._meaning(each) for each in words.get("controls", [])]),
        ]
        self.show_rows([self._section(title, rows) for title, rows in sections if rows])

    @staticmethod
    def _section(title: str, rows: list[Gtk.Widget]) -> Gtk.Widget:
        section = expander_row(title)
        for each in rows:
            section.add_row(each)
        return section

    @staticmethod
    def _meaning(entry: dict[str, Any]) -> Gtk.Widget:
        return row(", ".join(entry["say"]), _(MEANINGS.get(entry["means"], "")) if entry["means"] in MEANINGS else "")

    @staticmethod
    def _mark(entry: dict[str, Any]) -> Gtk.Widget:
        result = row(", ".join(entry["say"]))
        written = entry["write"]
        label = Gtk.Label(label=_(BLANKS[written]) if written in BLANKS else written.strip())
        label.add_css_class("dim-label" if written in BLANKS else "heading")
        result.add_suffix(label)
        return result
