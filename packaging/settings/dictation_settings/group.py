"""What the groups of rows have in common."""

from collections.abc import Callable
from typing import Any

from gi.repository import Adw, GLib, Gtk

from .user_settings import SettingsError, UserSettings


class Group(Adw.PreferencesGroup):
    """Rows about one thing. `refresh` shows the present state, however often it is called."""

    def __init__(self, title: str, settings: UserSettings, description: str = "") -> None:
        super().__init__(title=title, description=description)
        self.settings = settings
        self._rows: list[Gtk.Widget] = []

    def refresh(self) -> None:
        """Reads the state again, and shows it."""

    def end(self) -> None:
        """Closes the microphone, if the group has it open."""

    def show_rows(self, rows: list[Gtk.Widget]) -> None:
        """Replaces the rows that this function has added."""
        for row in self._rows:
            self.remove(row)
        for row in rows:
            self.add(row)
        self._rows = rows

    def say(self, message: str) -> None:
        """Shows a short message at the bottom of the window."""
        window = self.get_root()
        if window:
            window.add_toast(Adw.Toast.new(GLib.markup_escape_text(message)))
        self.announce(message)

    def announce(self, message: str) -> None:
        """Has a screen reader say a text; from GTK 4.14 on."""
        if hasattr(Gtk.Accessible, "announce"):
            Gtk.Accessible.announce(self, message, Gtk.AccessibleAnnouncementPriority.MEDIUM)

    def read(self, key: str, otherwise: Any) -> Any:
        """A setting of the user; another value if there is none, or the file cannot be read."""
        try:
            value = self.settings.get(key)
        except SettingsError as error:
            self.set_description(GLib.markup_escape_text(str(error)))
            return otherwise
        return otherwise if value is None else value

    def write(self, key: str, value: Any) -> bool:
        """Changes a setting of the user; a failure is shown."""
        try:
            self.settings.set(key, value)
        except SettingsError as error:
            self.say(str(error))
            return False
        return True


def row(title: str, subtitle: str = "", icon: str | None = None) -> Adw.ActionRow:
    """A row of plain text."""
    result = Adw.ActionRow(title=GLib.markup_escape_text(title), subtitle=GLib.markup_escape_text(subtitle))
    if icon:
        result.add_prefix(Gtk.Image.new_from_icon_name(icon))
    return result


def button(label: str, action: Callable[[], None], *, icon: str | None = None) -> Gtk.Button:
    """A button in a row. With an icon, the label is its tooltip and its name for screen readers."""
    result = Gtk.Button(valign=Gtk.Align.CENTER)
    if icon:
        result.set_icon_name(icon)
        result.set_tooltip_text(label)
        result.update_property([Gtk.AccessibleProperty.LABEL], [label])
        result.add_css_class("flat")
    else:
        result.set_label(label)
    result.connect("clicked", lambda _button: action())
    return result


def expander_row(title: str, subtitle: str = "") -> Adw.ExpanderRow:
    """A row that opens. Its name for screen readers is its title, which libadwaita gives only to a part of it."""
    result = Adw.ExpanderRow(title=GLib.markup_escape_text(title), subtitle=GLib.markup_escape_text(subtitle))
    result.update_property([Gtk.AccessibleProperty.LABEL], [title])
    return result


def button_row(*buttons: Gtk.Button) -> Adw.PreferencesRow:
    """A row of buttons. Beside a long text they would leave no space for it where text is large."""
    box = Gtk.Box(spacing=6, halign=Gtk.Align.END, margin_top=8, margin_bottom=8, margin_start=12, margin_end=12)
    for each in buttons:
        box.append(each)
    return Adw.PreferencesRow(activatable=False, focusable=False, child=box)


def switch_row(title: str, subtitle: str, active: bool, changed: Callable[[bool], bool]) -> Adw.ActionRow:
    """A row with a switch, which goes back if `changed` returns false."""
    result = row(title, subtitle)
    control = Gtk.Switch(valign=Gtk.Align.CENTER, active=active)

    def set_state(control: Gtk.Switch, state: bool) -> bool:
        if changed(state):
            control.set_state(state)
        else:
            GLib.idle_add(control.set_active, control.get_state())
        return True

    control.connect("state-set", set_state)
    result.add_suffix(control)
    result.set_activatable_widget(control)
    return result


def choice_row(
    title: str, subtitle: str, choices: list[tuple[Any, str]], chosen: Any, choose: Callable[[Any], None]
) -> Adw.ComboRow:
    """A row to choose one of several values."""
    result = Adw.ComboRow(
        title=title, subtitle=subtitle, model=Gtk.StringList.new([label for _value, label in choices])
    )
    values = [value for value, _label in choices]
    result.set_selected(values.index(chosen) if chosen in values else 0)
    result.connect("notify::selected", lambda row, _property: choose(values[row.get_selected()]))
    return result


# PyGObject of Debian 12 cannot pass an expression, without which the list has no search.
SEARCH_LIST = """<interface><object class="GtkDropDown" id="list">
  <property name="enable-search">1</property>
  <property name="valign">center</property>
  <property name="expression"><lookup type="GtkStringObject" name="string"/></property>
</object></interface>"""


def search_list(choices: list[tuple[str, str]], label: str) -> Gtk.DropDown:
    """A list with a search, of values with labels."""
    result = Gtk.Builder.new_from_string(SEARCH_LIST, -1).get_object("list")
    result.set_model(Gtk.StringList.new([text for _value, text in choices]))
    result.update_property([Gtk.AccessibleProperty.LABEL], [label])
    return result
