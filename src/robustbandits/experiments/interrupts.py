"""Ctrl-C at a good moment: noted when it comes, raised where nothing is half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def patient_interrupts() -> Iterator[Callable[[], None]]:
    """Yield a function that raises KeyboardInterrupt if Ctrl-C was pressed since.

    An interrupt in the middle of a lock or of a pool's bookkeeping can leave it stuck for ever.
    A second Ctrl-C is raised at once: whoever presses twice means it. Outside the main thread, or
    where somebody else handles the signal, nothing changes.
    """
    pressed = threading.Event()

    def note(*_: Any) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    def check() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not usual or threading.current_thread() is not threading.main_thread():
        yield check
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield check
        check()  # pressed after the last look
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
