"""The user's settings file, whose comments and order stay."""

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

from ruamel.yaml import YAMLError
from ruamel.yaml.comments import CommentedMap

from .settings_text import changed, dumped, yaml


class SettingsError(Exception):
    """The file cannot be read or written; the text is for people."""


def user_file() -> Path:
    """The path of the user's settings."""
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home and Path(home).is_absolute() else Path.home() / ".config") / "dictation/dictation.yaml"


def _without_comments(value: Any) -> Any:
    """The value in plain lists and dictionaries: those of ruamel carry the comments after them."""
    if isinstance(value, dict):
        return {key: _without_comments(each) for key, each in value.items()}
    return [_without_comments(each) for each in value] if isinstance(value, list) else value


class UserSettings:
    """Reads the file at each use, because other programs write it too."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, key: str) -> Any:
        """The value of a key; None if the file has none."""
        return _without_comments(self._parse(self._text()).get(key))

    def set(self, key: str, value: Any) -> None:
        """Writes the value of a key; None removes it."""
        text = self._text()
        settings = self._parse(text)
        if value is None:
            if key not in settings:
                return
            del settings[key]
        else:
            settings[key] = value
        new = changed(text, key, value)
        if new is None or not self._means(new, settings):
            new = dumped(settings)
        self._write(new)

    def _means(self, text: str, settings: CommentedMap) -> bool:
        try:
            return self._parse(text) == settings
        except SettingsError:
            return False

    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{self.path} cannot be read: {error}") from error

    def _parse(self, text: str) -> CommentedMap:
        try:
            settings = yaml().load(text)
        except YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = f", line {mark.line + 1}" if mark else ""
            raise SettingsError(f"{self.path}{line}: this is not YAML. Correct it, or remove the file.") from error
        if settings is None:
            return CommentedMap()
        if not isinstance(settings, CommentedMap):
            raise SettingsError(f"{self.path} has no keys. Correct it, or remove the file.")
        return settings

    def _write(self, text: str) -> None:
        # The target of a link is replaced, not the link.
        path = self.path.resolve()
        temporary = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".dictation.yaml.")
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                if path.exists():
                    os.fchmod(file.fileno(), path.stat().st_mode & 0o777)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except OSError as error:
            if temporary:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()
            raise SettingsError(f"{path} cannot be written: {error.strerror}") from error
