"""Titles of items, as the data sets write them."""

from __future__ import annotations

import csv
from pathlib import Path

from robustbandits.ratings.errors import DataError

#: Files with titles, by how they are written. The first that a folder holds counts.
TITLE_FILES = (
    "u.item",
    "movies.dat",
    "movies.csv",
    "movie_titles.txt",
    "movie_titles.csv",
    "ml-100k.item",
)


def find_titles(folder: Path) -> Path | None:
    """Return a folder's file of titles, if there is one; Netflix' lies beside `training_set`."""
    for place in (folder, folder.parent) if folder.name == "training_set" else (folder,):
        for name in TITLE_FILES:
            if (place / name).is_file():
                return place / name
    return None


def read_titles(path: str | Path) -> dict[int, str]:
    """Read titles by item id.

    Takes MovieLens' ``u.item``, ``movies.dat`` and ``movies.csv``, Netflix' ``movie_titles.txt``
    (or ``.csv``) and RecBole's ``ml-100k.item``, told apart by how their first line is written.
    Old files are latin-1, new ones UTF-8. A title may hold commas.

    Raises
    ------
    DataError
        A line that cannot be read, with file, line number and reason.
    """
    path = Path(path)
    text = _decoded(path.read_bytes())
    lines = text.replace("\r\n", "\n").split("\n")  # not splitlines: latin-1 has odd line ends
    first = lines[0] if lines else ""
    if first.lower().startswith("movieid,title"):
        return _from_csv(path, lines)
    if first.startswith("item_id:token\t"):
        split, keep, skip = ("\t", -1), 1, 1
    elif "::" in first:
        split, keep, skip = ("::", 2), 1, 0
    elif first.count("|") > 2:
        split, keep, skip = ("|", 2), 1, 0
    else:
        split, keep, skip = (",", 2), 2, 0  # id,year,title: all later commas are the title's
    titles = {}
    for number, line in enumerate(lines[skip:], skip + 1):
        if line.strip():
            fields = _unquoted(line).split(*split)
            known, title = _entry(path, number, fields, keep)
            titles[known] = title
    return _checked(path, titles)


def _decoded(data: bytes) -> str:
    """Text of old (latin-1) and new (UTF-8) files; latin-1 letters are hardly ever valid UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _unquoted(line: str) -> str:
    """Undo a spreadsheet's quotes around a whole line, where the title has quotes inside."""
    if len(line) > 1 and line[0] == line[-1] == '"':
        return line[1:-1].replace('""', '"')
    return line


def _from_csv(path: Path, lines: list[str]) -> dict[int, str]:
    titles = {}
    reader = csv.reader(lines[1:])
    try:
        for fields in reader:
            if fields:
                known, title = _entry(path, reader.line_num + 1, fields, 1)
                titles[known] = title
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num + 1}: {error}") from None
    return _checked(path, titles)


def _entry(path: Path, number: int, fields: list[str], keep: int) -> tuple[int, str]:
    if len(fields) <= keep:
        raise DataError(f"{path}, line {number}: {len(fields)} fields, no title among them")
    try:
        return int(fields[0]), fields[keep].strip()
    except ValueError:
        raise DataError(
            f"{path}, line {number}: the id must be a whole number, got {fields[0][:40]!r}"
        ) from None


def _checked(path: Path, titles: dict[int, str]) -> dict[int, str]:
    if not titles:
        raise DataError(f"{path} holds no titles")
    return titles
