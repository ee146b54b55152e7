from dictation_engine.guards import Decoding, without_repeats


def test_a_text_that_repeats_itself_is_a_loop() -> None:
    assert Decoding("it's been long " * 10, "en").loops
    assert not Decoding("it's been long", "en").loops
    assert not Decoding("", "en").loops


def test_words_that_people_repeat_are_no_loop() -> None:
    for text in ("No, no, no, no.", "Yes. Yes.", "bye bye bye", "ha ha ha ha ha"):
        assert not Decoding(text, "en").loops, text


def test_the_same_words_twice_are_decoded_again() -> None:
    for text in ("Yes. Yes.", "Please ask me. Please ask me"):
        assert Decoding(text, "en").is_doubled
    for text in ("", "Yes.", "Yes. Yes. Yes.", "You and you", "..."):
        assert not Decoding(text, "en").is_doubled


def test_text_of_the_wrong_language_is_less_plausible() -> None:
    right = Decoding("Bitte schicken Sie mir die Unterlagen.", "de", log_probability=-0.9)
    wrong = Decoding("It's a chicken-y-be-be-be-be-be-be-be-be-be-be-be-be-be-be.", "en", log_probability=-0.6)
    assert right.plausibility > wrong.plausibility


def test_doubtful_text_is_not_shown() -> None:
    assert Decoding("You have the text.", "en", log_probability=-0.3).is_fit_to_show
    assert not Decoding("d s d s", "en", log_probability=-0.9).is_fit_to_show
    assert not Decoding("", "en").is_fit_to_show
    assert not Decoding("one two", "en", is_cut=True).is_fit_to_show
    assert not Decoding("it's been long " * 10, "en").is_fit_to_show


def test_no_speech_needs_both_signs() -> None:
    assert Decoding("you", "en", log_probability=-1.2, no_speech=0.8).is_no_speech
    assert not Decoding("oh", "en", log_probability=-1.2, no_speech=0.3).is_no_speech
    assert not Decoding("oh", "en", log_probability=-0.9, no_speech=0.9).is_no_speech


def test_repeats_are_removed_and_all_else_stays() -> None:
    assert without_repeats("and then it's long " + "it's long " * 20 + "he said") == (
        "and then it's long it's long it's long he said"
    )
    assert without_repeats("a a a a a b b") == "a a a b b"
    text = "the trees and the storms and the fields and the rain"
    assert without_repeats(text) == text
    assert without_repeats("") == ""
