"""Formats of rating files, recognised by their content, and the files that a folder holds."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from robustbandits.ratings.errors import DataError
from robustbandits.ratings.titles import find_titles

SAMPLE_BYTES = 1 << 16  # read from the start of a file to tell its format
#: Accepted column names, in lower case and without "_" and blanks.
COLUMN_NAMES = {
    "user": ("userid", "user", "u", "customerid", "custid", "customer", "uid"),
    "item": ("movieid", "itemid", "movie", "item", "m", "i", "iid", "mid"),
    "rating": ("rating", "ratings", "r", "stars", "score"),
}
ARCHIVES = {b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
ARCHIVE_SUFFIXES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
KNOWN_FILES = (
    "u.data",
    "ratings.dat",
    "ratings.csv",
    "ml-100k.inter",
    "combined_data_*.txt",
    "mv_*.txt",
    "training_set/mv_*.txt",
)
TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".data", ".inter")
KNOWN_FORMATS = (
    "known formats are MovieLens u.data, ratings.dat (::) and ratings.csv, Netflix mv_*.txt and "
    "combined_data_*.txt, and CSV with movie,user,rating[,date] or with a header that names user, "
    "movie and rating; for other columns use read_csv_ratings(path, user=..., item=..., rating=...)"
)


@dataclass(frozen=True)
class Format:
    """How the lines of a rating file are written."""

    name: str
    fields: tuple[str, ...]  # "user", "item", "rating", "date", or "" for a field that is not read
    delimiter: str = ","
    header_lines: int = 0  # lines to skip, up to and including the one with the column names
    low: float = 1.0
    high: float = 5.0
    step: float = 1.0  # ratings are multiples of it; 0 allows any number
    quotes: bool = False  # whether a field may stand in quotes
    text_ids: bool = False  # whether ids may be text; otherwise they are whole numbers
    encoding: str = "utf-8"

    @property
    def has_movie_lines(self) -> bool:
        """Whether a line such as "7:" names the movie of the ratings below, as in Netflix data."""
        return "item" not in self.fields


def open_text(path: Path, encoding: str) -> TextIO:
    """Open a text file; a byte order mark is skipped, and what is not text is replaced."""
    with_mark = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    return path.open(encoding=with_mark, errors="replace")


USER_ITEM = ("user", "item", "rating")
NETFLIX_FORMAT = Format("Netflix, movie by movie", ("user", "rating", "date"))


def recognise_file(path: Path) -> Format:
    """Return the format of a file.

    Raises
    ------
    DataError
        The file is empty, an archive, binary, or in no known format.
    """
    with path.open("rb") as file:
        sample = file.read(SAMPLE_BYTES)
    for magic, kind in ARCHIVES.items():
        if sample.startswith(magic):
            raise DataError(f"{path} is a {kind} archive: unpack it first")
    if b"\0" in sample:
        raise DataError(f"{path} is not text")
    lines = sample.decode("utf-8-sig", errors="replace").splitlines()
    filled = [k for k, line in enumerate(lines) if line.strip()]
    if not filled:
        raise DataError(f"{path} is empty")
    first, second = lines[filled[0]], lines[filled[1]] if len(filled) > 1 else ""
    found = _movie_by_movie(path, first, second) or _numbers(first) or _named(first, filled[0] + 1)
    if found is None:
        raise DataError(f"{path} has an unknown format: it starts {first[:60]!r}; {KNOWN_FORMATS}")
    return found


def _movie_by_movie(path: Path, first: str, second: str) -> Format | None:
    if not (first.endswith(":") and first[:-1].isdecimal()):
        return None
    fields = second.split(",")
    if len(fields) == 1 and fields[0].isdecimal():
        raise DataError(f"{path} holds no ratings: it lists users only, like Netflix's probe.txt")
    if len(fields) == 2 and "-" in fields[1]:
        raise DataError(
            f"{path} holds no ratings: it lists users and dates, like Netflix's qualifying.txt"
        )
    return NETFLIX_FORMAT


def _numbers(line: str) -> Format | None:
    """Recognise lines of numbers without a header."""
    for delimiter in ("::", "\t", ",", ";"):
        fields = line.split(delimiter)
        if len(fields) in (3, 4) and all(_is_number(field) for field in fields[:3]):
            break
    else:
        return None
    rest = ("",) * (len(fields) - 3)
    if delimiter == "::":
        return Format("MovieLens ratings.dat", USER_ITEM + rest, "::", low=0.5, step=0.5)
    if delimiter == "\t":
        return Format("MovieLens u.data", USER_ITEM + rest, "\t")
    if rest and fields[3].isdecimal():
        return Format("CSV user,movie,rating,time", USER_ITEM + rest, delimiter, low=0.5, step=0.5)
    if rest and fields[3].count("-") == 2 and len(fields[3]) == 10:
        rest = ("date",)
    return Format("CSV movie,user,rating", ("item", "user", "rating", *rest), delimiter)


def _is_number(field: str) -> bool:
    return field.replace(".", "", 1).isdecimal()


def _named(line: str, header_lines: int) -> Format | None:
    """Recognise a header line that names the columns."""
    for delimiter in (",", "\t", ";"):
        names = [plain_name(name) for name in next(csv.reader([line], delimiter=delimiter))]
        fields = [""] * len(names)
        for field, accepted in COLUMN_NAMES.items():
            columns = [k for k, name in enumerate(names) if name in accepted]
            if len(columns) == 1:
                fields[columns[0]] = field
        if all(field in fields for field in USER_ITEM):
            return Format(
                "table with a header",
                tuple(fields),
                delimiter,
                header_lines=header_lines,
                low=0.5,
                step=0.5,
                quotes=True,
            )
    return None


def plain_name(name: str) -> str:
    """Return a column name for comparison: RecBole's "user_id:token" becomes "userid"."""
    return name.split(":")[0].strip().lower().replace("_", "").replace(" ", "")


@dataclass(frozen=True)
class RatingFiles:
    """Rating files found on disk, their format, and the file of titles beside them."""

    format: Format
    files: tuple[Path, ...]
    titles: Path | None


def recognise(path: str | Path) -> RatingFiles:
    """Return the files under a path that hold the ratings, and their format.

    Raises
    ------
    FileNotFoundError
        The path does not exist.
    DataError
        There are no ratings, or there are several sets of them.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    files = _files_in(path) if path.is_dir() else [path]
    return RatingFiles(recognise_file(files[0]), tuple(files), find_titles(files[0].parent))


def _files_in(folder: Path) -> list[Path]:
    sets = _sets_by_name(folder) or _sets_by_content(folder)
    if not sets:
        folders = [entry for entry in sorted(folder.iterdir()) if entry.is_dir()]
        sets = [files for inner in folders for files in _sets_by_name(inner)]
    if len(sets) > 1:
        names = ", ".join(str(files[0].relative_to(folder)) for files in sets)
        raise DataError(f"{folder} holds several sets of ratings: pass the path of one of {names}")
    if not sets:
        packed = [file for file in sorted(folder.iterdir()) if file.suffix in ARCHIVE_SUFFIXES]
        hint = f", only an archive: unpack {packed[0].name} first" if packed else ""
        raise DataError(f"{folder} holds no ratings{hint}; {KNOWN_FORMATS}")
    return sets[0]


def _sets_by_name(folder: Path) -> list[list[Path]]:
    """Return the files whose names are those of known data sets, one list for each set."""
    found = ([file for file in sorted(folder.glob(p)) if file.is_file()] for p in KNOWN_FILES)
    return [files for files in found if files]


def _sets_by_content(folder: Path) -> list[list[Path]]:
    sets = []
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.suffix.lower() in TEXT_SUFFIXES:
            try:
                recognise_file(path)
            except DataError:
                continue  # a description, a licence, titles
            sets.append([path])
    return sets
