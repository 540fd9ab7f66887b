"""Play on a Dask cluster: a new one on this machine, or one that the user runs.

Workers return ledgers to this process, and only this process writes to the store, so workers need
no shared disk.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

from robustbandits._extras import missing_package
from robustbandits.experiments.engines import messages
from robustbandits.experiments.engines.engine import Engine, EngineError, MatchPart, Stopped
from robustbandits.game.ledger import Ledger

#: Seconds to wait for a scheduler, for its first worker, and for pending results at the end.
SCHEDULER_TIMEOUT, WORKER_TIMEOUT, STOP_TIMEOUT = 20, 60, 10.0
#: Seconds between checks whether the engine was stopped.
POLL = 0.5
MAX_SLOTS = 1024
#: Run by the workers of our own cluster: only the main process handles Ctrl-C.
IGNORE_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise missing_package("engine 'dask' needs", "Dask", "dask") from None
    return distributed


def start_cluster(workers: int, on_rounds: Callable[[int], None] | None = None) -> ClusterEngine:
    """Start a cluster on this machine: one single-threaded process for each worker."""
    cluster = _distributed().LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",  # any free port: several runs may share a machine
        silence_logs=logging.CRITICAL,
        preload=[IGNORE_INTERRUPTS],
    )
    try:
        return ClusterEngine(cluster, workers, on_rounds)
    except BaseException:
        cluster.close()
        raise


class ResultLost(EngineError):
    """A worker finished, but its result did not arrive."""


class ClusterEngine(Engine):
    """Plays on the workers of a Dask cluster; Dask replaces workers that die."""

    def __init__(
        self, where: Any, workers: int | None, on_rounds: Callable[[int], None] | None = None
    ):
        dask = _distributed()
        self.worker_died_errors = (dask.KilledWorker, ResultLost)
        self._cluster = None if isinstance(where, str) else where
        self._stop = threading.Event()
        self._client = _client(dask, where)
        try:
            threads = self._check_workers(where)
        except BaseException:
            self._client.close()
            raise
        super().__init__(workers or threads, on_rounds)
        self.slots = min(MAX_SLOTS, workers + 2 if workers else 2 * threads)
        self._pending: set[Future[list[Ledger]]] = set()

    def _check_workers(self, where: Any) -> int:
        """Return the cluster's number of threads; raise if a worker has different code."""
        try:
            self._client.wait_for_workers(1, timeout=WORKER_TIMEOUT)
        except TimeoutError:
            raise EngineError(
                f"{where} had no worker within {WORKER_TIMEOUT} s: start a worker"
            ) from None
        for worker, code in self._client.run(messages.code_here, on_error="return").items():
            if isinstance(code, ModuleNotFoundError | AttributeError):
                raise EngineError(
                    f"worker {worker} lacks this version of robustbandits: install it there"
                )
            if not isinstance(code, Exception):  # Dask replaces a worker that has just died
                messages.check_code(code)
        return max(1, sum(self._client.nthreads().values()))

    def submit(self, part: MatchPart) -> Future[list[Ledger]]:
        future: Future[list[Ledger]] = Future()
        future.set_running_or_notify_cancel()
        self._pending.add(future)
        # One thread waits for each part. Python would wait at exit for the threads of a pool, and
        # fetching a result from a cluster that is gone may never return.
        threading.Thread(target=self._play_into, args=(future, part), daemon=True).start()
        return future

    def _play_into(self, future: Future[list[Ledger]], part: MatchPart) -> None:
        try:
            ledgers = self._play(part)
            self.on_rounds(part.size)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(ledgers)
        self._pending.discard(future)

    def _play(self, part: MatchPart) -> list[Ledger]:
        self._check()
        remote = self._client.submit(messages.play_message, messages.pack_match(part), pure=False)
        done = threading.Event()
        remote.add_done_callback(lambda _: done.set())
        while not done.wait(POLL):
            self._check()
        try:
            # No timeout, because at a timeout Dask drops a result that is partly fetched.
            ledgers: list[Ledger] = remote.result()
        except Exception as error:
            if remote.status == "error":
                raise  # the game failed, or it killed its worker
            self._check()
            raise ResultLost(f"{type(error).__name__}: {error}") from None
        return ledgers

    def _check(self) -> None:
        """Raise if the engine was stopped, or if the scheduler is gone."""
        if self._stop.is_set():
            raise Stopped
        if self._client.status != "running":
            raise EngineError("lost the Dask scheduler; start one and run the same command again")

    def stop(self) -> None:
        self._stop.set()
        wait(list(self._pending), timeout=STOP_TIMEOUT)
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _client(dask: Any, where: Any) -> Any:
    try:
        return dask.Client(where, timeout=SCHEDULER_TIMEOUT, set_as_default=False)
    except Exception as error:  # the server may be something other than Dask, and raise anything
        raise EngineError(f"no Dask scheduler answers at {where}: {error}") from None
