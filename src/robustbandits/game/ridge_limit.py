"""The smallest penalty of a ridge regression that float64 can carry; docs/decisions/0010."""

from __future__ import annotations

import warnings

from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import MAX_CONDITION, Ridge, start_ridge
from robustbandits.kernels.size_limit import is_reading_file

#: Ridges are refused if the regression would not stay precise for this many rounds. A game may be
#: longer: the errors grow slowly.
PRECISE_ROUNDS = 1_000_000


def smallest_ridge(problem: Problem, weight: float = 1.0) -> float:
    """Return the smallest penalty that is precise for observations of at most this weight."""
    rounds = min(problem.rounds or PRECISE_ROUNDS, PRECISE_ROUNDS)
    return weight * rounds * problem.context_bound * problem.context_bound / MAX_CONDITION


def refuse_small_ridge(problem: Problem, ridge: float, weight: float = 1.0) -> None:
    """Raise ValueError if float64 is not precise enough for this penalty.

    An agent that was saved before this limit existed is read, with a warning.
    """
    smallest = smallest_ridge(problem, weight)
    if not ridge >= smallest:
        rounds = "an unknown number of" if problem.rounds is None else f"{problem.rounds:,}"
        message = (
            f"ridge must be at least {smallest:.3g} for {rounds} rounds and context_bound "
            f"{problem.context_bound!r}, got {ridge!r}: with less, rounding errors make the widths "
            f"wrong; raise ridge, scale your features, or give rounds if they are few"
        )
        if not is_reading_file():
            raise ValueError(message)
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def start_regression(problem: Problem, ridge: float) -> Ridge:
    """Return a regression without observations; raise ValueError if the penalty is too small."""
    refuse_small_ridge(problem, ridge)
    return start_ridge(problem.dim, ridge)
