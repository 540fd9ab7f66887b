"""Locks on matches, so that processes which share a store do not play the same match.

All locks are on one file, which is never read or written: each match has a byte in it, far beyond
its end, and the process that plays the match holds the operating system's lock on that byte. The
lock vanishes with its process, however that ends, so there is nothing to clean up.
"""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows: a match may be played twice, but is never stored twice
    fcntl = None  # type: ignore[assignment]

#: Errors which mean that another process holds a lock; others mean that locks do not work here.
_TAKEN = (errno.EACCES, errno.EAGAIN)


class Locks:
    """All locks of this process on one file.

    Closing any handle of a file releases all locks that the process has on it. So each process has
    one instance for each file (:func:`locks_on`), which is never closed.
    """

    def __init__(self, path: Path):
        self.process = os.getpid()
        self._guard = threading.Lock()
        self._held: set[int] = set()
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        self.works = self._probe()

    def acquire(self, name: str) -> bool:
        """Lock a hexadecimal name; return False if another process or thread holds the lock."""
        byte = _byte_of(name)
        with self._guard:
            if byte in self._held:
                return False
            if self.works and not self._lock(byte):
                return False
            self._held.add(byte)
            return True

    def release(self, name: str) -> None:
        """Release the lock; a lock that is not held is left alone."""
        byte = _byte_of(name)
        with self._guard:
            if byte in self._held:
                self._held.remove(byte)
                if self.works:
                    fcntl.lockf(self._handle, fcntl.LOCK_UN, 1, byte)

    def _lock(self, byte: int) -> bool:
        try:
            fcntl.lockf(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError as error:
            if error.errno in _TAKEN:
                return False
            raise
        return True

    def _probe(self) -> bool:
        """Whether this file system supports locks; byte 0 belongs to no match."""
        if fcntl is None:
            return False
        try:
            if self._lock(0):
                fcntl.lockf(self._handle, fcntl.LOCK_UN, 1, 0)
        except OSError:
            return False
        return True


_instances: dict[Any, Locks] = {}
_instances_guard = threading.Lock()


def locks_on(path: Path) -> Locks:
    """Return this process' only :class:`Locks` on a file, which is created if missing."""
    with _instances_guard:
        if path.exists():
            locks = _instances.get(_identity(path))
            # A forked child has a copy of its parent's instance, but does not hold the locks.
            if locks is not None and locks.process == os.getpid():
                return locks
        locks = Locks(path)
        _instances[_identity(path)] = locks
        return locks


def _identity(path: Path) -> Any:
    status = path.stat()
    return (status.st_dev, status.st_ino) if status.st_ino else str(path.resolve())


def _byte_of(name: str) -> int:
    """Return the byte of a match: 1 to 2^60, from the first digits of its id."""
    return 1 + int(name[:15], 16)
