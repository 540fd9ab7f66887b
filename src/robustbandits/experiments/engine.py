"""Play many matches on all cores.

Threads, not processes: kernels release Python's lock, and all threads share one copy of the
machine code. What is played, and with which bits, never depends on how many there are.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import NamedTuple

from robustbandits.game.ledger import POINTS, Ledger
from robustbandits.game.match import NATURE, Game, play_match, stream
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Attack, Policy

Pair = tuple[Attack, Policy]


class Match(NamedTuple):
    """One environment, one seed, and every game that is to meet its rounds."""

    environment: Environment
    pairs: Sequence[Pair]
    rounds: int
    seed: int


class Stopped(Exception):
    """Raised inside a worker when another one failed or the user has had enough."""


def available_cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    """Play all matches and return their ledgers in the order given."""
    stop = threading.Event()

    def report(count: int) -> None:
        if stop.is_set():
            raise Stopped
        if on_block is not None:
            on_block(count)

    parts = split(matches, workers)
    with ThreadPoolExecutor(max_workers=workers) as pool:
        futures = [
            pool.submit(play_match, *part, points=points, on_block=report) for _, part in parts
        ]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:  # on success nothing is left to stop; on a failure or Ctrl-C the rest is
            stop.set()
            pool.shutdown(cancel_futures=True)
    for future in futures:
        failure = None if future.cancelled() else future.exception()
        if failure is not None and not isinstance(failure, Stopped):
            raise failure
    ledgers: list[list[Ledger]] = [[] for _ in matches]
    for (index, _), future in zip(parts, futures, strict=True):
        ledgers[index].extend(future.result())
    return ledgers


def split(matches: Sequence[Match], workers: int) -> list[tuple[int, Match]]:
    """Cut matches into parts until every worker has one; each part draws the same rounds again."""
    pieces = -(-workers // max(1, len(matches)))
    parts: list[tuple[int, Match]] = []
    for index, match in enumerate(matches):
        size = -(-len(match.pairs) // pieces)
        for start in range(0, len(match.pairs), size):
            parts.append((index, match._replace(pairs=match.pairs[start : start + size])))
    return parts
