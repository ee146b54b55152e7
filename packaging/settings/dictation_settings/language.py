"""The languages that the user speaks."""

from typing import Any

from gi.repository import Gtk

from .command import query
from .group import Group, button, button_row, row, search_list, switch_row
from .languages import language_name, users_language
from .translation import _
from .user_settings import UserSettings

# As the setting "language" allows.
LIMIT = 8


def chosen_languages(group: Group) -> list[str]:
    """The tags in the settings."""
    value = group.read("language", None)
    return [str(value)] if isinstance(value, str) else [str(each) for each in value or []]


def first_language(group: Group) -> str:
    """The tag of the language that is spoken first."""
    return (chosen_languages(group) or [users_language()])[0]


class LanguageGroup(Group):
    """The languages. The first is used where an engine cannot detect which of them is spoken."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("Languages"), settings)
        self._known: list[str] = []

    def refresh(self) -> None:
        query("engines", done=self._show_engines, failed=self._show)

    @property
    def languages(self) -> list[str]:
        """The chosen ones, or the one of the user's locale."""
        return chosen_languages(self) or [self._nearest(users_language())]

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
            entry = row(
                language_name(language),
                language if available else _("{language}: no engine here has it").format(language=language),
            )
            if len(languages) > 1:
                label = _("Remove {language}").format(language=language)
                entry.add_suffix(button(label, lambda tag=language: self._remove(tag), icon="user-trash-symbolic"))
            rows.append(entry)
        if len(languages) > 1:
            rows.append(
                switch_row(
                    _("Language by Keyboard Layout"),
                    _("On sway, Hyprland, KDE and X11. GNOME's extension has a setting of its own"),
                    bool(self.read("language-by-layout", False)),
                    lambda active: self.write("language-by-layout", active),
                )
            )
        if message:
            rows.append(row(_("The languages cannot be listed"), message))
        others = [(tag, f"{language_name(tag)} ({tag})") for tag in self._known if tag not in languages]
        if others and len(languages) < LIMIT:
            rows.extend(self._more(others, len(languages)))
        self.show_rows(rows)

    def _more(self, choices: list[tuple[str, str]], count: int) -> list[Gtk.Widget]:
        names = search_list(choices, _("Another Language"))
        entry = row(_("Another Language"), _("Of two or three, an engine with many languages detects the spoken one"))

        def add() -> None:
            self._write([*self.languages, choices[names.get_selected()][0]])
            self._show("")

        def replace() -> None:
            self._write([choices[names.get_selected()][0]])
            self._show("")

        entry.add_suffix(names)
        buttons = [button(_("Add"), add)]
        if count == 1:
            buttons.insert(0, button(_("Use Instead"), replace))
        return [entry, button_row(*buttons)]

    def _remove(self, tag: str) -> None:
        self._write([each for each in self.languages if each != tag])
        self._show("")

    def _write(self, languages: list[str]) -> None:
        self.write("language", languages[0] if len(languages) == 1 else languages)
