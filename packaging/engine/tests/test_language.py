from dictation_engine.language import choose


def test_only_the_users_languages_count() -> None:
    choice = choose(("en", "de"), {"nl": 0.7, "de": 0.2, "en": 0.02}, 1.0)
    assert (choice.language, choice.is_certain) == ("de", True)


def test_short_audio_keeps_the_likely_language_unless_another_is_certain() -> None:
    assert choose(("en", "de"), {"de": 0.5, "en": 0.3}, 1.0).language == "en"
    assert choose(("en", "de"), {"de": 0.5, "en": 0.3}, 2.0).language == "de"
    assert choose(("en", "de"), {"de": 0.9, "en": 0.1}, 0.5).language == "de"


def test_without_any_evidence_the_likely_language_stays() -> None:
    assert choose(("fr", "de"), {}, 5.0).language == "fr"
