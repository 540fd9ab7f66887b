"""Where machine code is kept between processes.

Numba's own disk cache looks only at the file of the cached function: edit a helper in another file,
and it returns the old machine code without a warning. So machine code is kept in a directory that
is named by the hash of every source file that a kernel may use: any edit starts a new directory.

Anyone who can write to the cache can run code as the user who reads it. So directories are created
with the permissions 0700, and a directory that belongs to another user (except the administrator),
or that others may write to, is not used.
"""

from __future__ import annotations

import functools
import hashlib
import multiprocessing
import os
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numba
import platformdirs

from robustbandits.compiled.fallback import check_parameters, has_internals, warn_once
from robustbandits.compiled.third_party import ThirdParty, python_of

PACKAGE = Path(__file__).parents[1]
#: Folders with source that kernels are compiled from. Reports and the command line have none.
KERNEL_SOURCES = (
    "compiled",
    "kernels",
    "game",
    "ratings",
    "policies",
    "attacks",
    "environments",
    "agent",
)
#: How many directories of each kind to keep: those with the package's own code only, and those
#: with third-party code ("outside").
GENERATIONS = {"own": 5, "outside": 20}


def cache_root() -> Path:
    """Return ``ROBUSTBANDITS_CACHE``, or a folder in the user's cache directory."""
    chosen = os.environ.get("ROBUSTBANDITS_CACHE")
    if chosen:
        return Path(chosen)
    return Path(platformdirs.user_cache_dir("robustbandits")) / "kernels"


def source_files() -> list[Path]:
    """Return the package's own files that kernels are compiled from."""
    return [path for name in KERNEL_SOURCES for path in sorted((PACKAGE / name).rglob("*.py"))]


def source_hash(files: Iterable[Path], constants: Iterable[str] = ()) -> str:
    """Hash source files, the constants that they import, and the versions of Numba and Python."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    for constant in constants:
        digest.update(constant.encode() + b"\0")
    return digest.hexdigest()[:20]


# ------------------------------------------------------------------------------------ directories


@functools.cache
def own_directory() -> str | None:
    """Directory for the package's own code; None if nothing can be kept."""
    directory = open_directory("own", source_files())
    return directory if directory and _numba_keeps_files_in(directory) else None


def third_party_directory(code: ThirdParty) -> str | None:
    """Directory for code that was compiled with third-party modules; None if nothing can be kept.

    A module without a file, such as a notebook, cannot be hashed, so its code is never kept.
    """
    files = [file_of(name) for name in code.modules]
    if own_directory() is None or None in files:
        return None
    sources = [*source_files(), *(file for file in files if file)]
    return open_directory("outside", sources, code.constants)


def file_of(module: str) -> Path | None:
    """Return the source file of an imported module, if it has one."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file and Path(file).is_file() else None


def open_directory(kind: str, files: Iterable[Path], constants: Iterable[str] = ()) -> str | None:
    """Create the directory for these sources; None if it cannot be created or is not safe.

    A directory that cannot be written to is still read.
    """
    directory = cache_root() / f"{kind}-{source_hash(files, constants)}"
    try:
        is_new = not directory.is_dir()
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_new:
            _delete_old_directories(directory.parent, kind)
        is_private = _is_private(directory)
    except OSError:
        warn_not_kept(f"{cache_root()} cannot be written to", "a writable folder")
        return None
    if not is_private:
        warn_not_kept(
            f"other users could put code into {directory}", "a folder that only you can change"
        )
        return None
    if not can_write(directory):
        warn_not_kept(f"{directory} cannot be written to", "a writable folder")
    return str(directory)


def can_write(directory: str | Path) -> bool:
    """Whether files can be created in a directory."""
    return os.access(directory, os.W_OK)


def _is_private(directory: Path) -> bool:
    """Whether only this user, and the administrator, may write to a directory."""
    if not hasattr(os, "geteuid"):
        return True
    status = directory.stat()
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & 0o022


def warn_not_kept(reason: str, remedy: str, in_workers: bool = False) -> None:
    """Warn once in a process that machine code is not kept; in workers only if ``in_workers``.

    A worker uses the cache of the process that started it, which has already warned.
    """
    # `parent_process()` does not identify a worker: it is None while a worker imports modules.
    if in_workers or multiprocessing.current_process().name == "MainProcess":
        warn_once(
            warn_not_kept,
            f"every process compiles code that is not in the cache, because {reason}: set "
            f"ROBUSTBANDITS_CACHE to {remedy}",
        )


def _delete_old_directories(root: Path, kind: str) -> None:
    """Delete all but the newest directories of one kind; leave everything else alone."""
    found = [path for path in root.iterdir() if re.fullmatch(kind + "-[0-9a-f]{20}", path.name)]
    found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found[GENERATIONS[kind] :]:
        shutil.rmtree(path, ignore_errors=True)


# ----------------------------------------------------------------------------------- Numba's cache


def keep_in(directory: str, compiled: Any) -> None:
    """Make Numba keep the machine code of a function in a directory."""
    from robustbandits.compiled.checked_cache import CheckedCache

    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = directory
    try:
        compiled._cache = CheckedCache(python_of(compiled))
    finally:
        numba.config.CACHE_DIR = previous


def _numba_keeps_files_in(directory: str) -> bool:
    def check() -> None:
        compiled = numba.njit(example)
        compiled._cache.load_overload  # noqa: B018
        keep_in(directory, compiled)
        if not Path(compiled.stats.cache_path).is_relative_to(directory):
            raise AttributeError("the directory of cached files cannot be chosen")
        check_parameters(compiled._cache._load_overload, "sig", "target_context")

    return has_internals(
        check, "machine code is not kept on disk, so every process compiles it again"
    )


def example(number: int) -> int:
    """Return the number: a function with which Numba's internals are tried."""
    return number
