"""Settings for the texts of single applications."""

from typing import Any

from gi.repository import Gio, Gtk

from .command import query
from .group import Group, button, button_row, choice_row, expander_row, row, search_list
from .languages import language_name
from .permissions import description
from .translation import N_, _
from .user_settings import UserSettings

AS_FOR_ALL = N_("As for All")
# Keys of the setting "applications" and their values.
CHOICES: list[tuple[str, str, list[tuple[Any, str]]]] = [
    (
        "formatting",
        N_("Formatting"),
        [("dictation", N_("As people write")), ("plain", N_("As the engine gives the words"))],
    ),
    ("clean-up", N_("Hesitations and Repeated Words"), [("fillers", N_("Left out")), ("none", N_("Written"))]),
    (
        "auto-commit",
        N_("Finish a Text"),
        [(0, N_("Only with the key")), (1000, N_("After 1 second")), (2000, N_("After 2 seconds"))],
    ),
    ("history", N_("Its Last Texts"), [(True, N_("Kept")), (False, N_("Not kept"))]),
]


def installed() -> list[tuple[str, str]]:
    """The patterns and names of the applications in the menu."""
    found: dict[str, str] = {}
    for info in Gio.AppInfo.get_all():
        identity = info.get_id()
        if info.should_show() and identity and identity.endswith(".desktop"):
            found.setdefault(f"app:{identity.removesuffix('.desktop')}", info.get_display_name())
    return sorted(found.items(), key=lambda each: each[1].casefold())


class ApplicationsGroup(Group):
    """The user's entries of the setting "applications"."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(
            _("Text in Single Applications"),
            settings,
            _("For what an application dictates, and for what is typed into its windows."),
        )
        self._languages: list[str] = []
        self._engines: list[str] = []
        self._open: set[str] = set()

    def refresh(self) -> None:
        query("engines", done=self._show_engines, failed=lambda _message: self._show())

    def _show_engines(self, engines: list[dict[str, Any]]) -> None:
        self._engines = [engine["name"] for engine in engines]
        tags = {tag for engine in engines if engine["available"] for tag in engine["languages"]}
        self._languages = sorted(tags, key=lambda tag: language_name(tag).casefold())
        self._show()

    def _entries(self) -> list[dict[str, Any]]:
        value = self.read("applications", [])
        return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []

    def _show(self) -> None:
        entries = self._entries()
        rows = [self._row(entry) for entry in entries if "application" in entry]
        present = [entry.get("application") for entry in entries]
        others = [each for each in installed() if each[0] not in present]
        if others:
            rows.extend(self._more(others))
        self.show_rows(rows)

    def _more(self, others: list[tuple[str, str]]) -> list[Gtk.Widget]:
        names = search_list(others, _("Another Application"))
        entry = row(_("Another Application"))
        entry.add_suffix(names)

        def add() -> None:
            pattern = others[names.get_selected()][0]
            self._open.add(pattern)
            self.write("applications", [*self._entries(), {"application": pattern}])
            self._show()

        return [entry, button_row(button(_("Add"), add))]

    def _row(self, entry: dict[str, Any]) -> Gtk.Widget:
        pattern = str(entry["application"])
        kind, _colon, identity = pattern.partition(":")
        name, icon = description(kind, identity or pattern)
        result = expander_row(name, "" if name == pattern else pattern)
        result.add_prefix(Gtk.Image(gicon=icon, icon_size=Gtk.IconSize.LARGE))
        result.set_expanded(pattern in self._open)
        result.connect("notify::expanded", lambda row, _property: self._remember(pattern, row.get_expanded()))
        for key, title, values in CHOICES:
            choices = [(value, _(label)) for value, label in values]
            result.add_row(self._choice(entry, key, _(title), choices))
        languages = [(tag, language_name(tag)) for tag in self._languages]
        result.add_row(self._choice(entry, "language", _("Language"), languages))
        result.add_row(self._choice(entry, "engine", _("Engine"), [(name, name) for name in self._engines]))
        last = row(_("Forget These Settings"))
        label = _("Forget the settings of {name}").format(name=name)
        last.add_suffix(button(label, lambda: self._change(pattern, None, None), icon="user-trash-symbolic"))
        result.add_row(last)
        return result

    def _choice(self, entry: dict[str, Any], key: str, title: str, values: list[tuple[Any, str]]) -> Gtk.Widget:
        chosen = entry.get(key)
        choices = [(None, _(AS_FOR_ALL)), *values]
        if chosen not in [value for value, _label in choices]:
            # Something that the user wrote into the file: a list, such as several languages, or any other value.
            choices.append((chosen, ", ".join(map(str, chosen)) if isinstance(chosen, list) else str(chosen)))
        pattern = entry["application"]

        return choice_row(title, "", choices, chosen, lambda value: self._change(pattern, key, value))

    def _remember(self, pattern: str, expanded: bool) -> None:
        (self._open.add if expanded else self._open.discard)(pattern)

    def _change(self, pattern: str, key: str | None, value: Any) -> None:
        """Changes a key of an application, or removes it; without a key, removes the application."""
        entries = self._entries()
        for entry in entries:
            if entry.get("application") == pattern and key:
                if value is None:
                    entry.pop(key, None)
                else:
                    entry[key] = value
        if not key:
            entries = [entry for entry in entries if entry.get("application") != pattern]
        self.write("applications", entries or None)
        if not key:
            self._show()
