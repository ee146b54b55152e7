"""Shares one decode thread among the open passages.

A running decode cannot be stopped, so what waits is ordered: final texts first, then finals ahead, then refreshes;
among equals the passage whose last turn was longest ago.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from dictation_engine.live_text import Partial
from dictation_engine.passage import Passage
from dictation_engine.work import Decoder, WorkKind


class Turn:
    """An open passage in the scheduler."""

    def __init__(
        self, passage: Passage, on_progress: Callable[[Partial | None], None], on_failure: Callable[[], None]
    ) -> None:
        self.passage = passage
        self.on_progress = on_progress
        """Called after each decode, on the event loop."""
        self.on_failure = on_failure
        self.last_turn = 0.0


class Scheduler:
    """Decodes for the passages that are added."""

    def __init__(self, decoder: Decoder, clock: Callable[[], float] = time.monotonic) -> None:
        self._decoder = decoder
        self._clock = clock
        self._turns: list[Turn] = []
        self._changed = asyncio.Event()
        self._is_closed = False
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="decode")

    def add(self, turn: Turn) -> None:
        """Begins to decode for a passage, and loads the model meanwhile."""
        self._turns.append(turn)
        self._thread.submit(self._load)

    def remove(self, turn: Turn) -> None:
        """Forgets a passage. What has not begun is not decoded."""
        if turn in self._turns:
            self._turns.remove(turn)
            if not self._turns and not self._is_closed:
                self._thread.submit(self._decoder.rest)

    def wake(self) -> None:
        """A passage has changed."""
        self._changed.set()

    async def run(self) -> None:
        """Decodes until it is cancelled."""
        while True:
            self._changed.clear()
            if (next_turn := self._most_urgent()) is None:
                await self._changed.wait()
            else:
                await self._decode(*next_turn)

    def close(self) -> None:
        """Ends the thread. A running decode goes on until it is done."""
        self._is_closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _most_urgent(self) -> tuple[Turn, WorkKind] | None:
        waiting = [(turn, kind) for turn in self._turns if (kind := turn.passage.next_work) is not None]
        return min(waiting, key=lambda item: (item[1], item[0].last_turn), default=None)

    async def _decode(self, turn: Turn, kind: WorkKind) -> None:
        work = turn.passage.begin(kind)
        begin = turn.last_turn = self._clock()
        processor_begin = time.process_time()
        try:
            decoding = await asyncio.get_running_loop().run_in_executor(self._thread, self._decoder.decode, work)
        except Exception as error:
            # The error's text is not printed, because it may contain what was said.
            print(f"A decode failed: {type(error).__name__}", file=sys.stderr)
            self.remove(turn)
            turn.on_failure()
            return
        if turn in self._turns:
            # Several threads take more of the processor than of the clock.
            cost = max(self._clock() - begin, time.process_time() - processor_begin)
            turn.on_progress(turn.passage.finish(work, decoding, cost))

    def _load(self) -> None:
        try:
            self._decoder.load()
        except Exception as error:
            # The first decode tries again, and tells the client.
            print(f"The model cannot be loaded: {error}", file=sys.stderr)
