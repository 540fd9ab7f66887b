"""Factors of a rating matrix: a vector for each user and each item, and their file."""

from __future__ import annotations

import hashlib
import io
import json
import os
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
from robustbandits.ratings.errors import DAMAGED_ARCHIVE

Counts = npt.NDArray[np.int64]

FORMAT = 1
ARRAYS = {
    "users": np.dtype("<f8"),
    "items": np.dtype("<f8"),
    "user_counts": np.dtype("<i8"),
    "item_counts": np.dtype("<i8"),
    "item_ids": np.dtype("<i8"),
}
#: A direction is in use if its singular value is at least this fraction of the largest.
SMALLEST_SINGULAR_VALUE = 1e-3
#: Largest entry of a factor, such that squares and sums of products are finite.
LARGEST_ENTRY = 1e100


class FactorsError(ValueError):
    """The file holds no factors, or damaged ones; nothing was loaded."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Factors:
    """A rating matrix approximated at low rank: ``ratings[u, i] ≈ users[u] · items[i]``.

    Parameters
    ----------
    users, items
        A row of length ``rank`` for each user and each item; zeros if there are no ratings.
    train_rmse
        Root mean squared error on the ratings that the factors were made from.
    regularization
        Weight of the squared norms.
    user_counts, item_counts
        Number of ratings of each user and each item.
    item_ids
        The items' own ids, in the order of the rows: whole numbers, or text.
    name
        Name of the data set.
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
            is_text = name == "item_ids" and given.dtype.kind == "U"
            # A copy, so that changes to the caller's array have no effect.
            array = np.array(given, dtype=given.dtype.newbyteorder("<") if is_text else kind)
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        for name in ("train_rmse", "regularization"):
            object.__setattr__(self, name, require.at_least(name, getattr(self, name), 0.0))
        self._check()

    def _check(self) -> None:
        if self.users.ndim != 2 or self.items.ndim != 2 or self.users.shape[1] < 1:
            raise ValueError(
                f"users and items must be matrices with a column for each factor, got shapes "
                f"{self.users.shape} and {self.items.shape}"
            )
        shapes = {
            "items": (len(self.items), self.rank),
            "user_counts": (len(self.users),),
            "item_counts": (len(self.items),),
            "item_ids": (len(self.items),),
        }
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} must have shape {shape}, got {getattr(self, name).shape}")
        for name in ("users", "items"):
            if not (np.abs(getattr(self, name)) <= LARGEST_ENTRY).all():  # False for NaN, too
                raise ValueError(f"{name} must be finite, at most {LARGEST_ENTRY:g}")
        for name in ("user_counts", "item_counts"):
            if np.any(getattr(self, name) < 0):
                raise ValueError(f"{name} must be >= 0")
        if not isinstance(self.name, str):
            raise TypeError(f"name must be text, got {self.name!r}")

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
        """Number of directions that both users and items use.

        Singular values below a thousandth of the largest do not count: strong regularization
        drives whole factors to zero, step by step.
        """
        return min(_directions_in_use(self.users), _directions_in_use(self.items))

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
        """Write an ``.npz`` file; a crash leaves either the old file or the complete new one."""
        header = json.dumps({**self._header(), "fingerprint": self.fingerprint}).encode()
        arrays = {name: getattr(self, name) for name in ARRAYS}
        with whole_file(path) as file:
            np.savez(file, header=np.frombuffer(header, dtype=np.uint8), **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Factors:
        """Read a file that :meth:`save` wrote; raise FactorsError if it is any other file."""
        content = Path(path).read_bytes()
        try:
            return _load(content)
        except (*DAMAGED_ARCHIVE, TypeError, KeyError) as error:
            reason = str(error)[:300] or type(error).__name__
            raise FactorsError(f"cannot load {os.fspath(path)}: {reason}") from None


def _directions_in_use(matrix: Floats) -> int:
    gram = matrix.T @ matrix
    values = np.sqrt(np.maximum(np.linalg.eigvalsh(gram), 0.0))
    return int(np.count_nonzero(values > SMALLEST_SINGULAR_VALUE * values[-1]))


def _load(content: bytes) -> Factors:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        # Without compression, no array can be larger than the file.
        if any(member.compress_type for member in archive.infolist()):
            raise FactorsError("its arrays are compressed, which Factors.save never does")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        if sorted(arrays.files) != sorted(("header", *ARRAYS)):
            raise FactorsError("it does not hold the arrays that Factors.save writes")
        header = json.loads(arrays["header"].tobytes())
        given = {name: arrays[name] for name in ARRAYS}
    if not isinstance(header, dict) or header.pop("format", None) != FORMAT:
        raise FactorsError(f"its header does not have format {FORMAT}: make the file again")
    fingerprint = header.pop("fingerprint", None)
    factors = Factors(**given, **header)
    if factors.fingerprint != fingerprint:
        raise FactorsError("its fingerprint is wrong: damaged or altered")
    return factors
