"""How a key dictates into the focused window."""

from typing import Any

from gi.repository import Gdk, Gtk

from .command import Command, query
from .group import Group, button, row
from .translation import _
from .user_settings import UserSettings


class ShortcutGroup(Group):
    """What "dictation-cli shortcut" says on this desktop, with lines to copy."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("Key"), settings)

    def refresh(self) -> None:
        query("shortcut", done=self._show, failed=self.say)

    def _show(self, report: dict[str, Any]) -> None:
        rows: list[Gtk.Widget] = []
        sentences = report["sentences"]
        if report["extension"] == "off":
            offer = row(_("GNOME's Dictation extension is off"), _("It has the key Super+D."))
            turn_on = button(_("Turn On"), self._turn_on)
            turn_on.add_css_class("suggested-action")
            offer.add_suffix(turn_on)
            rows.append(offer)
            sentences = []
        for sentence in sentences:
            entry = row(sentence)
            entry.set_title_lines(0)
            rows.append(entry)
        for line in report["lines"]:
            entry = row(line)
            entry.set_title_lines(0)
            entry.add_css_class("monospace")
            entry.add_suffix(button(_("Copy"), lambda text=line: self._copy(text), icon="edit-copy-symbolic"))
            rows.append(entry)
        self.show_rows(rows)

    def _turn_on(self) -> None:
        Command("shortcut", "--bind", done=lambda _output: self.refresh(), failed=self.say)

    def _copy(self, text: str) -> None:
        self.get_clipboard().set_content(Gdk.ContentProvider.new_for_value(text))
