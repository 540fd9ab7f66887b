"""A small checked file: a JSON header and float64 arrays. No pickle, nothing is executed.

Layout, all integers little-endian::

    8 bytes   magic, b"RBAGENT" and the version as one byte
    8 bytes   length of the header, unsigned
    n bytes   header, JSON in UTF-8; its "arrays" lists [name, shape] in order
    ...       the arrays, float64 little-endian, C order, one after another
    32 bytes  SHA-256 of everything before it

A reader knows the exact size of the file from its header before it allocates anything, and checks
the sum before it uses anything. ``docs/agent-file.md`` describes what an agent puts in.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from robustbandits._atomic import whole_file
from robustbandits.kernels.linalg import Floats

MAGIC = b"RBAGENT"
VERSION = 1
MAX_HEADER = 4 * 1024 * 1024
MAX_ARRAYS = 10_000

START, SUM = 16, 32  # bytes before the header, and of the checksum


class SnapshotError(ValueError):
    """The file is not what it should be; nothing was taken from it."""


# ----------------------------------------------------------------------------------- writing


def write_snapshot(
    path: str | os.PathLike[str], header: dict[str, Any], arrays: dict[str, Floats]
) -> None:
    """Write a snapshot atomically: after a crash the old file is there, or the new one, whole."""
    parts = _encode(header, arrays)
    with whole_file(path) as file:
        digest = hashlib.sha256()
        for part in parts:
            digest.update(part)
            file.write(part)
        file.write(digest.digest())
    _sync_directory(Path(path).resolve().parent)


def _encode(header: dict[str, Any], arrays: dict[str, Floats]) -> list[bytes]:
    """Return the file in parts, without its checksum."""
    listing = [[name, list(array.shape)] for name, array in arrays.items()]
    try:
        text = json.dumps({**header, "arrays": listing}, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise SnapshotError(f"cannot save: {error}") from None
    if len(text) > MAX_HEADER or len(listing) > MAX_ARRAYS:
        raise SnapshotError(
            f"cannot save: {len(listing)} arrays and a header of {len(text)} bytes; "
            f"{MAX_ARRAYS} and {MAX_HEADER} are the most"
        )
    numbers = [np.ascontiguousarray(array, dtype="<f8").tobytes() for array in arrays.values()]
    return [MAGIC + bytes([VERSION]), len(text).to_bytes(8, "little"), text, *numbers]


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


# ----------------------------------------------------------------------------------- reading


def read_snapshot(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Floats]]:
    """Read a snapshot; SnapshotError says what is wrong with a file that is not one."""
    source = Path(path)
    with source.open("rb") as file:
        try:
            return _read(file, os.fstat(file.fileno()).st_size)
        except SnapshotError as error:
            raise SnapshotError(f"cannot load {source}: {error}") from None


def _read(file: Any, size: int) -> tuple[dict[str, Any], dict[str, Floats]]:
    header, start = _read_header(file, size)
    shapes = _check_listing(header.pop("arrays", None))
    need = start + 8 * sum(math.prod(shape) for shape in shapes.values()) + SUM
    if size != need:
        raise SnapshotError(f"it has {size} bytes where {need} are due: cut short or altered")
    file.seek(0)
    body = file.read(size)
    if hashlib.sha256(body[:-SUM]).digest() != body[-SUM:]:
        raise SnapshotError("its checksum is wrong: damaged or altered")
    arrays: dict[str, Floats] = {}
    for name, shape in shapes.items():
        count = math.prod(shape)
        flat = np.frombuffer(body, dtype="<f8", count=count, offset=start)
        try:
            arrays[name] = flat.astype(np.float64).reshape(shape)
        except ValueError:
            raise SnapshotError(f"no array can have the shape of {name!r}: {shape}") from None
        start += 8 * count
    return header, arrays


def _read_header(file: Any, size: int) -> tuple[dict[str, Any], int]:
    """Return the header and where the arrays start."""
    head = file.read(START)
    if len(head) < START or head[:7] != MAGIC:
        raise SnapshotError("it is not a saved agent, or was cut short")
    if head[7] != VERSION:
        remedy = "update robustbandits to read it" if head[7] > VERSION else "it is damaged"
        raise SnapshotError(
            f"it has format {head[7]}, this robustbandits reads format {VERSION}: {remedy}"
        )
    length = int.from_bytes(head[8:], "little")
    if length > MAX_HEADER or START + length + SUM > size:
        raise SnapshotError(f"it claims a header of {length} bytes: cut short or altered")
    try:
        header = json.loads(file.read(length).decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise SnapshotError("its header is not JSON") from None
    if not isinstance(header, dict):
        raise SnapshotError("its header is not a JSON object")
    return header, START + length


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


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


# ----------------------------------------------------------------- states and streams as data


def state_arrays(state: Any, prefix: str = "state") -> Iterator[tuple[str, Floats]]:
    """Yield every array of a state with its path; the rest comes back from the recipe."""
    names = getattr(state, "_fields", range(len(state)))
    for name, value in zip(names, state, strict=True):
        path = f"{prefix}.{name}"
        if isinstance(value, np.ndarray):
            yield path, value
        elif isinstance(value, tuple):
            yield from state_arrays(value, path)
        elif type(value).__hash__ is None:
            kind = type(value).__name__
            raise TypeError(f"{path} is a {kind}: what a policy remembers must be in arrays")


def to_floats(name: str, array: Any) -> Floats:
    """Return any array of numbers as float64, or say that it would not be the same."""
    if array.dtype.kind not in "biuf" or not _survives(array, np.float64):
        raise SnapshotError(f"cannot save {name}: no float64 can hold its {array.dtype} numbers")
    floats: Floats = array.astype(np.float64)
    return floats


def fill(name: str, array: Any, saved: Floats) -> None:
    """Put saved numbers in the place of fresh ones; where those are finite, they must be too."""
    if saved.shape != array.shape:
        raise SnapshotError(f"{name} has shape {saved.shape}, {array.shape} is due")
    if not np.isfinite(saved[np.isfinite(array)]).all():
        raise SnapshotError(f"{name} holds numbers that are not finite")
    if not _survives(saved, array.dtype):
        raise SnapshotError(f"{name} holds numbers that are not {array.dtype}")
    array[...] = saved


def _survives(numbers: Any, kind: Any) -> bool:
    """Whether numbers come back from another type as they were."""
    if numbers.dtype == kind:
        return True
    with np.errstate(all="ignore"):
        back = numbers.astype(kind).astype(numbers.dtype)
    return np.array_equal(back, numbers, equal_nan=True)


def stream_to_dict(rng: np.random.Generator) -> dict[str, Any]:
    """Return the position of a PCG64 stream; its 128-bit numbers as hexadecimal text."""
    state: Any = rng.bit_generator.state
    return {
        "kind": "PCG64",
        "state": hex(state["state"]["state"]),
        "increment": hex(state["state"]["inc"]),
        "has_uint32": state["has_uint32"],
        "uinteger": state["uinteger"],
    }


def stream_from_dict(data: Any) -> np.random.Generator:
    """Return the stream that :func:`stream_to_dict` described, after a look at every number."""
    state, increment = (_number_of_hex(data[key]) for key in ("state", "increment"))
    spare = data["has_uint32"], data["uinteger"]
    fits = all(type(n) is int and 0 <= n < top for n, top in zip(spare, (2, 1 << 32), strict=True))
    if len(data) != 5 or data["kind"] != "PCG64" or not fits or increment % 2 == 0:
        raise SnapshotError("its random stream is damaged")
    generator = np.random.PCG64(0)
    generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": increment},
        "has_uint32": spare[0],
        "uinteger": spare[1],
    }
    return np.random.Generator(generator)


def _number_of_hex(text: Any) -> int:
    number = int(text, 16) if isinstance(text, str) and len(text) <= 34 else -1
    if not 0 <= number < 1 << 128 or hex(number) != text:
        raise SnapshotError("its random stream is damaged")
    return number
