"""What the decode thread does."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from dictation_engine import sound
from dictation_engine.guards import Decoding


class WorkKind(IntEnum):
    """What has to be decoded, the most urgent first."""

    FINAL = 1
    AHEAD = 2
    """The final text, while nobody speaks, before the client has said that the passage ends."""
    REFRESH = 3


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work for the decoder."""

    kind: WorkKind
    audio: bytes
    languages: tuple[str, ...]
    """The first is the likely one."""
    terms: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """Length of the audio."""
        return sound.seconds(self.audio)


class Decoder(Protocol):
    """Decodes work, on one thread."""

    def load(self) -> None:
        """Gets ready. May be called repeatedly."""

    def rest(self) -> None:
        """There is nothing to do."""

    def decode(self, work: Work) -> Decoding:
        """Decodes a piece of work."""
