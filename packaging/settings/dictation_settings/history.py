"""The last texts of the user, if they are kept."""

import datetime
from typing import Any

from gi.repository import Adw, Gdk, Gtk

from .command import Command, query
from .group import Group, button, button_row, choice_row, expander_row, row, switch_row
from .translation import N_, _
from .user_settings import UserSettings

# As the setting "history" has them.
LIFETIMES = [
    ("off", N_("Never")),
    ("1 day", N_("For 1 day")),
    ("7 days", N_("For 7 days")),
    ("30 days", N_("For 30 days")),
    ("365 days", N_("For 1 year")),
]
# Rows of texts.
SHOWN = 20
# Characters of the title of a row.
LONGEST = 120


def lifetime_row(group: Group) -> Adw.ComboRow:
    """A row to choose whether texts are kept."""
    chosen = group.read("history", "off")
    # YAML 1.1 has a boolean of this name.
    chosen = "off" if chosen is False else str(chosen)
    choices = [(value, _(label)) for value, label in LIFETIMES]
    if chosen not in dict(choices):
        choices.append((chosen, chosen))

    def choose(value: str) -> None:
        group.write("history", value)
        group.refresh()

    return choice_row(
        _("Keep the Last Texts"),
        _("On this computer, for you alone, never those for passwords"),
        choices,
        chosen,
        choose,
    )


class HistoryChoice(Group):
    """The question of the first run."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("Last Texts"), settings)

    def refresh(self) -> None:
        self.show_rows([lifetime_row(self)])


class HistoryGroup(Group):
    """Whether texts are kept, and the last ones: to copy, to recognise again, to erase."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("Last Texts"), settings)
        # The texts whose rows are open.
        self._open: set[int] = set()

    def refresh(self) -> None:
        query("history", "list", f"--limit={SHOWN}", done=self._show, failed=self._failed)

    def _failed(self, message: str) -> None:
        self.show_rows([lifetime_row(self), row(_("The texts cannot be listed"), message)])

    def _show(self, history: dict[str, Any]) -> None:
        rows: list[Gtk.Widget] = [lifetime_row(self)]
        if rows[0].get_selected():
            rows.append(
                switch_row(
                    _("Keep Their Sound"),
                    _("So that a text can be recognised again by another engine"),
                    bool(self.read("history-sound", False)),
                    lambda active: self.write("history-sound", active),
                )
            )
        texts = history["texts"]
        rows.extend(self._row(text) for text in texts)
        if texts:
            rows.append(button_row(button(_("Erase All Texts"), lambda: self._forget("--all"))))
        self.show_rows(rows)

    def _row(self, text: dict[str, Any]) -> Gtk.Widget:
        number = text["id"]
        time = datetime.datetime.fromtimestamp(text["time"]).strftime("%x %H:%M")
        words = " ".join(text["text"].split())
        entry = expander_row(words if len(words) <= LONGEST else words[:LONGEST] + "…", time)
        entry.set_expanded(number in self._open)
        entry.connect("notify::expanded", lambda entry, _property: self._remember(number, entry.get_expanded()))
        actions = [
            button(_("Copy"), lambda: self._copy(number)),
            button(_("Erase"), lambda: self._forget(str(number))),
        ]
        if text["sound"]:
            actions.insert(1, button(_("Recognise Again"), lambda: self._again(number)))
        entry.add_row(button_row(*actions))
        return entry

    def _remember(self, number: int, expanded: bool) -> None:
        (self._open.add if expanded else self._open.discard)(number)

    def _copy(self, number: int) -> None:
        def copy(text: dict[str, Any]) -> None:
            self.get_clipboard().set_content(Gdk.ContentProvider.new_for_value(text["text"]))
            self.say(_("The text is in the clipboard."))

        query("history", "show", str(number), done=copy, failed=self.say)

    def _again(self, number: int) -> None:
        Command("history", "again", str(number), done=lambda _output: self.refresh(), failed=self.say)

    def _forget(self, target: str) -> None:
        Command("history", "forget", target, done=lambda _output: self.refresh(), failed=self.say)
