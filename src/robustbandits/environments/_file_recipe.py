"""An environment built from a file of ratings, and the factors kept in memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from robustbandits.environments._rating_recipe import RatingRecipe
from robustbandits.game.parameters import Count, Positive
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.factorize import factorize
from robustbandits.ratings.factors import Factors
from robustbandits.ratings.formats import recognize
from robustbandits.ratings.read import read_ratings
from robustbandits.ratings.table import RatingTable
from robustbandits.ratings.titles import read_titles


def path_text(name: str, value: Any) -> str:
    """Return a path as text."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise TypeError(f"{name} must be a path, got {value!r}")
    return str(os.fspath(value))


PathText = Annotated[str, path_text]


@dataclass(frozen=True, kw_only=True)
class FileRecipe(RatingRecipe):
    """An environment built from ratings on disk, factorized when first needed.

    Parameters
    ----------
    path
        File or folder with the ratings.
    rank, regularization, outer
        As for :func:`~robustbandits.environments.factorize`. The authors' regularization is 0.05;
        the default of the tool they used, 0.1, leaves some data sets with fewer factors.
    """

    path: PathText | None = None
    rank: Count = 10
    regularization: Positive = 0.05
    outer: Count = 5

    #: Parameters, besides the path, that determine which ratings are read.
    source_fields: ClassVar[tuple[str, ...]] = ()

    def find(self) -> Path | None:
        """Return where the ratings are; None if they are not on disk."""
        return None if self.path is None else Path(self.path).expanduser()

    def read_table(self, path: Path | None) -> RatingTable:
        """Return the ratings at the path that :meth:`find` found."""
        assert path is not None
        return read_ratings(path, titles=False)

    def titles(self) -> dict[Any, str]:
        """Return the titles in a file beside the ratings; none if there is no such file."""
        path = self.find()
        try:
            found = None if path is None else recognize(path).titles
        except DataError:  # for example a table whose columns have other names
            return {}
        return {} if found is None else dict(read_titles(found))

    def load_factors(self) -> Factors:
        """Return the factors from memory or from the cache on disk, or compute them."""
        path = self.find()
        solver = self.rank, self.regularization, self.outer
        source = tuple(getattr(self, name) for name in self.source_fields)
        return load_once(
            (type(self), source, solver, path, path and last_change(path)),
            lambda: factorize(self.read_table(path), *solver),
        )


def last_change(path: Path) -> tuple[int, int] | None:
    """Return the newest time stamp and the size of a file, or of those in a folder."""
    try:
        found = [path.stat()]
        if path.is_dir():
            with os.scandir(path) as entries:
                found += [entry.stat() for entry in entries]
    except OSError:
        return None
    return max(status.st_mtime_ns for status in found), sum(status.st_size for status in found)


#: How many data sets' factors are kept in memory.
KEPT_FACTORS = 8
_factors: dict[Hashable, Factors] = {}
_lock = threading.Lock()


def load_once(key: Hashable, load: Callable[[], Factors]) -> Factors:
    """Return the factors kept in memory under a key; load them if there are none."""
    with _lock:  # no two threads compute the same factors
        if key not in _factors:
            factors = load()
            while len(_factors) >= KEPT_FACTORS:
                del _factors[next(iter(_factors))]  # the oldest
            _factors[key] = factors
        return _factors[key]
