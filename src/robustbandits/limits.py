"""What robustness must cost on a catalogue, whatever the policy; docs/limits.md has the argument.

A world is a vector z: arm ``a`` has the mean ``means[a] + contexts[a]·z`` in it. An attacker who
changes every reward by ``-contexts[a]·z`` makes that world look like the one with z = 0.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits.game import require
from robustbandits.kernels.linalg import Floats

__all__ = ["Lie", "consistent_lie", "least_budget", "least_pulls", "price_of_tolerance"]

#: Relative precision of prices.
PRECISION = 1e-7
#: Cutting planes end after a finite number of steps; ten are typical.
MOST_STEPS = 10_000

MeansIn = Literal["any", "unit"]


def price_of_tolerance(
    contexts: npt.ArrayLike,
    means: npt.ArrayLike,
    budget: float,
    margin: float = 0.02,
    means_in: MeansIn = "any",
) -> float:
    """Return the least regret without attack of a policy that withstands a budget.

    A policy that pays less than a share p of this on the catalogue is hijacked with probability
    at least 1 - p in some other world: there, an attacker with this budget makes it lose
    ``margin`` in almost every round. The price is proportional to the budget.

    Parameters
    ----------
    contexts, means
        The catalogue: contexts (arms, dim) and the mean reward of each arm.
    budget
        What the attacker may spend in all.
    margin
        What the policy must lose in a round for the attack to count.
    means_in
        In which worlds the policy must withstand the budget: ``"any"``, or ``"unit"`` for those
        with all means in [0, 1].

    Examples
    --------
    >>> round(price_of_tolerance([[1, 0], [0, 1]], [0.6, 0.5], budget=100.0), 2)
    83.33
    """
    budget = require.budget("budget", budget)
    least = _solve(contexts, means, margin, means_in)
    return 0.0 if least.regret == 0.0 else budget * least.regret


def least_pulls(
    contexts: npt.ArrayLike,
    means: npt.ArrayLike,
    budget: float,
    margin: float = 0.02,
    means_in: MeansIn = "any",
) -> Floats:
    """Return how often a policy that pays :func:`price_of_tolerance` pulls each arm.

    The best arm has 0: its pulls cost nothing and do not count.
    """
    return require.at_least("budget", budget, 0.0) * _solve(contexts, means, margin, means_in).pulls


def least_budget(
    contexts: npt.ArrayLike,
    means: npt.ArrayLike,
    pulls: npt.ArrayLike,
    margin: float = 0.02,
    means_in: MeansIn = "any",
) -> float:
    """Return the least budget that hijacks a policy with these pulls in some other world.

    An attacker with this budget makes that world look like the given catalogue, on average over
    games, and the policy then loses ``margin`` in almost every round. It is infinite if there is no
    such world.

    Parameters
    ----------
    contexts, means, margin, means_in
        As for :func:`price_of_tolerance`.
    pulls
        How often the policy pulls each arm of the catalogue if nothing is attacked.

    Examples
    --------
    >>> round(least_budget([[1, 0], [0, 1]], [0.6, 0.5], pulls=[99_900, 100]), 2)
    12.0
    """
    x, mu = _catalogue(contexts, means)
    margin = require.positive("margin", margin)
    require.one_of("means_in", means_in, ("any", "unit"))
    counts = _counts(pulls, mu)
    counts[np.argmax(mu)] = 0.0
    prices = _prices(x, mu, counts, margin, means_in)
    return min((float(price @ counts) for price in prices), default=math.inf)


class Lie(NamedTuple):
    """A consistent lie: what an attacker adds to the rewards of each arm, and what that costs."""

    cost: float  # sum over arms of pulls times |shift|; infinite if no lie is possible
    shifts: Floats  # (arms,) what is added to a reward; a linear function of the context


def consistent_lie(
    contexts: npt.ArrayLike,
    means: npt.ArrayLike,
    target: int,
    pulls: npt.ArrayLike,
    margin: float = 0.05,
) -> Lie:
    """Return the cheapest lie that fits a linear model and makes the target look best.

    The target's own rewards are not changed, so that rounds in which it is played cost nothing.
    All other arms seem worse than it by at least the margin, and no mean is below 0. Because the
    shifts are linear in the contexts, no test of residuals can see them.

    Parameters
    ----------
    contexts, means
        The catalogue: contexts (arms, dim) and the mean reward of each arm.
    target
        The arm that should look best.
    pulls
        How often the policy pulls each arm while it is told the lie.
    margin
        By how much the target should look better than every other arm.

    Examples
    --------
    >>> consistent_lie([[1, 0], [0, 1]], [0.6, 0.5], target=1, pulls=[40, 960]).shifts.round(2)
    array([-0.15,  0.  ])
    """
    x, mu = _catalogue(contexts, means)
    target = require.count("target", target, low=0, high=len(mu) - 1)
    margin = require.positive("margin", margin)
    counts = _counts(pulls, mu)
    others = np.arange(len(mu)) != target
    highest = np.where(others, mu[target] - margin - mu, 0.0)
    z = _cheapest(x, counts, np.where(others, -mu, 0.0), highest)
    if z is None:
        return Lie(math.inf, np.full(len(mu), np.nan))
    shifts = x @ z
    return Lie(float(counts @ np.abs(shifts)), shifts)


class _Least(NamedTuple):
    """The solution for a budget of 1."""

    regret: float
    pulls: Floats


def _solve(
    contexts: npt.ArrayLike, means: npt.ArrayLike, margin: float, means_in: MeansIn
) -> _Least:
    """Minimise regret over pulls such that every lie costs at least 1, by cutting planes."""
    x, mu = _catalogue(contexts, means)
    margin = require.positive("margin", margin)
    require.one_of("means_in", means_in, ("any", "unit"))
    best = int(np.argmax(mu))
    gaps = mu[best] - mu
    pulls = np.ones(len(mu))
    cuts: list[Floats] = []
    for _ in range(MOST_STEPS):
        prices = _prices(x, mu, pulls, margin, means_in)
        if not prices:
            return _Least(0.0, np.zeros(len(mu)))  # no lie is possible
        cheap = [price for price in prices if price @ pulls < 1.0 - PRECISION]
        if cuts and not cheap:
            pulls[best] = 0.0
            return _Least(float(gaps @ pulls), pulls)
        cuts += cheap or prices
        pulls = _linear_program(gaps, -np.array(cuts), -np.ones(len(cuts)), positive=True)
    raise RuntimeError(f"no solution after {MOST_STEPS:,} steps; scale the contexts to length 1")


def _prices(x: Floats, mu: Floats, pulls: Floats, margin: float, means_in: MeansIn) -> list[Floats]:
    """Return what a pull of each arm costs, for the cheapest world in which each rival is best."""
    best = int(np.argmax(mu))
    low = np.full(len(mu), -np.inf) if means_in == "any" else -mu
    high = np.full(len(mu), np.inf) if means_in == "any" else 1.0 - mu
    low[best] = high[best] = 0.0  # rewards of the best arm are never touched
    prices = []
    for rival in range(len(mu)):
        least = low.copy()
        least[rival] = max(least[rival], mu[best] - mu[rival] + margin)
        if rival == best or least[rival] > high[rival]:
            continue
        z = _cheapest(x, pulls, least, high)
        if z is not None:
            prices.append(np.abs(x @ z))
    return prices


def _cheapest(x: Floats, pulls: Floats, low: Floats, high: Floats) -> Floats | None:
    """Return z with low <= x·z <= high whose price, pulls·|x·z|, is least; None if there is none.

    The variables are z and u >= |x·z|.
    """
    arms, dim = x.shape
    zero, eye = np.zeros((arms, arms)), np.eye(arms)
    rows = np.block([[x, -eye], [-x, -eye], [x, zero], [-x, zero]])
    limits = np.concatenate([np.zeros(2 * arms), high, -low])
    bounded = np.isfinite(limits)
    solution = _linear_program(
        np.concatenate([np.zeros(dim), pulls]), rows[bounded], limits[bounded], positive=False
    )
    return None if solution is None else solution[:dim]


def _linear_program(cost: Floats, rows: Floats, limits: Floats, *, positive: bool) -> Any:
    """Minimise cost·v with rows·v <= limits; None if that is impossible."""
    from scipy.optimize import linprog

    bounds = (0, None) if positive else (None, None)
    result = linprog(cost, A_ub=rows, b_ub=limits, bounds=bounds, method="highs")
    if result.status not in (0, 2):  # solved, impossible
        raise RuntimeError(f"the linear program was not solved: {result.message}")
    return result.x if result.status == 0 else None


def _counts(pulls: npt.ArrayLike, mu: Floats) -> Floats:
    """Return pulls as a new, checked array."""
    counts = np.array(pulls, dtype=np.float64)
    if counts.shape != mu.shape or not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError(f"pulls must be {len(mu)} finite numbers >= 0, got {pulls!r}")
    return counts


def _catalogue(contexts: npt.ArrayLike, means: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return contexts and means as checked arrays."""
    x, mu = np.asarray(contexts, dtype=np.float64), np.asarray(means, dtype=np.float64)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(f"contexts must have shape (arms, dim), got {x.shape}")
    if mu.shape != x.shape[:1]:
        raise ValueError(f"means must have shape {x.shape[:1]}, as contexts has; got {mu.shape}")
    if not (np.isfinite(x).all() and np.isfinite(mu).all()):
        raise ValueError("contexts and means must be finite")
    return x, mu
