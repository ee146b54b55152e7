"""What the tests share: recorded speech, a server in its own process, and a client."""

import asyncio
import json
import os
import socket
import struct
import subprocess
import sys
import time
import wave
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dictation_engine.sound import RATE, SAMPLE_BYTES
from dictation_engine.wire import Event, encode, read_event

PROGRAM = Path(__file__).parent.parent
RECORDINGS = Path("/usr/share/pocketsphinx/test/data/librivox")
MODELS = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "dictation" / "engine" / "models"
FORMAT = {"rate": RATE, "width": SAMPLE_BYTES, "channels": 1}
PATIENCE = 120
"""Seconds after which a test fails that waits for something, on a busy machine."""


def recording(number: str) -> bytes:
    """Recorded speech of Debian's pocketsphinx-testdata."""
    with wave.open(str(RECORDINGS / f"sense_and_sensibility_01_austen_64kb-{number}.wav")) as file:
        return bytes(file.readframes(file.getnframes()))


def silence(seconds: float) -> bytes:
    """Silence with the faint noise of a microphone."""
    return b"".join(struct.pack("<h", (n * 7919) % 9 - 4) for n in range(round(seconds * RATE)))


def _listens(path: Path) -> bool:
    """Whether a server accepts clients at a path. The path exists before it listens there."""
    with socket.socket(socket.AF_UNIX) as client:
        return path.exists() and client.connect_ex(str(path)) == 0


@contextmanager
def serving(folder: Path, model: str = "tiny.en", *options: str) -> Iterator[Path]:
    """A server in its own process, whose files are in `folder`. Yields its socket."""
    path = folder / "engine.sock"
    environment = {"PYTHONPATH": str(PROGRAM), "HOME": str(folder), "TMPDIR": str(folder), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-B", "-m", "dictation_engine", "serve", "--socket", str(path)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--model", str(MODELS / model), *options], env=environment, cwd=folder, stdout=log, stderr=log
        )
    try:
        deadline = time.monotonic() + PATIENCE
        while not _listens(path):
            assert process.poll() is None, "the server has ended"
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield path
    finally:
        process.terminate()
        process.wait(PATIENCE)


@dataclass
class Client:
    """A connection to a server."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    partials: list[dict[str, Any]] = field(default_factory=list)

    async def send(self, kind: str, data: dict[str, Any] | None = None, payload: bytes = b"") -> None:
        """Sends a message."""
        self.writer.write(encode(Event(kind, data or {}, payload)))
        await self.writer.drain()

    async def begin(self, **options: object) -> None:
        """Begins a passage."""
        await self.send("transcribe", options)
        await self.send("audio-start", FORMAT)

    async def speak(self, audio: bytes) -> None:
        """Sends audio in chunks of 50 ms."""
        size = RATE // 20 * SAMPLE_BYTES
        for start in range(0, len(audio), size):
            await self.send("audio-chunk", FORMAT, audio[start : start + size])

    async def receive(self) -> Event | None:
        """The next message. Partial texts are collected, too."""
        async with asyncio.timeout(PATIENCE):
            event = await read_event(self.reader)
        if event and event.type == "transcript-partial":
            self.partials.append(event.data)
        return event

    async def finish(self) -> dict[str, Any]:
        """Ends the passage and returns its transcript, after which the server closes the connection."""
        await self.send("audio-stop")
        # What the server had sent before it read `audio-stop` comes first.
        while (event := await self.receive()) and event.type == "transcript-partial":
            continue
        assert event is not None
        assert event.type == "transcript", json.dumps(event.data)
        assert await self.receive() is None
        return event.data


@asynccontextmanager
async def connected(path: Path) -> AsyncIterator[Client]:
    """A connection to the server at a path."""
    reader, writer = await asyncio.open_unix_connection(str(path))
    try:
        yield Client(reader, writer)
    finally:
        writer.close()
