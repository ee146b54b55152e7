"""Installs the engine's libraries and a model into a folder. Only the standard library is used.

    python3 -m dictation_engine.install FOLDER [--model NAME]...

A folder that exists is replaced once all has succeeded. It gets `venv`, and `models` with a folder for each model.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit("The engine needs Python 3.11 or newer.")

import argparse
import shutil
import signal
import subprocess
import tempfile
import tomllib
from pathlib import Path

from dictation_engine.models import MODELS, InstallError, install_model, pip

LIBRARY_MEGABYTES = 310
"""Size of the libraries, with their downloads."""


def main() -> int:
    """Runs the installation and returns its exit status."""
    parser = argparse.ArgumentParser(prog="dictation_engine.install", description="Install the engine.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", action="append", default=[], choices=MODELS, help="a model to install, too")
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        install(arguments.folder.absolute(), arguments.model)
    except (InstallError, OSError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def install(folder: Path, models: list[str]) -> None:
    """Installs the libraries and the models. What is there already is kept, if the libraries are the same."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    required = libraries()
    stamp = folder / "libraries"
    if stamp.is_file() and stamp.read_text("utf-8").splitlines() == required:
        _install_models(models, folder, folder / "venv" / "bin" / "python")
        return
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
        contents = Path(temporary) / folder.name
        contents.mkdir()
        python = install_libraries(contents, required)
        if (folder / "models").is_dir():
            shutil.copytree(folder / "models", contents / "models", copy_function=_link)
        _install_models(models, contents, python)
        (contents / "libraries").write_text("\n".join(required) + "\n", "utf-8")
        # A virtual environment can be moved, as long as its interpreter is called by its path.
        if folder.exists():
            folder.rename(Path(temporary) / "before")
        contents.rename(folder)


def libraries() -> list[str]:
    """What the engine needs of PyPI."""
    project = Path(__file__).parent.parent / "pyproject.toml"
    requirements: list[str] = tomllib.loads(project.read_text("utf-8"))["project"]["dependencies"]
    return requirements


def _install_models(models: list[str], folder: Path, python: Path) -> None:
    (folder / "models").mkdir(exist_ok=True)
    for name in models:
        if not (folder / "models" / name).is_dir():
            install_model(MODELS[name], folder / "models" / name, python)


def install_libraries(folder: Path, requirements: list[str]) -> Path:
    """Makes the virtual environment, and returns its interpreter."""
    environment = folder / "venv"
    try:
        subprocess.run([sys.executable, "-m", "venv", environment], check=True, stdout=2)
    except subprocess.CalledProcessError as error:
        raise InstallError("Python's venv is missing: install the package python3-venv.") from error
    python = environment / "bin" / "python"
    # The libraries' own dependencies are for uses that the engine does not have.
    arguments = ["install", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
    pip(python, [*arguments, *requirements], folder, LIBRARY_MEGABYTES, "Installing the engine")
    return python


def _link(source: str, target: str) -> None:
    """A hard link: the file stays if the folder it came from is removed."""
    Path(target).hardlink_to(source)


if __name__ == "__main__":
    sys.exit(main())
