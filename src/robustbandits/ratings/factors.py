"""Factors of a rating matrix: a vector for each user and each item, and their file."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import struct
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from robustbandits._atomic import whole_file
from robustbandits.game import require
from robustbandits.kernels.linalg import Floats

Counts = npt.NDArray[np.int64]

FORMAT = 1
ARRAYS = {
    "users": np.dtype("<f8"),
    "items": np.dtype("<f8"),
    "user_counts": np.dtype("<i8"),
    "item_counts": np.dtype("<i8"),
    "item_ids": np.dtype("<i8"),
}
MAX_HEADER = 1 << 20
#: A direction is counted when its singular value is at least this part of the largest.
ALIVE = 1e-3
#: No entry may be larger: squares and sums of products must still be numbers.
LARGEST = 1e100

#: What the readers of archives and arrays raise when the bytes make no sense.
DAMAGE = (
    ValueError,
    RuntimeError,
    EOFError,
    OverflowError,
    struct.error,
    zipfile.BadZipFile,
)


class FactorsError(ValueError):
    """The file holds no factors, or damaged ones; nothing was taken from it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Factors:
    """What is left of a rating matrix at low rank: ``ratings[u, i] ≈ users[u] · items[i]``.

    Parameters
    ----------
    users, items
        A row of length ``rank`` for each user and each item; zero for one without ratings.
    train_rmse
        Root mean squared error on the ratings they were made from.
    regularization
        Weight of the squared norms.
    user_counts, item_counts
        Number of ratings of each.
    item_ids
        The items' own ids, in the order of the rows: whole numbers, or text.
    name
        Of the data set.
    """

    users: Floats
    items: Floats
    train_rmse: float
    regularization: float
    user_counts: Counts
    item_counts: Counts
    item_ids: npt.NDArray[Any]
    name: str

    def __post_init__(self) -> None:
        for name, kind in ARRAYS.items():
            given = np.asarray(getattr(self, name))
            textual = name == "item_ids" and given.dtype.kind == "U"
            # A copy: nobody else changes it.
            array = np.array(given, dtype=given.dtype.newbyteorder("<") if textual else kind)
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "train_rmse", require.at_least("train_rmse", self.train_rmse, 0.0))
        weight = require.at_least("regularization", self.regularization, 0.0)
        object.__setattr__(self, "regularization", weight)
        self._check()

    def _check(self) -> None:
        if self.users.ndim != 2 or self.items.ndim != 2 or self.users.shape[1] < 1:
            raise ValueError(
                f"users and items must be matrices with a column for each factor, got shapes "
                f"{self.users.shape} and {self.items.shape}"
            )
        rows = {"users": len(self.users), "items": len(self.items)}
        shapes = {
            "items": (rows["items"], self.rank),
            "user_counts": (rows["users"],),
            "item_counts": (rows["items"],),
            "item_ids": (rows["items"],),
        }
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                found = getattr(self, name).shape
                raise ValueError(f"{name} must have shape {shape}, got {found}")
        for name in ("users", "items"):
            if not (np.abs(getattr(self, name)) <= LARGEST).all():  # nor is it for NaN
                raise ValueError(f"{name} must be finite, at most {LARGEST:g}")
        for name in ("user_counts", "item_counts"):
            if np.any(getattr(self, name) < 0):
                raise ValueError(f"{name} must be >= 0")
        if not isinstance(self.name, str):
            raise TypeError(f"name must be a text, got {self.name!r}")

    def __repr__(self) -> str:
        return (
            f"<Factors of {self.name}: {len(self.users)} users, {len(self.items)} items, "
            f"rank {self.rank}, train RMSE {self.train_rmse:.4f}>"
        )

    @property
    def rank(self) -> int:
        """Length of each vector."""
        return self.users.shape[1]

    @cached_property
    def effective_rank(self) -> int:
        """Number of directions that both users and items really use.

        Singular values below a thousandth of the largest do not count: strong regularisation
        drives whole factors to zero, step by step.
        """
        return min(_live_directions(self.users), _live_directions(self.items))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of all contents, hexadecimal."""
        digest = hashlib.sha256(json.dumps(self._header(), sort_keys=True).encode())
        for name in ARRAYS:
            array = getattr(self, name)
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()

    def _header(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "name": self.name,
            "train_rmse": self.train_rmse,
            "regularization": self.regularization,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an ``.npz`` file, whole or not at all."""
        header = json.dumps({**self._header(), "fingerprint": self.fingerprint}).encode()
        arrays = {name: getattr(self, name) for name in ARRAYS}
        with whole_file(path) as file:
            np.savez(file, header=np.frombuffer(header, dtype=np.uint8), **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Factors:
        """Read what :meth:`save` wrote; FactorsError says what is wrong with any other file."""
        with Path(path).open("rb") as file:
            content = file.read(os.fstat(file.fileno()).st_size)
        try:
            return _load(content)
        except DAMAGE as error:
            reason = str(error)[:300] or type(error).__name__
            raise FactorsError(f"cannot load {os.fspath(path)}: {reason}") from None


def _live_directions(matrix: Floats) -> int:
    gram = matrix.T @ matrix
    values = np.sqrt(np.maximum(np.linalg.eigvalsh(gram), 0.0))
    return int(np.count_nonzero(values > ALIVE * values[-1]))


# ----------------------------------------------------------------------------------- reading


def _load(content: bytes) -> Factors:
    size = len(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {info.filename: info for info in archive.infolist()}
        due = {f"{name}.npy" for name in ("header", *ARRAYS)}
        if set(members) != due or len(archive.infolist()) != len(due):
            raise FactorsError("it does not hold the arrays that Factors.save writes")
        # Nothing is compressed, so no member can be larger than the file itself.
        whole = sum(info.file_size for info in members.values())
        if whole > size or any(info.compress_type for info in members.values()):
            raise FactorsError(f"its members claim {whole} bytes, the file has {size}")
        if members["header.npy"].file_size > MAX_HEADER:
            raise FactorsError("its header is too long")
        header = _parse_header(_array(archive, "header", np.dtype("u1")).tobytes())
        arrays = {name: _array(archive, name, kind) for name, kind in ARRAYS.items()}
    fingerprint = header.pop("fingerprint")
    try:
        factors = Factors(**arrays, **header)
    except (TypeError, ValueError) as error:
        raise FactorsError(str(error)) from None
    if factors.fingerprint != fingerprint:
        raise FactorsError("its fingerprint is wrong: damaged or altered")
    return factors


def _array(archive: zipfile.ZipFile, name: str, kind: np.dtype[Any]) -> Any:
    """Read one array after a look at what it claims to be."""
    file = io.BytesIO(archive.read(f"{name}.npy"))
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("an unknown version")
        shape, by_columns, found = np.lib.format.read_array_header_1_0(file)
    except (ValueError, SyntaxError) as error:
        raise FactorsError(f"its array {name!r} is not one: {error}") from None
    body = file.getbuffer()[file.tell() :]
    if name == "item_ids" and found.str.startswith("<U") and found.itemsize:
        kind = found
    need = kind.itemsize * math.prod(shape)
    if found != kind or by_columns or len(shape) > 2 or len(body) != need:
        raise FactorsError(f"its array {name!r} is not what it should be: {found}, shape {shape}")
    return np.frombuffer(body, dtype=kind).reshape(shape)


def _parse_header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode())
    except (ValueError, RecursionError):
        raise FactorsError("its header is not JSON") from None
    due = {"format", "name", "train_rmse", "regularization", "fingerprint"}
    if not isinstance(header, dict) or set(header) != due:
        raise FactorsError("its header is not what Factors.save writes")
    if header["format"] != FORMAT:
        raise FactorsError(f"it has format {header['format']!r}, {FORMAT} is due: make it again")
    del header["format"]
    return header
