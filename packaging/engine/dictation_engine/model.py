"""The Whisper model, by CTranslate2. Used by one thread."""

import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dictation_engine.guards import Decoding, without_repeats
from dictation_engine.language import LanguageChoice, choose
from dictation_engine.memory import trim
from dictation_engine.sound import LONGEST, RATE, SAMPLE_BYTES
from dictation_engine.vocabulary import Vocabulary
from dictation_engine.work import Work, WorkKind

LEAST_CONTEXT = 8
"""Seconds that the encoder gets at least: below that, short words are repeated."""
SILENCE = 3
"""Seconds of silence behind the audio."""
TOKENS_A_SECOND = {"en": 6.0}
OTHER_TOKENS_A_SECOND = 10.0
"""Languages other than English need more tokens for a word."""
MORE_TOKENS = 6
PLACES = 448
"""Tokens that the model can hold, with the prompt."""


@dataclass(frozen=True, slots=True)
class Search:
    """How thoroughly text is searched."""

    beam: int
    is_second: bool = False
    """A second try gets the context that the model was trained with, no prompt, and room for very fast speech."""


PARTIAL = Search(beam=1)
FINAL = Search(beam=5)
SECOND = Search(beam=5, is_second=True)


class Recogniser:
    """Decodes audio with the model in a folder, which it loads when it is first needed."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self._folder = folder
        self._threads = threads
        self._vocabulary = Vocabulary(folder)
        self._loaded: _Loaded | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the model's languages."""
        return self._vocabulary.languages

    def load(self) -> None:
        """Loads the model: about half a second for the small ones."""
        self._model()

    def rest(self) -> None:
        """Gives back the memory of the last passage."""
        trim()

    def decode(self, work: Work) -> Decoding:
        """Decodes a piece of work."""
        if work.kind is WorkKind.REFRESH:
            return self._decode(work, PARTIAL)
        decoding = self._decode(work, FINAL)
        if not (decoding.loops or decoding.is_doubled or decoding.is_cut):
            return decoding
        again = self._decode(work, SECOND)
        if again.loops:
            return Decoding(without_repeats(again.text), again.language, log_probability=again.log_probability)
        return again

    def rehearse(self, seconds: int, words: int) -> None:
        """Does the work of a final text of so many words, whatever the sound is."""
        model = self._model()
        encoded = model.encode(bytes(seconds * RATE * SAMPLE_BYTES), max(LEAST_CONTEXT, seconds + SILENCE))
        prompt = self._vocabulary.prompt((), self.languages[0])
        # Without the token that ends the text, the text has this length.
        model.whisper.generate(
            encoded, [prompt], beam_size=FINAL.beam, max_length=4 * words, suppress_tokens=[-1, self._vocabulary.end]
        )

    def _decode(self, work: Work, search: Search) -> Decoding:
        seconds = LONGEST if search.is_second else min(LONGEST, max(LEAST_CONTEXT, math.ceil(work.seconds + SILENCE)))
        model = self._model()
        encoded = model.encode(work.audio, seconds)
        choice = self._choose(model, encoded, work)
        if search.is_second:
            work = replace(work, terms=())
        best = self._best(model, encoded, work, choice.languages, search)
        if work.terms and search == FINAL and not _contains(best.text, work.terms):
            # None of the user's words was said: a prompt of names makes other words worse.
            best = self._best(model, encoded, replace(work, terms=()), (best.language,), search)
        return replace(best, language_is_certain=choice.is_certain)

    def _best(
        self,
        model: "_Loaded",
        encoded: Any,  # noqa: ANN401
        work: Work,
        languages: tuple[str, ...],
        search: Search,
    ) -> Decoding:
        decodings = [self._generate(model, encoded, work, language, search) for language in languages]
        return max(decodings, key=lambda decoding: decoding.plausibility)

    def _generate(
        self,
        model: "_Loaded",
        encoded: Any,  # noqa: ANN401
        work: Work,
        language: str,
        search: Search,
    ) -> Decoding:
        prompt = self._vocabulary.prompt(work.terms, language)
        rate = TOKENS_A_SECOND.get(language, OTHER_TOKENS_A_SECOND)
        limit = int((2 * rate if search.is_second else rate) * work.seconds) + MORE_TOKENS
        limit = min(limit, PLACES // 2, PLACES - len(prompt))
        # CTranslate2 stops at max_length / 2 or at max_length - prompt, whichever is less.
        result = model.whisper.generate(
            encoded,
            [prompt],
            beam_size=search.beam,
            max_length=max(2 * limit, len(prompt) + limit),
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        tokens = result.sequences_ids[0]
        return Decoding(
            text=self._vocabulary.text(tokens),
            language=language,
            # The score is the sum by the number of tokens, without the one that ends the text.
            log_probability=result.scores[0] * len(tokens) / (len(tokens) + 1),
            no_speech=result.no_speech_prob,
            is_cut=len(tokens) >= limit,
        )

    def _choose(self, model: "_Loaded", encoded: Any, work: Work) -> LanguageChoice:  # noqa: ANN401
        if len(work.languages) == 1:
            return LanguageChoice(work.languages, is_certain=True)
        found = {token[2:-2]: probability for token, probability in model.whisper.detect_language(encoded)[0]}
        return choose(work.languages, found)

    def _model(self) -> "_Loaded":
        if self._loaded is None:
            self._loaded = _Loaded(self._folder, self._threads)
        return self._loaded


def _contains(text: str, terms: tuple[str, ...]) -> bool:
    letters = _letters(text)
    return any(_letters(term) in letters for term in terms)


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


class _Loaded:
    """The model in memory."""

    def __init__(self, folder: Path, threads: int) -> None:
        # These take a tenth of a second and 50 MB, so they are imported with the first passage.
        import ctranslate2  # noqa: PLC0415

        from dictation_engine.mel import MelSpectrogram  # noqa: PLC0415

        load = ctranslate2.models.Whisper
        self.whisper: Any = None
        if ctranslate2.get_cuda_device_count() > 0:
            try:
                self.whisper = load(str(folder), device="cuda", compute_type="float16")
            except RuntimeError as error:
                print(f"The GPU cannot be used: {error}", file=sys.stderr)
        if self.whisper is None:
            self.whisper = load(str(folder), device="cpu", compute_type="int8", intra_threads=threads)
        trim()
        self._mel = MelSpectrogram(self.whisper.n_mels)
        self._storage = ctranslate2.StorageView.from_array

    def encode(self, audio: bytes, seconds: int) -> Any:  # noqa: ANN401
        """What the encoder makes of audio, followed by silence up to `seconds`."""
        return self.whisper.encode(self._storage(self._mel(audio, seconds)[None]))
