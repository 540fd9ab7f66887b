"""What attacks have in common: a budget, a purse rule, and which arms count as the best."""

from __future__ import annotations

import functools
import math
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.parameters import Budget, CheckedRecipe
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.game.purse import Rule
from robustbandits.game.rounds import CHOSEN, HIGHEST, LOWEST
from robustbandits.game.verbs import MEMO, choose
from robustbandits.kernels.linalg import Floats

#: Values of `top` other than a share of the arms.
TOPS = ("best", "all-but-worst")

ArmIndex = Annotated[int, functools.partial(require.count, low=0)]


@dataclass(frozen=True)
class AttackRecipe(CheckedRecipe):
    """Base class of attacks: a recipe with a budget, whose parameters are checked by annotation.

    An attack whose kernels do more with ``policy`` than call ``choose(policy, ...)`` must
    declare it with the class attribute ``reads_policy = True``.

    Parameters
    ----------
    budget
        What the attack may spend in all: one unit pays for changing a reward by 1, for moving a
        context by a distance of 1, for one swap, or for one fake record. ``math.inf`` is allowed.
    purse
        What happens to a proposal that costs more than is left: ``"truncate"`` makes a part of the
        change, ``"skip"`` makes none, ``"stop"`` makes none and ends the attack. ``"reference"``
        imitates the code of the paper's authors, for reproduction only: rewards and contexts are
        not clipped, and the last change may exceed the budget.
    """

    reads_policy: ClassVar[bool] = False

    budget: Budget
    _: KW_ONLY
    purse: Rule = "truncate"


@dataclass(frozen=True)
class BestArmsAttack(AttackRecipe):
    """Parameters of an attack on the best arms.

    Parameters
    ----------
    top
        Which arms are attacked: the best share of them (at least one), ``"best"`` or
        ``"all-but-worst"``. With infinitely many arms it is a share of the range of mean rewards:
        with 0.5, arms whose mean reward is in the upper half of the range are attacked.
    """

    _: KW_ONLY
    top: float | str = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.top, str):
            self._set(top=require.between("top", self.top, 0.0, 1.0))
        elif self.top not in TOPS:
            raise ValueError(
                f"top must be a share from 0 to 1, 'best' or 'all-but-worst'; got {self.top!r}"
            )


class Top(NamedTuple):
    """Which arms count as the best."""

    arms: int  # this many, if the arms are a list
    share: float  # of the range of mean rewards, if there are infinitely many arms; otherwise -1


def choose_top(top: float | str, problem: Problem, attack: str) -> Top:
    """Return which arms count as the best; raise UnsupportedProblem if ``top`` cannot say that."""
    if not problem.infinite:
        return Top(count_top(top, problem.arms), -1.0)
    if isinstance(top, str):
        raise UnsupportedProblem(
            f"{attack} needs top as a share from 0 to 1 if there are infinitely many arms, got "
            f"{top!r}"
        )
    return Top(0, top)


def require_contexts(problem: Problem, attack: str) -> None:
    """Raise UnsupportedProblem if there are no contexts to attack: with infinitely many arms."""
    if problem.infinite:
        raise UnsupportedProblem(
            f"{attack} changes contexts, and this environment, with infinitely many arms, shows "
            f"none: use an attack on rewards, such as Garcelon, Oracle or FlipTheta"
        )


def require_arms(problem: Problem, attack: str) -> None:
    """Raise UnsupportedProblem if there are infinitely many arms."""
    if problem.infinite:
        raise UnsupportedProblem(
            f"{attack} needs a list of arms, and this environment has infinitely many: use another "
            f"attack on rewards, such as Garcelon, Oracle or FlipTheta"
        )


def check_arm(name: str, arm: int, problem: Problem) -> int:
    """Return the index of an arm; raise ValueError if the problem does not have it."""
    if arm >= problem.arms:
        raise ValueError(f"{name} must be < {problem.arms}, the number of arms; got {arm}")
    return arm


def count_top(top: float | str, arms: int) -> int:
    """Return how many arms count as the best: the share rounded down, one, or all but one.

    A share above 0 stands for at least one arm. A single arm is also the worst one, and is not
    attacked unless the share is 1.
    """
    if isinstance(top, str):
        return min(1, arms - 1) if top == "best" else arms - 1
    count = math.floor(top * arms * (1 + 1e-12))  # 0.29 * 100 is a little less than 29
    return max(count, min(1, arms - 1)) if top > 0.0 else 0


def imitated_noise(noise: float | None, problem: Problem, attack: str) -> float:
    """Return the noise level of faked rewards: the given one, or the environment's."""
    if noise is not None:
        return noise
    if problem.noise is None:
        raise ValueError(f"{attack} needs noise=..., because the environment does not state it")
    return problem.noise


@kernel
def is_top(means: Floats, arm: int, top: Top) -> bool:
    """Whether the chosen arm is attacked."""
    if top.share < 0.0:
        return is_among_best(means, arm, top.arms)
    span = means[HIGHEST] - means[LOWEST]
    return means[CHOSEN] >= means[HIGHEST] - top.share * span


@kernel
def is_among_best(means: Floats, arm: int, count: int) -> bool:
    """Whether fewer than ``count`` arms are better; of equal arms the lower index is better."""
    better = 0
    for a in range(means.shape[0]):
        if means[a] > means[arm] or (means[a] == means[arm] and a < arm):
            better += 1
    return better < count


@kernel
def expected_choice(policy: Any, contexts: Floats, rng: np.random.Generator) -> int:
    """Return the arm that a policy would choose, asked with the attack's own random numbers."""
    return choose(policy, contexts.copy(), rng, np.zeros(MEMO))
