"""The server in the test's own process, with clients that come at a certain moment."""

import asyncio
from pathlib import Path

import pytest

from dictation_engine.activation import bind
from dictation_engine.connection import Engine
from dictation_engine.scheduler import Scheduler
from dictation_engine.server import Server
from dictation_engine.wire import Event
from tests.support import connected
from tests.test_scheduler import SteppedDecoder


def test_a_client_that_was_accepted_as_the_engine_became_idle_is_served(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"
    listener = bind(path)

    async def describe() -> Event | None:
        async with connected(path) as client:
            await client.send("describe")
            # It is idle as soon as it has accepted this client.
            engine = Engine(Scheduler(SteppedDecoder()), info={}, languages=())
            task = asyncio.create_task(Server(engine, idle_limit=0).run(listener))
            event = await client.receive()
        await task
        return event

    event = asyncio.run(describe())
    assert event is not None
    assert event.type == "info"


def test_a_failure_of_the_scheduler_ends_the_server_although_a_client_is_connected(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"
    listener = bind(path)

    async def fail() -> None:
        failure = asyncio.Event()

        class FailingScheduler(Scheduler):
            async def run(self) -> None:
                await failure.wait()
                raise RuntimeError("The decoder failed.")

        engine = Engine(FailingScheduler(SteppedDecoder()), info={}, languages=())
        task = asyncio.create_task(Server(engine, idle_limit=3600).run(listener))
        async with connected(path) as client:
            await client.send("describe")
            await client.receive()
            failure.set()
            with pytest.raises(RuntimeError):
                await asyncio.wait_for(task, timeout=30)

    asyncio.run(fail())
