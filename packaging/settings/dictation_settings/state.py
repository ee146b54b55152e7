"""What dictation needs on this computer, and whether it is there."""

import json
from typing import Any

from .command import Command
from .group import Group, row
from .translation import _
from .user_settings import UserSettings


class StateGroup(Group):
    """What "dictation-cli doctor" finds missing, each with what to do."""

    def __init__(self, settings: UserSettings) -> None:
        super().__init__(_("This Computer"), settings)

    def refresh(self) -> None:
        if not self._rows:
            self.show_rows([row(_("Checking…"))])
        lines: list[str] = []

        def show(message: str) -> None:
            try:
                findings: list[dict[str, Any]] = json.loads("\n".join(lines))
            except ValueError:
                self.show_rows([row(_("This computer cannot be checked"), message, "dialog-warning-symbolic")])
                return
            missing = [each for each in findings if not each["good"]]
            self.show_rows(
                [row(each["what"], each["remedy"] or "", "dialog-warning-symbolic") for each in missing]
                or [row(_("Everything that dictation needs is there"), "", "emblem-ok-symbolic")]
            )

        # It exits with an error if something is missing; its output counts then too.
        Command("doctor", "--json", line=lines.append, done=show, failed=show)
