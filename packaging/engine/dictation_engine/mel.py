"""The model's input: a logarithmic mel spectrogram, as Whisper's authors define it."""

import os

# The threads of OpenBLAS go on spinning after each product, which costs more than all of the spectrogram.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray

from dictation_engine.sound import RATE

Floats = NDArray[np.float32]

FRAME = 400
HOP = 160
FRAMES_A_SECOND = RATE // HOP


class MelSpectrogram:
    """Computes spectrograms with a number of bands: 80, or 128 for the largest models."""

    def __init__(self, bands: int) -> None:
        self._filters = _filters(bands)
        self._window = np.hanning(FRAME + 1)[:-1].astype(np.float32)

    def __call__(self, samples: bytes, seconds: int) -> Floats:
        """The spectrogram of samples of 16 bits, followed by silence up to `seconds`.

        Silence as samples keeps the model from repeating itself; zeros in the spectrogram do not.
        """
        signal = np.zeros(seconds * RATE, np.float32)
        given = np.frombuffer(samples, "<i2")[: len(signal)]
        signal[: len(given)] = given.astype(np.float32) / 32768
        padded = np.pad(signal, FRAME // 2, mode="reflect")
        frames = np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::HOP][: seconds * FRAMES_A_SECOND]
        power = np.abs(np.fft.rfft(frames * self._window, axis=1)).astype(np.float32) ** 2
        levels = np.log10(np.maximum(self._filters @ power.T, 1e-10))
        levels = np.maximum(levels, levels.max() - 8)
        return np.ascontiguousarray((levels + 4) / 4, dtype=np.float32)


def _filters(bands: int) -> Floats:
    """Triangular filters on Slaney's mel scale, each of area one: linear to 1000 Hz, logarithmic above."""
    step, knee, log_step = 200 / 3, 15.0, np.log(6.4) / 27
    top = knee + np.log(RATE / 2 / 1000) / log_step
    mels = np.linspace(0, top, bands + 2)
    hertz = np.where(mels < knee, mels * step, 1000 * np.exp(log_step * (np.maximum(mels, knee) - knee)))
    bins = np.fft.rfftfreq(FRAME, 1 / RATE)
    rising = (bins[None, :] - hertz[:-2, None]) / (hertz[1:-1] - hertz[:-2])[:, None]
    falling = (hertz[2:, None] - bins[None, :]) / (hertz[2:] - hertz[1:-1])[:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    return np.asarray(triangles * (2 / (hertz[2:] - hertz[:-2]))[:, None], dtype=np.float32)
