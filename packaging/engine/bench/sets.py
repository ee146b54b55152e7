"""Recordings and what is said in them."""

import json
import re
import wave
from pathlib import Path

from dictation_engine.sound import RATE, SAMPLE_BYTES, seconds

LIBRIVOX = Path("/usr/share/pocketsphinx/test/data/librivox")
STEP = RATE // 50 * SAMPLE_BYTES
QUIET = 250
"""Amplitude below which 20 ms are a pause."""
LEAD = bytes(RATE * 3 // 10 * SAMPLE_BYTES)


def recordings(folder: Path | None) -> list[tuple[bytes, str]]:
    """Audio and text. A folder has NAME.wav and NAME.txt, or set.json as Tests/Support/EngineSets writes it."""
    if folder is None:
        names = (LIBRIVOX / "fileids").read_text().split()
        lines = (LIBRIVOX / "transcription").read_text().splitlines()
        texts = [re.sub(r"</?s>|\(.*\)", "", line).strip() for line in lines]
        return [(_read(LIBRIVOX / f"{name}.wav"), text) for name, text in zip(names, texts, strict=True)]
    if (folder / "set.json").is_file():
        return [(_read(Path(file)), text) for file, text in json.loads((folder / "set.json").read_text("utf-8"))]
    return [(_read(path), path.with_suffix(".txt").read_text("utf-8")) for path in sorted(folder.glob("*.wav"))]


def passages(audio: bytes) -> list[bytes]:
    """Cuts as the service does: at a pause of 0.6 s after 6 s, and of 0.3 s after 10 s."""
    found, begin, pause = [], 0, 0.0
    for position in range(0, len(audio) - STEP + 1, STEP):
        pause = pause + 0.02 if _loudest(audio[position : position + STEP]) < QUIET else 0.0
        length = seconds(audio[begin:position]) - pause
        if (length >= 6 and pause >= 0.6) or (length >= 10 and pause >= 0.3):
            found.append(audio[begin:position])
            begin, pause = position, 0.0
    rest = audio[begin:]
    return [*found, rest] if not found or seconds(rest) > 0.5 else found


def onset(audio: bytes) -> float:
    """Seconds to the first loud sound."""
    loud = (n for n in range(0, len(audio) - STEP, STEP) if _loudest(audio[n : n + STEP]) > QUIET)
    return next(loud, 0) / SAMPLE_BYTES / RATE


def _loudest(audio: bytes) -> int:
    return max((abs(sample) for sample in memoryview(audio).cast("h")), default=0)


def _read(path: Path) -> bytes:
    with wave.open(str(path)) as file:
        if (file.getframerate(), file.getsampwidth(), file.getnchannels()) != (RATE, SAMPLE_BYTES, 1):
            raise ValueError(f"{path} must have {RATE} Hz, 16 bits and one channel.")
        return LEAD + bytes(file.readframes(file.getnframes()))
