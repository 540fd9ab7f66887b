"""Play in processes on this machine. If a worker dies, only its current part is played again."""

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

from robustbandits.experiments.engines.engine import Engine, MatchPart, Stopped
from robustbandits.experiments.engines.messages import Message, pack_match, play_message
from robustbandits.game.ledger import Ledger


class ProcessEngine(Engine):
    """Plays in a pool of processes, which is replaced if one of them dies."""

    worker_died_errors = (BrokenProcessPool,)

    def __init__(self, workers: int, on_rounds: Callable[[int], None] | None = None):
        super().__init__(workers, on_rounds)
        self._context = multiprocessing.get_context("spawn")
        # A raw byte, not an Event: an Event has a lock, which a killed worker would never release.
        self._stop: Any = self._context.RawValue("b", 0)
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self.workers, self._context, initializer=start_worker, initargs=(self._stop,)
        )

    def submit(self, part: MatchPart) -> Future[list[Ledger]]:
        message = pack_match(part)
        try:
            future = self._pool.submit(_play, message)
        except BrokenProcessPool:
            self._pool.shutdown(cancel_futures=True)
            self._pool = self._new_pool()
            future = self._pool.submit(_play, message)
        future.add_done_callback(lambda done: self._report(done, part.size))
        return future

    def _report(self, future: Future[list[Ledger]], size: int) -> None:
        if not future.cancelled() and future.exception() is None:
            self.on_rounds(size)

    def stop(self) -> None:
        self._stop.value = 1
        self._pool.shutdown(cancel_futures=True)


_stop: Any = None


def start_worker(stop: Any = None) -> None:
    """Prepare a worker: ignore Ctrl-C, which the main process handles, and exit when it dies."""
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _play(message: Message) -> list[Ledger]:
    return play_message(message, _check_stop)


def _check_stop(_: int) -> None:
    if _stop.value:
        raise Stopped
