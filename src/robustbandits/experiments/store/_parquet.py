"""Parquet, imported when first needed: most uses of the package do without."""

from __future__ import annotations

from typing import Any


def parquet() -> tuple[Any, Any]:
    """Return ``pyarrow`` and ``pyarrow.parquet``, or say how to install them."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError("a store needs pyarrow: pip install 'robustbandits[lab]'") from None
    return pyarrow, pyarrow.parquet
