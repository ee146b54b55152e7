"""The form of all audio: 16,000 samples a second, of 16 bits, little endian, one channel."""

RATE = 16_000
SAMPLE_BYTES = 2
LONGEST = 30
"""Seconds that the model can take at once."""


def seconds(audio: bytes | bytearray) -> float:
    """The length of audio."""
    return len(audio) / SAMPLE_BYTES / RATE
