"""Where data sets are on this computer, and whether their files are the right ones."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import platformdirs

from robustbandits.ratings._download import LARGEST_FILE
from robustbandits.ratings.datasets import NETFLIX, Dataset, find_dataset
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.read import read_ratings


def data_dir() -> Path:
    """Return the data directory: ``ROBUSTBANDITS_DATA``, or the user's data directory."""
    chosen = os.environ.get("ROBUSTBANDITS_DATA") or platformdirs.user_data_dir("robustbandits")
    return Path(chosen).expanduser()


def own_copy(dataset: Dataset) -> Path | None:
    """Return the path in the environment variable of a data set; None if it is not set."""
    given = os.environ.get(dataset.variable)
    if not given:
        return None
    path = Path(given).expanduser()
    if not path.exists():
        raise FileNotFoundError(
            f"{dataset.variable} is set to {given}, which does not exist: change it or unset it"
        )
    return path


def locate(name: str) -> Path | None:
    """Return a checked copy of a data set on this computer; None if there is none.

    The user's own copy, at the path in the data set's environment variable, has priority over
    the one in the data directory. The Netflix Prize data are not checked: that takes minutes.

    Raises a FileNotFoundError if the environment variable holds a path that does not exist, and a
    DataError if there is a copy, but not of this data set.
    """
    dataset = find_dataset(name)
    own, installed = own_copy(dataset), data_dir() / name
    if dataset is NETFLIX:
        return own or (installed if any(installed.glob("*")) else None)
    if own is not None and (own.is_dir() or own.suffix.lower() != ".zip"):
        _check(dataset, own, f"set {dataset.variable} to a good copy, or unset it")
        return own
    if not (installed / dataset.files[0]).exists():
        return None
    _check(dataset, installed, f"`robustbandits data fetch {name}` replaces it")
    return installed


def _check(dataset: Dataset, path: Path, remedy: str) -> None:
    try:
        verify(dataset, ratings_file(dataset, path))
    except (DataError, FileNotFoundError) as error:
        raise type(error)(f"{error}; {remedy}") from None


def ratings_file(dataset: Dataset, path: Path) -> Path:
    """Return the file with the ratings of a data set: the path itself, or a file in the folder."""
    if not path.is_dir():
        return path
    name = dataset.files[0]
    for candidate in (path / name, *sorted(path.glob(f"*/{name}"))):
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(f"{path} holds no {name}, the file of ratings of {dataset.name}")


def verify(dataset: Dataset, path: Path) -> None:
    """Raise a DataError unless a file holds exactly the ratings of a data set."""
    if path.stat().st_size > LARGEST_FILE:
        raise DataError(f"{path} is too large for {dataset.name}: over {LARGEST_FILE >> 20} MB")
    if not dataset.sha256:
        table = read_ratings(path, titles=False)
        expected, found = (
            "{:,} ratings, {:,} users, {:,} items".format(*size)
            for size in (dataset.size, (len(table), *table.shape))
        )
    else:
        data = path.read_bytes()
        if path.suffix == ".csv":  # the official archive has Windows line ends
            data = data.replace(b"\r\n", b"\n")
        expected = f"SHA-256 {dataset.sha256}"
        found = f"SHA-256 {hashlib.sha256(data).hexdigest()}"
    if found != expected:
        raise DataError(f"{path} is not {dataset.name}: expected {expected}, found {found}")
