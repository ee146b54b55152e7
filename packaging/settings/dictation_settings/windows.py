"""The window of the settings, and the steps of the first run."""

from collections.abc import Callable

from gi.repository import Adw, Gtk

from .applications import ApplicationsGroup
from .engine import EngineGroup
from .group import Group
from .history import HistoryChoice, HistoryGroup
from .language import LanguageGroup
from .microphone import MicrophoneGroup, MicrophoneTest
from .permissions import PermissionGroup
from .shortcut import ShortcutGroup
from .spoken import SpokenGroup
from .state import StateGroup
from .translation import N_, _
from .user_settings import UserSettings
from .writing import WordsGroup, WritingGroup

# Name, title, icon and groups.
PAGES: list[tuple[str, str, str, list[type[Group]]]] = [
    (
        "general",
        N_("General"),
        "audio-input-microphone-symbolic",
        [StateGroup, MicrophoneGroup, MicrophoneTest, ShortcutGroup],
    ),
    ("speech", N_("Speech"), "user-available-symbolic", [EngineGroup, LanguageGroup]),
    ("text", N_("Text"), "document-edit-symbolic", [WritingGroup, WordsGroup, HistoryGroup, SpokenGroup]),
    ("permissions", N_("Permissions"), "security-high-symbolic", [PermissionGroup, ApplicationsGroup]),
]


class SettingsWindow(Adw.PreferencesWindow):
    """All settings, on pages. Each page shows the present state when the window gets the focus."""

    def __init__(self, application: Adw.Application, settings: UserSettings) -> None:
        super().__init__(
            application=application,
            title=_("Dictation Settings"),
            default_width=680,
            default_height=720,
            search_enabled=True,
        )
        self._groups = [kind(settings) for _name, _title, _icon, kinds in PAGES for kind in kinds]
        groups = iter(self._groups)
        for name, title, icon, kinds in PAGES:
            page = Adw.PreferencesPage(title=_(title), icon_name=icon, name=name)
            for _kind in kinds:
                page.add(next(groups))
            self.add(page)
        self.connect("notify::is-active", lambda *_: self.refresh() if self.is_active() else None)
        self.connect("close-request", self._close)
        self.refresh()

    def refresh(self) -> None:
        """Shows the present state."""
        for group in self._groups:
            group.refresh()

    def _close(self, _window: Gtk.Window) -> bool:
        for group in self._groups:
            group.end()
        return False


class SetupWindow(Adw.Window):
    """The steps from an installed package to a first sentence."""

    def __init__(self, application: Adw.Application, settings: UserSettings, finished: Callable[[], None]) -> None:
        super().__init__(application=application, title=_("Set Up Dictation"), default_width=680, default_height=640)
        self._finished = finished
        self._language = LanguageGroup(settings)
        self._steps: list[tuple[str, str, list[Group]]] = [
            (
                _("Dictate Into Every Window"),
                _("Speech is recognised on this computer alone. These steps take two minutes."),
                [StateGroup(settings)],
            ),
            (
                _("Speech Engine and Language"),
                _("The engine turns your words into text."),
                [self._language, EngineGroup(settings)],
            ),
            (
                _("Microphone"),
                _("Say a sentence, and see what is understood."),
                [MicrophoneGroup(settings), MicrophoneTest(settings)],
            ),
            (
                _("Key"),
                _("Press it, speak, and press it again."),
                [ShortcutGroup(settings), HistoryChoice(settings)],
            ),
        ]
        self._back = Gtk.Button(label=_("_Back"), use_underline=True)
        self._next = Gtk.Button(label=_("_Next"), use_underline=True)
        self._next.add_css_class("suggested-action")
        self._back.connect("clicked", lambda _button: self._go(-1))
        self._next.connect("clicked", lambda _button: self._go(1))
        header = Adw.HeaderBar(show_end_title_buttons=False, show_start_title_buttons=False)
        header.pack_start(self._back)
        header.pack_end(self._next)
        self._stack = Gtk.Stack(transition_type=Gtk.StackTransitionType.SLIDE_LEFT_RIGHT, vexpand=True)
        for number, step in enumerate(self._steps):
            self._stack.add_named(self._page(*step), str(number))
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.append(header)
        self._toasts = Adw.ToastOverlay(child=self._stack)
        box.append(self._toasts)
        self.set_content(box)
        self.connect("close-request", self._close)
        self._step = 0
        self._go(0)

    @staticmethod
    def _page(title: str, text: str, groups: list[Group]) -> Gtk.Widget:
        page = Adw.PreferencesPage()
        heading = Adw.PreferencesGroup()
        for words, style in ((title, "title-1"), (text, "body")):
            label = Gtk.Label(label=words, wrap=True, justify=Gtk.Justification.CENTER, margin_bottom=6)
            label.add_css_class(style)
            heading.add(label)
        page.add(heading)
        for group in groups:
            page.add(group)
        return page

    def add_toast(self, toast: Adw.Toast) -> None:
        """Shows a short message, as a window of preferences does."""
        self._toasts.add_toast(toast)

    def _go(self, steps: int) -> None:
        self._end()
        self._step += steps
        if self._step == len(self._steps):
            # The file is the sign that the first run is over.
            self._language.confirm()
        if not 0 <= self._step < len(self._steps):
            self.close()
            return
        for group in self._steps[self._step][2]:
            group.refresh()
        self._stack.set_visible_child_name(str(self._step))
        self._back.set_label(_("_Back") if self._step else _("_Later"))
        self._next.set_label(_("_Done") if self._step == len(self._steps) - 1 else _("_Next"))

    def _end(self) -> None:
        for _title, _text, groups in self._steps:
            for group in groups:
                group.end()

    def _close(self, _window: Gtk.Window) -> bool:
        self._end()
        self._finished()
        return False
