"""Files out of archives that may be damaged, huge or hostile."""

from __future__ import annotations

import errno
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO

from robustbandits.ratings.errors import DataError

#: No file that is wanted here comes near this size.
LARGEST_FILE = 64 << 20
#: What the readers of archives raise when the bytes make no sense: a place before the start of
#: the file is an OSError (EINVAL), a name that is no text a ValueError.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
)


def read_members(
    archive: Path | IO[bytes], wanted: tuple[str, ...], origin: str
) -> dict[str, bytes]:
    """Return the wanted files of a zip archive, by their last names, whatever folder they are in.

    Nothing is written: names inside the archive never become paths.

    Raises
    ------
    DataError
        The archive is damaged or cut off, or one of the files is larger than any should be or
        packed in an unusual way.
    """
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(archive) as opened:
            # Nearest the top first: a second file of the same name, deeper down, is not meant.
            for entry in sorted(opened.infolist(), key=lambda one: one.filename.count("/")):
                name = entry.filename.rsplit("/", 1)[-1]
                if name in wanted and name not in found:
                    found[name] = _bounded(opened, entry, origin)
    except DataError:
        raise
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise  # a disk that fails, not an archive
        raise DataError(f"{origin} is damaged or cut off: {error}") from None
    return found


def _bounded(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, origin: str) -> bytes:
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(f"{origin}: {entry.filename} is packed in an unusual way: unpack it first")
    with opened.open(entry) as file:
        # The size that the archive states may be a lie; what is read is not.
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise DataError(f"{origin}: {entry.filename} has more than {LARGEST_FILE >> 20} MB")
    return data
