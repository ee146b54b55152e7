"""The languages that the user speaks."""

from typing import Any

from gi.repository import Gtk

from .command import query
from .group import Group, button, row, search_list
from .languages import language_name, users_language
from .user_settings import UserSettings

# As the setting "language" allows.
LIMIT = 8


class LanguageGroup(Group):
    """The languages. The first is used where an engine cannot detect which of them is spoken."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__("Languages", settings)
        self._known: list[str] = []

    def refresh(self) -> None:
        query("engines", done=self._show_engines, failed=self._show)

    @property
    def languages(self) -> list[str]:
        """The chosen ones, or the one of the user's locale."""
        value = self.read("language", None)
        if value is None:
            return [self._nearest(users_language())]
        return [str(value)] if isinstance(value, str) else [str(each) for each in value]

    def confirm(self) -> None:
        """Writes the languages that are shown."""
        self._write(self.languages)

    def _nearest(self, tag: str) -> str:
        """A tag that an engine has, for a tag of a locale."""
        return next((each for each in (tag, tag.split("-", maxsplit=1)[0]) if each in self._known), tag)

    def _show_engines(self, engines: list[dict[str, Any]]) -> None:
        tags = {tag for engine in engines if engine["available"] for tag in engine["languages"]}
        self._known = sorted(tags, key=lambda tag: language_name(tag).casefold())
        self._show("")

    def _show(self, message: str) -> None:
        languages = self.languages
        rows: list[Gtk.Widget] = []
        for language in languages:
            available = not self._known or any(
                each.split("-")[0].lower() == language.split("-")[0].lower() for each in self._known
            )
            entry = row(language_name(language), language if available else f"{language}: no engine here has it")
            if len(languages) > 1:
                entry.add_suffix(
                    button(f"Remove {language}", lambda tag=language: self._remove(tag), icon="user-trash-symbolic")
                )
            rows.append(entry)
        if message:
            rows.append(row("The languages cannot be listed", message))
        others = [(tag, f"{language_name(tag)} ({tag})") for tag in self._known if tag not in languages]
        if others and len(languages) < LIMIT:
            rows.append(self._more(others, len(languages)))
        self.show_rows(rows)

    def _more(self, choices: list[tuple[str, str]], count: int) -> Gtk.Widget:
        names = search_list(choices, "Another language")
        entry = row("Another language", "Of two or three, an engine with many languages detects the spoken one")

        def add() -> None:
            self._write([*self.languages, choices[names.get_selected()][0]])
            self._show("")

        def replace() -> None:
            self._write([choices[names.get_selected()][0]])
            self._show("")

        entry.add_suffix(names)
        entry.add_suffix(button("Add", add))
        if count == 1:
            entry.add_suffix(button("Use Instead", replace))
        return entry

    def _remove(self, tag: str) -> None:
        self._write([each for each in self.languages if each != tag])
        self._show("")

    def _write(self, languages: list[str]) -> None:
        self.write("language", languages[0] if len(languages) == 1 else languages)
