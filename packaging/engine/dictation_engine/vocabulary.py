"""The model's tokens: what it gets before the text, and how text is made of them."""

from pathlib import Path

from tokenizers import Tokenizer

PROMPT_TOKENS = 200
"""The model has 448 places, for the prompt and the text."""


class Vocabulary:
    """The tokens of the model in a folder."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.end = self._id("<|endoftext|>")
        self._start = self._id("<|startoftranscript|>")
        self._previous = self._id("<|startofprev|>")
        self._transcribe = self._id("<|transcribe|>")
        self._no_timestamps = self._id("<|notimestamps|>")
        # The vocabulary of English-only models is that of GPT-2, which is one token shorter.
        self.is_multilingual = self.end == 50257
        self.languages = self._languages() if self.is_multilingual else ("en",)

    def prompt(self, terms: tuple[str, ...], language: str) -> list[int]:
        """The tokens before the text. `terms` are given as if they had been said before."""
        start = [self._start]
        if self.is_multilingual:
            start += [self._id(f"<|{language}|>"), self._transcribe]
        start.append(self._no_timestamps)
        if not terms:
            return start
        said = self._tokenizer.encode(f" {', '.join(terms)}.", add_special_tokens=False).ids
        return [self._previous, *said[:PROMPT_TOKENS], *start]

    def text(self, tokens: list[int]) -> str:
        """The text of what the model wrote."""
        return str(self._tokenizer.decode([token for token in tokens if token < self.end])).strip()

    def _languages(self) -> tuple[str, ...]:
        """The codes of the languages, whose tokens lie between two others."""
        between = range(self._start + 1, self._id("<|translate|>"))
        return tuple(str(self._tokenizer.id_to_token(token))[2:-2] for token in between)

    def _id(self, token: str) -> int:
        number = self._tokenizer.token_to_id(token)
        if number is None:
            raise ValueError(f"tokenizer.json has no token {token}")
        return int(number)
