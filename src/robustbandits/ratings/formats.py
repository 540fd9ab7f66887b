"""Formats of rating files, recognized by their content, and the files that a folder holds."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from robustbandits.ratings.errors import DataError
from robustbandits.ratings.table import LARGEST_RATING
from robustbandits.ratings.titles import find_titles

SAMPLE_BYTES = 1 << 16  # read from the start of a file to tell its format
#: Accepted column names, in lower case and without "_" and blanks.
COLUMN_NAMES = {
    "user": ("userid", "user", "u", "customerid", "custid", "customer", "uid"),
    "item": ("movieid", "itemid", "movie", "item", "m", "i", "iid", "mid"),
    "rating": ("rating", "ratings", "r", "stars", "score"),
}
FILE_NAMES = ("u.data", "ratings.dat", "ratings.csv", "ml-100k.inter")
FILE_PATTERNS = (*FILE_NAMES, "combined_data_*.txt", "mv_*.txt", "training_set/mv_*.txt")
TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".data", ".inter")
ARCHIVE_SUFFIXES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
KNOWN_FORMATS = (
    "known formats are MovieLens u.data, ratings.dat (::) and ratings.csv, Netflix mv_*.txt and "
    "combined_data_*.txt, and CSV with movie,user,rating[,date] or with a header that names user, "
    "movie and rating; for other columns use read_csv_ratings(path, user=..., item=..., rating=...)"
)


class RatingScale(NamedTuple):
    """The ratings that a format allows."""

    low: float
    high: float
    step: float  # ratings are multiples of it; 0 allows any number
    description: str

    def allows(self, ratings: Any) -> Any:
        """Whether a rating is allowed, or which ones of an array are."""
        inside = (ratings >= self.low) & (ratings <= self.high)
        return inside & (ratings % self.step == 0) if self.step else inside


WHOLE_STARS = RatingScale(1.0, 5.0, 1.0, "a whole number from 1 to 5")
HALF_STARS = RatingScale(0.5, 5.0, 0.5, "a multiple of 0.5 from 0.5 to 5")
ANY_NUMBER = RatingScale(-LARGEST_RATING, LARGEST_RATING, 0.0, "a finite number of 32 bits")


@dataclass(frozen=True)
class Format:
    """How the lines of a rating file are written."""

    name: str
    fields: tuple[str, ...]  # "user", "item", "rating", "date", or "" for a field that is not read
    delimiter: str = ","
    header_lines: int = 0  # lines to skip, up to and including the one with the column names
    scale: RatingScale = WHOLE_STARS
    quotes: bool = False  # whether a field may be quoted
    text_ids: bool = False  # whether ids may be text; otherwise they are whole numbers
    encoding: str = "utf-8"

    @property
    def has_movie_lines(self) -> bool:
        """Whether a line such as "7:" names the movie of the ratings below, as in Netflix data."""
        return "item" not in self.fields


@dataclass(frozen=True)
class RatingFiles:
    """Rating files found on disk, their format, and the file of titles beside them."""

    format: Format
    files: tuple[Path, ...]
    titles: Path | None


USER_ITEM = ("user", "item", "rating")
NETFLIX_FORMAT = Format("Netflix, movie by movie", ("user", "rating", "date"))


def open_text(path: Path, encoding: str) -> TextIO:
    """Open a text file; a byte order mark is skipped, and what is not text is replaced."""
    with_mark = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    return path.open(encoding=with_mark, errors="replace")


def recognize_file(path: Path) -> Format:
    """Return the format of a file; raise a DataError if it has no known format."""
    with path.open("rb") as file:
        sample = file.read(SAMPLE_BYTES)
    if b"\0" in sample:
        raise DataError(f"{path} is not text; if it is an archive, unpack it first")
    lines = sample.decode("utf-8-sig", errors="replace").splitlines()
    filled = [k for k, line in enumerate(lines) if line.strip()]
    if not filled:
        raise DataError(f"{path} is empty")
    first, *rest = (lines[k] for k in filled)
    is_movie = first.endswith(":") and first[:-1].isdecimal()
    if is_movie and rest and rest[0].count(",") == 2:
        return NETFLIX_FORMAT
    found = _without_header(first) or _with_header(first, filled[0] + 1)
    if found is None:
        raise DataError(f"{path} has an unknown format: it starts {first[:60]!r}; {KNOWN_FORMATS}")
    return found


def _without_header(line: str) -> Format | None:
    """Recognize lines of numbers."""
    for delimiter in ("::", "\t", ",", ";"):
        fields = line.split(delimiter)
        numbers = (field.replace(".", "", 1).isdecimal() for field in fields[:3])
        if len(fields) in (3, 4) and all(numbers):
            break
    else:
        return None
    rest = ("",) * (len(fields) - 3)
    if delimiter == "::":
        return Format("MovieLens ratings.dat", USER_ITEM + rest, "::", scale=HALF_STARS)
    if delimiter == "\t":
        return Format("MovieLens u.data", USER_ITEM + rest, "\t")
    if rest and fields[3].isdecimal():
        return Format("CSV user,movie,rating,time", USER_ITEM + rest, delimiter, scale=HALF_STARS)
    if rest and fields[3].count("-") == 2 and len(fields[3]) == 10:
        rest = ("date",)
    return Format("CSV movie,user,rating", ("item", "user", "rating", *rest), delimiter)


def _with_header(line: str, header_lines: int) -> Format | None:
    """Recognize a header line that names the columns."""
    for delimiter in (",", "\t", ";"):
        names = [plain_name(name) for name in next(csv.reader([line], delimiter=delimiter))]
        fields = [""] * len(names)
        for field, accepted in COLUMN_NAMES.items():
            columns = [k for k, name in enumerate(names) if name in accepted]
            if len(columns) == 1:
                fields[columns[0]] = field
        if all(field in fields for field in USER_ITEM):
            name = "table with a header"
            return Format(name, tuple(fields), delimiter, header_lines, HALF_STARS, quotes=True)
    return None


def plain_name(name: str) -> str:
    """Return a column name for comparison: RecBole's "user_id:token" becomes "userid"."""
    return name.split(":")[0].strip().lower().replace("_", "").replace(" ", "")


def recognize(path: str | Path) -> RatingFiles:
    """Return the files under a path that hold the ratings, and their format.

    Raises a FileNotFoundError if the path does not exist, and a DataError if there are no ratings
    or several sets of them.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    files = _files_in(path) if path.is_dir() else [path]
    return RatingFiles(recognize_file(files[0]), tuple(files), find_titles(files[0].parent))


def _files_in(folder: Path) -> list[Path]:
    entries = sorted(folder.iterdir())
    sets = _sets_by_name(folder) or [[file] for file in entries if _holds_ratings(file)]
    if not sets:
        sets = [files for entry in entries if entry.is_dir() for files in _sets_by_name(entry)]
    if len(sets) > 1:
        names = ", ".join(str(files[0].relative_to(folder)) for files in sets)
        raise DataError(f"{folder} holds several sets of ratings: pass the path of one of {names}")
    if not sets:
        archives = [entry.name for entry in entries if entry.suffix in ARCHIVE_SUFFIXES]
        hint = f", only an archive: unpack {archives[0]} first" if archives else ""
        raise DataError(f"{folder} holds no ratings{hint}; {KNOWN_FORMATS}")
    return sets[0]


def _sets_by_name(folder: Path) -> list[list[Path]]:
    """Return the files whose names are those of known data sets, one list for each set."""
    found = ([file for file in sorted(folder.glob(p)) if file.is_file()] for p in FILE_PATTERNS)
    return [files for files in found if files]


def _holds_ratings(path: Path) -> bool:
    if not path.is_file() or path.suffix.lower() not in TEXT_SUFFIXES:
        return False
    try:
        recognize_file(path)
    except DataError:  # a description, a licence, titles
        return False
    return True
