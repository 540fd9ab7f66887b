"""Factors kept on disk under the hash of the ratings and of every parameter."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from robustbandits.compiled.cache import cache_root
from robustbandits.ratings.factors import Factors, FactorsError

#: Newer files that are kept; those of the full Netflix data take 40 MB each.
KEEP = 20
#: Part of every key: a change of the arithmetic must not find old results.
SOLVER = "ccd++ 1"


def cache_folder() -> Path:
    """Return where factors are kept: ``ROBUSTBANDITS_CACHE``, or the user's cache directory."""
    root = cache_root()
    return (root if os.environ.get("ROBUSTBANDITS_CACHE") else root.parent) / "factors"


def place_of(table: Any, parameters: dict[str, Any]) -> Path:
    """Return the file of these ratings and parameters, whether it is there or not."""
    words = {"solver": SOLVER, "table": table.fingerprint, "name": table.name, **parameters}
    key = hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()
    return cache_folder() / f"{key[:40]}.npz"


def recall(place: Path) -> Factors | None:
    """Return what is kept there; None if there is nothing, or nothing whole."""
    try:
        factors = Factors.load(place)
    except (OSError, FactorsError):
        return None
    with contextlib.suppress(OSError):
        os.utime(place)  # the oldest by use goes first
    return factors


def remember(place: Path, factors: Factors) -> None:
    """Keep factors; a disk that cannot be written to is no reason to fail."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        factors.save(place)
    except OSError:
        return
    files = []
    for path in place.parent.glob("*.npz"):
        with contextlib.suppress(OSError):  # another process may tidy up too
            files.append((path.stat().st_mtime_ns, path))
    for _, path in sorted(files)[:-KEEP]:
        with contextlib.suppress(OSError):
            path.unlink()
