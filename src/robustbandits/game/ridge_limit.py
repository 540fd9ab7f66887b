"""The smallest penalty of a ridge regression that float64 can carry; docs/decisions/0010."""

from __future__ import annotations

import warnings

from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import MAX_CONDITION, Ridge, start_ridge
from robustbandits.kernels.size_limit import is_reading_file

#: Ridges are refused if the regression would not stay precise for this many rounds. A game may be
#: longer: the errors grow slowly.
PRECISE_ROUNDS = 1_000_000


def counted_rounds(problem: Problem) -> int:
    """Return for how many rounds a regression must stay precise."""
    return min(problem.rounds or PRECISE_ROUNDS, PRECISE_ROUNDS)


def smallest_ridge(problem: Problem, weight: float = 1.0) -> float:
    """Return the smallest penalty that is precise for observations of at most this weight."""
    bound = problem.context_bound
    return weight * counted_rounds(problem) * bound * bound / MAX_CONDITION


def refuse_small_ridge(problem: Problem, ridge: float, weight: float = 1.0) -> None:
    """Raise ValueError if float64 is not precise enough for this penalty."""
    smallest = smallest_ridge(problem, weight)
    cause = f"context_bound {problem.context_bound!r}"
    refuse_ridge_below(smallest, problem, ridge, cause, "raise ridge, scale your features")


def refuse_ridge_below(
    smallest: float, problem: Problem, ridge: float, cause: str, remedy: str
) -> None:
    """Raise ValueError if the penalty is below the smallest that the rounds and the cause allow.

    An agent that was saved before this limit existed is read, with a warning.
    """
    if ridge >= smallest:
        return
    rounds = "an unknown number of" if problem.rounds is None else f"{problem.rounds:,}"
    message = (
        f"ridge must be at least {smallest:.3g} for {rounds} rounds and {cause}, got {ridge!r}: "
        f"with less, rounding errors make the widths wrong; {remedy}, or give rounds if they are "
        f"few"
    )
    if not is_reading_file():
        raise ValueError(message)
    warnings.warn(message, RuntimeWarning, stacklevel=2)


def start_regression(problem: Problem, ridge: float) -> Ridge:
    """Return a regression without observations; raise ValueError if the penalty is too small."""
    refuse_small_ridge(problem, ridge)
    return start_ridge(problem.dim, ridge)
