from dictation_engine.live_text import LiveText, Partial, split_words


def shown(partial: Partial | None) -> tuple[str, str]:
    assert partial is not None
    return partial.settled, partial.volatile


def test_the_last_word_is_held_back_while_speech_goes_on() -> None:
    live = LiveText()
    assert live.update("Dear", 0.8, "en", is_complete=False) is None
    assert shown(live.update("Dear Mr. Han.", 1.3, "en", is_complete=False)) == ("", "Dear Mr.")
    assert shown(live.update("Dear Mr. Hansen.", 2.0, "en", is_complete=True)) == ("", "Dear Mr. Hansen.")


def test_words_settle_when_they_were_the_same_a_second_ago() -> None:
    live = LiveText()
    live.update("One two three four", 1.0, "en", is_complete=False)
    assert shown(live.update("One two three four five", 1.5, "en", is_complete=False))[0] == ""
    # “three” may still be part of a longer word.
    assert shown(live.update("one, two three four five six", 2.0, "en", is_complete=False)) == (
        "one, two",
        "three four five",
    )
    # A refresh that disagrees unsettles: the text on the screen is what the model thinks now.
    assert shown(live.update("Once two three four five six", 2.6, "en", is_complete=False))[0] == ""


def test_what_has_not_changed_is_not_sent_again() -> None:
    live = LiveText()
    first = live.update("One two", 1.0, "en", is_complete=False)
    assert first is not None
    assert live.update("One three", 1.5, "en", is_complete=False) is None
    second = live.update("One three four", 2.0, "en", is_complete=False)
    assert second is not None
    assert (first.revision, second.revision) == (1, 2)
    assert second.seconds == 2.0


def test_languages_without_spaces_are_shown_by_characters() -> None:
    assert split_words("今天天气") == ["今", "天", "天", "气"]
    live = LiveText()
    assert shown(live.update("今天天气", 1.0, "zh", is_complete=False)) == ("", "今天天")
    assert split_words("Es ist, wie gesagt, gut.") == ["Es ", "ist, ", "wie ", "gesagt, ", "gut."]


def test_the_text_is_the_models() -> None:
    live = LiveText()
    text = "He said: “It's 5.30 p.m. — isn't it?” Then he left"
    partial = live.update(text, 4.0, "en", is_complete=True)
    assert shown(partial) == ("", text)
    later = live.update(text, 5.5, "en", is_complete=True)
    assert later is not None
    assert f"{later.settled} {later.volatile}" == text
