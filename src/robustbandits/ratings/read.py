"""read_ratings: ratings from a file or a folder, whatever the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from robustbandits.game import require
from robustbandits.ratings._files import RatingFiles, recognise
from robustbandits.ratings._numbering import DUPLICATES, table_of
from robustbandits.ratings._stream import RatingStream
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.read_csv import read_csv_ratings
from robustbandits.ratings.table import RatingTable
from robustbandits.ratings.titles import read_titles

__all__ = ["read_csv_ratings", "read_ratings"]

Progress = Callable[[int, int], None]


def read_ratings(
    path: str | Path,
    *,
    titles: bool = True,
    duplicates: str = "error",
    progress: Progress | None = None,
) -> RatingTable:
    """Read ratings from a file or a folder; the format is recognised by what is in it.

    MovieLens: ``u.data`` (tabs), ``ratings.dat`` (``::``), ``ratings.csv``. Netflix: the folder
    ``training_set`` of ``mv_*.txt``, one such file, ``combined_data_*.txt`` (one or all), or CSV
    lines ``movie,user,rating[,date]``. Any CSV whose header names user, movie and rating. Ratings
    are from 0.5 to 5 in half stars, or 1 to 5 in whole ones where the format has no halves. For
    other ratings, or other names of columns, see :func:`read_csv_ratings`.

    The text is read piece by piece; 100 million ratings take about 1.5 GB at most, and 0.7 GB in
    the end.

    Parameters
    ----------
    path
        A file, or a folder with the files of one data set.
    titles
        Read titles too, where a file of titles lies beside the ratings.
    duplicates
        What to do when a user has rated an item twice: ``"error"``, or keep the ``"first"`` or the
        ``"last"`` of the ratings in the order of the file.
    progress
        Told, now and then, how many bytes of how many are read.

    Returns
    -------
    RatingTable
        Its ``name`` is that of the data set if the size is exactly right, else the file's.

    Raises
    ------
    FileNotFoundError
        There is nothing at the path.
    DataError
        No ratings, a line that cannot be read (with file, line number and reason), duplicates.

    Examples
    --------
    >>> import robustbandits as rb
    >>> table = rb.environments.read_ratings("ml-100k")  # doctest: +SKIP
    >>> table.shape  # doctest: +SKIP
    (943, 1682)
    """
    require.one_of("duplicates", duplicates, DUPLICATES)
    found = recognise(path)
    stream = RatingStream(found.format, _counter(found, progress))
    for file in found.files:
        stream.read(file)
    names = _titles(found.titles) if titles and found.titles else None
    return table_of(stream, Path(path), names, duplicates)


def _titles(path: Path) -> dict[int, str]:
    try:
        return read_titles(path)
    except DataError as error:
        raise DataError(f"{error}; mend or move that file, or pass titles=False") from None


def _counter(found: RatingFiles, progress: Progress | None) -> Callable[[int], None] | None:
    if progress is None:
        return None
    total = sum(file.stat().st_size for file in found.files)
    done = 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        progress(done, total)

    return count
