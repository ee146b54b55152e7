"""Shows the settings of dictation, and at first its steps to set up."""

import argparse
import sys

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, Gio  # noqa: E402

from .translation import _  # noqa: E402
from .user_settings import UserSettings, user_file  # noqa: E402
from .windows import SettingsWindow, SetupWindow  # noqa: E402


class Application(Adw.Application):
    """One window at a time."""

    def __init__(self, sets_up: bool) -> None:
        super().__init__(application_id="org.example.Dictation.Settings")
        self._settings = UserSettings(user_file())
        self._sets_up = sets_up

    def do_startup(self) -> None:
        Adw.Application.do_startup(self)
        quit_action = Gio.SimpleAction.new("quit", None)
        quit_action.connect("activate", lambda *_: self._quit())
        self.add_action(quit_action)
        self.set_accels_for_action("app.quit", ["<Control>q"])
        self.set_accels_for_action("window.close", ["<Control>w"])

    def _quit(self) -> None:
        # Each window ends what it has begun.
        for window in self.get_windows():
            window.close()

    def do_activate(self) -> None:
        window = self.get_active_window()
        if window:
            window.present()
        elif self._sets_up or not self._settings.path.exists():
            SetupWindow(self, self._settings, self._show_settings).present()
        else:
            self._show_settings()

    def _show_settings(self) -> None:
        SettingsWindow(self, self._settings).present()


def main() -> int:
    """Runs until the window is closed."""
    parser = argparse.ArgumentParser(prog="dictation-settings", description=_("Shows the settings of dictation."))
    parser.add_argument("--setup", action="store_true", help=_("begin with the steps of the first run"))
    arguments = parser.parse_args()
    return int(Application(arguments.setup).run([sys.argv[0]]))


if __name__ == "__main__":
    sys.exit(main())
