"""A Wyoming server that behaves as its tests ask for: scripted-engine.py unix:PATH|tcp:PORT [MODE [TEXT]].

Lines on its input change the mode: "MODE TEXT". "mark N" is written to its output again. What it received is told on its output: "describe", "transcribe LANGUAGE NAMES TERMS", "audio N" with the
number of samples at audio-stop, "answered SECONDS" of the monotonic clock, "gone" when a client leaves before the answer, "pong" when it has answered a ping. In the mode "keep" the samples of the
first passage are written to the file TEXT.0, of the next to TEXT.1 and so on. In the mode "tones" it recognises tones like the service's scripted engine.
It says that it detects speech itself, which no tone is, unless it has the argument --no-detector. With --no-languages its list of languages is empty.

Modes that begin with "revise" and "append" give text during speech, every 0.3 s of audio: the tones so far, without the one that may go on. They are announced
to clients that ask while the mode is set. What follows the word, if anything, happens after 2 s of a passage: "revise-close" closes the connection, and so on: see
live_fault(). "revise-wrong" revises every text: it first writes the last tone in capitals.
"""
import array
import json
import os
import signal
import socket
import sys
import threading
import time

detects_speech = "--no-detector" not in sys.argv
languages = [] if "--no-languages" in sys.argv else ["en", "de"]
sys.argv = [argument for argument in sys.argv if not argument.startswith("--no-")]
mode = sys.argv[2] if len(sys.argv) > 2 else "answer"
text = sys.argv[3] if len(sys.argv) > 3 else "Hello from the engine."


kept = 0


def tell(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def message(kind, **data):
    body = json.dumps(data).encode() if data else b""
    header = {"type": kind, "version": "1.10.2"}
    if body:
        header["data_length"] = len(body)
    return json.dumps(header).encode() + b"\n" + body


def is_live():
    return mode.startswith(("revise", "append"))


def info():
    kinds = {"revise": {"transcript_partials": 1}, "append": {"supports_transcript_streaming": True}}
    return message(
        "info",
        asr=[
            {
                **kinds.get(mode.split("-")[0], {}),
                "name": "scripted",
                "version": "1",
                "installed": True,
                "detects_speech": detects_speech,
                "models": [{"name": "m", "installed": True, "languages": languages}],
            }
        ],
    )


def tones(sound):
    """The tones as words: see ScriptedEngine.swift."""
    words, tone, length, crossings, peak, was_negative = [], None, 0, 0, 0, False
    for position, sample in enumerate(array.array("h", sound[: len(sound) // 2 * 2]), 1):
        crossings += (sample < 0) != was_negative
        was_negative = sample < 0
        peak = max(peak, abs(sample))
        if position % 320:
            continue
        frequency = (crossings * 25 + 50) // 100 * 100
        heard = frequency if peak >= 160 and 100 <= frequency <= 4000 else None
        length = length + 1 if heard == tone else 1
        tone = heard
        if tone and length == 5:
            words.append(f"t{tone}")
        crossings = peak = 0
    return " ".join(words)


def answer(client, samples, sound):
    spoken = text.replace("{samples}", str(samples))
    if mode == "tones":
        client.sendall(message("transcript", text=tones(sound)))
    elif is_live():
        tell(f"answered {time.monotonic()}")
        spoken = tones(sound)
        if mode.startswith("append"):
            client.sendall(message("transcript-stop"))
        client.sendall(message("transcript", text=spoken.capitalize(), language="en", speech=bool(spoken)))
    elif mode == "answer":
        tell(f"answered {time.monotonic()}")
        client.sendall(message("transcript", text=spoken))
    elif mode == "keep":
        client.sendall(message("transcript", text="kept"))
    elif mode == "hold":
        # Answers when it is told another mode.
        while mode == "hold":
            time.sleep(0.01)
        client.sendall(message("transcript", text=spoken))
    elif mode == "stop-first":
        client.sendall(message("transcript-stop"))
        client.sendall(message("transcript", text=spoken))
    elif mode == "deltas-stop":
        client.sendall(message("transcript-start") + message("transcript-chunk", text=spoken[:4]))
        client.sendall(message("transcript-chunk", text=spoken[4:]) + message("transcript-stop"))
        time.sleep(30)
    elif mode == "nothing-stop":
        client.sendall(message("transcript-stop"))
    elif mode == "error":
        client.sendall(message("error", text=spoken, code="\x1b[31msecret"))
    elif mode == "close":
        pass
    elif mode == "hang":
        client.recv(1)
    elif mode == "garbage":
        client.sendall(os.urandom(4096) + b"\n" * 10)
    elif mode == "no-newline":
        while True:
            client.sendall(b"x" * 65536)
    elif mode == "negative":
        client.sendall(b'{"type": "transcript", "data_length": -1}\n')
    elif mode == "huge":
        client.sendall(b'{"type": "transcript", "data_length": 4294967296}\n')
        while True:
            client.sendall(b"x" * 65536)
    elif mode == "deltas":
        while True:
            client.sendall(message("transcript-chunk", text="word "))
    elif mode == "pings":
        while True:
            client.sendall(message("ping"))
    elif mode == "slow":
        for byte in message("transcript", text=spoken):
            client.sendall(bytes([byte]))
            time.sleep(1)
    elif mode in ("killed-mid-answer", "stopped-mid-answer"):
        client.sendall(message("transcript", text=spoken)[:30])
        die()
    elif mode in ("killed-after-stop", "stopped-after-stop"):
        die()


class LiveText:
    """The text of a passage while it is spoken."""

    def __init__(self, client):
        self.client, self.revision, self.told, self.due = client, 0, "", 4800

    def hear(self, sound):
        if len(sound) // 2 < self.due:
            return
        self.due = len(sound) // 2 + 4800
        if len(sound) // 2 >= 32000:
            live_fault(self.client)
        words = tones(sound).split()[:-1]
        said = " ".join(words)
        if mode.startswith("append"):
            if not self.told:
                self.client.sendall(message("transcript-start"))
            if said != self.told:
                self.client.sendall(message("transcript-chunk", text=said[len(self.told):]))
            self.told = said
            return
        if mode == "revise-wrong" and words:
            said = " ".join([*words[:-1], words[-1].upper()])
        if said == self.told:
            return
        self.told = said
        self.revision += 1
        tell(f"partial {said}")
        self.client.sendall(
            message(
                "transcript-partial",
                revision=self.revision,
                settled=" ".join(words[:-1]),
                volatile=said.split()[-1] if words else "",
                audio_ms=len(sound) // 32,
                language="en",
            )
        )


def live_fault(client):
    fault = mode.partition("-")[2]
    if fault == "close":
        raise OSError
    elif fault in ("killed", "stopped"):
        os.kill(os.getpid(), signal.SIGKILL if fault == "killed" else signal.SIGSTOP)
        time.sleep(0.1)
    elif fault == "hang":
        while mode == "revise-hang":
            time.sleep(0.01)
    elif fault == "slow":
        time.sleep(0.5)
    elif fault == "garbage":
        client.sendall(os.urandom(4096) + b"\n" * 10)
    elif fault == "early":
        client.sendall(message("transcript", text="too early"))
    elif fault == "long":
        client.sendall(message("transcript-partial", revision=99, settled="x" * 100000, volatile="", audio_ms=1))
    elif fault == "flood":
        while True:
            client.sendall(message("transcript-partial", revision=99, settled="flood", volatile="", audio_ms=1))
    elif fault == "error":
        client.sendall(message("error", text="a fault", code="model-failed"))
        raise OSError


def keep(sound):
    global kept
    with open(f"{text}.{kept}", "wb") as file:
        file.write(sound)
    kept += 1


def die():
    """Other threads may go on for a moment."""
    os.kill(os.getpid(), signal.SIGKILL if mode.startswith("killed") else signal.SIGSTOP)
    time.sleep(600)


def serve(client):
    stream = client.makefile("rb")
    samples = 0
    sound = b""
    live = LiveText(client)
    partials = False
    try:
        while True:
            line = stream.readline()
            if not line:
                tell("gone")
                return
            header = json.loads(line)
            data = stream.read(header.get("data_length") or 0)
            payload = stream.read(header.get("payload_length") or 0)
            samples += len(payload) // 2
            if mode in ("keep", "tones") or is_live():
                sound += payload
            kind = header["type"]
            if is_live() and kind == "audio-chunk" and partials:
                live.hear(sound)
            if kind == "transcribe":
                asked = json.loads(data or b"{}")
                partials = asked.get("partials", False) or mode.startswith("append")
                if "languages" in asked:
                    tell(f"languages {','.join(asked['languages'])}")
                words = [",".join(asked.get(key) or []) for key in ("transcript_names", "transcript_terms")]
                tell(f"transcribe {asked.get('language')} {words[0]} {words[1]}")
            if kind == "ping" and is_live():
                client.sendall(message("pong"))
                tell("pong")
            if kind == "describe":
                tell("describe")
                if mode != "mute":
                    client.sendall(info())
                return
            if kind == "audio-chunk" and mode in ("killed-mid-audio", "stopped-mid-audio"):
                die()
            if kind == "audio-chunk" and mode == "close-mid-audio":
                return
            if kind == "audio-stop":
                if mode == "keep":
                    keep(sound)
                tell(f"audio {samples}")
                answer(client, samples, sound)
                return
    except OSError:
        tell("gone")
    finally:
        try:
            client.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        client.close()


def accept(server):
    while True:
        client, _ = server.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()


place = sys.argv[1]
if place.startswith("unix:"):
    path = place[5:]
    if os.path.exists(path):
        os.unlink(path)
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
else:
    server = socket.create_server(("127.0.0.1", int(place[4:])))
server.listen(64)
tell(f"ready {server.getsockname()[1] if place.startswith('tcp:') else ''}")
threading.Thread(target=accept, args=(server,), daemon=True).start()
for line in sys.stdin:
    parts = line.rstrip("\n").split(" ", 1)
    if parts[0] == "mark":
        tell(line.rstrip("\n"))
        continue
    mode = parts[0]
    text = parts[1] if len(parts) > 1 else text
