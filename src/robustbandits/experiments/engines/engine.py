"""Engines play the parts of matches side by side: on threads here, elsewhere in their own files.

Threads by default, not processes: kernels release Python's lock, and all threads share one copy of
the machine code. What is played, and with which bits, never depends on the engine or on how many
workers it has.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import NamedTuple, Protocol

from robustbandits._cores import available_cores
from robustbandits.game.ledger import POINTS, Ledger
from robustbandits.game.match import NATURE, Game, play_match, stream
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Attack, Policy

Pair = tuple[Attack, Policy]
ENGINES = ("threads", "processes", "dask")


class Match(NamedTuple):
    """One environment, one seed, and every game that is to meet its rounds."""

    environment: Environment
    pairs: Sequence[Pair]
    rounds: int
    seed: int
    points: int = POINTS


class Stopped(Exception):
    """Raised inside a worker when another one failed or the user has had enough."""


class EngineError(OSError):
    """An engine that cannot work; the message says why and what to do."""


class Engine(Protocol):
    """Whatever plays matches, or parts of them."""

    workers: int
    #: How many parts to keep under way, so that no worker ever waits for the next.
    slots: int
    #: Errors of a future which say that the worker died, not that the game failed.
    losses: tuple[type[BaseException], ...]

    def submit(self, part: Match) -> Future[list[Ledger]]:
        """Hand out a part; the future gives its ledgers."""
        ...

    def stop(self) -> None:
        """End soon what is under way, start nothing more, and return when all is quiet."""
        ...


class ThreadEngine:
    """Plays on threads of this process."""

    losses: tuple[type[BaseException], ...] = ()

    def __init__(self, workers: int, on_rounds: Callable[[int], None] | None = None):
        self.workers = workers
        self.slots = workers + 2
        self._on_rounds = on_rounds
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=workers)

    def submit(self, part: Match) -> Future[list[Ledger]]:
        """Hand out a part; the future gives its ledgers."""
        return self._pool.submit(self._play, part)

    def _play(self, part: Match) -> list[Ledger]:
        return play_match(*part[:4], points=part.points, on_block=self._report)

    def _report(self, count: int) -> None:
        if self._stop.is_set():
            raise Stopped
        if self._on_rounds is not None:
            self._on_rounds(count)

    def stop(self) -> None:
        """End what is under way at its next block of rounds."""
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)


def open_engine(
    name: str, workers: int | None, on_rounds: Callable[[int], None] | None = None
) -> Engine:
    """Return the engine of a name: threads, processes, dask, or dask://host:port."""
    check_engine(name)
    if name == "threads":
        return ThreadEngine(workers or available_cores(), on_rounds)
    if name == "processes":
        from robustbandits.experiments.engines.processes import ProcessEngine

        return ProcessEngine(workers or available_cores(), on_rounds)
    from robustbandits.experiments.engines.dask_cluster import connect, start_cluster

    if name == "dask":
        return start_cluster(workers or available_cores(), on_rounds)
    return connect(name, workers, on_rounds)


def check_engine(name: str) -> str:
    """Refuse an engine that does not exist."""
    if name in ENGINES or (name.startswith("dask://") and len(name) > len("dask://")):
        return name
    words = ", ".join(ENGINES)
    raise ValueError(f"engine must be one of {words}, dask://host:port; got {name!r}")


def warm_up(matches: Sequence[Match], on_pair: Callable[[], None]) -> None:
    """Play one round of every different game.

    Compiles whatever is not in the cache yet, and finds a recipe that refuses its problem before
    hours are spent on the others.
    """
    seen: list[Environment] = []
    for match in matches:
        if match.environment in seen:
            continue
        seen.append(match.environment)
        nature = match.environment.start(match.rounds, stream(match.seed, NATURE))
        block = nature.draw(1)
        for attack, policy in match.pairs:
            Game(policy, attack, nature.problem, match.seed, points=1).advance(block)
            on_pair()


def play_matches(
    matches: Sequence[Match],
    *,
    workers: int,
    points: int = POINTS,
    on_block: Callable[[int], None] | None = None,
) -> list[list[Ledger]]:
    """Play all matches on threads and return their ledgers in the order given."""
    engine = ThreadEngine(workers, on_block)
    parts = split([match._replace(points=points) for match in matches], workers)
    futures = [engine.submit(part) for _, part in parts]
    try:
        wait(futures, return_when=FIRST_EXCEPTION)
    finally:  # on success nothing is left to stop; on a failure or Ctrl-C the rest is
        engine.stop()
    for future in futures:
        failure = None if future.cancelled() else future.exception()
        if failure is not None and not isinstance(failure, Stopped):
            raise failure
    ledgers: list[list[Ledger]] = [[] for _ in matches]
    for (index, _), future in zip(parts, futures, strict=True):
        ledgers[index].extend(future.result())
    return ledgers


def split(matches: Sequence[Match], workers: int) -> list[tuple[int, Match]]:
    """Cut matches into parts so that no worker is idle at the end.

    As many matches as the workers can share evenly stay whole; the few that are left over are cut
    until every worker has a part. Each part draws the same rounds again.
    """
    left_over = len(matches) % workers
    whole = len(matches) - left_over
    parts: list[tuple[int, Match]] = []
    for index, match in enumerate(matches):
        pieces = 1 if index < whole else -(-workers // left_over)
        size = -(-len(match.pairs) // pieces)
        for start in range(0, len(match.pairs), size):
            parts.append((index, match._replace(pairs=match.pairs[start : start + size])))
    return parts
