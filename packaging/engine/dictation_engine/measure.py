"""How fast this machine decodes with a model."""

import time
from dataclasses import dataclass
from pathlib import Path

from dictation_engine.model import Recogniser

SECONDS = 5
WORDS = 15
"""What people say in five seconds."""
DURATION = 2.0


@dataclass(frozen=True)
class Speed:
    """What a passage of five seconds costs."""

    final_seconds: float
    memory: int
    """Bytes of this process, after a passage."""

    @property
    def is_enough(self) -> bool:
        """True if text keeps up with speech. A refresh takes half as long as a final text."""
        return self.final_seconds <= 0.8


def measure(folder: Path, threads: int) -> Speed:
    """Decodes for about two seconds."""
    recogniser = Recogniser(folder, threads)
    recogniser.load()
    recogniser.rehearse(SECONDS, WORDS)
    best = float("inf")
    end = time.monotonic() + DURATION
    while time.monotonic() < end:
        # Processor time, because other programs may use the machine just now.
        begin = time.process_time()
        recogniser.rehearse(SECONDS, WORDS)
        best = min(best, (time.process_time() - begin) / threads)
    recogniser.rest()
    return Speed(best, _memory())


def _memory() -> int:
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0
