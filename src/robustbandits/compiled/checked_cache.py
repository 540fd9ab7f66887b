"""Numba's disk cache with checksums.

Numba unpickles whatever is in its files: a damaged index raises, and damaged machine code can abort
the process. Here every file begins with a checksum, which is verified before anything is unpickled.
A damaged file is deleted, and its code is compiled again. If a file cannot be written, for example
because the disk is full, the code is used but not kept. Each of the two gives one warning.

Imports internals of Numba, so :mod:`robustbandits.compiled.cache` imports it inside a check.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import pickle
import secrets
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

from robustbandits._atomic import whole_file
from robustbandits.compiled.cache import warn_not_kept
from robustbandits.compiled.fallback import warn_once

#: Numbers of errors that a read-only cache gives.
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)

#: Part of the names of the files with machine code that this process writes. Two processes that
#: compile a function for two types at once would otherwise give both results the same name, and the
#: index might lead to the wrong one.
PROCESS = secrets.token_hex(4)


class CheckedFiles:
    """The files of one function: an index (.nbi), and machine code (.nbc) for each signature."""

    def __init__(self, folder: str, base: str):
        self._folder = Path(folder)
        self._base = base
        self._index = self._folder / f"{base}.nbi"

    def load(self, key: Any) -> Any:
        """Return what was saved under this key; None if there is nothing, or if it is damaged."""
        name = self._names().get(key)
        return None if name is None else _read(self._folder / name)

    def save(self, key: Any, data: Any) -> None:
        """Keep data under this key, if the disk permits."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            names = self._names()
            name = names.get(key) or self._free_name(names)
            _write(self._folder / name, data)
            if key not in names:
                _write(self._index, {**names, key: name})
        except OSError as error:
            warn_not_kept(
                f"{self._folder} cannot be written to ({error.strerror})",
                "a writable folder, or free disk space",
                in_workers=error.errno not in READ_ONLY,
            )

    def flush(self) -> None:
        """Forget everything that was saved."""
        _write(self._index, {})

    def _names(self) -> dict[Any, str]:
        """Return the names of the files with machine code, by key."""
        return _read(self._index) or {}

    def _free_name(self, names: dict[Any, str]) -> str:
        candidates = (f"{self._base}.{PROCESS}-{number}.nbc" for number in itertools.count(1))
        return next(name for name in candidates if name not in names.values())


def _read(path: Path) -> Any:
    """Return the contents of a file; None if there is none, or if it was damaged and deleted."""
    try:
        content = memoryview(path.read_bytes())
        if hashlib.sha256(content[32:]).digest() != content[:32]:
            raise ValueError("wrong checksum")
        return pickle.loads(content[32:])
    except OSError:  # most often there is no such file
        return None
    except Exception as error:
        with contextlib.suppress(OSError):
            path.unlink()
        warn_once(
            "machine code is damaged",
            f"machine code is compiled again, because {path} is damaged ({error})",
        )
        return None


def _write(path: Path, content: Any) -> None:
    data = dumps(content)
    with whole_file(path, durable=False) as file:
        file.write(hashlib.sha256(data).digest())
        file.write(data)


class _Locator(CompileResultCacheImpl._locator_classes[0]):  # type: ignore[misc]
    """Puts files into ``numba.config.CACHE_DIR``, and does not require that it can be written."""

    def ensure_cache_path(self) -> None:
        pass


class _Result(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_Locator]  # noqa: RUF012


class CheckedCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, with checked files."""

    _impl_class = _Result

    def __init__(self, function: Any):
        super().__init__(function)
        self._cache_file = CheckedFiles(self.cache_path, self._impl.filename_base)
