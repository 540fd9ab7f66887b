"""Play on threads of this process: the default.

Kernels release Python's lock, and all threads share one copy of the machine code.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from robustbandits.experiments.engines.engine import Engine, MatchPart, Stopped
from robustbandits.game.ledger import Ledger


class ThreadEngine(Engine):
    """Plays on threads of this process."""

    def __init__(self, workers: int, on_rounds: Callable[[int], None] | None = None):
        super().__init__(workers, on_rounds)
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=workers)

    def submit(self, part: MatchPart) -> Future[list[Ledger]]:
        return self._pool.submit(part.play, self._report)

    def _report(self, count: int) -> None:
        if self._stop.is_set():
            raise Stopped
        self.on_rounds(count)

    def stop(self) -> None:
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)
