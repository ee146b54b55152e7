"""The order of the decode thread's work, with passages and a decoder of the test."""

import asyncio
import itertools
import threading
from collections.abc import Callable

from dictation_engine.gate import SpeechGate
from dictation_engine.guards import Decoding
from dictation_engine.options import PassageOptions
from dictation_engine.passage import Passage
from dictation_engine.scheduler import Scheduler, Turn
from dictation_engine.sound import RATE
from dictation_engine.work import Work, WorkKind


class SteppedDecoder:
    """Decodes when the test allows it, and remembers the order."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, WorkKind]] = []
        self.allowed = threading.Semaphore(0)

    def load(self) -> None:
        """Is loaded."""

    def rest(self) -> None:
        """Is always ready."""

    def decode(self, work: Work) -> Decoding:
        """The passage's name is its language."""
        self.begun.append((work.languages[0], work.kind))
        assert self.allowed.acquire(timeout=60)
        if work.languages[0] == "broken":
            raise RuntimeError
        return Decoding("one two three", work.languages[0])


def passage(name: str) -> Passage:
    gate = SpeechGate(lambda window: 0.9 if window[0] else 0.0)
    new = Passage(PassageOptions((name,), partials=True), name, gate)
    new.add(b"\1\0" * (RATE * 2))
    return new


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.001)


async def ordered() -> list[tuple[str, WorkKind]]:
    decoder = SteppedDecoder()
    ticks = itertools.count(1)
    scheduler = Scheduler(decoder, clock=lambda: next(ticks) * 0.001)
    task = asyncio.create_task(scheduler.run())
    passages = {name: passage(name) for name in ("a", "b", "pausing", "stopped", "gone", "broken")}
    failed: list[str] = []
    turns = {
        name: Turn(item, lambda _: None, lambda name=name: failed.append(name))  # type: ignore[misc]
        for name, item in passages.items()
    }
    scheduler.add(turns["a"])
    scheduler.wake()
    await until(lambda: len(decoder.begun) == 1)
    for name in ("b", "pausing", "stopped", "gone", "broken"):
        scheduler.add(turns[name])
    passages["pausing"].add(b"\0\0" * RATE)
    passages["stopped"].stop()
    passages["broken"].stop()
    passages["gone"].stop()
    scheduler.remove(turns["gone"])
    passages["a"].add(b"\1\0" * RATE)
    decoder.allowed.release(6)
    scheduler.wake()
    await until(lambda: len(decoder.begun) == 6)
    await until(lambda: failed == ["broken"])
    task.cancel()
    scheduler.close()
    return decoder.begun


def test_finals_come_before_finals_ahead_and_these_before_refreshes() -> None:
    order = asyncio.run(ordered())
    assert order == [
        ("a", WorkKind.REFRESH),
        ("stopped", WorkKind.FINAL),
        ("broken", WorkKind.FINAL),
        ("pausing", WorkKind.AHEAD),
        ("b", WorkKind.REFRESH),
        ("a", WorkKind.REFRESH),
    ]
