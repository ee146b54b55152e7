"""The Wyoming protocol: a line of JSON, then as many bytes of data and payload as the line announces."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

HEADER_LIMIT = 16 * 1024
"""Greatest number of bytes of the line. A reader buffers twice as much: a second of audio."""
DATA_LIMIT = 64 * 1024
PAYLOAD_LIMIT = 256 * 1024
"""Eight seconds of audio."""
PROTOCOL_VERSION = "1.8.0"


class WireError(Exception):
    """The peer sent something that is not the protocol, or is too long."""


@dataclass(frozen=True, slots=True)
class Event:
    """A message."""

    type: str
    data: dict[str, Any] = field(default_factory=dict)
    payload: bytes = b""


def encode(event: Event) -> bytes:
    """The bytes of a message. Its data follow the line, as clients of Wyoming expect."""
    data = json.dumps(event.data, ensure_ascii=False).encode() if event.data else b""
    header: dict[str, Any] = {"type": event.type, "version": PROTOCOL_VERSION}
    if data:
        header["data_length"] = len(data)
    if event.payload:
        header["payload_length"] = len(event.payload)
    return json.dumps(header).encode() + b"\n" + data + event.payload


async def read_event(reader: asyncio.StreamReader) -> Event | None:
    """The next message, or None at the end of the stream. The reader's limit must be `HEADER_LIMIT`."""
    try:
        line = await reader.readline()
        if not line:
            return None
        header = _object(line)
        data = header.get("data") or {}
        if not isinstance(data, dict):
            raise WireError("The data of a message must be an object.")
        data_length = _length(header, "data_length", DATA_LIMIT)
        payload_length = _length(header, "payload_length", PAYLOAD_LIMIT)
        if data_length:
            data |= _object(await reader.readexactly(data_length))
        payload = await reader.readexactly(payload_length) if payload_length else b""
    except asyncio.IncompleteReadError:
        return None
    except ValueError as error:
        # From the reader, whose message has nothing of what was sent.
        raise WireError("A message is too long.") from error
    kind = header.get("type")
    if not isinstance(kind, str):
        raise WireError("A message must have a type.")
    return Event(kind, data, payload)


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WireError("A message must be JSON.") from error
    if not isinstance(value, dict):
        raise WireError("A message must be an object.")
    return value


def _length(header: dict[str, Any], key: str, limit: int) -> int:
    value = header.get(key) or 0
    if type(value) is not int or not 0 <= value <= limit:
        raise WireError(f"“{key}” must be between 0 and {limit}.")
    return value
