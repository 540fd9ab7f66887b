"""Where data sets are on this computer, and whether they are what they should be."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import platformdirs

from robustbandits.ratings._archives import LARGEST_FILE
from robustbandits.ratings.datasets import DATASETS, MOVIELENS_100K, NETFLIX, Dataset
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.read import read_ratings


def data_dir() -> Path:
    """Where data is kept: ``ROBUSTBANDITS_DATA``, or the user's data directory."""
    chosen = os.environ.get("ROBUSTBANDITS_DATA")
    return (
        Path(chosen).expanduser() if chosen else Path(platformdirs.user_data_dir("robustbandits"))
    )


def dataset(name: str) -> Dataset:
    """Return what is known of a data set."""
    if name not in DATASETS:
        raise ValueError(f"there is no data set {name!r}; known are {', '.join(DATASETS)}")
    return DATASETS[name]


def own_copy(known: Dataset) -> Path | None:
    """Return the path that the user has put into the environment variable of a data set."""
    given = os.environ.get(known.variable)
    if not given:
        return None
    path = Path(given).expanduser()
    if not path.exists():
        raise FileNotFoundError(
            f"{known.variable} is set to {given}, which does not exist: mend it, or unset it"
        )
    return path


def locate(name: str) -> Path | None:
    """Return a checked copy of a data set on this computer, or None.

    The user's own copy (see ``variable`` in the catalogue) goes before the one in the data
    directory. The Netflix Prize data are not checked here: that would take minutes.

    Raises
    ------
    FileNotFoundError
        The environment variable names a path that does not exist.
    DataError
        A copy is there, but it is not the data set: what was expected, and what was found.
    """
    known = dataset(name)
    if known is NETFLIX:
        return find_netflix()
    own = own_copy(known)
    if own is not None and (own.is_dir() or own.suffix.lower() != ".zip"):
        _check(known, own, f"set {known.variable} to a good copy, or unset it")
        return own
    kept = data_dir() / name
    if not (kept / known.files[0]).exists():
        return None
    _check(known, kept, f"`robustbandits data fetch {name}` replaces it")
    return kept


def _check(known: Dataset, path: Path, remedy: str) -> None:
    try:
        verify(known, ratings_file(known, path))
    except (DataError, FileNotFoundError) as error:
        raise type(error)(f"{error}; {remedy}") from None


def movielens_100k() -> Path:
    """Return the folder (or file) of MovieLens 100K; fetched if it is not on this computer."""
    found = locate(MOVIELENS_100K.name)
    if found is not None:
        return found
    from robustbandits.ratings.fetch import fetch

    return fetch(MOVIELENS_100K.name)


def find_netflix() -> Path | None:
    """Return the user's copy of the Netflix Prize data, or None.

    It is at the path in ``ROBUSTBANDITS_NETFLIX``, or in ``netflix`` in the data directory.
    """
    own = own_copy(NETFLIX)
    if own is not None:
        return own
    kept = data_dir() / NETFLIX.name
    return kept if kept.is_dir() and any(kept.iterdir()) else None


def ratings_file(known: Dataset, path: Path) -> Path:
    """Return the file with the ratings of a data set, in a folder or given itself."""
    if not path.is_dir():
        return path
    name = known.files[0]
    for candidate in (path / name, *sorted(path.glob(f"*/{name}"))):
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(f"{path} holds no {name}, which has the ratings of {known.name}")


def verify(known: Dataset, path: Path) -> None:
    """Refuse a file that does not hold exactly the ratings of a data set.

    Raises
    ------
    DataError
        It does not: what was expected, and what was found.
    """
    if path.stat().st_size > LARGEST_FILE:
        raise DataError(f"{path} is too large for {known.name}: over {LARGEST_FILE >> 20} MB")
    if known.sha256:
        data = path.read_bytes()
        if path.suffix == ".csv":  # the official archive has the line ends of Windows
            data = data.replace(b"\r\n", b"\n")
        found = hashlib.sha256(data).hexdigest()
        if found != known.sha256:
            raise DataError(
                f"{path} is not {known.name}: expected SHA-256 {known.sha256}, found {found}"
            )
        return
    table = read_ratings(path, titles=False)
    size = (len(table), *table.shape)
    if size != known.size:
        raise DataError(
            f"{path} is not {known.name}: expected {_size(known.size)}, found {_size(size)}"
        )


def _size(size: tuple[int, int, int]) -> str:
    return "{:,} ratings, {:,} users, {:,} items".format(*size)
