from collections.abc import Iterable

from dictation_engine.gate import WINDOW, SpeechGate
from dictation_engine.sound import RATE
from tests.support import recording, silence

PAUSE = b"\0\0" * WINDOW


def gate(probabilities: Iterable[float]) -> SpeechGate:
    values = list(probabilities)
    remaining = iter(values)
    gate = SpeechGate(lambda _: next(remaining))
    gate.add(PAUSE * len(values))
    return gate


def test_recorded_speech_is_heard() -> None:
    speech = SpeechGate()
    speech.add(silence(0.5) + recording("0880") + silence(1))
    assert speech.has_speech
    assert speech.first_speech is not None
    assert 0.3 < speech.first_speech / RATE < 0.9
    assert 0.8 < speech.silence < 1.4


def test_silence_is_no_speech() -> None:
    quiet = SpeechGate()
    quiet.add(silence(3))
    assert not quiet.has_speech
    assert quiet.first_speech is None


def test_a_click_is_too_short_for_speech() -> None:
    assert not gate([0.9, 0.9, 0.1, 0.9, 0.9]).has_speech
    assert gate([0.1, 0.4, 0.4, 0.4]).has_speech


def test_speech_begins_at_a_higher_probability_than_it_goes_on() -> None:
    assert gate([0.3, 0.3, 0.3, 0.3]).first_speech is None
    heard = gate([0.1, 0.4, 0.25, 0.25, 0.1])
    assert heard.first_speech == WINDOW
    assert heard.last_speech == 4 * WINDOW
    assert heard.has_speech


def test_samples_may_come_in_any_number() -> None:
    whole, parts = SpeechGate(), SpeechGate()
    audio = recording("0880")
    whole.add(audio)
    for start in range(0, len(audio), 333):
        parts.add(audio[start : start + 333])
    assert (whole.first_speech, whole.last_speech) == (parts.first_speech, parts.last_speech)
