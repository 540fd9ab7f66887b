"""Formats of ratings on disk, recognised by what is in the files."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robustbandits.ratings._parse import DATE, ITEM, RATING, REST, USER, Layout
from robustbandits.ratings.errors import DataError

HEAD = 1 << 16  # bytes looked at to tell what a file is
#: What columns are called, in lower case and without "_" and blanks.
HEADERS = {
    USER: ("userid", "user", "u", "customerid", "custid", "customer", "uid"),
    ITEM: ("movieid", "itemid", "movie", "item", "m", "i", "iid", "mid"),
    RATING: ("rating", "ratings", "r", "stars", "score"),
}
ARCHIVES = {b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
KNOWN = (
    "known are MovieLens' u.data, ratings.dat (::) and ratings.csv, Netflix' mv_*.txt and "
    "combined_data_*.txt, and CSV as movie,user,rating[,date] or with a header that names user, "
    "movie and rating; for other columns use read_csv_ratings(path, user=..., item=..., rating=...)"
)


@dataclass(frozen=True)
class Format:
    """How a file of ratings is written."""

    name: str
    layout: Layout
    header: bool = False  # whether the first line names the columns


def layout(
    roles: list[int], delimiter: str = ",", *, high: float = 5, low: float = 1, halves: bool = False
) -> Layout:
    """Return the layout of lines with these fields."""
    return Layout(
        roles=np.array(roles, np.uint8),
        delimiter=ord(delimiter[0]),
        width=len(delimiter),
        blocks=ITEM not in roles,
        low=round(2 * low),
        high=round(2 * high),
        halves=halves,
    )


TRIPLE = [USER, ITEM, RATING]
NETFLIX_BLOCKS = Format("Netflix, movie by movie", layout([USER, RATING, DATE]))


def recognise_file(path: Path) -> Format:
    """Return how a file is written.

    Raises
    ------
    DataError
        It is empty, packed, binary, with odd line ends, or in no format known here.
    """
    with path.open("rb") as file:
        head = file.read(HEAD)
    for magic, kind in ARCHIVES.items():
        if head.startswith(magic):
            raise DataError(f"{path} is a {kind} archive: unpack it first")
    if b"\0" in head:
        raise DataError(f"{path} is not text")
    lines = head.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").split("\n")
    lines = [line for line in lines if line.strip()][:2]
    if not lines:
        raise DataError(f"{path} is empty")
    if "\r" in lines[0]:
        raise DataError(f"{path} has the line ends of old Macs: save it with those of Unix")
    found = _blocks(path, lines) or _plain(lines[0]) or _headed(lines[0])
    if found is None:
        raise DataError(f"{path} is in no known format: it starts {lines[0][:60]!r}; {KNOWN}")
    return found


def _blocks(path: Path, lines: list[str]) -> Format | None:
    if not (lines[0].endswith(":") and lines[0][:-1].isdecimal()):
        return None
    fields = lines[1].split(",") if len(lines) > 1 else []
    if len(fields) == 1 and fields[0].isdecimal():
        raise DataError(f"{path} holds no ratings: it lists users only, as Netflix' probe.txt does")
    if len(fields) == 2 and "-" in fields[1]:
        raise DataError(
            f"{path} holds no ratings: it lists users and dates, as Netflix' qualifying.txt does"
        )
    return NETFLIX_BLOCKS


def _plain(line: str) -> Format | None:
    """Lines of numbers, without a header."""
    for delimiter in ("::", "\t", ",", ";"):
        fields = line.split(delimiter)
        if len(fields) in (3, 4) and all(_is_number(field) for field in fields[:3]):
            break
    else:
        return None
    timed = [REST] * (len(fields) - 3)
    if delimiter == "::":
        return Format("MovieLens ratings.dat", layout(TRIPLE + timed, "::", low=0.5, halves=True))
    if delimiter == "\t":
        return Format("MovieLens u.data", layout(TRIPLE + timed, "\t"))
    if timed and fields[3].isdecimal():
        shape = layout(TRIPLE + timed, delimiter, low=0.5, halves=True)
        return Format("CSV user,movie,rating,time", shape)
    dated = [DATE] if timed and fields[3].count("-") == 2 and len(fields[3]) == 10 else timed
    return Format("CSV movie,user,rating", layout([ITEM, USER, RATING, *dated], delimiter))


def _is_number(field: str) -> bool:
    return field.replace(".", "", 1).isdecimal()


def _headed(line: str) -> Format | None:
    """Columns named by a header line."""
    for delimiter in (",", "\t", ";"):
        names = [plain_name(name) for name in next(csv.reader([line], delimiter=delimiter))]
        roles = [REST] * len(names)
        for role, words in HEADERS.items():
            places = [k for k, name in enumerate(names) if name in words]
            if len(places) == 1:
                roles[places[0]] = role
        if all(role in roles for role in TRIPLE):
            shape = layout(roles, delimiter, low=0.5, halves=True)
            return Format("table with a header", shape, header=True)
    return None


def plain_name(name: str) -> str:
    """Return a column's name as compared here: RecBole's "user_id:token" is "userid"."""
    return name.split(":")[0].strip().lower().replace("_", "").replace(" ", "")
