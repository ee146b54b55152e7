"""Installs the engine's libraries and models into a folder. Only the standard library is used.

    python3 -m dictation_engine.install FOLDER [--model NAME]...

The folder gets `venv`, and `models` with a folder for each model. It appears once all has succeeded.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dictation_engine.models import MODELS, InstallError, install_model, pip, quantise_model
from dictation_engine.quantise import can_be_quantised

STAMP = "libraries"
"""The file that says what is installed. An upgrade of the system brings another Python, which needs other libraries."""
LIBRARY_MEGABYTES = 310
"""Size of the libraries, with their downloads."""


def main() -> int:
    """Runs the installation and returns its exit status."""
    parser = argparse.ArgumentParser(prog="dictation_engine.install", description="Install the engine.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", action="append", default=[], choices=MODELS, help="a model to install, too")
    arguments = parser.parse_args()
    ending_as_interrupted()
    folder = arguments.folder.absolute()
    try:
        if is_current(folder) and all(_is_installed(folder / "models" / name) for name in arguments.model):
            return 0
        with prepared(folder) as (contents, python):
            for name in arguments.model:
                model = contents / "models" / name
                if model.is_dir():
                    # An earlier version left it as it was published.
                    quantise_model(model, python)
                else:
                    install_model(MODELS[name], model, python)
    except (InstallError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def ending_as_interrupted() -> None:
    """Cleans up when the terminal is closed or the program is ended, as after Ctrl-C."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


@contextmanager
def prepared(folder: Path) -> Iterator[tuple[Path, Path]]:
    """A copy of the folder with the libraries, and its interpreter. It replaces the folder unless the body fails."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
        contents = Path(temporary) / folder.name
        if is_current(folder):
            _copy(folder, contents)
            python = contents / "venv" / "bin" / "python"
        else:
            contents.mkdir()
            python = _install_libraries(contents, _libraries())
            if (folder / "models").is_dir():
                _copy(folder / "models", contents / "models")
            (contents / STAMP).write_text(_stamp(), "utf-8")
        (contents / "models").mkdir(exist_ok=True)
        yield contents, python
        # A virtual environment can be moved, as long as its interpreter is called by its path.
        if folder.exists():
            folder.rename(Path(temporary) / "before")
        contents.rename(folder)


def _is_installed(model: Path) -> bool:
    return model.is_dir() and not can_be_quantised(model / "model.bin")


def is_current(folder: Path) -> bool:
    """True if the folder has the libraries that the engine needs, for this Python."""
    stamp = folder / STAMP
    return stamp.is_file() and stamp.read_text("utf-8") == _stamp()


def _stamp() -> str:
    version = f"# Python {sys.version_info.major}.{sys.version_info.minor}"
    return "\n".join([*_libraries(), version]) + "\n"


def _libraries() -> list[str]:
    """What the engine needs of PyPI."""
    project = Path(__file__).parent.parent / "pyproject.toml"
    requirements: list[str] = tomllib.loads(project.read_text("utf-8"))["project"]["dependencies"]
    return requirements


def _install_libraries(folder: Path, requirements: list[str]) -> Path:
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


def _copy(folder: Path, target: Path) -> None:
    """Copies a folder with hard links, which take no space and outlive the original."""
    shutil.copytree(folder, target, symlinks=True, copy_function=_link)


def _link(source: str, target: str) -> None:
    Path(target).hardlink_to(source)


if __name__ == "__main__":
    sys.exit(main())
