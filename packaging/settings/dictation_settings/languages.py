"""Names of languages, in the user's language."""

import functools
import gettext
import json
import locale
from pathlib import Path

ISO_CODES = Path("/usr/share/iso-codes/json")


@functools.cache
def _names(standard: str, root: str, keys: tuple[str, ...]) -> dict[str, str]:
    try:
        entries = json.loads((ISO_CODES / f"{standard}.json").read_text(encoding="utf-8"))[root]
    except (OSError, ValueError, KeyError):
        return {}
    translate = gettext.translation(standard.replace("-", "_"), fallback=True).gettext
    names = {}
    for entry in entries:
        for key in keys:
            if key in entry:
                names[entry[key].lower()] = translate(entry["name"])
    return names


def language_name(tag: str) -> str:
    """The name of a BCP 47 tag, such as "English (United States)"; the tag itself if there is no name for it."""
    language, *rest = tag.split("-")
    name = _names("iso_639-3", "639-3", ("alpha_2", "alpha_3")).get(language.lower())
    if name is None:
        return tag
    # Some have an explanation after a semicolon, as "Greek, Modern (1453-)".
    name = name.split(";")[0]
    region = next((part for part in rest if len(part) == 2), None)
    place = _names("iso_3166-1", "3166-1", ("alpha_2",)).get(region.lower()) if region else None
    return f"{name} ({place})" if place else name


def users_language() -> str:
    """The tag of the user's locale, such as "de-DE"; "en-US" if it names no language."""
    name = (locale.setlocale(locale.LC_MESSAGES) or "").split(".")[0].split("@")[0]
    return name.replace("_", "-") if name[:2].isalpha() and name not in ("C", "POSIX") else "en-US"
