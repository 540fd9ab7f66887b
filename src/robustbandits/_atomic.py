"""Write a file atomically: after a crash there is the complete old file or the new one."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

#: The name of an unfinished file (a draft): a dot, the final name, a random word.
_DRAFT = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{12}\.tmp")
DAY = 24 * 60 * 60.0
#: How much of the final name is in a draft's name: a file system may allow 255 bytes in all.
_LONGEST = 100


@contextlib.contextmanager
def whole_file(
    path: str | os.PathLike[str], *, durable: bool = True, flush_name: bool = True
) -> Iterator[BinaryIO]:
    """Open a draft beside ``path``; at the end, flush it to the disk and rename it to ``path``.

    If anything fails, the draft is removed and the old file stays. If ``path`` is a link, the file
    that it points to is replaced. The new file has the permissions of the old one. With
    ``durable=False`` nothing is flushed: a power cut may lose or damage the file. With
    ``flush_name=False`` the caller must flush the folder: a power cut before may undo the renaming.
    """
    # Text instead of Path objects, which take a fifth of the time: stores write many files.
    target = os.path.realpath(path) if os.path.islink(path) else os.path.abspath(path)
    folder, name = os.path.split(target)
    draft = os.path.join(folder, f".{name[:_LONGEST]}.{os.urandom(6).hex()}.tmp")
    try:
        with open(draft, "xb") as file:
            with contextlib.suppress(OSError):
                os.chmod(draft, stat.S_IMODE(os.stat(target).st_mode))
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        if isinstance(error, OSError) and error.errno is not None:
            error.filename = os.fspath(path)  # the name that the caller knows
        raise
    if durable and flush_name:
        _flush_folder(folder)


def _flush_folder(folder: str | Path) -> None:
    """Flush the names of a folder's files to the disk, where the system can do that.

    Without it a power cut could undo the renaming of a file. Windows cannot open folders, and some
    network file systems cannot flush them.
    """
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_whole(target: Path, data: bytes) -> None:
    """Write a file atomically."""
    with whole_file(target) as file:
        file.write(data)


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files of one folder atomically; when this returns, all of them are on the disk."""
    try:
        for name, data in files.items():
            with whole_file(folder / name, flush_name=False) as file:
                file.write(data)
    finally:
        _flush_folder(folder)


def remove_old_drafts(folder: Path, name: str | None = None) -> None:
    """Delete unfinished files that are older than a day: their processes were killed.

    With ``name``, only drafts of the file with that name are deleted.
    """
    for path, final_name in drafts(folder):
        if name is None or final_name == name[:_LONGEST]:
            with contextlib.suppress(OSError):  # another process deleted it, or owns it
                if time.time() - path.stat().st_mtime > DAY:
                    path.unlink()


def drafts(folder: Path) -> list[tuple[Path, str]]:
    """Return unfinished files, each with the name that it would have had."""
    found = []
    for path in folder.glob(".*.tmp"):
        match = _DRAFT.fullmatch(path.name)
        if match is not None:
            found.append((path, match["name"]))
    return found
