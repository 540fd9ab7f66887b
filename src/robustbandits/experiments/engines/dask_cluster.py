"""Play on a Dask cluster: one of this machine's own, or the user's.

Workers return ledgers to this process, which alone writes the store: they need no shared disk.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any
from urllib.parse import urlsplit

from robustbandits.experiments.engines.engine import EngineError, Match, Stopped
from robustbandits.experiments.engines.messages import (
    check_code,
    code_here,
    play_order,
    write_order,
)
from robustbandits.game.ledger import Ledger

PORT = 8786
#: Seconds to wait for a scheduler, and for its first worker.
PATIENCE_SCHEDULER, PATIENCE_WORKER = 20, 60
#: Seconds to wait for threads that are fetching a result, and between looks at a waiting one.
PATIENCE_STOP, POLL = 10.0, 0.5
MAX_SLOTS = 1024


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ImportError("engine 'dask' needs Dask: pip install 'robustbandits[dask]'") from None
    return distributed


def start_cluster(workers: int, on_rounds: Callable[[int], None] | None = None) -> ClusterEngine:
    """Start a cluster of this machine's own: one single-threaded process for each worker."""
    cluster = _distributed().LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",  # any free port: several runs may share a machine
        silence_logs=logging.CRITICAL,
        preload=["robustbandits.experiments.engines.dask_worker"],
    )
    try:
        return ClusterEngine(cluster, workers, on_rounds)
    except BaseException:
        cluster.close()
        raise


def connect(
    name: str, workers: int | None, on_rounds: Callable[[int], None] | None = None
) -> ClusterEngine:
    """Use the cluster at ``dask://host:port``; ``workers`` bounds the parts under way."""
    try:
        parts = urlsplit(name)
        host, port = parts.hostname, PORT if parts.port is None else parts.port
    except ValueError:  # the port is no number, or too large
        host, port = None, 0
    if not host or not port:
        raise ValueError(f"engine must look like dask://host:port, got {name!r}")
    host = f"[{host}]" if ":" in host else host
    return ClusterEngine(f"tcp://{host}:{port}", workers, on_rounds)


class WorkerLost(EngineError):
    """A result was lost on its way."""


class ClusterEngine:
    """Plays on the workers of a Dask cluster; Dask itself replaces those that die."""

    losses: tuple[type[BaseException], ...]

    def __init__(
        self, where: Any, workers: int | None, on_rounds: Callable[[int], None] | None = None
    ):
        dask = _distributed()
        self.losses = (dask.KilledWorker, WorkerLost)
        self._cluster = None if isinstance(where, str) else where
        self._on_rounds = on_rounds
        self._stop = threading.Event()
        self._client = _connect(dask, where)
        try:
            threads = self._check_workers(where)
        except BaseException:
            self._client.close()
            raise
        self.workers = workers or threads
        self.slots = min(MAX_SLOTS, workers + 2 if workers else 2 * threads)
        self._pending: set[Future[list[Ledger]]] = set()

    def _check_workers(self, where: Any) -> int:
        """Return the cluster's threads; refuse workers with other code than ours."""
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE_WORKER)
        except TimeoutError:
            raise EngineError(
                f"no worker came to {where} within {PATIENCE_WORKER} s: start one"
            ) from None
        for worker, answer in self._client.run(code_here, on_error="return").items():
            if isinstance(answer, ModuleNotFoundError | AttributeError):
                raise EngineError(f"worker {worker} has no such robustbandits: install ours there")
            if not isinstance(answer, Exception):  # one that died this moment is Dask's business
                check_code(answer)
        return max(1, sum(self._client.nthreads().values()))

    def submit(self, part: Match) -> Future[list[Ledger]]:
        """Hand out a part; the future gives its ledgers."""
        future: Future[list[Ledger]] = Future()
        future.set_running_or_notify_cancel()
        self._pending.add(future)
        # A thread waits for each part. Not a pool's, which would be waited for at the very end:
        # a fetch from a cluster that is gone may never return.
        threading.Thread(target=self._fulfil, args=(future, part), daemon=True).start()
        return future

    def _fulfil(self, future: Future[list[Ledger]], part: Match) -> None:
        try:
            ledgers = self._play(part)
            if self._on_rounds is not None:
                self._on_rounds(part.rounds * len(part.pairs))
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(ledgers)
        self._pending.discard(future)

    def _play(self, part: Match) -> list[Ledger]:
        if self._stop.is_set():
            raise Stopped
        remote = self._client.submit(play_order, write_order(part), pure=False)
        done = threading.Event()
        remote.add_done_callback(lambda _: done.set())
        while not done.wait(POLL):
            self._check()
        try:
            # Without a limit: when its time is up, Dask drops a result that is half fetched.
            ledgers: list[Ledger] = remote.result()
        except Exception as error:
            if remote.status == "error":
                raise  # the game's own, or a worker that died of it
            self._check()
            raise WorkerLost(f"{type(error).__name__}: {error}") from None
        return ledgers

    def _check(self) -> None:
        """End the waiting of a thread when there is nothing to wait for."""
        if self._stop.is_set():
            raise Stopped
        if self._client.status != "running":
            raise EngineError("the scheduler is gone; start one and run the same command again")

    def stop(self) -> None:
        """Forget what is under way."""
        self._stop.set()
        wait(list(self._pending), timeout=PATIENCE_STOP)
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _connect(dask: Any, where: Any) -> Any:
    try:
        return dask.Client(where, timeout=PATIENCE_SCHEDULER, set_as_default=False)
    except Exception as error:  # what answers there need not be Dask
        raise EngineError(f"no Dask scheduler answers at {where}: {error}") from None
