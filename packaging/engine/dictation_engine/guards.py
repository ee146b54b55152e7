"""Recognises text that the model invented."""

import zlib
from dataclasses import dataclass

COMPRESSION_LIMIT = 2.4
"""Text that can be compressed more than this repeats itself. The limit is that of the model's authors."""
PLAIN_REPETITION = 1.2
"""The repetition of ordinary sentences is less."""
REFRESH_LOG_PROBABILITY = -0.8
"""Mean log probability below which partial text is not shown."""
FINAL_LOG_PROBABILITY = -1.0
FINAL_NO_SPEECH = 0.6
REPEATS = 3
"""A text that repeats itself keeps this many of equal neighbours."""


@dataclass(frozen=True, slots=True)
class Decoding:
    """What the model made of some audio."""

    text: str
    language: str
    language_is_certain: bool = True
    log_probability: float = 0.0
    """Mean of the tokens' log probabilities."""
    no_speech: float = 0.0
    """Probability that nobody spoke, as the model sees it."""
    is_cut: bool = False
    """True if the text reached the limit of tokens."""

    @property
    def repetition(self) -> float:
        """How much the text can be compressed: about 1 for what people say, more if it repeats itself."""
        data = self.text.encode()
        return len(data) / len(zlib.compress(data)) if data else 0.0

    @property
    def loops(self) -> bool:
        """True if the text repeats itself."""
        return self.repetition > COMPRESSION_LIMIT

    @property
    def plausibility(self) -> float:
        """For comparing texts of the same audio in several languages. In the wrong one the text repeats itself, too."""
        return self.log_probability - max(0.0, self.repetition - PLAIN_REPETITION)

    @property
    def is_doubled(self) -> bool:
        """True if the text is the same words twice. People also say that, but the model more often repeats itself."""
        words = [word for item in self.text.split() if (word := "".join(c for c in item.lower() if c.isalnum()))]
        half = len(words) // 2
        return half > 0 and words[:half] == words[half:]

    @property
    def is_fit_to_show(self) -> bool:
        """True if it may be shown while speech goes on."""
        return (
            bool(self.text)
            and not (self.is_cut or self.loops or self.is_doubled)
            and self.log_probability >= REFRESH_LOG_PROBABILITY
        )

    @property
    def is_no_speech(self) -> bool:
        """True if the model is unsure of the words and thinks that there are none."""
        return self.log_probability < FINAL_LOG_PROBABILITY and self.no_speech > FINAL_NO_SPEECH


def without_repeats(text: str) -> str:
    """The text with at most `REPEATS` equal groups of words in a row."""
    words = text.split()
    for size in range(1, len(words) // (REPEATS + 1) + 1):
        kept: list[str] = []
        for word in words:
            kept.append(word)
            if len(kept) >= size * (REPEATS + 1):
                groups = [kept[len(kept) - size * (n + 1) : len(kept) - size * n] for n in range(REPEATS + 1)]
                if all(group == groups[0] for group in groups):
                    del kept[-size:]
        words = kept
    return " ".join(words)
