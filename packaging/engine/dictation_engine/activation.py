"""The socket at which the engine listens: systemd's, or its own."""

import os
import socket
import stat
from pathlib import Path

FIRST_DESCRIPTOR = 3
"""Where systemd puts what it passes."""


class SocketError(Exception):
    """There is no socket to listen at."""


def inherited_socket() -> socket.socket | None:
    """The socket that systemd passed, as sd_listen_fds(3) says, or None."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return None
    count = os.environ.get("LISTEN_FDS", "")
    for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"):
        os.environ.pop(name, None)
    if count != "1":
        raise SocketError("The unit must pass one socket.")
    os.set_inheritable(FIRST_DESCRIPTOR, False)
    listener = socket.socket(fileno=FIRST_DESCRIPTOR)
    if listener.family != socket.AF_UNIX or not listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        raise SocketError("The unit must pass a stream socket of the file system.")
    return listener


def bind(path: Path) -> socket.socket:
    """Listens at a path, for this user alone. Replaces a socket that nobody serves."""
    listener = socket.socket(socket.AF_UNIX)
    _remove_stale(path)
    mask = os.umask(0o177)
    try:
        listener.bind(str(path))
    except OSError as error:
        raise SocketError(f"{path}: {error.strerror or error}") from error
    finally:
        os.umask(mask)
    listener.listen(16)
    return listener


def _remove_stale(path: Path) -> None:
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise SocketError(f"{path} exists and is not a socket.")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        else:
            raise SocketError(f"A program listens at {path} already.")
