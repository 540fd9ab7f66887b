"""Which files of a folder hold the ratings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from robustbandits.ratings.errors import DataError
from robustbandits.ratings.formats import KNOWN, Format, recognise_file
from robustbandits.ratings.titles import find_titles

SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".data", ".inter")
PACKED = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")


@dataclass(frozen=True)
class RatingFiles:
    """Ratings recognised on disk."""

    format: Format
    files: tuple[Path, ...]
    titles: Path | None

    @property
    def is_netflix(self) -> bool:
        """Whether they are written movie by movie, as only Netflix' are."""
        return self.format.layout.blocks


def recognise(path: str | Path) -> RatingFiles:
    """Return which files under a path hold the ratings, and how they are written.

    Raises
    ------
    FileNotFoundError
        There is nothing at the path.
    DataError
        There are no ratings, or several sets of them.
    """
    path = Path(path)
    if path.is_dir():
        files = _in_folder(path)
    elif path.exists():
        files = [path]
    else:
        raise FileNotFoundError(f"{path} does not exist")
    return RatingFiles(recognise_file(files[0]), tuple(files), find_titles(files[0].parent))


def _in_folder(folder: Path) -> list[Path]:
    sets = _known_sets(folder) or _by_content(folder)
    if not sets:
        inside = (_known_sets(sub) for sub in sorted(folder.iterdir()) if sub.is_dir())
        sets = [one for found in inside for one in found]
    if len(sets) > 1:
        names = ", ".join(str(one[0].relative_to(folder)) for one in sets)
        raise DataError(f"{folder} holds several sets of ratings: name one of {names}")
    if not sets:
        raise DataError(f"{folder} holds no ratings{_hint(folder)}; {KNOWN}")
    return sets[0]


def _known_sets(folder: Path) -> list[list[Path]]:
    """Files with the names that the data sets give them; each list is one set of ratings."""
    single = ("u.data", "ratings.dat", "ratings.csv", "ml-100k.inter")
    sets = [[folder / name] for name in single if (folder / name).is_file()]
    several = ("combined_data_*.txt", "mv_*.txt", "training_set/mv_*.txt")
    found = (sorted(folder.glob(pattern)) for pattern in several)
    return sets + [files for files in found if files]


def _by_content(folder: Path) -> list[list[Path]]:
    sets = []
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.suffix.lower() in SUFFIXES:
            try:
                recognise_file(path)
            except DataError:
                continue  # a description, a licence, titles
            sets.append([path])
    return sets


def _hint(folder: Path) -> str:
    packed = [path.name for path in sorted(folder.iterdir()) if path.suffix.lower() in PACKED]
    return f", only packed: unpack {packed[0]} first" if packed else ""
