"""Infinitely many arms: all vectors of a ball. Which policies can play them, and who refuses."""

from __future__ import annotations

from robustbandits.compiled.jit import kernel
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.kernels.linalg import Floats

#: Policies that can play infinitely many arms. A test compares them with the facts of the classes.
FOR_INFINITE_ARMS = (
    "LinUCB, LinTS, Greedy, OracleLinUCB, RobustLinUCB, RobustBandit, BOBNoRestart, "
    "CautiousLinUCB, CWOFUL, HuberOFUL, RobustRegressionUCB or SlidingWindowLinUCB"
)


def ball_of(problem: Problem) -> float:
    """Return the radius of the ball of arms; 0 if the arms are a list."""
    return problem.context_bound if problem.infinite else 0.0


def refuse_infinite_arms(problem: Problem, policy: str) -> None:
    """Raise UnsupportedProblem if the arms are all vectors of a ball."""
    if problem.infinite:
        raise UnsupportedProblem(
            f"{policy} needs a list of arms, and this environment has infinitely many: use "
            f"{FOR_INFINITE_ARMS}"
        )


@kernel
def write_arm(direction: Floats, length: float, contexts: Floats) -> int:
    """Write an arm of a ball into the only column of the contexts; return its index, 0."""
    for i in range(direction.shape[0]):
        contexts[i, 0] = length * direction[i]
    return 0
