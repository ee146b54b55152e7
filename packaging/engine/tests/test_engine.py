"""The engine itself, in its own process, with its models and recorded speech."""

import asyncio
import json
import os
import random
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from dictation_engine.sound import RATE
from dictation_engine.wire import Event
from tests.support import FORMAT, MODELS, PATIENCE, PROGRAM, Client, connected, recording, serving, silence

Data = dict[str, Any]
T = TypeVar("T")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("engine")


@pytest.fixture(scope="module")
def english(folder: Path) -> Iterator[Path]:
    with serving(folder) as path:
        yield path


@pytest.fixture(scope="module")
def multilingual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with serving(tmp_path_factory.mktemp("base"), "base") as path:
        yield path


def with_client(path: Path, use: Callable[[Client], Awaitable[T]]) -> T:
    async def run() -> T:
        async with connected(path) as client:
            return await use(client)

    return asyncio.run(run())


async def dictate(client: Client, audio: bytes, **options: object) -> Data:
    await client.begin(**options)
    await client.speak(audio)
    return await client.finish()


def synthetic(folder: Path, text: str, voice: str = "en") -> bytes:
    """Speech of espeak-ng."""
    spoken, converted = folder / "spoken.wav", folder / "spoken.raw"
    subprocess.run(["/usr/bin/espeak-ng", "-v", voice, "-s", "150", "-w", spoken, text], check=True)
    raw = ["-r", str(RATE), "-e", "signed", "-b", "16", "-c", "1", "-t", "raw"]
    subprocess.run(["/usr/bin/sox", "-V1", spoken, *raw, converted], check=True)
    return silence(0.3) + converted.read_bytes() + silence(0.7)


def test_the_engine_says_what_it_is(english: Path, multilingual: Path) -> None:
    async def info(client: Client) -> Data:
        await client.send("describe")
        event = await client.receive()
        assert event is not None
        assert event.type == "info"
        program: Data = event.data["asr"][0]
        return program

    program = with_client(english, info)
    assert program["name"] == "dictation-engine"
    assert program["transcript_partials"] == 1
    assert program["models"][0]["languages"] == ["en"]
    languages = with_client(multilingual, info)["models"][0]["languages"]
    assert len(languages) == 99
    assert {"en", "de", "fr", "es", "zh"} <= set(languages)


def test_text_appears_while_somebody_speaks(english: Path) -> None:
    """The rest of the sentence is said after the first words have been shown."""
    speech = silence(0.3) + recording("0870")

    async def listen(client: Client) -> tuple[list[str], Data]:
        await client.begin(partials=True, language="en")
        half = len(speech) // 4 * 2
        await client.speak(speech[:half])
        while not any(texts := [f"{p['settled']} {p['volatile']}".strip() for p in client.partials]):
            assert await client.receive() is not None
        await client.speak(speech[half:] + silence(0.7))
        return [text for text in texts if text], await client.finish()

    shown, final = with_client(english, listen)
    assert shown[0]
    assert "to do for them" not in shown[0]
    assert final["text"].endswith("prudently in his power to do for them.")
    assert final["language"] == "en"
    assert final["speech"] is True


def test_partial_texts_have_growing_revisions_and_positions(english: Path) -> None:
    async def listen(client: Client) -> list[dict[str, int]]:
        await client.begin(partials=True)
        audio = silence(0.3) + recording("0870")
        for position in range(0, len(audio), RATE * 2):
            await client.speak(audio[position : position + RATE * 2])
            await asyncio.sleep(0.2)
        await client.finish()
        return client.partials

    partials = with_client(english, listen)
    assert [p["revision"] for p in partials] == list(range(1, len(partials) + 1))
    positions = [p["audio_ms"] for p in partials]
    assert positions == sorted(set(positions))


def test_a_standard_client_gets_the_transcript_alone(english: Path) -> None:
    async def listen(client: Client) -> Data:
        final = await dictate(client, recording("0880"))
        assert client.partials == []
        return final

    assert "young man" in with_client(english, listen)["text"]


def test_silence_is_answered_without_text(english: Path) -> None:
    for audio in (b"", silence(2), b"\0\0"):

        async def listen(client: Client, audio: bytes = audio) -> Data:
            return await dictate(client, audio, partials=True)

        assert with_client(english, listen) == {"text": "", "language": "en", "speech": False}


def test_short_words_are_kept(english: Path, tmp_path: Path) -> None:
    for word in ("Yes.", "No.", "Thank you.", "Okay."):
        audio = synthetic(tmp_path, word)

        async def listen(client: Client, audio: bytes = audio) -> Data:
            return await dictate(client, audio, partials=True)

        final = with_client(english, listen)
        assert final["text"], word
        assert final["speech"], word


def test_the_users_words_are_written_as_the_user_spells_them(multilingual: Path, tmp_path: Path) -> None:
    audio = synthetic(tmp_path, "Please ask Wireplumber about the meeting with Kowalski.")

    async def listen(client: Client) -> Data:
        return await dictate(client, audio, language="en", transcript_names=["Kowalski", "WirePlumber"])

    assert "Kowalski" in with_client(multilingual, listen)["text"]


def test_words_that_nobody_says_change_nothing(multilingual: Path) -> None:
    names = ["Kowalski", "WirePlumber", "Grafana", "Tempranillo", "Podman", "Wikidata", "Zotero"]
    audio = silence(0.3) + recording("0890") + silence(0.5)
    texts = []
    for options in ({}, {"transcript_names": names}):

        async def listen(client: Client, options: dict[str, list[str]] = options) -> Data:
            return await dictate(client, audio, language="en", **options)

        texts.append(with_client(multilingual, listen)["text"])
    assert texts[0] == texts[1]


@pytest.mark.parametrize("languages", [["en-GB", "de-DE"], ["de-DE", "en-GB"]])
def test_the_language_is_detected_among_the_users(languages: list[str], multilingual: Path, tmp_path: Path) -> None:
    german = synthetic(tmp_path, "Guten Morgen, ich habe Ihren Brief gestern bekommen und gelesen.", "de")
    # Here the model believes in other languages.
    unclear = synthetic(tmp_path, "Meine Schwester arbeitet seit einem Jahr in einem großen Krankenhaus.", "de")
    for audio, language, word in (
        (german, "de", "Morgen"),
        (unclear, "de", "einem"),
        (silence(0.3) + recording("0880") + silence(0.5), "en", "young man"),
    ):

        async def listen(client: Client, audio: bytes = audio) -> Data:
            return await dictate(client, audio, languages=languages, partials=True)

        final = with_client(multilingual, listen)
        assert final["language"] == language, final["text"]
        assert word in final["text"]


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([Event("audio-stop")], "no-audio-start"),
        ([Event("audio-chunk", FORMAT, b"12")], "no-audio-start"),
        ([Event("audio-start", FORMAT), Event("audio-start", FORMAT)], "second-passage"),
        ([Event("audio-start", FORMAT | {"rate": 8000})], "format"),
        ([Event("audio-start", FORMAT), Event("audio-chunk", FORMAT | {"channels": 2}, b"1234")], "format"),
        ([Event("transcribe", {"language": "de"}), Event("audio-start", FORMAT)], "language"),
        ([Event("audio-start", FORMAT), *[Event("audio-chunk", {}, b"\0" * 200_000)] * 5], "too-long"),
    ],
)
def test_mistakes_are_answered_with_an_error(english: Path, messages: list[Event], code: str) -> None:
    async def make_mistake(client: Client) -> Event | None:
        for message in messages:
            await client.send(message.type, message.data, message.payload)
        answer = await client.receive()
        assert await client.receive() is None
        return answer

    answer = with_client(english, make_mistake)
    assert answer is not None
    assert (answer.type, answer.data["code"]) == ("error", code)
    assert answer.data["text"]


def test_unknown_messages_are_ignored(english: Path) -> None:
    async def listen(client: Client) -> Data:
        await client.send("select-program", {"name": "other"})
        return await dictate(client, silence(0.2))

    assert with_client(english, listen)["text"] == ""


def test_a_ping_is_answered_while_the_engine_decodes(english: Path) -> None:
    async def ask(client: Client) -> list[str]:
        await client.begin()
        await client.speak(recording("0870"))
        await client.send("audio-stop")
        await client.send("ping")
        events = [await client.receive(), await client.receive()]
        return [event.type for event in events if event]

    assert with_client(english, ask) == ["pong", "transcript"]


def test_closing_cancels_a_passage_and_serves_the_next(english: Path) -> None:
    async def leave(client: Client) -> None:
        await client.begin(partials=True)
        await client.speak(recording("0870"))

    for _ in range(10):
        with_client(english, leave)

    async def listen(client: Client) -> Data:
        return await dictate(client, recording("0880"))

    assert "young man" in with_client(english, listen)["text"]


def test_a_client_that_does_not_read_or_write_hinders_nobody(english: Path) -> None:
    idle = [socket.socket(socket.AF_UNIX) for _ in range(10)]
    for number, client in enumerate(idle):
        client.connect(str(english))
        client.sendall(b'{"type": "describe"}\n' * (number * 40))

    async def listen(client: Client) -> Data:
        return await dictate(client, recording("0880"), partials=True)

    assert "young man" in with_client(english, listen)["text"]
    for client in idle:
        client.close()


def test_hostile_bytes_end_their_connection_alone(english: Path) -> None:
    generator = random.Random(3)  # noqa: S311
    start = b'{"type": "audio-start", "data": {"rate": 16000, "width": 2, "channels": 1}}\n'
    attacks = [generator.randbytes(generator.randrange(1, 4000)) for _ in range(30)]
    attacks += [start + generator.randbytes(500), b'{"type": "x", "payload_length": 1e9}\n', b"{" * 100_000]
    attacks += [start + b'{"type": "audio-chunk", "payload_length": 3}\nabc{"type": "audio-stop"}\n']
    for attack in attacks:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE)
            client.connect(str(english))
            try:
                client.sendall(attack)
                client.shutdown(socket.SHUT_WR)
                while client.recv(4096):
                    continue
            except (ConnectionResetError, BrokenPipeError):
                continue

    async def listen(client: Client) -> Data:
        return await dictate(client, recording("0880"))

    assert "young man" in with_client(english, listen)["text"]


def test_connections_are_limited(tmp_path: Path) -> None:
    clients = [socket.socket(socket.AF_UNIX) for _ in range(40)]
    refused = 0
    with serving(tmp_path) as path:
        for client in clients:
            client.connect(str(path))
            client.settimeout(PATIENCE)
            try:
                client.sendall(b'{"type": "describe"}\n')
                refused += not client.recv(1)
            except (ConnectionResetError, BrokenPipeError):
                refused += 1
    assert refused == 8
    for client in clients:
        client.close()


def test_nothing_that_was_said_is_written(english: Path, folder: Path) -> None:
    async def listen(client: Client) -> Data:
        return await dictate(client, recording("0870"), partials=True, transcript_names=["Dashwood"])

    with_client(english, listen)
    assert {path.name for path in folder.rglob("*")} == {"engine.sock", "log"}
    assert (folder / "log").read_text() == ""
    assert stat.S_IMODE(english.stat().st_mode) == 0o600


def test_a_model_that_cannot_be_loaded_is_an_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(MODELS / "tiny.en", broken, copy_function=os.symlink)
    (broken / "model.bin").unlink()
    (broken / "model.bin").write_bytes(b"no model")
    (tmp_path / "run").mkdir()

    async def listen(client: Client) -> Event | None:
        await client.begin()
        await client.speak(recording("0880"))
        await client.send("audio-stop")
        return await client.receive()

    with serving(tmp_path / "run", str(broken)) as path:
        answer = with_client(path, listen)
    assert answer is not None
    assert (answer.type, answer.data["code"]) == ("error", "model-failed")
    assert "model cannot be loaded" in (tmp_path / "run" / "log").read_text()


def test_a_folder_without_a_model_is_refused_at_the_start(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-B", "-m", "dictation_engine", "serve", "--model", tmp_path, "--socket", tmp_path / "s"],
        env={"PYTHONPATH": str(PROGRAM)},
        capture_output=True,
        check=False,
    )
    assert result.returncode == 1
    assert b"has no config.json" in result.stderr
    assert not (tmp_path / "s").exists()


def test_the_answers_are_json_that_any_client_can_read(english: Path) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(english))
        client.sendall(b'{"type": "describe"}\n')
        with client.makefile("rb") as answer:
            header = json.loads(answer.readline())
            assert header["type"] == "info"
            assert "asr" in json.loads(answer.read(header["data_length"]))
