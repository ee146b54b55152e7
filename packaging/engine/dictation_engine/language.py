"""Which of the user's languages is spoken."""

from collections.abc import Mapping
from dataclasses import dataclass

CERTAIN = 0.95
"""Probability with which a language is certain."""
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
    if len(order) == 1 or (total > 0 and weights[order[0]] > CERTAIN * total):
        return LanguageChoice(order[:1], is_certain=True)
    return LanguageChoice(order[:TRIED], is_certain=False)
