"""What the engine says of itself."""

from collections.abc import Sequence
from typing import Any

from dictation_engine import VERSION


def describe(model: str, languages: Sequence[str]) -> dict[str, Any]:
    """The data of `info`. `transcript_partials` is the version of the event `transcript-partial`."""
    return {
        "asr": [
            {
                **_artifact("dictation-engine", "Whisper with text while speaking", VERSION),
                "models": [{**_artifact(model, "Whisper", "1"), "languages": list(languages)}],
                "supports_transcript_streaming": False,
                "requires_external_vad": True,
                "transcript_partials": 1,
            }
        ]
    }


def _artifact(name: str, description: str, version: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": description,
        "version": version,
        "installed": True,
        "attribution": {"name": "Dictation", "url": ""},
    }
