"""Stores a model's matrices as integers of 8 bits, as the CPU uses them.

    python3 -m dictation_engine.quantise FOLDER

Models are published with 16 bits, and CTranslate2 converts them each time it loads them: that takes most of the time,
and more memory than all that follows. The text is the same. The file's format is CTranslate2's binary version 6.
"""

import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

VERSION = 6
FLOAT32, INT8, FLOAT16 = 0, 1, 4
WEIGHT = b"/weight"
SCALE = b"_scale"
MOST = 127


class FormatError(Exception):
    """The file is not a model of the known version."""


@dataclass(frozen=True, slots=True)
class Variable:
    """What the file says of a variable, whose data is `size` bytes at `position`."""

    name: bytes
    shape: tuple[int, ...]
    kind: int
    position: int
    size: int

    @property
    def is_quantisable(self) -> bool:
        """True for the matrices of layers and embeddings. The encoder's convolutions have three dimensions and stay."""
        return self.name.endswith(WEIGHT) and len(self.shape) == 2 and self.kind in (FLOAT32, FLOAT16)


@dataclass(frozen=True, slots=True)
class Contents:
    """A model's file, without its data."""

    name: bytes
    revision: int
    variables: list[Variable]
    aliases: list[tuple[bytes, bytes]]
    """Names for variables that have another name."""


def can_be_quantised(path: Path) -> bool:
    """True for a model's file that has matrices of floating-point numbers, in the known format."""
    with path.open("rb") as file:
        try:
            return any(variable.is_quantisable for variable in _read(file).variables)
        except FormatError:
            return False


def quantise(path: Path) -> None:
    """Replaces a model's file."""
    temporary = path.with_name(f".{path.name}")
    with path.open("rb") as file, temporary.open("wb") as target:
        _write(_read(file), file, target)
    temporary.chmod(path.stat().st_mode)
    temporary.replace(path)


def _read(file: BinaryIO) -> Contents:
    try:
        version = _number(file, "I")
        if version != VERSION:
            raise FormatError(f"The model has version {version} of the format.")
        name, revision = _string(file), _number(file, "I")
        variables = [_variable(file) for _ in range(_number(file, "I"))]
        aliases = [(_string(file), _string(file)) for _ in range(_number(file, "I"))]
    except struct.error as error:
        raise FormatError("The model's file is cut off.") from error
    return Contents(name, revision, variables, aliases)


def _variable(file: BinaryIO) -> Variable:
    name = _string(file)
    shape = tuple(_number(file, "I") for _ in range(_number(file, "B")))
    kind, size = _number(file, "B"), _number(file, "I")
    position = file.tell()
    file.seek(size, 1)
    return Variable(name, shape, kind, position, size)


def _string(file: BinaryIO) -> bytes:
    return file.read(_number(file, "H")).removesuffix(b"\0")


def _number(file: BinaryIO, kind: str) -> int:
    return int(struct.unpack(f"<{kind}", file.read(struct.calcsize(f"<{kind}")))[0])


def _write(contents: Contents, file: BinaryIO, target: BinaryIO) -> None:
    quantised = {variable.name for variable in contents.variables if variable.is_quantisable}
    aliases = contents.aliases + [
        (alias + SCALE, name + SCALE) for alias, name in contents.aliases if name in quantised
    ]
    target.write(struct.pack("<I", VERSION) + _packed(contents.name))
    target.write(struct.pack("<II", contents.revision, len(contents.variables) + len(quantised)))
    for variable in contents.variables:
        file.seek(variable.position)
        data = file.read(variable.size)
        if variable.name not in quantised:
            _write_variable(target, variable.name, variable.shape, variable.kind, data)
            continue
        values, scales = _quantised(variable, data)
        _write_variable(target, variable.name, variable.shape, INT8, values)
        _write_variable(target, variable.name + SCALE, variable.shape[:1], FLOAT32, scales)
    target.write(struct.pack("<I", len(aliases)))
    for alias, name in aliases:
        target.write(_packed(alias) + _packed(name))


def _quantised(variable: Variable, data: bytes) -> tuple[bytes, bytes]:
    """Each row as integers up to 127, and the factors of the rows."""
    import numpy as np  # noqa: PLC0415

    kind = np.float16 if variable.kind == FLOAT16 else np.float32
    rows = np.frombuffer(data, kind).reshape(variable.shape).astype(np.float32)
    largest = np.abs(rows).max(axis=1)
    largest[largest == 0] = MOST
    scales = (MOST / largest).astype(np.float32)
    return np.rint(rows * scales[:, None]).astype(np.int8).tobytes(), scales.tobytes()


def _write_variable(target: BinaryIO, name: bytes, shape: tuple[int, ...], kind: int, data: bytes) -> None:
    target.write(_packed(name) + struct.pack(f"<B{len(shape)}I", len(shape), *shape))
    target.write(struct.pack("<BI", kind, len(data)))
    target.write(data)


def _packed(string: bytes) -> bytes:
    return struct.pack("<H", len(string) + 1) + string + b"\0"


def main() -> int:
    """Quantises the model in a folder and returns the exit status."""
    try:
        quantise(Path(sys.argv[1]) / "model.bin")
    except (FormatError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
