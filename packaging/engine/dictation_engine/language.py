"""Which of the user's languages is spoken."""

from collections.abc import Mapping
from dataclasses import dataclass

CERTAIN = 0.8
"""Probability with which a language is certain."""
LEAST_SECONDS = 2.0
"""Shorter audio changes the language only if it is certain."""


@dataclass(frozen=True, slots=True)
class LanguageChoice:
    """A language, and whether it is certain."""

    language: str
    is_certain: bool


def choose(languages: tuple[str, ...], probabilities: Mapping[str, float], seconds: float) -> LanguageChoice:
    """Chooses among `languages`, of which the first is the likely one, by what the model thinks of the audio."""
    weights = {language: probabilities.get(language, 0.0) for language in languages}
    total = sum(weights.values())
    if total <= 0:
        return LanguageChoice(languages[0], is_certain=False)
    best = max(languages, key=lambda language: weights[language])
    is_certain = weights[best] > CERTAIN * total
    if is_certain or seconds >= LEAST_SECONDS:
        return LanguageChoice(best, is_certain)
    return LanguageChoice(languages[0], is_certain=False)
