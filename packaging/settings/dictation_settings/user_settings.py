"""The user's settings file, whose comments and order stay."""

import contextlib
import os
import tempfile
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML, YAMLError
from ruamel.yaml.comments import CommentedMap


class SettingsError(Exception):
    """The file cannot be read or written; the text is for people."""


def user_file() -> Path:
    """The path of the user's settings."""
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home and Path(home).is_absolute() else Path.home() / ".config") / "dictation/dictation.yaml"


class UserSettings:
    """Reads the file at each use, because other programs write it too."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, key: str) -> Any:
        """The value of a key; None if the file has none."""
        return self._parse(self._text()).get(key)

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
        if not settings:
            # A map without keys would be written as "{}".
            new = "".join(line for line in text.splitlines(keepends=True) if line.lstrip().startswith("#"))
        else:
            output = StringIO()
            self._yaml().dump(settings, output)
            new = output.getvalue()
            if not self._parse(text):
                # A file of comments alone is not in the map.
                new = text + ("" if not text or text.endswith("\n") else "\n") + new
        self._write(new)

    @staticmethod
    def _yaml() -> YAML:
        yaml = YAML()
        yaml.preserve_quotes = True
        yaml.width = 4096
        yaml.indent(mapping=2, sequence=4, offset=2)
        return yaml

    def _text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{self.path} cannot be read: {error}") from error

    def _parse(self, text: str) -> CommentedMap:
        try:
            settings = self._yaml().load(text)
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
