"""The error of all that reads data."""

from __future__ import annotations


class DataError(ValueError):
    """Data that cannot be used: damaged, incomplete, out of range, or not what it should be."""
