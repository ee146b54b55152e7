"""Sets the engine up for a user: the libraries, and a model that is fast enough here, by the standard library alone.

    python3 -m dictation_engine.setup FOLDER [--model NAME | --model PATH] [--language TAG]...

Writes `engine.json` into the folder: the model's path, name and speed. If it fails, the folder is as it was before.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit("The engine needs Python 3.11 or newer.")

import argparse
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from dictation_engine.install import ending_as_interrupted, prepared
from dictation_engine.machine import usual_threads
from dictation_engine.models import MODELS, InstallError, Model, check_folder, install_model, quantise_model

STANDARD = "base"
FASTEST = "tiny.en"


def main() -> int:
    """Sets up and returns the exit status."""
    parser = argparse.ArgumentParser(prog="dictation_engine.setup", description="Set the engine up.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", help=f"{', '.join(MODELS)}, or a folder; by default what is fast enough here")
    parser.add_argument("--language", action="append", default=[], help="a language that will be spoken")
    arguments = parser.parse_args()
    ending_as_interrupted()
    try:
        set_up(arguments.folder.absolute(), arguments.model, arguments.language)
    except (InstallError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def set_up(folder: Path, model: str | None, languages: list[str]) -> None:
    """Installs, measures, and removes models that are not used any more."""
    if model is not None and model not in MODELS and not _is_path(model):
        raise InstallError(f"There is no model {model}. The models:\n{describe_models()}")
    path = check_folder(Path(model)) if model is not None and _is_path(model) else None
    is_english = all(language.partition("-")[0].lower() == "en" for language in languages)
    name = model or STANDARD
    if path is None and MODELS[name].languages == "English" and not is_english:
        raise InstallError(f"The model {name} knows English only. Choose another with --model:\n{describe_models()}")
    with prepared(folder) as (contents, python):
        if path:
            facts = _measured(path, python)
        else:
            facts = _install(MODELS[name], contents, python)
            if model is None and is_english and not facts["is_enough"]:
                print(f"The model {name} is too slow for this machine: {FASTEST} is used instead.", file=sys.stderr)
                facts = _install(MODELS[FASTEST], contents, python)
        if not facts["is_enough"]:
            print("The model is slow on this machine: text will lag behind speech.", file=sys.stderr)
        used = path or contents / "models" / facts["name"]
        for other in (contents / "models").iterdir():
            if other != used:
                shutil.rmtree(other)
        # The folder gets its name when all has succeeded.
        facts["model"] = str(path or folder / "models" / facts["name"])
        facts["python"] = str(folder / "venv" / "bin" / "python")
        (contents / "engine.json").write_text(json.dumps(facts, indent=2) + "\n", "utf-8")
        print(
            f"A sentence of five seconds takes {facts['final_seconds']:.1f} s, "
            f"and the engine {facts['memory'] / 1e6:.0f} MB of memory.",
            file=sys.stderr,
        )


def describe_models() -> str:
    """A line for each model."""
    return "\n".join(f"  {model.name:<8} {facts(model)}" for model in MODELS.values())


def facts(model: Model) -> str:
    """What one should know before the download."""
    return f"{model.megabytes} MB to download, {model.memory} MB of memory, {model.languages}"


def _install(model: Model, contents: Path, python: Path) -> dict[str, Any]:
    folder = contents / "models" / model.name
    if folder.is_dir():
        quantise_model(folder, python)
    else:
        print(f"The model {model.name}: {facts(model)}", file=sys.stderr)
        install_model(model, folder, python)
    return _measured(folder, python)


def _measured(folder: Path, python: Path) -> dict[str, Any]:
    """The facts about a model, which must work for that."""
    print("Measuring this machine", file=sys.stderr)
    threads = str(usual_threads())
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [str(python), "-m", "dictation_engine", "measure", "--model", str(folder), "--threads", threads]
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    if result.returncode != 0:
        raise InstallError(f"The engine does not work with the model in {folder}.")
    facts: dict[str, Any] = json.loads(result.stdout)
    return facts | {"name": folder.name, "threads": int(threads)}


def _is_path(model: str) -> bool:
    return "/" in model or model.startswith(".")


if __name__ == "__main__":
    sys.exit(main())
