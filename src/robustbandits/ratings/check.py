"""check_ratings: report what a user's copy of a data set contains, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from robustbandits.ratings.datasets import DATASETS, MOVIELENS_100K, NETFLIX, Dataset
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.formats import RatingFiles, recognize
from robustbandits.ratings.locate import verify
from robustbandits.ratings.read import Progress, read_csv_ratings, read_ratings
from robustbandits.ratings.table import RatingTable

LARGEST_NETFLIX_USER = 2_649_429
SHOWN_MOVIES = 6


@dataclass(frozen=True)
class RatingReport:
    """What was found at a path."""

    path: str
    format: str
    dataset: str | None  # the data set that the ratings are, or are a part of
    files: int
    ratings: int
    users: int
    items: int
    titles: int
    missing: tuple[str, ...]  # what is missing or wrong

    @property
    def complete(self) -> bool | None:
        """Whether it is the whole data set; None if the data set is not known."""
        return None if self.dataset is None else not self.missing


def check_csv_ratings(path: str | Path, *, user: str, item: str, rating: str) -> RatingReport:
    """Read all ratings of a CSV file, given the names of its columns.

    Raises FileNotFoundError or DataError if there are no ratings, or if they cannot be read.
    """
    table = read_csv_ratings(path, user=user, item=item, rating=rating)
    return RatingReport(
        path=str(path),
        format=f"CSV with the columns {user}, {item} and {rating}",
        dataset=None,
        files=1,
        ratings=len(table),
        users=table.shape[0],
        items=table.shape[1],
        titles=0,
        missing=(),
    )


def check_ratings(path: str | Path, progress: Progress | None = None) -> RatingReport:
    """Read all ratings at a path and compare them with the data set that they are from.

    Raises FileNotFoundError or DataError if there are no ratings, or if they cannot be read.
    """
    found = recognize(path)
    table = read_ratings(path, progress=progress)
    dataset = _dataset_of(found, table)
    return RatingReport(
        path=str(path),
        format=found.format.name,
        dataset=dataset.name if dataset else None,
        files=len(found.files),
        ratings=len(table),
        users=table.shape[0],
        items=table.shape[1],
        titles=len(table.titles or ()),
        missing=tuple(_differences(dataset, found, table)) if dataset else (),
    )


def _dataset_of(found: RatingFiles, table: RatingTable) -> Dataset | None:
    if table.name in DATASETS:
        return DATASETS[table.name]
    if found.files[0].name == MOVIELENS_100K.files[0]:
        return DATASETS[MOVIELENS_100K.name]
    looks_like_netflix = (
        table.item_ids[-1] <= NETFLIX.items
        and NETFLIX.users < table.user_ids[-1] <= LARGEST_NETFLIX_USER  # its user ids have gaps
        and table.ratings.dtype.kind == "u"  # whole stars
    )
    return NETFLIX if found.format.has_movie_lines or looks_like_netflix else None


def _differences(dataset: Dataset, found: RatingFiles, table: RatingTable) -> Iterable[str]:
    """Yield a line for everything that is missing or wrong."""
    counts = (("ratings", len(table)), ("users", table.shape[0]), ("items", table.shape[1]))
    for (what, count), expected in zip(counts, dataset.size, strict=True):
        if count < expected:
            yield f"{expected - count:,} of {expected:,} {what} are missing"
        elif count > expected:
            yield f"expected {expected:,} {what}, got {count:,}"
    if dataset is not NETFLIX and table.name == dataset.name:
        try:
            verify(dataset, found.files[0])
        except DataError as error:
            yield str(error)
    if dataset is NETFLIX:
        missing = set(range(1, NETFLIX.items + 1)) - set(table.item_ids.tolist())
        if missing:
            shown = ", ".join(str(movie) for movie in sorted(missing)[:SHOWN_MOVIES])
            yield f"missing movies: {shown}{', ...' if len(missing) > SHOWN_MOVIES else ''}"
