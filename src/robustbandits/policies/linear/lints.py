"""LinTS: linear Thompson sampling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import CODE, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import (
    Floats,
    cholesky_add_outer,
    products,
    solve_upper,
)
from robustbandits.kernels.ridge import COUNT, Ridge, observe
from robustbandits.kernels.sampling import largest
from robustbandits.kernels.scoring import score_columns
from robustbandits.policies.linear._linear import LinearRecipe
from robustbandits.policies.linear._radius import Radius, radius_at


class LinTSState(NamedTuple):
    """What LinTS remembers."""

    ridge: Ridge
    factor: Floats  # (dim, dim) upper R with RᵀR = ridge.gram: R⁻¹z has covariance gram⁻¹
    radius: Radius
    scale: float
    first: bool

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Draw a theta from the posterior and play its best arm."""
        dim, arms = contexts.shape
        sample = np.empty(dim)
        for i in range(dim):
            sample[i] = rng.standard_normal()
        solve_upper(self.factor, sample)
        t = self.ridge.tally[COUNT] + 1.0
        spread = self.scale * radius_at(self.radius, self.ridge, t)
        for i in range(dim):
            sample[i] = self.ridge.theta[i] + spread * sample[i]
        scores = np.empty(arms)
        products(sample, contexts, scores)
        return largest(scores, rng, self.first)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add one observation to the regression."""
        observe(self.ridge, context, reward, 1.0)
        spoiled = context.copy()
        cholesky_add_outer(self.factor, spoiled)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's posterior mean and standard deviation."""
        score_columns(self.ridge.inverse, self.ridge.theta, contexts, means, bonuses)
        spread = self.scale * radius_at(self.radius, self.ridge, self.ridge.tally[COUNT] + 1.0)
        for a in range(bonuses.shape[0]):
            bonuses[a] = spread * math.sqrt(max(0.0, bonuses[a]))


@dataclass(frozen=True, kw_only=True)
class LinTS(LinearRecipe):
    """Draw ``θ̃ ~ N(θ̂, v_t² V⁻¹)`` and play its best arm (linear Thompson sampling).

    The probability of an arm has no closed form, so decisions report none; the ``bonus`` of an arm
    is its posterior standard deviation.

    Parameters
    ----------
    scale
        ``v_t = scale · β_t``, β_t being LinUCB's radius. 1 is what the paper's code does; Agrawal
        and Goyal's theory asks for more.
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
    )

    scale: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(scale=require.at_least("scale", self.scale, 0.0))

    def start(self, problem: Problem) -> LinTSState:
        """Return a fresh state."""
        return LinTSState(
            ridge=self.start_regression(problem),
            factor=math.sqrt(self.ridge) * np.eye(problem.dim),
            radius=self.start_radius(problem),
            scale=self.scale,
            first=self.ties == "first",
        )
