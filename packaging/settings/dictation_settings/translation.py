"""What is said to people, in their language."""

import gettext
from pathlib import Path

# Beside the folder of data that this file is in, where it is installed.
LOCALES = Path(__file__).resolve().parents[3] / "locale"

_ = gettext.translation("dictation", LOCALES, fallback=True).gettext


def N_(text: str) -> str:  # noqa: N802
    """Marks a text that is translated where it is used."""
    return text
