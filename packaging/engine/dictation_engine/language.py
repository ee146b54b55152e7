"""Which of the user's languages is spoken."""

from collections.abc import Mapping
from dataclasses import dataclass

CERTAIN = 0.95
"""Probability among the user's languages with which a language is certain."""
KNOWN = 0.7
"""Probability among all languages of the model that it must have for that. Where the model believes in a language that
the user does not speak, it is no judge of those that the user speaks."""
TRIED = 2
"""Number of languages in which doubtful audio is decoded. The better text decides."""


@dataclass(frozen=True, slots=True)
class LanguageChoice:
    """The languages to decode in, the most probable first."""

    languages: tuple[str, ...]
    is_certain: bool


def choose(languages: tuple[str, ...], probabilities: Mapping[str, float]) -> LanguageChoice:
    """Chooses among `languages`, of which the first is the likely one, by what the model thinks of the audio."""
    weights = {language: probabilities.get(language, 0.0) for language in languages}
    total = sum(weights.values())
    # The order of equals stays.
    order = tuple(sorted(languages, key=lambda language: -weights[language]))
    if len(order) == 1 or weights[order[0]] > max(KNOWN, CERTAIN * total):
        return LanguageChoice(order[:1], is_certain=True)
    return LanguageChoice(order[:TRIED], is_certain=False)
