"""The format of an agent's file: a JSON header, float64 arrays and a checksum. No pickle, no code.

All integers are little-endian::

    8 bytes   b"RBAGENT" and the version of the format, one byte
    8 bytes   length of the header, unsigned
    n bytes   header: JSON in UTF-8; its "arrays" lists [name, shape] in order
    ...       the arrays: float64, little-endian, C order, one after another
    32 bytes  SHA-256 of everything before it

The header gives the exact size of the file, so a reader can check it before it allocates memory. It
checks the checksum before it uses anything. ``docs/agent-file.md`` describes what an agent writes.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from robustbandits._atomic import remove_old_drafts, whole_file
from robustbandits.kernels.linalg import Floats

MAGIC = b"RBAGENT"
VERSION = 2
MAX_HEADER = 4 * 1024 * 1024
MAX_ARRAYS = 10_000

PREFIX, CHECKSUM = 16, 32  # bytes before the header, and of the checksum

Contents = tuple[int, dict[str, Any], dict[str, Floats]]  # format, header, arrays


class SnapshotError(ValueError):
    """A file does not hold a valid agent, or an agent cannot be saved; nothing was changed."""


# ---------------------------------------------------------------------------------------- writing


def write_snapshot(
    path: str | os.PathLike[str], header: dict[str, Any], arrays: dict[str, Floats]
) -> None:
    """Write a file atomically: after a crash there is the complete old file or the new one."""
    parts = _encode(header, arrays)
    with whole_file(path) as file:
        digest = hashlib.sha256()
        for part in parts:
            digest.update(part)
            file.write(part)
        file.write(digest.digest())
    target = Path(path).resolve()
    remove_old_drafts(target.parent, target.name)


def _encode(header: dict[str, Any], arrays: dict[str, Floats]) -> list[bytes]:
    """Return the file in parts, without its checksum."""
    listing = [[name, list(array.shape)] for name, array in arrays.items()]
    try:
        text = json.dumps({**header, "arrays": listing}, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise SnapshotError(f"cannot save: {error}") from None
    if len(text) > MAX_HEADER or len(listing) > MAX_ARRAYS:
        raise SnapshotError(
            f"cannot save {len(listing)} arrays with a header of {len(text)} bytes: the limits are "
            f"{MAX_ARRAYS} arrays and {MAX_HEADER} bytes"
        )
    numbers = [np.ascontiguousarray(array, dtype="<f8").tobytes() for array in arrays.values()]
    return [MAGIC + bytes([VERSION]), len(text).to_bytes(8, "little"), text, *numbers]


# ---------------------------------------------------------------------------------------- reading


def read_snapshot(path: str | os.PathLike[str]) -> Contents:
    """Return format, header and arrays of a file; raise SnapshotError if it is not valid."""
    with Path(path).open("rb") as file:
        try:
            return _read(file, os.fstat(file.fileno()).st_size)
        except SnapshotError as error:
            raise SnapshotError(f"cannot load {os.fspath(path)}: {error}") from None


def _read(file: Any, size: int) -> Contents:
    version, header, start = _read_header(file, size)
    shapes = _read_listing(header.pop("arrays", None))
    expected = start + 8 * sum(math.prod(shape) for shape in shapes.values()) + CHECKSUM
    if size != expected:
        raise SnapshotError(f"expected {expected} bytes, got {size}: it was cut short or altered")
    file.seek(0)
    body = file.read(size)
    if hashlib.sha256(body[:-CHECKSUM]).digest() != body[-CHECKSUM:]:
        raise SnapshotError("its checksum is wrong: it was damaged or altered")
    arrays: dict[str, Floats] = {}
    for name, shape in shapes.items():
        count = math.prod(shape)
        flat = np.frombuffer(body, dtype="<f8", count=count, offset=start)
        try:
            arrays[name] = flat.astype(np.float64).reshape(shape)
        except ValueError:
            raise SnapshotError(f"its array {name!r} has an impossible shape: {shape}") from None
        start += 8 * count
    return version, header, arrays


def _read_header(file: Any, size: int) -> tuple[int, dict[str, Any], int]:
    """Return the format, the header, and the position at which the arrays start."""
    prefix = file.read(PREFIX)
    if len(prefix) < PREFIX or prefix[:7] != MAGIC:
        raise SnapshotError("it is not a saved agent, or it was cut short")
    version = prefix[7]
    if not 1 <= version <= VERSION:
        remedy = "update robustbandits" if version > VERSION else "the file is damaged"
        raise SnapshotError(
            f"its format is {version}, but this robustbandits reads formats 1 to {VERSION}: "
            f"{remedy}"
        )
    length = int.from_bytes(prefix[8:], "little")
    if length > MAX_HEADER or PREFIX + length + CHECKSUM > size:
        raise SnapshotError(f"its header cannot have {length} bytes: it was cut short or altered")
    try:
        header = json.loads(file.read(length).decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise SnapshotError("its header is not JSON") from None
    if not isinstance(header, dict):
        raise SnapshotError("its header is not a JSON object")
    return version, header, PREFIX + length


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _read_listing(listing: Any) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array."""
    if not isinstance(listing, list) or len(listing) > MAX_ARRAYS:
        raise SnapshotError("its list of arrays is missing or too long")
    shapes: dict[str, tuple[int, ...]] = {}
    for row in listing:
        if not (isinstance(row, list) and len(row) == 2 and _is_shape(row[1])):
            raise SnapshotError("its list of arrays is malformed")
        name, shape = row
        if not isinstance(name, str) or name in shapes:
            raise SnapshotError("its list of arrays is malformed")
        shapes[name] = tuple(shape)
    return shapes


def _is_shape(value: Any) -> bool:
    if not isinstance(value, list) or len(value) > 8:
        return False
    return all(type(size) is int and 0 <= size < 1 << 40 for size in value)
