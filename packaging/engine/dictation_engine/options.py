"""What a client asks for in `transcribe`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

TERM_COUNT = 20
"""More terms in the prompt make each of them less likely to be recognised."""
TERM_LENGTH = 64
LANGUAGE_COUNT = 8


class OptionError(Exception):
    """A request that cannot be served. Its text and code are for the client."""

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True)
class PassageOptions:
    """How a passage is recognised."""

    languages: tuple[str, ...]
    """One, or those among which the language is detected."""
    terms: tuple[str, ...] = ()
    """The user's words, the most wanted first."""
    partials: bool = False


def read_options(data: dict[str, Any], supported: Sequence[str], last: str | None) -> PassageOptions:
    """Reads the data of `transcribe`.

    `supported` are the model's languages. `last` is that of the last passage, which is used if the request has none.
    """
    given = [data["language"]] if data.get("language") else data.get("languages") or []
    requested = list(dict.fromkeys(_language(item) for item in _texts(given)[:LANGUAGE_COUNT]))
    known = tuple(code for code in requested if code in supported)
    if requested and not known:
        raise OptionError(f"The model does not know the language {requested[0]}.", "language")
    words = _texts(data.get("transcript_names")) + _texts(data.get("transcript_terms"))
    return PassageOptions(
        languages=known or (last or supported[0],),
        terms=tuple(dict.fromkeys(term for word in words if (term := _term(word))))[:TERM_COUNT],
        partials=data.get("partials") is True,
    )


def _texts(value: Any) -> list[str]:  # noqa: ANN401
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _language(tag: str) -> str:
    """The language of a tag such as `en-GB`."""
    return tag.replace("_", "-").partition("-")[0].lower()[:TERM_LENGTH]


def _term(word: str) -> str:
    """A word as it can stand in a prompt, or nothing."""
    text = " ".join("".join(c if c.isprintable() else " " for c in word[: TERM_LENGTH + 1]).split())
    return text if len(text) <= TERM_LENGTH else ""
