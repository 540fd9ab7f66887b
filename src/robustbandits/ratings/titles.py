"""Titles of items, from the files that come with MovieLens and Netflix data."""

from __future__ import annotations

import re
from pathlib import Path

#: Files of titles, and a pattern for their lines. A title with commas or quotes may be quoted.
TITLE_FILES = {
    "u.item": r"(?P<id>\d+)\|(?P<title>[^|]*)",
    "movies.dat": r"(?P<id>\d+)::(?P<title>.*?)::",
    "movies.csv": r'(?P<id>\d+),(?P<quote>"?)(?P<title>.*)(?P=quote),[^,]*$',
    "movie_titles.txt": r"(?P<id>\d+),[^,]*,(?P<title>.*)",
    "movie_titles.csv": r'(?P<quote>"?)(?P<id>\d+),[^,]*,(?P<title>.*)(?P=quote)$',
    "ml-100k.item": r"(?P<id>\d+)\t(?P<title>[^\t]*)",
}


def find_titles(folder: Path) -> Path | None:
    """Return the file of titles in a folder, if any; Netflix's is next to ``training_set``."""
    for candidate in (folder, folder.parent) if folder.name == "training_set" else (folder,):
        for name in TITLE_FILES:
            if (candidate / name).is_file():
                return candidate / name
    return None


def read_titles(path: Path) -> dict[int, str]:
    """Return titles by item id. Lines without an id and a title are skipped."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:  # older files are latin-1
        text = data.decode("latin-1")
    found = (re.match(TITLE_FILES[path.name], line.rstrip("\r")) for line in text.split("\n"))
    return {int(match["id"]): match["title"].replace('""', '"').strip() for match in found if match}
