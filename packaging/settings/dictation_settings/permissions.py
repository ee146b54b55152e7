"""Which applications may dictate, and type into windows."""

import datetime
from typing import Any

from gi.repository import Gio, Gtk

from .command import Command, query
from .group import Group, button, expander_row, row, switch_row
from .translation import _
from .user_settings import UserSettings


def description(kind: str, identity: str) -> tuple[str, Gio.Icon]:
    """The name and icon of an application for people."""
    if kind in ("flatpak", "snap", "app"):
        try:
            info = Gio.DesktopAppInfo.new(f"{identity}.desktop")
        except TypeError:
            info = None
        if info:
            return info.get_display_name(), info.get_icon() or Gio.ThemedIcon.new("application-x-executable-symbolic")
    return identity, Gio.ThemedIcon.new("application-x-executable-symbolic")


class PermissionGroup(Group):
    """A row for each application about which there is a decision."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("Applications"), settings, _("Each is asked about once, when it wants to dictate."))
        # The applications whose rows are open.
        self._open: set[str] = set()

    def refresh(self) -> None:
        query("permissions", done=self._show, failed=self._failed)

    def _failed(self, message: str) -> None:
        self.show_rows([row(_("The decisions cannot be listed"), message)])

    def _show(self, clients: list[dict[str, Any]]) -> None:
        rows = [self._row(client) for client in clients]
        self.show_rows(rows or [row(_("No application has asked yet"))])

    def _row(self, client: dict[str, Any]) -> Gtk.Widget:
        kind, identity = client["kind"], client["id"]
        target = identity if kind == "executable" else f"{kind}:{identity}"
        name, icon = description(kind, identity)
        dictates = client["microphone"] == client["speech"] == "granted"
        types = client["typing"] == "granted"
        facts = [] if name == identity else [identity]
        facts.append(_("may dictate") if dictates else _("may not dictate"))
        if types:
            facts.append(_("may type into windows"))
        if used := client["last-used"]:
            date = datetime.datetime.fromtimestamp(used).strftime("%x")
            facts.append(_("last used {date}").format(date=date))

        entry = expander_row(name, ", ".join(facts))
        entry.add_prefix(Gtk.Image(gicon=icon, icon_size=Gtk.IconSize.LARGE))
        entry.set_expanded(target in self._open)
        entry.connect("notify::expanded", lambda entry, _property: self._remember(target, entry.get_expanded()))
        entry.add_row(
            switch_row(
                _("Dictate"),
                _("Use the microphone, and get the text"),
                dictates,
                lambda active: self._decide(active, target, "microphone", "speech"),
            )
        )
        entry.add_row(
            switch_row(
                _("Type Into Windows"),
                _("Put text where the cursor is, in every window"),
                types,
                lambda active: self._decide(active, target, "typing"),
            )
        )
        last = row(_("Forget the Decision"), _("You are asked again when it wants to dictate"))
        label = _("Forget {name}").format(name=name)
        last.add_suffix(button(label, lambda: self._forget(target), icon="user-trash-symbolic"))
        entry.add_row(last)
        return entry

    def _remember(self, target: str, expanded: bool) -> None:
        (self._open.add if expanded else self._open.discard)(target)

    def _decide(self, active: bool, target: str, *resources: str) -> bool:
        Command(
            "permissions",
            "grant" if active else "deny",
            target,
            *resources,
            done=lambda _output: self.refresh(),
            failed=self._refused,
        )
        return True

    def _forget(self, target: str) -> None:
        self._open.discard(target)
        Command("permissions", "forget", target, done=lambda _output: self.refresh(), failed=self._refused)

    def _refused(self, message: str) -> None:
        self.say(message)
        self.refresh()
