import asyncio
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dictation_engine.activation import SocketError, bind
from tests.support import MODELS, PATIENCE, PROGRAM, connected


def activated(listener: socket.socket, *options: str) -> "subprocess.Popen[bytes]":
    """Starts the engine as systemd does."""
    script = 'exec 3<&"$1"; shift; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
    command = [sys.executable, "-B", "-m", "dictation_engine", "serve", "--model", str(MODELS / "tiny.en"), *options]
    return subprocess.Popen(
        ["/bin/bash", "-c", script, "bash", str(listener.fileno()), *command],
        env=os.environ | {"PYTHONPATH": str(PROGRAM)},
        pass_fds=[listener.fileno()],
        stderr=subprocess.PIPE,
    )


async def describe(path: Path) -> str:
    async with connected(path) as client:
        await client.send("describe")
        event = await client.receive()
        assert event is not None
        return event.type


def test_the_engine_serves_systemds_socket_and_ends_when_it_is_idle(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"
    with bind(path) as listener:
        for _ in range(2):
            process = activated(listener, "--idle", "1")
            assert asyncio.run(describe(path)) == "info"
            assert process.wait(PATIENCE) == 0
            # The socket is systemd's, which starts the engine again for the next client.
            assert path.exists()


def test_an_engine_in_use_is_not_idle(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"

    async def keep_open(process: "subprocess.Popen[bytes]") -> None:
        async with connected(path) as client:
            for _ in range(4):
                await client.send("describe")
                assert (await client.receive()) is not None
                with pytest.raises(subprocess.TimeoutExpired):
                    await asyncio.to_thread(process.wait, 0.5)

    with bind(path) as listener:
        process = activated(listener, "--idle", "1")
        asyncio.run(keep_open(process))
        assert process.wait(PATIENCE) == 0


def test_another_kind_of_socket_is_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "datagrams"))
        process = activated(listener)
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
        assert b"stream socket" in errors


def test_a_socket_is_the_users_alone_and_replaces_a_stale_one(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"
    for _ in range(2):
        listener = bind(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with pytest.raises(SocketError, match="already"):
            bind(path)
        listener.close()


def test_a_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("mine")
    with pytest.raises(SocketError, match="not a socket"):
        bind(path)
    assert path.read_text() == "mine"
    with pytest.raises(SocketError):
        bind(tmp_path / "nowhere" / "engine.sock")
