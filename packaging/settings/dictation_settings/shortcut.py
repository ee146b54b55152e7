"""How a key dictates into the focused window."""

from gi.repository import Gdk, Gtk

from .command import Command
from .group import Group, button, row
from .translation import _
from .user_settings import UserSettings


class ShortcutGroup(Group):
    """What "dictation-cli shortcut" says on this desktop, with lines to copy."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("Key"), settings)

    def refresh(self) -> None:
        Command("shortcut", done=self._show, failed=self.say)

    def _show(self, output: str) -> None:
        sentence, *lines = output.splitlines() or [""]
        rows: list[Gtk.Widget] = [row(sentence)]
        rows[0].set_title_lines(0)
        for line in map(str.strip, lines):
            entry = row(line)
            entry.set_title_lines(0)
            entry.add_css_class("monospace")
            entry.add_suffix(button(_("Copy"), lambda text=line: self._copy(text), icon="edit-copy-symbolic"))
            rows.append(entry)
        self.show_rows(rows)

    def _copy(self, text: str) -> None:
        self.get_clipboard().set_content(Gdk.ContentProvider.new_for_value(text))
