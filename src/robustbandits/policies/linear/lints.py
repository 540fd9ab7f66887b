"""LinTS: linear Thompson sampling (Agrawal, Goyal 2013).

Draw a parameter from a normal distribution around the estimate and play the best arm for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import CODE, PolicyFacts
from robustbandits.game.parameters import NonNegative
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats, cholesky_add_outer, products, solve_upper
from robustbandits.kernels.ridge import COUNT, Ridge, observe
from robustbandits.kernels.sampling import largest
from robustbandits.kernels.scoring import score_columns
from robustbandits.policies._infinite_arms import ball_of, best_of_ball
from robustbandits.policies.linear._linear import LinearRecipe, Radius, radius_at, widths_to_bonuses


class LinTSState(NamedTuple):
    """What LinTS remembers."""

    ridge: Ridge
    factor: Floats  # (dim, dim) upper R with RᵀR = ridge.gram: R⁻¹z has covariance gram⁻¹
    radius: Radius
    scale: float
    first: bool  # among equal scores choose the first arm
    ball: float | None = None  # if given, the arms are all vectors of this length or less

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        dim, arms = contexts.shape
        sample = np.empty(dim)
        for i in range(dim):
            sample[i] = rng.standard_normal()
        solve_upper(self.factor, sample)
        spread = _spread(self)
        for i in range(dim):
            sample[i] = self.ridge.theta[i] + spread * sample[i]
        arm = best_of_ball(self.ball, self.ridge, sample, 0.0, rng, contexts)
        if arm >= 0:
            return arm
        scores = np.empty(arms)
        products(sample, contexts, scores)
        return largest(scores, rng, self.first)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        observe(self.ridge, context, reward, 1.0)
        scratch = context.copy()  # overwritten by the update of the factor
        cholesky_add_outer(self.factor, scratch)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's posterior mean and standard deviation."""
        score_columns(self.ridge.inverse, self.ridge.theta, contexts, means, bonuses)
        widths_to_bonuses(bonuses, _spread(self))


@kernel
def _spread(state: LinTSState) -> float:
    """v_t = scale · β_t."""
    return state.scale * radius_at(state.radius, state.ridge, state.ridge.tally[COUNT] + 1.0)


@dataclass(frozen=True, kw_only=True)
class LinTS(LinearRecipe):
    """Draw ``θ̃ ~ N(θ̂, v_t² V⁻¹)`` and play the best arm for θ̃ (linear Thompson sampling).

    The probability of an arm has no closed form, so decisions report none. The ``bonus`` of an arm
    is its posterior standard deviation.

    Parameters
    ----------
    scale
        ``v_t = scale · β_t``, where β_t is LinUCB's radius. 1 is what the paper's code does;
        Agrawal and Goyal's theory asks for more.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    References
    ----------
    Agrawal, Goyal (2013), Thompson Sampling for Contextual Bandits with Linear Payoffs.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=(),
        adversary="none",
        regret="d√(dT) for a larger scale than the default",
        cost="Kd + d²",
        provenance=CODE,
        reference="Agrawal, Goyal (2013); v_t as in Ding, Hsieh, Sharpnack's code",
        infinite_arms=True,
    )

    scale: NonNegative = 1.0

    def start(self, problem: Problem) -> LinTSState:
        return LinTSState(
            ridge=self.start_regression(problem),
            factor=math.sqrt(self.ridge) * np.eye(problem.dim),
            radius=self.start_radius(problem),
            scale=self.scale,
            first=self.ties == "first",
            ball=ball_of(problem),
        )
