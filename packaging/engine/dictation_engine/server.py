"""Accepts clients, and ends when none has come for some time."""

import asyncio
import signal
import socket
import time

from dictation_engine.connection import Connection, Engine
from dictation_engine.wire import HEADER_LIMIT

CONNECTION_LIMIT = 32
ACCEPTING_TURNS = 10
"""Turns of the loop after which asyncio has reported each client that it has accepted. It takes about four."""


class Server:
    """Serves an engine at a socket."""

    def __init__(self, engine: Engine, idle_limit: float | None = None) -> None:
        self._engine = engine
        self._idle_limit = idle_limit
        self._connections: set[asyncio.Task[None]] = set()
        self._last_use = time.monotonic()

    async def run(self, listener: socket.socket) -> None:
        """Returns after SIGTERM or SIGINT, or when there was no client for `idle_limit` seconds.

        systemd starts the engine again for the next client.
        """
        end = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, end.set)
        # Not start_unix_server, which removes systemd's socket from the file system in newer versions of Python.
        server = await asyncio.start_server(self._accept, sock=listener, limit=HEADER_LIMIT)
        ends: set[asyncio.Task[object]] = {
            asyncio.create_task(self._engine.scheduler.run()),
            asyncio.create_task(end.wait()),
        }
        tasks = list(ends)
        if self._idle_limit is not None:
            tasks.append(asyncio.create_task(self._until_idle(self._idle_limit)))
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        server.close()
        if not any(task.done() for task in ends):
            await self._finish_accepted(ends)
        done = [task for task in tasks if task.done()]
        for task in (*tasks, *self._connections):
            task.cancel()
        self._engine.scheduler.close()
        for task in done:
            task.result()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or len(self._connections) >= CONNECTION_LIMIT:
            writer.close()
            return
        self._connections.add(task)
        try:
            await Connection(self._engine, reader, writer).run()
        finally:
            self._connections.discard(task)
            self._last_use = time.monotonic()

    async def _finish_accepted(self, ends: "set[asyncio.Task[object]]") -> None:
        """Serves the clients that were accepted at the moment in which the engine became idle.

        Returns before that if one of `ends` is done.
        """
        for _ in range(ACCEPTING_TURNS):
            await asyncio.sleep(0)
        while self._connections and not any(task.done() for task in ends):
            await asyncio.wait((*ends, *self._connections), return_when=asyncio.FIRST_COMPLETED)

    async def _until_idle(self, limit: float) -> None:
        while True:
            await asyncio.sleep(limit if self._connections else self._last_use + limit - time.monotonic())
            if not self._connections and time.monotonic() - self._last_use >= limit:
                return
