"""Infinitely many arms: all vectors of a ball. How policies play them, and how others refuse to."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import program
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.optimistic_direction import optimistic_direction
from robustbandits.kernels.ridge import Ridge

#: Policies that can play infinitely many arms. A test compares them with the facts of the classes.
FOR_INFINITE_ARMS = (
    "LinUCB, LinTS, Greedy, OracleLinUCB, RobustLinUCB, RobustBandit, BOBNoRestart, "
    "CautiousLinUCB, CWOFUL, HuberOFUL, RobustRegressionUCB or SlidingWindowLinUCB"
)


def ball_of(problem: Problem) -> float | None:
    """Return the radius of the ball of arms; None if the arms are a list."""
    return problem.context_bound if problem.infinite else None


def refuse_infinite_arms(problem: Problem, policy: str) -> None:
    """Raise UnsupportedProblem if the arms are all vectors of a ball."""
    if problem.infinite:
        raise UnsupportedProblem(
            f"{policy} needs a list of arms, and this environment has infinitely many: use "
            f"{FOR_INFINITE_ARMS}"
        )


@program
def best_of_ball(
    ball: float | None,
    ridge: Ridge,
    theta: Floats,
    factor: float,
    rng: Generator,
    contexts: Floats,
) -> int:
    """Write the arm of a ball with the largest ``theta·x + factor ‖x‖`` into the only column.

    Returns its index, 0; or -1 if the arms are a list (``ball`` is None). A program of its own, so
    that Numba sees the type of ``ball``, and compiles the search only for a ball.
    """
    if ball is None:
        return -1
    direction = np.empty(contexts.shape[0])
    optimistic_direction(ridge.inverse, theta, factor, rng, direction)
    for i in range(direction.shape[0]):
        contexts[i, 0] = ball * direction[i]
    return 0
