"""A progress bar on standard error."""

import os
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

WIDTH = 30
INTERVAL = 0.1
MEGABYTE = 1_000_000


class Progress:
    """`Downloading the model base  ████████░░░░  75 of 150 MB`. Without a terminal, the title alone."""

    def __init__(self, title: str, total: int) -> None:
        self._title = title
        self._total = total
        self._shown = 0.0
        self._is_terminal = sys.stderr.isatty()

    def __enter__(self) -> Self:
        if self._is_terminal:
            self.update(0)
        else:
            print(f"{self._title} ({round(self._total / MEGABYTE)} MB)", file=sys.stderr)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_terminal:
            if error is None:
                self._draw(self._total)
            print(file=sys.stderr)

    def update(self, done: int) -> None:
        """Shows that so many bytes are done."""
        now = time.monotonic()
        if self._is_terminal and now - self._shown >= INTERVAL:
            self._shown = now
            self._draw(done)

    def _draw(self, done: int) -> None:
        fraction = min(1.0, done / self._total)
        full = round(WIDTH * fraction)
        total = round(self._total / MEGABYTE)
        bar = "█" * full + "░" * (WIDTH - full)
        print(f"\r{self._title}  {bar}  {round(total * fraction)} of {total} MB ", end="", file=sys.stderr, flush=True)


def folder_size(folder: Path) -> int:
    """Bytes of the files in a folder. Files that vanish meanwhile are not counted."""
    size = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(path, name)).st_size  # noqa: PTH118
            except OSError:
                continue
    return size
