"""A passage whose detector and decoder are given by the test: which work it wants, and when."""

import random

import pytest

from dictation_engine.gate import WINDOW, SpeechGate
from dictation_engine.guards import Decoding
from dictation_engine.live_text import Partial
from dictation_engine.options import PassageOptions
from dictation_engine.passage import Passage, PassageTooLongError, Transcript
from dictation_engine.sound import LONGEST, RATE
from dictation_engine.work import Work, WorkKind

SPEECH = b"\1\0"
SILENCE = b"\0\0"


class Listening:
    """A passage in which samples of 1 are speech."""

    def __init__(self, *languages: str, partials: bool = True) -> None:
        gate = SpeechGate(lambda window: 0.9 if window[:2] == SPEECH else 0.0)
        options = PassageOptions(languages or ("en",), terms=("Dashwood",), partials=partials)
        self.passage = Passage(options, options.languages[0], gate)

    def hear(self, sample: bytes, seconds: float) -> WorkKind | None:
        """Hears whole windows of the detector."""
        self.passage.add(sample * (round(seconds * RATE / WINDOW) * WINDOW))
        return self.passage.next_work

    def decode(self, text: str, language: str = "en", cost: float = 0.1, **facts: float) -> tuple[Work, Partial | None]:
        kind = self.passage.next_work
        assert kind is not None
        work = self.passage.begin(kind)
        return work, self.passage.finish(work, Decoding(text, language, **facts), cost)  # type: ignore[arg-type]


def test_refreshes_begin_after_some_speech_and_wait_for_their_cost() -> None:
    listening = Listening()
    assert listening.hear(SILENCE, 0.3) is None
    assert listening.hear(SPEECH, 0.5) is None
    assert listening.hear(SPEECH, 0.2) is WorkKind.REFRESH
    work, partial = listening.decode("Dear Mister Han", cost=0.4)
    assert (work.kind, work.terms) == (WorkKind.REFRESH, ("Dashwood",))
    assert partial is not None
    assert partial.volatile == "Dear Mister"
    # Four times 0.4 s.
    assert listening.hear(SPEECH, 1.5) is None
    assert listening.hear(SPEECH, 0.2) is WorkKind.REFRESH


def test_without_partials_nothing_is_decoded_before_a_pause() -> None:
    listening = Listening(partials=False)
    assert listening.hear(SPEECH, 5) is None
    assert listening.hear(SILENCE, 0.3) is WorkKind.AHEAD
    _, partial = listening.decode("Dear.")
    assert partial is None


def test_a_client_knows_that_nobody_speaks() -> None:
    listening = Listening()
    listening.hear(SILENCE, 0.3)
    assert listening.passage.silence() is None
    listening.hear(SILENCE, 0.3)
    silence = listening.passage.silence()
    assert silence is not None
    assert (silence.revision, silence.settled, silence.volatile) == (1, "", "")
    assert silence.seconds == pytest.approx(0.6, abs=0.05)
    assert listening.passage.silence() is None
    # Speech that is not decoded yet.
    listening.hear(SPEECH, 2)
    assert listening.passage.silence() is None
    _, partial = listening.decode("Dear Mister")
    assert partial is not None
    assert (partial.revision, partial.volatile) == (2, "Dear")
    listening.hear(SILENCE, 0.6)
    assert listening.passage.silence() is None
    _, partial = listening.decode("Dear Mister Hansen.")
    assert partial is not None
    # The noise after it.
    listening.hear(SILENCE, 0.6)
    silence = listening.passage.silence()
    assert silence is not None
    assert (silence.revision, silence.volatile) == (4, "Dear Mister Hansen.")
    listening.passage.stop()
    assert listening.passage.silence() is None


def test_the_final_text_is_decoded_in_the_pause_and_kept() -> None:
    listening = Listening()
    listening.hear(SPEECH, 2)
    assert listening.hear(SILENCE, 0.16) is None, "no refresh begins in a pause"
    assert listening.hear(SILENCE, 0.1) is WorkKind.AHEAD
    _, partial = listening.decode("Dear Mister Hansen.")
    assert partial is not None
    assert partial.volatile == "Dear Mister Hansen."
    assert listening.hear(SILENCE, 0.5) is None
    assert listening.passage.transcript is None
    listening.passage.stop()
    assert listening.passage.transcript == Transcript("Dear Mister Hansen.", "en", has_speech=True)


def test_speech_after_the_pause_makes_the_text_invalid() -> None:
    listening = Listening()
    listening.hear(SPEECH, 2)
    listening.hear(SILENCE, 0.3)
    listening.decode("Dear Mister Hansen.")
    listening.hear(SPEECH, 0.1)
    listening.passage.stop()
    assert listening.passage.transcript is None
    assert listening.passage.next_work is WorkKind.FINAL
    work, partial = listening.decode("Dear Mister Hansen, yes.")
    assert partial is None, "no partial text follows the end"
    assert work.seconds > 2.2
    assert listening.passage.transcript == Transcript("Dear Mister Hansen, yes.", "en", has_speech=True)


def test_a_decode_that_was_running_at_the_end_is_not_shown() -> None:
    listening = Listening()
    listening.hear(SPEECH, 1)
    work = listening.passage.begin(WorkKind.REFRESH)
    listening.hear(SPEECH, 1)
    listening.passage.stop()
    assert listening.passage.finish(work, Decoding("Dear Mister", "en"), 0.1) is None
    assert listening.passage.next_work is WorkKind.FINAL


def test_a_passage_without_speech_is_empty_at_once() -> None:
    listening = Listening()
    assert listening.hear(SILENCE, 3) is None
    listening.hear(SPEECH, 0.032)
    listening.passage.stop()
    assert listening.passage.next_work is None
    assert listening.passage.transcript == Transcript("", "en", has_speech=False)


def test_invented_text_of_a_pause_is_refused() -> None:
    listening = Listening()
    listening.hear(SPEECH, 0.5)
    listening.hear(SILENCE, 0.3)
    _, partial = listening.decode("Thanks for watching!", log_probability=-1.3, no_speech=0.9)
    assert partial is None
    listening.passage.stop()
    assert listening.passage.transcript == Transcript("", "en", has_speech=False)


def test_a_doubtful_refresh_keeps_the_text_before() -> None:
    listening = Listening()
    listening.hear(SPEECH, 1)
    assert listening.decode("Dear Mister Han")[1] is not None
    listening.hear(SPEECH, 1)
    assert listening.decode("d s d s d s", log_probability=-1.0)[1] is None


def test_a_passage_has_thirty_seconds_at_most() -> None:
    listening = Listening()
    listening.passage.add(SPEECH * (LONGEST * RATE))
    with pytest.raises(PassageTooLongError):
        listening.passage.add(SPEECH)


def test_a_certain_language_is_kept_for_refreshes_and_the_final_text_decides_again() -> None:
    listening = Listening("en", "de")
    listening.hear(SPEECH, 1)
    work, _ = listening.decode("Ich habe", "de")
    assert work.languages == ("en", "de")
    listening.hear(SPEECH, 2.2)
    work, _ = listening.decode("Ich habe den Brief", "de")
    assert work.languages == ("de", "en")
    listening.hear(SPEECH, 1)
    work, _ = listening.decode("Ich habe den Brief gelesen", "de")
    assert work.languages == ("de",)
    listening.passage.stop()
    work, _ = listening.decode("Ich habe den Brief gelesen.", "de")
    assert work.languages == ("de", "en")


def test_every_passage_ends_with_one_transcript_of_its_last_audio() -> None:
    """Random speech, pauses, decodes that take long, and ends."""
    generator = random.Random(11)  # noqa: S311
    for _ in range(300):
        listening = Listening(partials=generator.random() < 0.8)
        passage, spoken, revisions = listening.passage, False, [0]
        for _ in range(generator.randrange(1, 20)):
            sample, seconds = generator.choice((SPEECH, SILENCE)), generator.choice((0.032, 0.1, 0.3, 0.8))
            kind = passage.next_work
            work = passage.begin(kind) if kind is not None else None
            listening.hear(sample, seconds)
            spoken = spoken or (sample == SPEECH and seconds > 0.09)
            if work is not None:
                partial = passage.finish(work, Decoding(f"a b c {work.seconds:.2f}", "en"), generator.random())
                revisions += [partial.revision] if partial else []
            assert passage.transcript is None
        passage.stop()
        assert revisions == list(range(len(revisions)))
        while (kind := passage.next_work) is not None:
            assert kind is WorkKind.FINAL
            assert passage.finish(passage.begin(kind), Decoding("the end", "en"), 0.1) is None
        transcript = passage.transcript
        assert transcript is not None
        if spoken:
            assert transcript.text
