"""What attacks have in common: a budget, a purse, and a notion of the best arms."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.problem import Problem
from robustbandits.game.purse import RULES
from robustbandits.game.recipe import Recipe
from robustbandits.kernels.linalg import Floats

#: Words for the arms that are attacked, beside a share of them.
TOPS = ("best", "all-but-worst")


@dataclass(frozen=True)
class AttackRecipe(Recipe):
    """Parameters that every attack has.

    Parameters
    ----------
    budget
        What the attack may spend in all: a unit buys a change of 1 in a reward, or in the length
        of a context. ``math.inf`` is allowed.
    purse
        What happens to a proposal that costs more than is left: ``"truncate"`` pays for a part of
        it, ``"skip"`` drops it, ``"stop"`` drops it and ends the attack. ``"reference"`` is the
        paper's code, for reproduction only: nothing is clipped and the last attack may overdraw.
    """

    budget: float
    _: KW_ONLY
    purse: str = "truncate"

    def __post_init__(self) -> None:
        self._set(
            budget=require.budget("budget", self.budget),
            purse=require.one_of("purse", self.purse, RULES),
        )


def check_top(top: float | str) -> float | str:
    """Return a share of the arms, or one of the words that are allowed."""
    if isinstance(top, str):
        if top not in TOPS:
            raise ValueError(
                f"top must be a share from 0 to 1, 'best' or 'all-but-worst'; got {top!r}"
            )
        return top
    return require.between("top", top, 0.0, 1.0)


def count_top(top: float | str, arms: int) -> int:
    """How many arms count as the best: the share rounded down, one, or all but one.

    A quarter of three arms is one arm: an attack on nobody would be a surprise. But a single arm is
    the worst one too, and left alone, unless all are meant.
    """
    if isinstance(top, str):
        return min(1, arms - 1) if top == "best" else arms - 1
    # 0.29 * 100 is a hair below 29.
    count = math.floor(top * arms * (1 + 1e-12))
    return max(count, min(1, arms - 1)) if top > 0.0 else 0


def imitated_noise(noise: float | None, problem: Problem, who: str) -> float:
    """Return the attack's own noise level: as given, or the environment's."""
    if noise is not None:
        return noise
    if problem.noise is None:
        raise ValueError(f"{who} needs noise=..., as this environment does not tell its own")
    return problem.noise


def check_noise(noise: float | None) -> float | None:
    """Return a level that is not negative, or None for the environment's."""
    return None if noise is None else require.at_least("noise", noise, 0.0)


@kernel
def is_among_best(means: Floats, arm: int, count: int) -> bool:
    """Whether fewer than ``count`` arms are better; of equal arms the lower index is better."""
    better = 0
    for a in range(means.shape[0]):
        if means[a] > means[arm] or (means[a] == means[arm] and a < arm):
            better += 1
    return better < count
