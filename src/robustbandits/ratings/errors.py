"""Errors of everything that reads data."""

from __future__ import annotations

import struct
import zipfile
import zlib


class DataError(ValueError):
    """Data that cannot be used: damaged, incomplete, out of range, or not what was expected."""


#: Errors that the standard library and NumPy raise if an archive is damaged.
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
