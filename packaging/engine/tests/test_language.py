from dictation_engine.language import choose


def test_only_the_users_languages_count() -> None:
    choice = choose(("en", "de"), {"nl": 0.1, "de": 0.8, "en": 0.005})
    assert choice.languages == ("de",)
    assert choice.is_certain


def test_the_model_is_no_judge_where_it_believes_in_another_language() -> None:
    choice = choose(("en", "de"), {"nl": 0.7, "de": 0.2, "en": 0.005})
    assert choice.languages == ("de", "en")
    assert not choice.is_certain


def test_doubtful_audio_is_decoded_in_the_two_most_probable_languages() -> None:
    choice = choose(("en", "de", "fr"), {"de": 0.5, "en": 0.3, "fr": 0.1})
    assert choice.languages == ("de", "en")
    assert not choice.is_certain


def test_without_any_evidence_the_likely_language_comes_first() -> None:
    assert choose(("fr", "de"), {}).languages == ("fr", "de")
    assert choose(("fr",), {}).is_certain
