"""Where machine code is kept between processes.

Numba's own disk cache looks only at the file of the cached function: edit a helper in another file,
and it returns the old machine code without a warning. So machine code is kept in a directory that
is named by the hash of every source file that a kernel may use: any edit starts a new directory.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numba
import platformdirs

from robustbandits.compiled.fallback import has_internals, warn_once
from robustbandits.compiled.third_party import ThirdParty

PACKAGE = Path(__file__).parents[1]
#: Folders with source that kernels are compiled from. Reports and the command line have none.
KERNEL_SOURCES = ("compiled", "kernels", "game", "ratings", "policies", "attacks", "agent")
#: How many directories of each kind to keep: the package's own, and those with third-party code.
GENERATIONS = {"own": 5, "outside": 20}

#: Part of the names of the files that this process writes.
PROCESS = secrets.token_hex(4)


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
    if directory is None:
        warn_once(
            own_directory,
            f"every process compiles its code again, because {cache_root()} cannot be written to: "
            f"set ROBUSTBANDITS_CACHE to a writable folder",
        )
        return None
    return directory if _numba_keeps_files_in(directory) else None


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
    """Create the directory for these sources; None if it cannot be written to."""
    directory = cache_root() / f"{kind}-{source_hash(files, constants)}"
    try:
        is_new = not directory.is_dir()
        directory.mkdir(parents=True, exist_ok=True)
        if not os.access(directory, os.W_OK):
            return None
        if is_new:
            _delete_old_directories(directory.parent, kind)
    except OSError:
        return None
    return str(directory)


def _delete_old_directories(root: Path, kind: str) -> None:
    """Delete all but the newest directories of one kind; leave everything else alone."""
    found = [path for path in root.iterdir() if re.fullmatch(kind + "-[0-9a-f]{20}", path.name)]
    found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found[GENERATIONS[kind] :]:
        shutil.rmtree(path, ignore_errors=True)


# ----------------------------------------------------------------------------------- Numba's cache


@contextlib.contextmanager
def numba_cache_in(directory: str) -> Iterator[None]:
    """Make Numba store functions that are decorated in this block in a directory."""
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = directory
    try:
        yield
    finally:
        numba.config.CACHE_DIR = previous


def name_files_by_process(compiled: Any) -> None:
    """Make this process write files that no other process writes.

    Two processes that compile a function for two types at once would otherwise give both results
    the same name, and Numba's index might lead to the wrong one.
    """
    files = compiled._cache._cache_file
    files._data_name_pattern = files._data_name_pattern.replace("{", PROCESS + "-{")


def _numba_keeps_files_in(directory: str) -> bool:
    def check() -> None:
        with numba_cache_in(directory):
            compiled = numba.njit(cache=True)(_example)
        name_files_by_process(compiled)
        if PROCESS not in compiled._cache._cache_file._data_name(1):
            raise AttributeError("the names of cached files cannot be chosen")
        if not Path(compiled.stats.cache_path).is_relative_to(directory):
            raise AttributeError("the directory of cached files cannot be chosen")

    return has_internals(
        check, "machine code is not kept on disk, so every process compiles it again"
    )


def _example(number: int) -> int:
    return number
