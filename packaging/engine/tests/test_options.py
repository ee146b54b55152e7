import pytest

from dictation_engine.options import OptionError, PassageOptions, read_options

SUPPORTED = ("en", "de", "fr")


def options(**data: object) -> PassageOptions:
    return read_options(data, SUPPORTED, None)


def test_a_language_is_one_of_the_models() -> None:
    assert options().languages == ("en",)
    assert options(language="de").languages == ("de",)
    assert options(language="de-AT").languages == ("de",)
    assert options(language="DE_at").languages == ("de",)
    assert options(languages=["de", "xx", "en-GB", "en"]).languages == ("de", "en")
    assert options(language="fr", languages=["de", "en"]).languages == ("fr",)
    with pytest.raises(OptionError, match="does not know the language pl"):
        options(languages=["pl", "cs"])


def test_words_are_few_short_and_printable() -> None:
    many = [f"name{n}" for n in range(50)]
    assert options(transcript_names=many).terms == tuple(many[:20])
    assert options(transcript_names=["A", "B"], transcript_terms=["B", "C"]).terms == ("A", "B", "C")
    assert options(transcript_terms=["x" * 65, "", "  ", "a\nb\0", 5, None]).terms == ("a b",)


def test_members_of_wrong_types_are_ignored() -> None:
    wrong = options(languages={"a": 1}, transcript_names="Ann", transcript_terms=5, partials="yes")
    assert wrong == PassageOptions(languages=("en",))
    with pytest.raises(OptionError):
        options(language="zz")
    assert options(partials=True).partials
