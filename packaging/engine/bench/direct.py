"""What the model writes of whole recordings without the engine, and where each spoken word ends.

    packaging/engine/bench/direct [base | tiny.en] LANGUAGE FOLDER

FOLDER has NAME.wav, of 30 s at most, and NAME.txt, which has the spoken words without marks. Prints a JSON object for
each, in the order of names: `text`, and `ends`, the end of each word in seconds.
"""

import argparse
import json
import sys
import wave
from pathlib import Path
from typing import Any

import ctranslate2
from tokenizers import Tokenizer

from dictation_engine.machine import usual_threads
from dictation_engine.mel import FRAMES_A_SECOND, MelSpectrogram
from dictation_engine.sound import LONGEST, seconds
from dictation_engine.vocabulary import Vocabulary

LONGEST_WORD = 0.8
"""Seconds. The model puts the end of a word before a pause where the next word begins."""
STEP = 0.02
"""Seconds between positions of the decoder."""


class Whisper:
    """The model as its authors use it: 30 s of context, and a beam of 5."""

    def __init__(self, folder: Path, language: str) -> None:
        self._model: Any = ctranslate2.models.Whisper(
            str(folder), device="cpu", compute_type="int8", intra_threads=usual_threads()
        )
        self._mel = MelSpectrogram(self._model.n_mels)
        self._vocabulary = Vocabulary(folder)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._prompt = self._vocabulary.prompt((), language)

    def read(self, audio: bytes, words: list[str]) -> dict[str, Any]:
        """What is written of the audio, and where its words end."""
        features = ctranslate2.StorageView.from_array(self._mel(audio, LONGEST)[None])
        encoded = self._model.encode(features)
        result = self._model.generate(encoded, [self._prompt], beam_size=5)[0]
        return {
            "text": self._vocabulary.text(result.sequences_ids[0]),
            "ends": self._ends(encoded, words, seconds(audio)),
        }

    def _ends(self, encoded: Any, words: list[str], length: float) -> list[float]:  # noqa: ANN401
        pieces = [self._tokenizer.encode(f" {word}", add_special_tokens=False).ids for word in words]
        tokens = [token for piece in pieces for token in piece]
        start = self._prompt[:-1]
        aligned = self._model.align(encoded, start, [tokens], int(length * FRAMES_A_SECOND))[0].alignments
        begins = [length] * (len(tokens) + 1)
        for token, position in aligned:
            if token < len(tokens):
                begins[token] = min(begins[token], position * STEP)
        ends, place = [], 0
        for piece in pieces:
            begin = begins[place]
            place += len(piece)
            ends.append(round(min(begins[place], begin + LONGEST_WORD), 2))
        return ends


def main() -> int:
    """Prints an object for each recording."""
    parser = argparse.ArgumentParser(prog="direct", description="Ask the model without the engine.")
    parser.add_argument("model", type=Path)
    parser.add_argument("language")
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    whisper = Whisper(arguments.model, arguments.language)
    for path in sorted(arguments.folder.glob("*.wav")):
        with wave.open(str(path)) as file:
            audio = file.readframes(file.getnframes())
        print(json.dumps(whisper.read(audio, path.with_suffix(".txt").read_text("utf-8").split())), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
