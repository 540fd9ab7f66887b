"""Errors of everything that reads data."""

from __future__ import annotations

import struct
import zipfile
import zlib


class DataError(ValueError):
    """Data that cannot be used: damaged, incomplete, out of range, or not what was expected."""


#: What the standard library and NumPy raise when the bytes of an archive make no sense.
DAMAGED_ARCHIVE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    MemoryError,
    OverflowError,
    RecursionError,
    RuntimeError,
    ValueError,
)
