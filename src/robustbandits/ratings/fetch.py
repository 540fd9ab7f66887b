"""fetch: put a data set into the user's data directory after checking it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from robustbandits._atomic import write_whole
from robustbandits.ratings._download import (
    LARGEST_FILE,
    DownloadError,
    download,
    download_wheel,
    read_members,
)
from robustbandits.ratings.datasets import MOVIELENS_100K, NETFLIX, Dataset, find_dataset
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.locate import data_dir, locate, own_copy, ratings_file, verify

Files = dict[str, bytes]
Say = Callable[[str], None]

#: A package whose wheel holds MovieLens 100K, and the names of the files there and here.
WHEEL = "recbole==1.2.1"
WHEEL_FILES = {"ml-100k.inter": "u.data", "ml-100k.item": "ml-100k.item"}


def fetch(
    name: str, source: str | Path | None = None, *, again: bool = False, say: Say | None = None
) -> Path:
    """Put a data set into the user's data directory and return its folder there.

    The sources, in this order: ``source``; the path in the data set's environment variable; the
    official archive; for MovieLens 100K also the copy inside the wheel ``recbole==1.2.1``, which
    pip downloads but does not install. Whatever the source, the ratings are checked first. The
    folder appears complete or not at all.

    Parameters
    ----------
    name
        Name of a data set, such as ``"movielens-100k"``.
    source
        Your own copy: a folder, the file of ratings, or the official archive.
    again
        Fetch even if there is a good copy already.
    say
        Called with the licence, the citation, and the source of the data; prints to stderr by
        default.

    Raises
    ------
    DataError
        No source can be reached, or what it gives is not the data set.
    FileNotFoundError
        The given path does not exist, or holds no such ratings.
    """
    say = say or _print_to_stderr
    dataset = find_dataset(name)
    target = data_dir() / name
    if dataset is NETFLIX:
        raise DataError(
            f"the Netflix Prize data may not be redistributed, so they cannot be fetched: set "
            f"{NETFLIX.variable} to your own copy, or put it into {target}; "
            f"`robustbandits data check PATH` checks it"
        )
    given = Path(source).expanduser() if source is not None else own_copy(dataset)
    if source is None and not again and _is_good(dataset, target):
        say(f"{name} is in {target} already")
    else:
        files, origin = _from_path(dataset, given) if given else _from_network(dataset, say)
        _install(dataset, files, origin, target)
        say(f"{name}: fetched from {origin}, checked, now in {target}")
    say(f"licence: {dataset.licence}")
    say(f"citation: {dataset.citation}")
    return target


def get_dataset(name: str) -> Path:
    """Return the folder (or file) of a data set, which is fetched if it is not here."""
    return locate(name) or fetch(name)


def _print_to_stderr(text: str) -> None:
    print(text, file=sys.stderr)


def _is_good(dataset: Dataset, folder: Path) -> bool:
    try:
        verify(dataset, folder / dataset.files[0])
    except (OSError, DataError):
        return False
    return True


def _from_path(dataset: Dataset, path: Path) -> tuple[Files, str]:
    """Return the files of the user's own copy, and their origin."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if path.is_file() and path.suffix.lower() == ".zip":
        return read_members(path, dataset.files, str(path)), str(path)
    ratings = ratings_file(dataset, path)
    files = {dataset.files[0]: _read_up_to_limit(ratings)}
    for name in dataset.files[1:]:
        if (ratings.parent / name).is_file():
            files[name] = _read_up_to_limit(ratings.parent / name)
    return files, str(ratings)


def _read_up_to_limit(path: Path) -> bytes:
    """Return the contents of a file; a file that is too large is cut one byte above the limit."""
    with path.open("rb") as file:
        return file.read(LARGEST_FILE + 1)


def _from_network(dataset: Dataset, say: Say) -> tuple[Files, str]:
    """Return the files of the first source that can be reached."""
    sources = [_from_archive]
    if dataset.name == MOVIELENS_100K.name:
        sources.append(_from_wheel)
    reasons = []
    for source in sources:
        try:
            with tempfile.TemporaryDirectory() as folder:
                return source(dataset, Path(folder))
        except DownloadError as error:
            reasons.append(str(error))
            say(str(error) + ("; trying the next source" if source is not sources[-1] else ""))
    raise DataError(
        f"{dataset.name} could not be fetched: {'; '.join(reasons)}. Get {dataset.archive} in "
        f"another way, then run `robustbandits data fetch {dataset.name} --from PATH` or set "
        f"{dataset.variable} to its path"
    )


def _from_archive(dataset: Dataset, folder: Path) -> tuple[Files, str]:
    archive = download(dataset.archive, dataset.archive_hash or None, folder)
    try:
        return read_members(archive, dataset.files, dataset.archive), dataset.archive
    except DataError as error:  # for example the login page of a proxy
        raise DownloadError(str(error)) from None


def _from_wheel(dataset: Dataset, folder: Path) -> tuple[Files, str]:
    """Return the files inside the wheel, where the ratings have a header line."""
    origin = f"the wheel {WHEEL}"
    found = read_members(download_wheel(WHEEL, folder), tuple(WHEEL_FILES), origin)
    files = {WHEEL_FILES[name]: data for name, data in found.items()}
    return files | {"u.data": files["u.data"].partition(b"\n")[2]}, origin


def _install(dataset: Dataset, files: Files, origin: str, target: Path) -> None:
    """Check the ratings, then write the files; the ratings last, because they mark a full set."""
    with tempfile.TemporaryDirectory() as folder:
        ratings = Path(folder) / dataset.files[0]
        ratings.write_bytes(files[ratings.name])
        try:
            verify(dataset, ratings)
        except DataError as error:
            reason = str(error).replace(str(ratings), f"{ratings.name} from {origin}")
            raise DataError(f"refused: {reason}") from None
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in reversed(dataset.files):
            if name in files:
                write_whole(target / name, files[name])
    except OSError as error:
        raise type(error)(
            f"cannot write to {target}: {error.strerror}; set ROBUSTBANDITS_DATA to a folder that "
            f"can be written to"
        ) from None
