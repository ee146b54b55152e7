"""What stood on the screen while somebody spoke, against what was said."""

import re
from dataclasses import dataclass, field
from itertools import pairwise

GLANCE = 0.25
"""Seconds between looks at the screen."""


def words_of(text: str) -> list[str]:
    """The words, without case and marks."""
    plain = text.lower().replace("mr.", "mister").replace("-", " ").replace("\u2019", "'")
    return re.sub(r"[^\w\s']", "", plain).split()


def errors_by_length(words: list[str], reference: list[str]) -> list[int]:
    """The word errors against each beginning of the reference, the whole of it last."""
    row = list(range(len(reference) + 1))
    for count, word in enumerate(words, 1):
        diagonal, row[0] = row[0], count
        for column, other in enumerate(reference, 1):
            changed = diagonal + (word != other)
            diagonal = row[column]
            row[column] = min(changed, row[column] + 1, row[column - 1] + 1)
    return row


@dataclass
class Screen:
    """Counts words, each as long as it stands on the screen."""

    shown: int = 0
    wrong: int = 0
    compared: int = 0
    changed: int = 0
    firsts: list[float] = field(default_factory=list)
    """Seconds from the beginning of speech to the first text of a passage."""

    def add(self, texts: list[tuple[float, str]], onset: float, end: float, before: str, reference: str) -> None:
        """A passage: its texts with their times, the text of the passages before, and what was said in all."""
        said, earlier = words_of(reference), words_of(before)
        base = min(errors_by_length(earlier, said)) if earlier else 0
        if texts:
            self.firsts.append(texts[0][0] - onset)
        time = onset
        while time < end:
            seen = [text for when, text in texts if when <= time]
            if seen:
                words = words_of(seen[-1])
                self.shown += len(words)
                self.wrong += max(0, min(errors_by_length(earlier + words, said)) - base)
            time += GLANCE
        for (_, text), (_, following) in pairwise(texts):
            self.compared += len(words_of(text))
            self.changed += min(errors_by_length(words_of(text), words_of(following)))
