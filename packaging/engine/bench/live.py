"""Measures text while somebody speaks, in virtual time: a decode lasts as long as its processor time.

    packaging/engine/bench/live [base | tiny.en] [FOLDER]...

So the figures are those of a quiet machine, though each decode is dearer beside other work. FOLDER is a set of
recordings; without one it is the five of Debian's pocketsphinx-testdata. `packaging/bench recognition live` measures
the service.
"""

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.screen import Screen, errors_by_length, words_of
from bench.sets import onset, passages, recordings
from dictation_engine.machine import usual_threads
from dictation_engine.model import Recogniser
from dictation_engine.options import PassageOptions
from dictation_engine.passage import Passage, Transcript
from dictation_engine.sound import RATE, SAMPLE_BYTES, seconds

CHUNK = 0.05
PAUSE = bytes(RATE * 6 // 10 * SAMPLE_BYTES)
"""Silence before a client ends a passage."""


@dataclass
class Spoken:
    """What came of a passage."""

    transcript: Transcript
    texts: list[tuple[float, str]]
    end: float
    """When the client ended it."""
    delay: float
    processor: float


class Speaker:
    """Speaks passages to the engine."""

    def __init__(self, model: Path, language: str, threads: int) -> None:
        self._recogniser = Recogniser(model, threads)
        self._recogniser.load()
        self._language = language
        self._threads = threads

    def speak(self, audio: bytes) -> Spoken:
        """Speaks audio at its pace. While something is decoded, more of it comes."""
        passage = Passage(PassageOptions((self._language,), partials=True), self._language)
        texts: list[tuple[float, str]] = []
        end, now, given, processor = seconds(audio), 0.0, 0, 0.0
        while True:
            heard = len(audio) if now >= end else int(now / CHUNK + 1e-6) * int(CHUNK * RATE) * SAMPLE_BYTES
            passage.add(audio[given:heard])
            given = max(given, heard)
            if now >= end:
                passage.stop()
            if passage.transcript:
                return Spoken(passage.transcript, texts, end, max(0.0, now - end), processor)
            kind = passage.next_work
            if kind is None:
                now += CHUNK
                continue
            work = passage.begin(kind)
            begin = time.process_time()
            decoding = self._recogniser.decode(work)
            cost = time.process_time() - begin
            processor += cost
            now += cost / self._threads
            partial = passage.finish(work, decoding, cost)
            if partial:
                texts.append((now, f"{partial.settled} {partial.volatile}".strip()))


def main() -> int:
    """Prints a line for each set."""
    parser = argparse.ArgumentParser(prog="live", description="Measure text while somebody speaks.")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--language", default="en")
    parser.add_argument("--threads", type=int, default=usual_threads())
    parser.add_argument("folder", type=Path, nargs="*")
    arguments = parser.parse_args()
    speaker = Speaker(arguments.model, arguments.language, arguments.threads)
    for folder in arguments.folder or [None]:
        print(f"{folder.name if folder else 'L5'}, {arguments.model.name}: {_measure(speaker, folder)}", flush=True)
    return 0


def _measure(speaker: Speaker, folder: Path | None) -> str:
    screen, delays = Screen(), []
    errors = words = 0
    length = processor = 0.0
    for audio, reference in recordings(folder):
        text = ""
        for part in passages(audio):
            spoken = speaker.speak(part + PAUSE)
            screen.add(spoken.texts, onset(part), spoken.end + spoken.delay, text, reference)
            text = f"{text} {spoken.transcript.text}".strip()
            delays.append(spoken.delay)
            length += seconds(part)
            processor += spoken.processor
        errors += errors_by_length(words_of(text), words_of(reference))[-1]
        words += len(words_of(reference))
    delays.sort()
    return (
        f"{length:.0f} s; on the screen {100 * screen.wrong / max(1, screen.shown):.1f} % wrong, "
        f"{100 * screen.changed / max(1, screen.compared):.1f} % changed; "
        f"first text after {median(screen.firsts):.2f} s; "
        f"errors at last {errors} of {words} = {100 * errors / words:.1f} %; end to final text "
        f"{1000 * median(delays):.0f} ms, 90 of 100 within {1000 * delays[int(0.9 * (len(delays) - 1))]:.0f} ms, "
        f"worst {1000 * delays[-1]:.0f} ms; {processor / length:.2f} of a core"
    )


if __name__ == "__main__":
    sys.exit(main())
