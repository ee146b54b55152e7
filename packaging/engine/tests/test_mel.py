import numpy as np

from dictation_engine.mel import MelSpectrogram
from dictation_engine.sound import RATE


def tone(hertz: float, seconds: float) -> bytes:
    time = np.arange(round(seconds * RATE)) / RATE
    return (np.sin(2 * np.pi * hertz * time) * 8000).astype("<i2").tobytes()


def test_a_tone_is_loudest_in_its_band() -> None:
    mel = MelSpectrogram(80)
    # Slaney's scale: 1000 Hz is 15 mel, 8000 Hz 45.25, so the bands' centres are 45.25 / 81 mel apart.
    for hertz, centre in ((200, 3.0), (1000, 15.0), (4000, 15 + np.log(4) / (np.log(6.4) / 27))):
        loudest = int(mel(tone(hertz, 1), 1)[:, 50].argmax())
        assert abs((loudest + 1) * 45.245 / 81 - centre) < 45.245 / 81, hertz


def test_the_rest_is_silence() -> None:
    for bands in (80, 128):
        spectrogram = MelSpectrogram(bands)(tone(500, 1), 8)
        assert spectrogram.shape == (bands, 800)
        assert spectrogram.dtype == np.float32
        assert spectrogram[:, 110:].max() == spectrogram.min()
        assert spectrogram.max() - spectrogram.min() <= 2.0001


def test_the_values_are_those_the_model_was_trained_with() -> None:
    spectrogram = MelSpectrogram(80)(tone(1000, 1), 8)
    # A full frame of the tone, computed by hand: 8000 / 32768 times half the window's sum, squared, times the filter.
    power = (8000 / 32768 * 100) ** 2
    band = 26
    low, mid, high = (_hertz(n) for n in (band, band + 1, band + 2))
    bins = np.array([960.0, 1000.0, 1040.0])
    leakage = np.array([0.25, 1.0, 0.25])
    triangle = np.maximum(0, np.minimum((bins - low) / (mid - low), (high - bins) / (high - mid))) * 2 / (high - low)
    expected = (np.log10(power * float(triangle @ leakage)) + 4) / 4
    assert abs(spectrogram[band, 50] - expected) < 0.001


def _hertz(index: int) -> float:
    mel = index * (15 + np.log(8) / (np.log(6.4) / 27)) / 81
    return float(mel * 200 / 3 if mel < 15 else 1000 * np.exp(np.log(6.4) / 27 * (mel - 15)))
