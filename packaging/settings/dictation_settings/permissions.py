"""Which applications may dictate."""

import datetime
from typing import Any

from gi.repository import Gio, Gtk

from .command import Command, query
from .group import Group, button, row, switch_row
from .user_settings import UserSettings


def description(kind: str, identity: str) -> tuple[str, Gio.Icon | None]:
    """The name and icon of an application for people."""
    if kind in ("flatpak", "snap", "app"):
        try:
            info = Gio.DesktopAppInfo.new(f"{identity}.desktop")
        except TypeError:
            info = None
        if info:
            return info.get_display_name(), info.get_icon()
    return identity, None


class PermissionGroup(Group):
    """A row for each application about which there is a decision."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__("Applications", settings, "Each is asked about once, when it wants to dictate.")

    def refresh(self) -> None:
        query("permissions", done=self._show, failed=self._failed)

    def _failed(self, message: str) -> None:
        self.show_rows([row("The decisions cannot be listed", message)])

    def _show(self, clients: list[dict[str, Any]]) -> None:
        rows = [self._row(client) for client in clients]
        self.show_rows(rows or [row("No application has asked yet")])

    def _row(self, client: dict[str, Any]) -> Gtk.Widget:
        kind, identity = client["kind"], client["id"]
        target = identity if kind == "executable" else f"{kind}:{identity}"
        name, icon = description(kind, identity)
        used = client["last-used"]
        facts = [] if name == identity else [identity]
        if used:
            facts.append(f"last used {datetime.datetime.fromtimestamp(used).strftime('%x')}")
        if client["typing"] == "granted":
            facts.append("may type into windows")
        allowed = client["microphone"] == client["speech"] == "granted"

        def change(active: bool) -> bool:
            Command("permissions", "grant" if active else "deny", target, failed=self._refused)
            return True

        entry = switch_row(name, ", ".join(facts), allowed, change)
        image = (
            Gtk.Image.new_from_gicon(icon)
            if icon
            else Gtk.Image.new_from_icon_name("application-x-executable-symbolic")
        )
        entry.add_prefix(image)
        entry.add_suffix(button(f"Forget {name}", lambda: self._forget(target), icon="user-trash-symbolic"))
        return entry

    def _forget(self, target: str) -> None:
        Command("permissions", "forget", target, done=lambda _output: self.refresh(), failed=self._refused)

    def _refused(self, message: str) -> None:
        self.say(message)
        self.refresh()
