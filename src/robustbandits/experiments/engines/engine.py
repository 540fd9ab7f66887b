"""The interface of engines, and the matches that they play.

Every engine gives the same results, bit for bit, with any number of workers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from robustbandits._cores import available_cores
from robustbandits.game.ledger import Ledger
from robustbandits.game.match import play_match
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Attack, Policy

ENGINES = ("threads", "processes", "dask")
_ADDRESS = r"dask://([^][/:@?#\s]+|\[[0-9a-fA-F:.]+\])(:[1-9][0-9]{0,4})?"
DASK_PORT = 8786


class MatchPart(NamedTuple):
    """Games of a planned match with their recipes, all or some of them. They share their rounds."""

    environment: Environment
    pairs: Sequence[tuple[Attack, Policy]]
    names: Sequence[tuple[str, str, str]]  # labels of environment, attack, policy for each pair
    rounds: int
    seed: int
    points: int

    @property
    def size(self) -> int:
        """Number of rounds, summed over games."""
        return self.rounds * len(self.pairs)

    def play(self, on_block: Callable[[int], None] | None = None) -> list[Ledger]:
        """Play the games in this thread; ``on_block`` is that of :func:`play_match`."""
        return play_match(
            self.environment,
            self.pairs,
            self.rounds,
            self.seed,
            points=self.points,
            names=self.names,
            on_block=on_block,
        )


class Stopped(Exception):
    """Raised inside a worker after the engine was stopped."""


class EngineError(OSError):
    """An engine that cannot be used; the message says why and what to do."""


class Engine:
    """Plays matches, or parts of them, in parallel.

    ``on_rounds`` is called with the number of rounds that were played since its last call.
    """

    #: Errors which mean that a worker died, not that a game failed.
    worker_died_errors: tuple[type[BaseException], ...] = ()

    def __init__(self, workers: int, on_rounds: Callable[[int], None] | None = None):
        self.workers = workers
        #: Largest number of submitted parts: a few more than workers, so that none is idle.
        self.slots = workers + 2
        self.on_rounds = on_rounds or (lambda count: None)

    def submit(self, part: MatchPart) -> Future[list[Ledger]]:
        """Start playing a part; the future gives its ledgers."""
        raise NotImplementedError

    def stop(self) -> None:
        """Cancel what was submitted, and return when nothing runs any more."""
        raise NotImplementedError


def open_engine(
    name: str, workers: int | None, on_rounds: Callable[[int], None] | None = None
) -> Engine:
    """Return an engine: threads, processes, dask, or dask://host:port."""
    check_engine(name)
    count = workers or available_cores()
    if name == "threads":
        from robustbandits.experiments.engines.threads import ThreadEngine

        return ThreadEngine(count, on_rounds)
    if name == "processes":
        from robustbandits.experiments.engines.processes import ProcessEngine

        return ProcessEngine(count, on_rounds)
    from robustbandits.experiments.engines.dask_cluster import ClusterEngine, start_cluster

    if name == "dask":
        return start_cluster(count, on_rounds)
    port = "" if re.search(r":\d+$", name) else f":{DASK_PORT}"
    return ClusterEngine(f"tcp://{name.removeprefix('dask://')}{port}", workers, on_rounds)


def check_engine(name: str) -> None:
    """Raise ValueError if there is no engine of this name."""
    if name not in ENGINES and not re.fullmatch(_ADDRESS, name):
        words = ", ".join(ENGINES)
        raise ValueError(f"engine must be one of {words}, dask://host:port; got {name!r}")
