"""Play in processes of this machine. Workers may die; nothing is lost but their last part."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from robustbandits.experiments.engines.engine import Match, Stopped
from robustbandits.experiments.engines.messages import Order, play_order, write_order
from robustbandits.game.ledger import Ledger


class ProcessEngine:
    """Plays in a pool of processes, which is made anew when one of them dies."""

    losses: tuple[type[BaseException], ...] = (BrokenProcessPool,)

    def __init__(self, workers: int, on_rounds: Callable[[int], None] | None = None):
        self.workers = workers
        self.slots = workers + 2
        self._on_rounds = on_rounds
        self._context = multiprocessing.get_context("spawn")
        # A raw byte, not an Event: a worker that is killed must not take a lock with it.
        self._stop: Any = self._context.RawValue("b", 0)
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self.workers, self._context, initializer=start_worker, initargs=(self._stop,)
        )

    def submit(self, part: Match) -> Future[list[Ledger]]:
        """Hand out a part; the future gives its ledgers."""
        order = write_order(part)
        try:
            future = self._pool.submit(_play, order)
        except BrokenProcessPool:
            self._pool.shutdown(cancel_futures=True)
            self._pool = self._new_pool()
            future = self._pool.submit(_play, order)
        size = part.rounds * len(part.pairs)
        future.add_done_callback(lambda done: self._report(done, size))
        return future

    def _report(self, future: Future[list[Ledger]], size: int) -> None:
        if self._on_rounds is None or future.cancelled() or future.exception() is not None:
            return
        self._on_rounds(size)

    def stop(self) -> None:
        """End what is under way at its next block of rounds."""
        self._stop.value = 1
        self._pool.shutdown(cancel_futures=True)


_stop: Any = None


def start_worker(stop: Any = None) -> None:
    """Make a worker ready: Ctrl-C is the main process' business, and so is its death."""
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)  # killed before it could tell us: nobody waits for our result


def _play(order: Order) -> list[Ledger]:
    return play_order(order, _check_stop)


def _check_stop(_: int) -> None:
    if _stop.value:
        raise Stopped
