"""Optimism in the face of uncertainty, and of corruption.

A linear optimist scores an arm by its estimated mean plus ``(β + κ(C')) ‖x‖``, the norm being that
of the inverse Gram matrix: β covers the noise, κ(C') what an attacker with budget C' may have done
to the estimate. LinUCB has C' = 0; RobustLinUCB is told C'; RobustBandit and BOB-No-Restart guess.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import Recipe
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import COUNT, ENERGY, Ridge, start_ridge
from robustbandits.kernels.sampling import largest, share_of_largest
from robustbandits.kernels.scoring import score_columns
from robustbandits.policies.linear._radius import RADII, Radius, radius_at

#: Bounds on the harm that corruptions c_1, c_2, ... with Σ|c_s| <= C do to the estimate, in the
#: norm in which arms are wide: the paper's Lemma 1 (γ_t C), their l1 norm (C), their l2 norm
#: (√(C·c_max), as no single corruption exceeds c_max). All three are valid.
BONUSES = ("paper", "l1", "l2")
PAPER, L1, L2 = range(3)

TIES = ("random", "first")

#: Largest ratio of a squared context to the penalty; at 1e16 the inverse is lost to rounding.
MAX_SPREAD = 1e12
#: No penalty is larger than the inverse of this: its square must still be a number.
TINY = 1e-100


class Optimist(NamedTuple):
    """A ridge regression with a confidence ellipsoid around it."""

    ridge: Ridge
    radius: Radius
    bonus: int  # index into BONUSES
    max_corruption: float
    first: bool  # among equal scores take the first arm


@kernel
def corruption_bonus(optimist: Optimist, level: float) -> float:
    """Extra radius that covers corruptions of ``level`` in all."""
    if optimist.bonus == PAPER:
        return level * math.sqrt(optimist.ridge.tally[ENERGY])
    if optimist.bonus == L1:
        return level
    return min(level, math.sqrt(level * optimist.max_corruption))


@kernel
def width_factor(optimist: Optimist, level: float) -> float:
    """β + κ(level), with the round counted from the rewards learned."""
    t = optimist.ridge.tally[COUNT] + 1.0
    return radius_at(optimist.radius, optimist.ridge, t) + corruption_bonus(optimist, level)


@kernel
def optimistic_scores(
    optimist: Optimist, contexts: Floats, factor: float, means: Floats, bonuses: Floats
) -> None:
    """Write each arm's estimated mean, and its bonus ``factor · ‖x‖``."""
    score_columns(optimist.ridge.inverse, optimist.ridge.theta, contexts, means, bonuses)
    for a in range(bonuses.shape[0]):
        bonuses[a] = factor * math.sqrt(max(0.0, bonuses[a]))


@kernel
def optimistic_arm(
    optimist: Optimist, contexts: Floats, factor: float, rng: np.random.Generator
) -> int:
    """Arm with the largest sum of mean and bonus."""
    arms = contexts.shape[1]
    means = np.empty(arms)
    bonuses = np.empty(arms)
    optimistic_scores(optimist, contexts, factor, means, bonuses)
    for a in range(arms):
        means[a] += bonuses[a]
    return largest(means, rng, optimist.first)


@kernel
def optimistic_shares(optimist: Optimist, contexts: Floats, factor: float, out: Floats) -> None:
    """Write 1 for the arm that :func:`optimistic_arm` would play; equals share it."""
    arms = contexts.shape[1]
    means = np.empty(arms)
    bonuses = np.empty(arms)
    optimistic_scores(optimist, contexts, factor, means, bonuses)
    for a in range(arms):
        means[a] += bonuses[a]
        out[a] = 0.0
    share_of_largest(means, optimist.first, 1.0, out)


def refuse_spread(problem: Problem, ridge: float) -> None:
    """Refuse a penalty that float64 cannot hold beside such contexts."""
    if problem.context_bound * problem.context_bound > MAX_SPREAD * ridge:
        raise ValueError(
            f"ridge must be at least context_bound² / {MAX_SPREAD:g}, got {ridge!r} for "
            f"context_bound {problem.context_bound!r}: scale your features"
        )


def theory_ridge(problem: Problem, unit: float, words: str) -> float:
    """Return the penalty (unit/S)², S being the bound of theta; refuse what float64 cannot hold."""
    ridge = (unit / problem.theta_bound) * (unit / problem.theta_bound)
    reach = problem.context_bound * problem.context_bound
    if not (reach <= MAX_SPREAD * ridge and ridge < 1.0 / TINY):
        raise ValueError(
            f"ridge must be given: the theory's, {words}, is {ridge!r} for theta_bound "
            f"{problem.theta_bound!r}, too far from context_bound {problem.context_bound!r} squared"
        )
    return ridge


@kernel
def mixed_shares(
    optimist: Optimist, contexts: Floats, factors: Floats, chances: Floats, out: Floats
) -> None:
    """Write the probability of each arm when factor j is played with chance j."""
    arms = contexts.shape[1]
    means = np.empty(arms)
    widths = np.empty(arms)
    scores = np.empty(arms)
    optimistic_scores(optimist, contexts, 1.0, means, widths)
    for a in range(arms):
        out[a] = 0.0
    for j in range(chances.shape[0]):
        if chances[j] > 0.0:
            for a in range(arms):
                scores[a] = means[a] + factors[j] * widths[a]
            share_of_largest(scores, optimist.first, chances[j], out)


@dataclass(frozen=True, kw_only=True)
class LinearRecipe(Recipe):
    """Parameters that every linear policy has.

    Parameters
    ----------
    ridge
        Penalty λ of the regression.
    delta
        Probability with which the confidence ellipsoid may fail.
    sigma
        Sub-Gaussian level of the noise: its standard deviation, if it is Gaussian.
    radius
        ``"trace"``, the paper's Eq. (1), which is a valid bound in two dimensions or more, or
        ``"det"``, which is tighter and valid in any.
    ties
        Among equal scores take a ``"random"`` arm, or the ``"first"`` as the authors' code does.
    """

    ridge: float = 0.1
    delta: float = 0.01
    sigma: float = 0.1
    radius: str = "trace"
    ties: str = "random"

    def __post_init__(self) -> None:
        self._set(
            ridge=require.positive("ridge", self.ridge),
            delta=require.fraction("delta", self.delta),
            sigma=require.at_least("sigma", self.sigma, 0.0),
            radius=require.one_of("radius", self.radius, RADII),
            ties=require.one_of("ties", self.ties, TIES),
        )

    def start_regression(self, problem: Problem) -> Ridge:
        """Return a regression that has seen nothing; refuse what float64 cannot hold."""
        refuse_spread(problem, self.ridge)
        return start_ridge(problem.dim, self.ridge)

    def start_radius(self, problem: Problem, delta: float | None = None) -> Radius:
        """Return the radius for a problem's bounds."""
        return Radius(
            by_determinant=self.radius == "det",
            sigma=self.sigma,
            delta=self.delta if delta is None else delta,
            penalty=self.ridge,
            context_bound=problem.context_bound,
            theta_bound=problem.theta_bound,
        )

    def start_optimist(
        self,
        problem: Problem,
        *,
        bonus: str = "l2",
        max_corruption: float = 1.0,
        delta: float | None = None,
    ) -> Optimist:
        """Return an optimist that has seen nothing."""
        return Optimist(
            ridge=self.start_regression(problem),
            radius=self.start_radius(problem, delta),
            bonus=BONUSES.index(bonus),
            max_corruption=max_corruption,
            first=self.ties == "first",
        )
