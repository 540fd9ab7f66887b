"""Metrics of regret: final, in the worst seeds, over the whole curve, and late in the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.game.match import NATURE, stream
from robustbandits.game.rounds import Environment
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.groups import final_regrets, regret_curves
from robustbandits.metrics.registry import REGRET, metric


@metric(REGRET, "regret")
def final_regret(ledgers: Sequence[Ledger]) -> Floats:
    """Return the cumulative regret at the end of the game."""
    return final_regrets(ledgers)


def mean_of_worst(values: Floats, axis: Any = -1) -> Floats:
    """Return the mean of the worst tenth of the values along the last axis."""
    if axis not in (-1, np.ndim(values) - 1):
        raise ValueError(f"axis must be the last one, got {axis!r}")
    count = np.shape(values)[-1]
    # A value on the edge of the tail counts in part.
    weights = np.clip((1.0 - 0.9) * count - np.arange(count), 0.0, 1.0)
    worst: Floats = -np.sort(-np.asarray(values), axis=-1)
    return (worst * (weights / weights.sum())).sum(axis=-1)


@metric(REGRET, "worst tenth", statistic=mean_of_worst, fewest_seeds=20)
def tail_regret(ledgers: Sequence[Ledger]) -> Floats:
    """Return the mean final regret over the worst tenth of the seeds.

    The conditional value at risk, ``CVaR_0.9 = min_z { z + mean_i max(R_T^i - z, 0) / 0.1 }``; with
    ten seeds or fewer it is the worst seed. A mean over all seeds hides that an attack hijacks some
    games and fails in others.
    """
    return final_regrets(ledgers)


@metric(
    REGRET,
    "area",
    unit="regret per round",
    interval=False,
    share_head="area / uniform play",
    share_meaning="the area divided by uniform play's regret per round (uniform play has 1/2)",
)
def area_under_regret(ledgers: Sequence[Ledger], gap: float = 1.0) -> Floats:
    """Return the area under the regret curve, over T².

    ``(1/T) sum_{t=1}^T R_t / (T * gap)``. With ``gap`` the regret per round of uniform play
    (:func:`random_gap`) it is 0 for a policy without regret and 1/2 for uniform play. Regret is
    taken to be linear between recorded rounds.
    """
    if not ledgers:
        return np.zeros(0)
    rounds, (regret,) = regret_curves(ledgers)
    steps = np.diff(rounds)
    before, after = regret[:, :-1], regret[:, 1:]
    # The sum over rounds a+1..b on the line from R_a to R_b: a trapezoid plus (R_b - R_a) / 2.
    total = (steps * (before + after) / 2 + (after - before) / 2).sum(axis=1)
    horizon = float(rounds[-1])
    areas: Floats = total / (horizon * horizon * gap)
    return areas


@metric(REGRET, "late rate", unit="regret per round", interval=False)
def late_rate(ledgers: Sequence[Ledger], share: float = 0.1) -> Floats:
    """Return the regret per round over the last tenth of the game.

    ``(R_T - R_s) / (T - s)``, where s is the last recorded round up to ``(1 - share) T``. If it
    does not fall below ``R_T / T`` without attack, the policy does not learn: its model is probably
    wrong for this environment.
    """
    if not ledgers:
        return np.zeros(0)
    rounds, (regret,) = regret_curves(ledgers)
    start = int(np.searchsorted(rounds, (1 - share) * rounds[-1], side="right")) - 1
    start = min(start, len(rounds) - 2)
    rates: Floats = (regret[:, -1] - regret[:, start]) / float(rounds[-1] - rounds[start])
    return rates


def random_gap(environment: Environment, rounds: int, seed: int = 0, draws: int = 1000) -> float:
    """Return the regret per round of uniform play, ``mean_t (max_a mu_ta - mean_a mu_ta)``.

    Parameters
    ----------
    environment
        The environment to measure.
    rounds, seed
        Length and seed of the match whose rounds are drawn.
    draws
        Largest number of rounds to average over.
    """
    nature = environment.start(rounds, stream(seed, NATURE))
    block = nature.draw(min(rounds, draws))
    return float((block.best - block.means.mean(axis=1)).mean())
