"""Write a file atomically: after a crash the old one is there, or the new one, whole."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path

#: The name of a file that is not finished: a dot, the final name, a random word.
_DRAFT = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{12}\.tmp")


def write_whole(target: Path, data: bytes) -> None:
    """Write beside the target, force it to the disk, then put it in the target's place."""
    draft = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            error.filename = os.fspath(target)  # the name that the caller knows
        raise


def drafts(folder: Path) -> list[tuple[Path, str]]:
    """Return unfinished files, each with the name that it was to get."""
    found = []
    for path in folder.glob(".*.tmp"):
        match = _DRAFT.fullmatch(path.name)
        if match is not None:
            found.append((path, match["name"]))
    return found
