"""Factors kept on disk under the hash of the ratings and of every parameter."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from robustbandits.compiled.cache import cache_root
from robustbandits.compiled.fallback import warn_once
from robustbandits.ratings.factors import Factors, FactorsError

#: Number of files that are kept; those of the full Netflix data take 40 MB each.
KEPT_FILES = 20
#: Part of every key: change it when the arithmetic changes, so that old results are not found.
SOLVER = "ccd++ 1"


def cache_folder() -> Path:
    """Return where factors are kept: ``ROBUSTBANDITS_CACHE``, or the user's cache directory."""
    root = cache_root()
    return (root if os.environ.get("ROBUSTBANDITS_CACHE") else root.parent) / "factors"


def path_of(table: Any, parameters: dict[str, Any]) -> Path:
    """Return the file for these ratings and parameters, whether it exists or not."""
    key = {"solver": SOLVER, "table": table.fingerprint, "name": table.name, **parameters}
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
    return cache_folder() / f"{digest[:40]}.npz"


def load(path: Path) -> Factors | None:
    """Return the factors in a file; None if there is no such file, or if it cannot be read."""
    if not path.is_file():
        return None
    try:
        factors = Factors.load(path)
    except (OSError, FactorsError) as error:
        warn_once((path, "load"), f"factors are computed again: {error}")
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # the file that was not used for the longest time is deleted first
    return factors


def save(path: Path, factors: Factors) -> None:
    """Keep factors in a file, and delete the oldest files; warn if the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        factors.save(path)
    except OSError as error:
        warn_once(
            (path.parent, "save"),
            f"factors are not kept, so every process computes them again, because {path.parent} "
            f"cannot be written ({error.strerror}): set ROBUSTBANDITS_CACHE to a folder that can",
        )
        return
    files = []
    for file in path.parent.glob("*.npz"):
        with contextlib.suppress(OSError):  # another process may delete it, too
            files.append((file.stat().st_mtime_ns, file))
    for _, file in sorted(files)[:-KEPT_FILES]:
        with contextlib.suppress(OSError):
            file.unlink()
