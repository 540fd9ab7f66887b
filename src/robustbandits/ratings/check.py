"""check_ratings: what a user's copy of a data set holds, and what is missing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from robustbandits.ratings._files import RatingFiles, recognise
from robustbandits.ratings.datasets import DATASETS, MOVIELENS_100K, NETFLIX, Dataset
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.locate import verify
from robustbandits.ratings.read import Progress, read_ratings
from robustbandits.ratings.table import RatingTable

COMBINED = tuple(f"combined_data_{k}.txt" for k in (1, 2, 3, 4))
LARGEST_NETFLIX_USER = 2_649_429
SHOWN = 6  # gaps between movies that are listed


@dataclass(frozen=True)
class RatingReport:
    """What was found."""

    path: str
    format: str
    dataset: str | None  # the data set it is, or is a part of
    files: int
    ratings: int
    users: int
    items: int
    titles: int
    missing: tuple[str, ...]  # what is missing or wrong; empty: nothing

    @property
    def complete(self) -> bool | None:
        """Whether it is the whole data set; None if it is none that is known here."""
        return None if self.dataset is None else not self.missing


def check_ratings(path: str | Path, progress: Progress | None = None) -> RatingReport:
    """Read all ratings at a path and compare them with the data set they are from.

    Raises
    ------
    FileNotFoundError, DataError
        There are no ratings, or they cannot be read: which file, which line, why.
    """
    found = recognise(path)
    table = read_ratings(path, progress=progress)
    known = _dataset_of(found, table)
    return RatingReport(
        path=str(path),
        format=found.format.name,
        dataset=known.name if known else None,
        files=len(found.files),
        ratings=len(table),
        users=table.shape[0],
        items=table.shape[1],
        titles=len(table.titles or ()),
        missing=tuple(_missing(known, found, table)) if known else (),
    )


def _dataset_of(found: RatingFiles, table: RatingTable) -> Dataset | None:
    if table.name in DATASETS:
        return DATASETS[table.name]
    if found.files[0].name == MOVIELENS_100K.files[0]:
        return DATASETS[MOVIELENS_100K.name]
    return NETFLIX if found.is_netflix or _has_netflix_ids(table) else None


def _has_netflix_ids(table: RatingTable) -> bool:
    """Whether flat ratings may be Netflix': its movies, its users' sparse ids, whole stars."""
    return bool(
        table.item_ids[-1] <= NETFLIX.items
        and NETFLIX.users < table.user_ids[-1] <= LARGEST_NETFLIX_USER
        and table.ratings.dtype.kind == "u"
    )


def _missing(known: Dataset, found: RatingFiles, table: RatingTable) -> Iterable[str]:
    counted = (("ratings", len(table)), ("users", table.shape[0]), ("items", table.shape[1]))
    for (what, have), full in zip(counted, known.size, strict=True):
        if have < full:
            yield f"{full - have:,} of {full:,} {what} are missing"
        elif have > full:
            yield f"{have - full:,} {what} too many: {have:,}, not {full:,}"
    if known is NETFLIX:
        yield from _missing_of_netflix(found, table)
    elif table.name == known.name:
        try:
            verify(known, found.files[0])
        except DataError as error:
            yield str(error)


def _missing_of_netflix(found: RatingFiles, table: RatingTable) -> Iterable[str]:
    names = {file.name for file in found.files}
    if found.files[0].name.startswith("combined_data_"):
        absent = [name for name in COMBINED if name not in names]
        if absent:
            yield "missing files: " + ", ".join(absent)
    gaps = _gaps(table.item_ids.tolist(), NETFLIX.items)
    if gaps:
        more = f" and {len(gaps) - SHOWN:,} more gaps" if len(gaps) > SHOWN else ""
        yield "missing movies: " + ", ".join(gaps[:SHOWN]) + more


def _gaps(present: list[int], last: int) -> list[str]:
    """Return runs of numbers from 1 to ``last`` that are not present, such as "5" and "7-9"."""
    runs = []
    edges = [0, *(k for k in present if 1 <= k <= last), last + 1]
    for before, after in itertools.pairwise(edges):
        if after - before == 2:
            runs.append(str(before + 1))
        elif after - before > 2:
            runs.append(f"{before + 1}-{after - 1}")
    return runs
