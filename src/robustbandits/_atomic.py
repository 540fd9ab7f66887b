"""Write a file atomically: after a crash the old one is there, or the new one, whole."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

#: The name of a file that is not finished: a dot, the final name, a random word.
_DRAFT = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{12}\.tmp")
#: Longer names are cut in a draft's: a file system may allow 255 bytes in all.
_LONGEST = 100


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a draft beside ``path``; force it to the disk and put it in its place at the end.

    Whatever goes wrong in between, the draft is removed and the old file stays. A link stays one:
    the file behind it is replaced, and keeps its permissions.
    """
    target = Path(path).resolve()
    draft = target.with_name(f".{target.name[:_LONGEST]}.{secrets.token_hex(6)}.tmp")
    try:
        with draft.open("xb") as file:
            with contextlib.suppress(OSError):
                shutil.copymode(target, draft)  # a private file stays private
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            error.filename = os.fspath(path)  # the name that the caller knows
        raise


def write_whole(target: Path, data: bytes) -> None:
    """Write a file whose contents are at hand."""
    with whole_file(target) as file:
        file.write(data)


def drafts(folder: Path) -> list[tuple[Path, str]]:
    """Return unfinished files, each with the name that it was to get."""
    found = []
    for path in folder.glob(".*.tmp"):
        match = _DRAFT.fullmatch(path.name)
        if match is not None:
            found.append((path, match["name"]))
    return found
