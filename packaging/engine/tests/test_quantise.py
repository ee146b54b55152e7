import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dictation_engine.quantise import FLOAT16, FLOAT32, INT8, can_be_quantised, main, quantise

Array = NDArray[Any]
TYPES = {FLOAT32: np.float32, INT8: np.int8, FLOAT16: np.float16}


def model(variables: dict[str, Array], aliases: dict[str, str], version: int = 6) -> bytes:
    """A file as CTranslate2 writes it."""
    kinds = {np.dtype(kind): number for number, kind in TYPES.items()}
    file = struct.pack("<I", version) + text("WhisperSpec") + struct.pack("<II", 3, len(variables))
    for name, value in variables.items():
        file += text(name) + struct.pack(f"<B{value.ndim}I", value.ndim, *value.shape)
        file += struct.pack("<BI", kinds[value.dtype], value.nbytes) + value.tobytes()
    return file + struct.pack("<I", len(aliases)) + b"".join(text(a) + text(b) for a, b in aliases.items())


def text(string: str) -> bytes:
    return struct.pack("<H", len(string) + 1) + string.encode() + b"\0"


def read(data: bytes) -> tuple[dict[str, Array], dict[str, str]]:
    file = io.BytesIO(data)

    def number(kind: str) -> int:
        return int(struct.unpack(f"<{kind}", file.read(struct.calcsize(f"<{kind}")))[0])

    def string() -> str:
        return file.read(number("H"))[:-1].decode()

    assert (number("I"), string(), number("I")) == (6, "WhisperSpec", 3)
    variables: dict[str, Array] = {}
    for _ in range(number("I")):
        name = string()
        shape = [number("I") for _ in range(number("B"))]
        kind, size = number("B"), number("I")
        variables[name] = np.frombuffer(file.read(size), TYPES[kind]).reshape(shape)
    aliases = {string(): string() for _ in range(number("I"))}
    assert file.read() == b""
    return variables, aliases


def test_matrices_become_integers_and_the_rest_stays(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    matrix = random.normal(size=(5, 16)).astype(np.float16)
    matrix[2] = 0
    before: dict[str, Array] = {
        "decoder/embeddings/weight": matrix,
        "encoder/conv1/weight": random.normal(size=(2, 3, 3)).astype(np.float16),
        "decoder/layer_norm/gamma": random.normal(size=5).astype(np.float32),
    }
    path = tmp_path / "model.bin"
    path.write_bytes(model(before, {"decoder/projection/weight": "decoder/embeddings/weight"}))
    assert can_be_quantised(path)
    quantise(path)
    after, aliases = read(path.read_bytes())
    values, scales = after.pop("decoder/embeddings/weight"), after.pop("decoder/embeddings/weight_scale")
    assert values.dtype == np.int8
    assert np.abs(values).max() == 127
    assert np.allclose(values / scales[:, None], matrix, atol=float(np.abs(matrix).max()) / 250)
    del before["decoder/embeddings/weight"]
    assert after.keys() == before.keys()
    assert all((after[name] == value).all() for name, value in before.items())
    assert aliases == {
        "decoder/projection/weight": "decoder/embeddings/weight",
        "decoder/projection/weight_scale": "decoder/embeddings/weight_scale",
    }
    assert not can_be_quantised(path)
    assert [file.name for file in tmp_path.iterdir()] == ["model.bin"]


@pytest.mark.parametrize("cut", [None, 3, 40, -1])
def test_a_file_of_another_format_stays(cut: int | None, tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    data = model({"a/weight": np.ones((2, 2), np.float32)}, {}, version=6 if cut else 5)[:cut]
    path.write_bytes(data)
    assert not can_be_quantised(path)
    assert path.read_bytes() == data


def test_a_failure_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["quantise", str(tmp_path)])
    assert main() == 1
