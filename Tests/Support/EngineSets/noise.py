"""noise.py FOLDER: writes the set NOISE for the benchmark of engines: sounds of 10 s in which nobody dictates, one file each.
Needs numpy."""
import os
import sys
import wave

import numpy

RATE = 16000
COUNT = 10 * RATE
folder = os.path.abspath(sys.argv[1])
os.makedirs(folder, exist_ok=True)
random = numpy.random.default_rng(7)
time = numpy.arange(COUNT) / RATE


def white(count):
    return random.standard_normal(count)


def coloured(count, power=1.0):
    spectrum = numpy.fft.rfft(white(count))
    sound = numpy.fft.irfft(spectrum / numpy.sqrt((numpy.arange(len(spectrum)) + 1.0) ** power), count)
    return sound / numpy.std(sound)


def add(sound, second, part):
    start = int(second * RATE)
    part = part[: max(0, COUNT - start)]
    sound[start : start + len(part)] += part


def bursts(every, length, amplitude, decay, smooth=0):
    sound = white(COUNT) * 20
    second = 0.4
    while second < 9.6:
        count = int(length * RATE)
        part = white(count) * numpy.exp(-numpy.arange(count) / (decay * RATE)) * amplitude * random.uniform(0.5, 1.3)
        if smooth:
            part = numpy.convolve(part, numpy.ones(smooth) / smooth, "same")
        add(sound, second, part)
        second += every * random.uniform(0.7, 1.3)
    return sound


def breath():
    sound = white(COUNT) * 15
    for second in (0.5, 3.7, 6.9):
        count = int(1.1 * RATE)
        add(sound, second, coloured(count, 0.5) * numpy.sin(numpy.linspace(0, numpy.pi, count)) ** 2 * 600)
    return sound


def cough():
    sound = white(COUNT) * 15
    count = int(0.28 * RATE)
    index = numpy.arange(count)
    for second in (0.6, 0.95, 4.6, 4.95, 8.6):
        envelope = numpy.minimum(index / 200, 1) * numpy.exp(-index / (0.07 * RATE))
        voice = 0.5 * numpy.sin(2 * numpy.pi * 180 * index / RATE)
        add(sound, second, (coloured(count, 0.6) + voice) * envelope * 6000)
    return sound


def music():
    sound = numpy.zeros(COUNT)
    chords = [(220, 277, 330), (196, 247, 294), (175, 220, 262), (165, 208, 247)]
    count = int(0.5 * RATE)
    at = numpy.arange(count) / RATE
    envelope = numpy.minimum(at / 0.01, 1) * numpy.exp(-at / 0.4)
    for beat in range(19):
        part = sum(
            numpy.sin(2 * numpy.pi * note * harmonic * at) / harmonic**1.5
            for note in chords[beat // 4 % 4] for harmonic in range(1, 7)) * envelope * 700
        melody = 440 * 2 ** (random.integers(0, 8) / 12)
        vibrato = 0.3 * numpy.sin(2 * numpy.pi * 5.5 * at)
        part += sum(
            numpy.sin(2 * numpy.pi * melody * harmonic * at + vibrato) / harmonic for harmonic in range(1, 8)
        ) * envelope * 900
        if beat % 2 == 0:
            part += white(count) * numpy.exp(-at / 0.05) * 1500
        add(sound, beat * 0.5, part)
    return sound


def tone(frequencies, is_on):
    return sum(numpy.sin(2 * numpy.pi * f * time) for f in frequencies) * is_on * 3000 + white(COUNT) * 20


sounds = {
    "silence": numpy.zeros(COUNT),
    "white noise": white(COUNT) * 200,
    "loud white noise": white(COUNT) * 2000,
    "pink noise": coloured(COUNT) * 1000,
    "brown noise": coloured(COUNT, 2) * 1000,
    "hum": sum(numpy.sin(2 * numpy.pi * 50 * k * time) / k for k in (1, 2, 3, 5)) * 800 + white(COUNT) * 20,
    "keyboard": bursts(0.2, 0.03, 3000, 0.005),
    "mouse": bursts(1.5, 0.02, 5000, 0.004),
    "knocks": bursts(1.2, 0.15, 12000, 0.03, smooth=24),
    "paper": bursts(0.7, 0.4, 1500, 0.2),
    "breath": breath(),
    "cough": cough(),
    "music": music(),
    "beeps": tone([1000], time % 2 < 0.2),
    "ringtone": tone([440, 480], time % 3 < 1.2),
}
for name, sound in sounds.items():
    with wave.open(f"{folder}/{name}.wav", "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(numpy.clip(numpy.round(sound), -32768, 32767).astype("<i2").tobytes())
