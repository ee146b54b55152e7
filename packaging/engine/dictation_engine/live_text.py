"""Partial text: what is shown of a decoding while speech goes on."""

import re
from dataclasses import dataclass

SETTLE_SECONDS = 1.0
"""A word is settled if it was the same so long ago."""

# Languages such as Chinese and Thai have no spaces: each of their characters counts as a word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"(?:[{_UNSPACED}]|[^\s{_UNSPACED}]+)\s*")


@dataclass(frozen=True, slots=True)
class Partial:
    """The text of an open passage. It replaces the one before."""

    revision: int
    settled: str
    """What will hardly change."""
    volatile: str
    """What follows it."""
    seconds: float
    """How much of the audio it covers."""
    language: str


class LiveText:
    """Turns decodings of a growing passage into partial text."""

    def __init__(self) -> None:
        self._history: list[tuple[float, list[str]]] = []
        self._shown: tuple[str, str, str] | None = None
        self._revision = 0

    def update(self, text: str, seconds: float, language: str, *, is_complete: bool) -> Partial | None:
        """The new partial text, or None if nothing changes.

        The last word of a text that is not complete is held back: speech was cut within it as often as not.
        """
        words = split_words(text)
        if not is_complete:
            words = words[:-1]
        keys = [_key(word) for word in words]
        settled = self._settled_count(keys, seconds)
        self._history.append((seconds, keys))
        shown = ("".join(words[:settled]).rstrip(), "".join(words[settled:]).rstrip(), language)
        if shown == self._shown or not words:
            return None
        self._shown = shown
        self._revision += 1
        return Partial(self._revision, shown[0], shown[1], seconds, language)

    def extend(self, seconds: float, language: str) -> Partial:
        """The same text, for more audio."""
        settled, volatile, _ = self._shown or ("", "", "")
        self._shown = (settled, volatile, language)
        self._revision += 1
        return Partial(self._revision, settled, volatile, seconds, language)

    def _settled_count(self, keys: list[str], seconds: float) -> int:
        """Number of words at the beginning that were the same `SETTLE_SECONDS` ago, less the last."""
        while len(self._history) > 1 and seconds - self._history[1][0] >= SETTLE_SECONDS:
            del self._history[0]
        if not self._history or seconds - self._history[0][0] < SETTLE_SECONDS:
            return 0
        earlier = self._history[0][1]
        same = 0
        while same < min(len(keys), len(earlier)) and keys[same] == earlier[same]:
            same += 1
        return max(0, same - 1)


def split_words(text: str) -> list[str]:
    """The words, each with the marks and the space behind it."""
    return _WORD.findall(text.strip())


def _key(word: str) -> str:
    """The word without case and marks: the model ends each text as if it were a sentence."""
    return "".join(c for c in word.lower() if c.isalnum())
