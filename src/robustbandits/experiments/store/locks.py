"""Which match is being played by whom, when several processes work on one store.

One file, never read or written: each match has a byte in it, far beyond its end, and whoever plays
the match holds the kernel's lock on that byte. The lock vanishes with its process, however that
dies, so there is nothing to clean up and nothing to mistake for a living claim.
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

#: Errors which say that somebody else holds a lock; any other says that there are no locks here.
_TAKEN = (errno.EACCES, errno.EAGAIN)


class Locks:
    """All locks of this process on one file.

    Closing any handle of a file gives up all the locks a process has on it. So there is one owner
    for each file and process (:func:`locks_on`), and it is never closed.
    """

    def __init__(self, path: Path):
        self._process = os.getpid()
        self._guard = threading.Lock()
        self._held: set[int] = set()
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        self.works = self._probe()

    def take(self, name: str) -> bool:
        """Take the lock of a hexadecimal name; False if another process or thread has it."""
        byte = _byte_of(name)
        with self._guard:
            if byte in self._held:
                return False
            if self.works and not self._lock(byte):
                return False
            self._held.add(byte)
            return True

    def give_back(self, name: str) -> None:
        """Give the lock back; nothing happens to a lock that was not taken."""
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
        """Whether this file system knows locks at all; byte 0 is nobody's match."""
        if fcntl is None:
            return False
        try:
            if self._lock(0):
                fcntl.lockf(self._handle, fcntl.LOCK_UN, 1, 0)
        except OSError:
            return False
        return True

    @property
    def is_ours(self) -> bool:
        """Whether this process made it: a forked child has its parent's memory, not its locks."""
        return self._process == os.getpid()


_owners: dict[Any, Locks] = {}
_owners_guard = threading.Lock()


def locks_on(path: Path) -> Locks:
    """Return this process' only owner of locks on a file, which is created when missing."""
    with _owners_guard:
        if path.exists():
            owner = _owners.get(_identity(path))
            if owner is not None and owner.is_ours:
                return owner
        owner = Locks(path)
        _owners[_identity(path)] = owner
        return owner


def _identity(path: Path) -> Any:
    status = path.stat()
    return (status.st_dev, status.st_ino) if status.st_ino else str(path.resolve())


def _byte_of(name: str) -> int:
    """Return the byte of a match: 1 to 2^60, from the first digits of its id."""
    return 1 + int(name[:15], 16)
