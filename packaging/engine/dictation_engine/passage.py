"""One passage: its audio, what has to be decoded of it, and its text. No I/O and no clock."""

from dataclasses import dataclass

from dictation_engine.gate import SpeechGate
from dictation_engine.guards import Decoding
from dictation_engine.live_text import LiveText, Partial
from dictation_engine.options import PassageOptions
from dictation_engine.sound import LONGEST, RATE, SAMPLE_BYTES
from dictation_engine.work import Work, WorkKind

FIRST_REFRESH = 0.6
"""Seconds after the beginning of speech."""
REFRESH_INTERVAL = 0.5
REFRESH_COST_FACTOR = 4.0
"""The next refresh waits this many times what the last one cost, so that they use a quarter of a core at most."""
SPEECH_PAUSE = 0.15
"""Seconds of silence after which no refresh begins, because it would delay the final text."""
FINAL_PAUSE = 0.2
"""Seconds of silence after which the final text is decoded ahead."""
SILENCE_INTERVAL = 0.5
"""Seconds of audio without speech after which the client gets the same text again, for more audio."""
LANGUAGE_SECONDS = 3.0
"""Audio after which a certain language is kept for the partial text."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The final text of a passage."""

    text: str
    language: str
    has_speech: bool


class PassageTooLongError(Exception):
    """The client sent more audio than `LONGEST`."""


class Passage:
    """A passage from its first sample to its final text."""

    def __init__(self, options: PassageOptions, language: str, gate: SpeechGate | None = None) -> None:
        self._options = options
        self._language = language
        self._languages = options.languages
        self._gate = gate or SpeechGate()
        self._audio = bytearray()
        self._live = LiveText()
        self._next_refresh: float | None = None
        self._covered = 0.0
        """Seconds of audio that the last partial text covers."""
        self._final: tuple[int, Transcript] | None = None
        self._is_stopped = False

    def add(self, samples: bytes) -> None:
        """Appends samples of 16 bits. Samples after the end are ignored."""
        if self._is_stopped:
            return
        if len(self._audio) + len(samples) > LONGEST * RATE * SAMPLE_BYTES:
            raise PassageTooLongError
        self._audio += samples
        self._gate.add(samples)
        if self._next_refresh is None and self._gate.first_speech is not None:
            self._next_refresh = self._gate.first_speech / RATE + FIRST_REFRESH

    def stop(self) -> None:
        """All audio has come."""
        self._is_stopped = True

    @property
    def next_work(self) -> WorkKind | None:
        """What should be decoded now."""
        if self.transcript or not self._gate.has_speech:
            return None
        if self._is_stopped:
            return WorkKind.FINAL
        if self._gate.silence >= FINAL_PAUSE:
            return None if self._has_valid_final else WorkKind.AHEAD
        is_due = self._next_refresh is not None and self._gate.position / RATE >= self._next_refresh
        if self._options.partials and is_due and self._gate.silence < SPEECH_PAUSE:
            return WorkKind.REFRESH
        return None

    def begin(self, kind: WorkKind) -> Work:
        """The work with the audio so far."""
        # The final text takes all languages into account again.
        languages = self._languages if kind is WorkKind.REFRESH else self._options.languages
        end = len(self._audio) // SAMPLE_BYTES * SAMPLE_BYTES
        return Work(kind, bytes(self._audio[:end]), _preferring(self._language, languages), self._options.terms)

    def finish(self, work: Work, decoding: Decoding, cost: float) -> Partial | None:
        """Takes the result of work that took `cost` seconds. Returns partial text for the client, if it changed."""
        self._next_refresh = work.seconds + max(REFRESH_INTERVAL, REFRESH_COST_FACTOR * cost)
        if decoding.language_is_certain and work.seconds >= LANGUAGE_SECONDS:
            self._languages = (decoding.language,)
        self._language = decoding.language
        is_final = work.kind is not WorkKind.REFRESH
        if is_final:
            refused = decoding.is_no_speech
            transcript = Transcript("" if refused else decoding.text, decoding.language, not refused)
            self._final = (len(work.audio) // SAMPLE_BYTES, transcript)
        if self._is_stopped or not self._options.partials:
            return None
        if decoding.is_no_speech or not (is_final or decoding.is_fit_to_show):
            return None
        partial = self._live.update(decoding.text, work.seconds, decoding.language, is_complete=is_final)
        if partial:
            self._covered = partial.seconds
        return partial

    def silence(self) -> Partial | None:
        """The same text again, if more audio has come in which nobody spoke.

        Otherwise a client could not distinguish noise from a recogniser that is late.
        """
        if self._is_stopped or not self._options.partials:
            return None
        if self._gate.has_speech and not self._has_valid_final:
            return None
        position = self._gate.position / RATE
        if position < self._covered + SILENCE_INTERVAL:
            return None
        self._covered = position
        return self._live.extend(position, self._language)

    @property
    def transcript(self) -> Transcript | None:
        """The final text, once all audio has come and it is known."""
        if not self._is_stopped:
            return None
        if not self._gate.has_speech:
            return Transcript("", self._language, has_speech=False)
        return self._final[1] if self._final and self._has_valid_final else None

    @property
    def _has_valid_final(self) -> bool:
        """True if no speech followed the audio of the final text."""
        return self._final is not None and self._final[0] >= self._gate.last_speech


def _preferring(language: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The languages with the likely one first."""
    return (language, *(other for other in languages if other != language)) if language in languages else languages
