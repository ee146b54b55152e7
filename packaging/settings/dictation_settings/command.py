"""Runs dictation-cli, which does all the work behind the window."""

import json
import os
import signal
from collections.abc import Callable
from typing import Any

from gi.repository import Gio, GLib

from .translation import _

Done = Callable[[str], None]
Failed = Callable[[str], None]


def last_line(text: str) -> str:
    """The last line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


class Command:
    """A run of dictation-cli. Its parts:

    - `line` gets each line of its output, and `note` each line of its messages;
    - `done` gets the whole output of a run that succeeded, and `failed` the last message of one that did not.
    """

    def __init__(
        self,
        *arguments: str,
        done: Done | None = None,
        failed: Failed | None = None,
        line: Callable[[str], None] | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        self._done, self._failed, self._line, self._note = done, failed, line, note
        self._output: list[str] = []
        self._messages: list[str] = []
        self._open = 3
        program = os.environ.get("DICTATION_CLI", "dictation-cli")
        flags = Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_PIPE
        self._process: Gio.Subprocess | None = None
        try:
            self._process = Gio.Subprocess.new([program, *arguments], flags)
        except GLib.Error as error:
            message = _("{program} does not start: {reason}").format(program=program, reason=error.message)
            GLib.idle_add(self._fail, message)
            return
        self._read(self._process.get_stdout_pipe(), self._output, line)
        self._read(self._process.get_stderr_pipe(), self._messages, note)
        self._process.wait_async(None, lambda process, result: (process.wait_finish(result), self._close()))

    def interrupt(self) -> None:
        """Ends it as Ctrl-C does."""
        if self._process:
            self._process.send_signal(signal.SIGINT)

    def _read(self, pipe: Gio.InputStream, kept: list[str], each: Callable[[str], None] | None) -> None:
        stream = Gio.DataInputStream.new(pipe)

        def got(stream: Gio.DataInputStream, result: Gio.AsyncResult) -> None:
            try:
                line, _length = stream.read_line_finish_utf8(result)
            except GLib.Error as error:
                kept.append(error.message)
                line = None
            if line is None:
                self._close()
                return
            if each:
                each(line)
            # A long run must not fill the memory.
            kept.append(line)
            del kept[:-1000]
            stream.read_line_async(GLib.PRIORITY_DEFAULT, None, got)

        stream.read_line_async(GLib.PRIORITY_DEFAULT, None, got)

    def _close(self) -> None:
        """Called when the process and both of its pipes have ended, in any order."""
        self._open -= 1
        if self._open:
            return
        assert self._process  # noqa: S101
        if self._process.get_if_exited() and self._process.get_exit_status() == 0:
            if self._done:
                self._done("\n".join(self._output))
        else:
            self._fail(last_line("\n".join(self._messages)) or _("dictation-cli failed."))

    def _fail(self, message: str) -> None:
        if self._failed:
            self._failed(message)


def query(*arguments: str, done: Callable[[Any], None], failed: Failed) -> None:
    """Runs a command whose output is JSON, and passes its value."""

    def parse(output: str) -> None:
        try:
            value = json.loads(output)
        except ValueError:
            failed(_("dictation-cli wrote no JSON."))
        else:
            done(value)

    Command(*arguments, "--json", done=parse, failed=failed)
