"""One client: it asks what the engine is, or sends one passage."""

import asyncio
import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dictation_engine.live_text import Partial
from dictation_engine.options import OptionError, PassageOptions, read_options
from dictation_engine.passage import Passage, PassageTooLongError
from dictation_engine.scheduler import Scheduler, Turn
from dictation_engine.sound import LONGEST, RATE, SAMPLE_BYTES
from dictation_engine.wire import Event, WireError, encode, read_event

SILENT_CLIENT = 60
"""Seconds without a message after which a connection is closed."""
UNREAD_LIMIT = 256 * 1024
"""Bytes that a client may leave unread."""


@dataclass
class Engine:
    """What all connections share."""

    scheduler: Scheduler
    info: dict[str, Any]
    languages: tuple[str, ...]
    """Those of the model."""
    language: str | None = None
    """That of the last passage."""
    new_passage: Callable[[PassageOptions, str], Passage] = Passage


class ClientError(Exception):
    """A mistake of the client, with a text and a code for it."""

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.code = code


class Connection:
    """Reads a client's messages and answers them. Closing the connection cancels its passage."""

    def __init__(self, engine: Engine, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._engine = engine
        self._reader = reader
        self._writer = writer
        self._request: dict[str, Any] = {}
        self._turn: Turn | None = None

    async def run(self) -> None:
        """Serves the client until it or its passage ends."""
        try:
            await self._read()
        except (WireError, OptionError, ClientError, PassageTooLongError) as error:
            self._send_error(error)
        except (ConnectionError, TimeoutError):
            pass
        except Exception as error:
            print(f"A connection failed: {type(error).__name__}", file=sys.stderr)
        finally:
            if self._turn:
                self._engine.scheduler.remove(self._turn)
            self._writer.close()
            with contextlib.suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(1):
                    await self._writer.wait_closed()

    async def _read(self) -> None:
        while not self._writer.is_closing():
            async with asyncio.timeout(SILENT_CLIENT):
                event = await read_event(self._reader)
            if event is None:
                return
            self._handle(event)
            # Messages that have arrived already are read without waiting; others get their turn here.
            await asyncio.sleep(0)

    def _handle(self, event: Event) -> None:
        match event.type:
            case "describe":
                self._send(Event("info", self._engine.info))
            case "ping":
                self._send(Event("pong", {}))
            case "transcribe":
                self._request = event.data
            case "audio-start":
                self._begin(event.data)
            case "audio-chunk":
                self._add(event)
            case "audio-stop":
                turn = self._passage_turn()
                turn.passage.stop()
                self._progress(None)
            case _:
                # Clients may send events of later versions.
                pass

    def _begin(self, audio_format: dict[str, Any]) -> None:
        if self._turn:
            raise ClientError("A connection has one passage.", "second-passage")
        _check_format(audio_format)
        options = read_options(self._request, self._engine.languages, self._engine.language)
        last = self._engine.language
        likely = last if last in options.languages else options.languages[0]
        passage = self._engine.new_passage(options, likely)
        self._turn = Turn(passage, self._progress, self._fail)
        self._engine.scheduler.add(self._turn)

    def _add(self, event: Event) -> None:
        turn = self._passage_turn()
        if "rate" in event.data:
            _check_format(event.data)
        turn.passage.add(event.payload)
        if partial := turn.passage.silence():
            self._send_partial(partial)
        self._engine.scheduler.wake()

    def _passage_turn(self) -> Turn:
        if not self._turn:
            raise ClientError("“audio-start” must come before the audio.", "no-audio-start")
        return self._turn

    def _progress(self, partial: Partial | None) -> None:
        """Sends the text that is new. Wakes the scheduler if there is more to decode."""
        turn = self._passage_turn()
        if partial:
            self._send_partial(partial)
        transcript = turn.passage.transcript
        if transcript is None:
            self._engine.scheduler.wake()
            return
        if transcript.has_speech:
            self._engine.language = transcript.language
        self._send(
            Event(
                "transcript",
                {"text": transcript.text, "language": transcript.language, "speech": transcript.has_speech},
            )
        )
        self._engine.scheduler.remove(turn)
        self._writer.close()

    def _send_partial(self, partial: Partial) -> None:
        self._send(
            Event(
                "transcript-partial",
                {
                    "revision": partial.revision,
                    "settled": partial.settled,
                    "volatile": partial.volatile,
                    "audio_ms": round(partial.seconds * 1000),
                    "language": partial.language,
                },
            )
        )

    def _fail(self) -> None:
        self._send_error(ClientError("The model failed.", "model-failed"))
        self._writer.close()

    def _send_error(self, error: Exception) -> None:
        text = f"A passage has {LONGEST} s at most." if isinstance(error, PassageTooLongError) else str(error)
        code = "too-long" if isinstance(error, PassageTooLongError) else getattr(error, "code", "protocol")
        self._send(Event("error", {"text": text, "code": code}))

    def _send(self, event: Event) -> None:
        if self._writer.is_closing():
            return
        self._writer.write(encode(event))
        if self._writer.transport.get_write_buffer_size() > UNREAD_LIMIT:
            # It does not read.
            self._writer.transport.abort()


def _check_format(data: dict[str, Any]) -> None:
    if (data.get("rate"), data.get("width"), data.get("channels")) != (RATE, SAMPLE_BYTES, 1):
        raise ClientError(f"Audio must have {RATE} Hz, {SAMPLE_BYTES} bytes a sample, one channel.", "format")
