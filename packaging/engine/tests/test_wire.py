import asyncio
import random

import pytest

from dictation_engine.wire import DATA_LIMIT, HEADER_LIMIT, PAYLOAD_LIMIT, Event, WireError, encode, read_event


def read(data: bytes) -> list[Event]:
    async def all_events() -> list[Event]:
        reader = asyncio.StreamReader(HEADER_LIMIT)
        reader.feed_data(data)
        reader.feed_eof()
        events = []
        while event := await read_event(reader):
            events.append(event)
        return events

    return asyncio.run(all_events())


def test_messages_are_read_as_they_were_written() -> None:
    events = [
        Event("describe"),
        Event("transcribe", {"language": "de", "names": ["Ü"]}),
        Event("audio-chunk", {}, b"\0\n1"),
    ]
    assert read(b"".join(encode(event) for event in events)) == events


def test_data_may_stand_in_the_line() -> None:
    line = b'{"type": "transcribe", "data": {"language": "de", "name": "a"}, "data_length": 13}\n{"name": "b"}'
    assert read(line) == [Event("transcribe", {"language": "de", "name": "b"})]


def test_a_message_that_is_cut_off_is_none() -> None:
    whole = encode(Event("audio-chunk", {"rate": 16000}, b"1234"))
    for length in range(len(whole)):
        if b"\n" in whole[:length] or length == 0:
            assert read(whole[:length]) == []


@pytest.mark.parametrize(
    "data",
    [
        b"\n",
        b"no json\n",
        b"[]\n",
        b"{}\n",
        b'{"type": 1}\n',
        b'{"type": "a", "data": []}\n{',
        b'{"type": "a", "data_length": -1}\n',
        b'{"type": "a", "data_length": "5"}\n12345',
        b'{"type": "a", "data_length": true}\n1',
        b'{"type": "a", "data_length": %d}\n' % (DATA_LIMIT + 1),
        b'{"type": "a", "payload_length": %d}\n' % (PAYLOAD_LIMIT + 1),
        b'{"type": "a", "payload_length": 4294967296}\n',
        b'{"type": "a", "data_length": 2}\n[]',
        b"[" * 15_000 + b"\n",
        b"x" * (HEADER_LIMIT + 1),
    ],
)
def test_what_is_not_the_protocol_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        read(data)


def test_random_bytes_do_no_harm() -> None:
    generator = random.Random(5)  # noqa: S311
    whole = encode(Event("transcribe", {"language": "de"}, b"12"))
    for _ in range(2000):
        data = bytearray(whole)
        for _ in range(generator.randrange(1, 5)):
            data[generator.randrange(len(data))] = generator.randrange(256)
        try:
            read(bytes(data))
        except WireError:
            continue
