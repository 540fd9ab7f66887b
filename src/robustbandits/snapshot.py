"""A small checked file: a JSON header and float64 arrays. No pickle, nothing is executed.

Layout, all integers little-endian::

    8 bytes   magic, b"RBAGENT" and the version as one byte
    8 bytes   length of the header, unsigned
    n bytes   header, JSON in UTF-8; its "arrays" lists [name, shape] in order
    ...       the arrays, float64 little-endian, C order, one after another
    32 bytes  SHA-256 of everything before it

A reader knows the exact size of the file from its header before it allocates anything, and checks
the sum before it believes anything.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
from pathlib import Path
from typing import Any

import numpy as np

from robustbandits.kernels.linalg import Floats

MAGIC = b"RBAGENT"
VERSION = 1
MAX_HEADER = 16 * 1024 * 1024
MAX_ARRAYS = 10_000


class SnapshotError(ValueError):
    """The file is not what it should be; nothing was taken from it."""


def write_snapshot(path: str | os.PathLike[str], header: dict[str, Any], arrays: dict[str, Floats]) -> None:
    """Write a snapshot atomically: after a crash the old file is there, or the new one, whole."""
    target = Path(path)
    body = _encode(header, arrays)
    draft = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_directory(target.parent)


def _encode(header: dict[str, Any], arrays: dict[str, Floats]) -> bytes:
    listing = [[name, list(array.shape)] for name, array in arrays.items()]
    text = json.dumps({**header, "arrays": listing}, allow_nan=False).encode()
    if len(text) > MAX_HEADER:
        raise SnapshotError(f"header of {len(text)} bytes is too long to be saved")
    parts = [MAGIC + bytes([VERSION]), len(text).to_bytes(8, "little"), text]
    parts += [np.ascontiguousarray(array, dtype="<f8").tobytes() for array in arrays.values()]
    body = b"".join(parts)
    return body + hashlib.sha256(body).digest()


def _sync_directory(directory: Path) -> None:
    """Make the rename itself durable, where the system allows it."""
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def read_snapshot(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Floats]]:
    """Read a snapshot; SnapshotError says what is wrong with a file that is not one."""
    source = Path(path)
    try:
        with source.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            header, start = _read_header(file, size)
            shapes = _check_listing(header.pop("arrays", None))
            need = start + 8 * sum(math.prod(shape) for shape in shapes.values()) + 32
            if size != need:
                raise SnapshotError(f"it has {size} bytes where {need} are due: cut short or altered")
            file.seek(0)
            body = file.read(size)
    except SnapshotError as error:
        raise SnapshotError(f"cannot load {source}: {error}") from None
    if hashlib.sha256(body[:-32]).digest() != body[-32:]:
        raise SnapshotError(f"cannot load {source}: its checksum is wrong: damaged or altered")
    arrays: dict[str, Floats] = {}
    for name, shape in shapes.items():
        count = math.prod(shape)
        flat = np.frombuffer(body, dtype="<f8", count=count, offset=start)
        arrays[name] = flat.astype(np.float64).reshape(shape)
        start += 8 * count
    return header, arrays


def _read_header(file: Any, size: int) -> tuple[dict[str, Any], int]:
    """Return the header and where the arrays start."""
    head = file.read(16)
    if len(head) < 16 or head[:7] != MAGIC:
        raise SnapshotError("it is not a saved agent")
    if head[7] != VERSION:
        raise SnapshotError(
            f"it has format {head[7]}, this version of robustbandits reads format {VERSION}"
        )
    length = int.from_bytes(head[8:], "little")
    if length > MAX_HEADER or 16 + length + 32 > size:
        raise SnapshotError(f"it claims a header of {length} bytes: cut short or altered")
    try:
        header = json.loads(file.read(length))
    except (ValueError, RecursionError):
        raise SnapshotError("its header is not JSON") from None
    if not isinstance(header, dict):
        raise SnapshotError("its header is not a JSON object")
    return header, 16 + length


def _check_listing(listing: Any) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array."""
    if not isinstance(listing, list) or len(listing) > MAX_ARRAYS:
        raise SnapshotError("its list of arrays is missing or too long")
    shapes: dict[str, tuple[int, ...]] = {}
    for row in listing:
        if not (isinstance(row, list) and len(row) == 2 and isinstance(row[0], str)):
            raise SnapshotError("its list of arrays is malformed")
        name, shape = row
        if not (isinstance(shape, list) and len(shape) <= 8 and name not in shapes):
            raise SnapshotError("its list of arrays is malformed")
        if not all(type(n) is int and 0 <= n < 1 << 40 for n in shape):
            raise SnapshotError("its list of arrays is malformed")
        shapes[name] = tuple(shape)
    return shapes
