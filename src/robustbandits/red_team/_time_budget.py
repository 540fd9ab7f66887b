"""How many rounds and seeds a target can play in the minutes that it has."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from robustbandits.game.rounds import Environment
from robustbandits.game.simulate import simulate

#: Rounds and seeds are not reduced below these numbers: results would be too uncertain.
LEAST_ROUNDS = 1000
LEAST_SEEDS = 3
#: Minutes for a Python object, unless they are given.
MINUTES_OF_OBJECTS = 5.0
#: How many minutes the fewest rounds and seeds of a Python object may take, unless they are given.
MOST_MINUTES_OF_OBJECTS = 30.0
#: A speed is measured over at least this many seconds.
MEASURED_SECONDS = 0.2


class Size(NamedTuple):
    """How much is played."""

    rounds: int
    seeds: tuple[int, ...]


def seconds_per_round(policy: Any, environment: Environment, rounds: int) -> float:
    """Measure how many seconds one round of a policy takes, without the time to compile it."""
    played = min(rounds, 100)
    simulate(environment=environment, policy=policy, rounds=played, points=1)  # compiles
    while True:
        start = time.perf_counter()
        simulate(environment=environment, policy=policy, rounds=played, points=1)
        seconds = time.perf_counter() - start
        if seconds >= MEASURED_SECONDS or played >= rounds:
            return seconds / played
        played = min(rounds, 4 * played)


def fit(
    size: Size, *, minutes: float, games: int, seconds: float, most: float | None = None
) -> Size:
    """Return a size that fits in the minutes: first with fewer rounds, then with fewer seeds.

    Parameters
    ----------
    size
        What was asked for.
    minutes
        The time for all games of the target.
    games
        Number of games for each seed.
    seconds
        Duration of a round, divided by the number of workers.
    most
        How many minutes the fewest rounds and seeds may take; ``minutes`` by default.
    """
    possible = minutes * 60.0 / (games * seconds)  # rounds, summed over seeds
    count = len(size.seeds)
    if possible >= size.rounds * count:
        return size
    least = min(LEAST_ROUNDS, size.rounds)
    rounds = max(least, int(possible / count))
    seeds = min(count, max(int(possible / rounds), min(LEAST_SEEDS, count)))
    needed = seeds * rounds * games * seconds / 60.0
    most = minutes if most is None else most
    if needed > 1.01 * most:
        raise ValueError(
            f"minutes must be at least {needed:.2g} for {games} games of {rounds:,} rounds with "
            f"{seeds} seeds, got {most:g}: give more minutes, fewer attacks or fewer budgets"
        )
    return Size(int(float(f"{rounds:.2g}")) if rounds > least else rounds, size.seeds[:seeds])
