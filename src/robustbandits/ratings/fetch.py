"""fetch: put a data set into the user's data directory, whole and checked, or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from robustbandits.ratings._archives import LARGEST_FILE, read_members
from robustbandits.ratings._download import NoAnswer, download, pip_download
from robustbandits.ratings.datasets import MOVIELENS_100K, NETFLIX, Dataset
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.locate import data_dir, dataset, own_copy, ratings_file, verify

Files = dict[str, bytes]
Say = Callable[[str], None]

WHEEL = "recbole==1.2.1"
WHEEL_FILES = {"ml-100k.inter": "u.data", "ml-100k.item": "ml-100k.item"}


def fetch(
    name: str, source: str | Path | None = None, *, again: bool = False, say: Say | None = None
) -> Path:
    """Put a data set into the user's data directory and return its folder there.

    Taken is the first source that answers: ``source``; the path in the data set's environment
    variable; the official archive; for MovieLens 100K also the copy inside the wheel
    ``recbole==1.2.1``, downloaded with pip but never installed. Whatever the source, the ratings
    are checked first. The folder appears whole or not at all.

    Parameters
    ----------
    name
        A name of the catalogue, such as ``"movielens-100k"``.
    source
        Your own copy: a folder, the file of ratings, or the official archive.
    again
        Fetch even if a good copy is there.
    say
        Told the licence, the citation, and where the data are from; prints to stderr by default.

    Raises
    ------
    DataError
        No source answers, or what it gives is not the data set.
    FileNotFoundError
        The given path does not exist, or holds no such ratings.
    """
    say = say or _to_stderr
    known = dataset(name)
    if known is NETFLIX:
        raise DataError(
            f"the Netflix Prize data may not be passed on, so there is nothing to fetch: set "
            f"{NETFLIX.variable} to your own copy, or put it into {data_dir() / NETFLIX.name}; "
            f"`robustbandits data check PATH` looks at it"
        )
    target = data_dir() / name
    given = Path(source).expanduser() if source is not None else own_copy(known)
    if source is None and not again and _is_good(known, target):
        say(f"{name} is in {target} already")
    else:
        files, origin = _from_path(known, given) if given is not None else _from_afar(known, say)
        _land(known, files, origin, target)
        say(f"{name}: from {origin}, checked, now in {target}")
    say(f"licence: {known.licence}")
    say(f"citation: {known.citation}")
    return target


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr)


def _is_good(known: Dataset, folder: Path) -> bool:
    try:
        verify(known, folder / known.files[0])
    except (OSError, DataError):
        return False
    return True


def _from_path(known: Dataset, path: Path) -> tuple[Files, str]:
    """Files of the user's own copy."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if path.is_file() and path.suffix.lower() == ".zip":
        return _complete(known, read_members(path, known.files, str(path)), str(path)), str(path)
    ratings = ratings_file(known, path)
    if ratings.stat().st_size > LARGEST_FILE:
        raise DataError(f"{ratings} is too large for {known.name}: over {LARGEST_FILE >> 20} MB")
    files = {known.files[0]: ratings.read_bytes()}
    for name in known.files[1:]:
        beside = ratings.parent / name
        if beside.is_file() and beside.stat().st_size <= LARGEST_FILE:
            files[name] = beside.read_bytes()
    return files, str(ratings)


def _from_afar(known: Dataset, say: Say) -> tuple[Files, str]:
    """Files of the first source on the network that answers."""
    sources: list[Callable[[Dataset], tuple[Files, str]]] = [_from_archive]
    if known.name == MOVIELENS_100K.name:
        sources.append(_from_wheel)
    reasons = []
    for source in sources:
        try:
            return source(known)
        except NoAnswer as trouble:
            reasons.append(str(trouble))
            say(f"{trouble}" + ("; trying the next source" if source is not sources[-1] else ""))
    raise DataError(
        f"{known.name} could not be fetched: {'; '.join(reasons)}. Get {known.archive} in another "
        f"way, then run `robustbandits data fetch {known.name} --from PATH` or set "
        f"{known.variable} to its path"
    )


def _from_archive(known: Dataset) -> tuple[Files, str]:
    data = download(known.archive, LARGEST_FILE)
    origin = known.archive
    try:
        files = read_members(io.BytesIO(data), known.files, origin)
        return _complete(known, files, origin), origin
    except DataError as error:  # a page of some proxy, say: not an answer
        raise NoAnswer(str(error)) from None


def _from_wheel(known: Dataset) -> tuple[Files, str]:
    """MovieLens 100K inside another package: the ratings under a header line."""
    origin = f"the wheel {WHEEL}"
    with tempfile.TemporaryDirectory() as folder:
        wheel = pip_download(WHEEL, Path(folder))
        found = read_members(wheel, tuple(WHEEL_FILES), origin)
    files = {WHEEL_FILES[name]: data for name, data in found.items()}
    if known.files[0] in files:
        files[known.files[0]] = files[known.files[0]].partition(b"\n")[2]
    return _complete(known, files, origin), origin


def _complete(known: Dataset, files: Files, origin: str) -> Files:
    if known.files[0] not in files:
        raise DataError(f"{origin} holds no {known.files[0]}, which has the ratings")
    return files


def _land(known: Dataset, files: Files, origin: str, target: Path) -> None:
    """Write all files beside the target, check them, then rename the folder into place."""
    with _scratch(target) as scratch:
        fresh = scratch / "new"
        fresh.mkdir()
        for name, data in files.items():
            with (fresh / name).open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        try:
            verify(known, fresh / known.files[0])
        except DataError as error:
            reason = str(error).replace(
                str(fresh / known.files[0]), f"{known.files[0]} of {origin}"
            )
            raise DataError(f"refused: {reason}") from None
        with contextlib.suppress(FileNotFoundError):
            target.rename(scratch / "old")  # a folder cannot be renamed onto one that has files
        try:
            fresh.rename(target)
        except OSError:
            if not _is_good(known, target):  # unless somebody else has just put it there
                raise


@contextlib.contextmanager
def _scratch(target: Path) -> Iterator[Path]:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise type(error)(
            f"cannot write to {target.parent}: {error.strerror}; set ROBUSTBANDITS_DATA to a "
            f"folder that can be written to"
        ) from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
