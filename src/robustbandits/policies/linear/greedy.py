"""Greedy: play the arm with the largest estimated mean, without exploration.

A baseline. Bogunovic, Losalka, Krause, Scarlett (2021) show that it is robust when contexts are
diverse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats, products
from robustbandits.kernels.ridge import Ridge, observe
from robustbandits.kernels.sampling import largest, share_of_largest
from robustbandits.policies._infinite_arms import ball_of, best_of_ball
from robustbandits.policies.linear._linear import LinearRecipe, choose_largest_sum


class GreedyState(NamedTuple):
    """What Greedy remembers."""

    ridge: Ridge
    first: bool  # among equal estimates choose the first arm
    ball: float | None = None  # if given, the arms are all vectors of this length or less

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        arm = best_of_ball(self.ball, self.ridge, self.ridge.theta, 0.0, rng, contexts)
        if arm >= 0:
            return arm
        means = np.empty(contexts.shape[1])
        products(self.ridge.theta, contexts, means)
        return largest(means, rng, self.first)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        observe(self.ridge, context, reward, 1.0)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean; bonuses are 0."""
        products(self.ridge.theta, contexts, means)
        bonuses[:] = 0.0

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        means = np.empty(contexts.shape[1])
        products(self.ridge.theta, contexts, means)
        out[:] = 0.0
        share_of_largest(means, self.first, 1.0, out)

    @kernel
    def choose_by_scores(self, means: Floats, bonuses: Floats, rng: Generator, out: Floats) -> int:
        return choose_largest_sum(means, bonuses, rng, self.first, out)


@dataclass(frozen=True, kw_only=True)
class Greedy(LinearRecipe):
    """Play the arm with the largest estimated mean; never explore.

    It works when contexts are so diverse that exploration is not needed. On a fixed catalogue it
    may stay with an arm that had good rewards early on by chance. It is LinUCB with a radius of
    zero: ``delta``, ``sigma`` and ``radius`` have no effect.

    Parameters
    ----------
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    References
    ----------
    Bogunovic, Losalka, Krause, Scarlett (2021), on when Greedy is robust.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=(),
        adversary="strong, if contexts are diverse",
        regret="(√(dT) + C) / λ₀, λ₀ being how diverse contexts are",
        cost="Kd + d²",
        provenance=PAPER,
        reference="Bogunovic, Losalka, Krause, Scarlett (2021)",
        infinite_arms=True,
    )

    def start(self, problem: Problem) -> GreedyState:
        return GreedyState(
            ridge=self.start_regression(problem),
            first=self.ties == "first",
            ball=ball_of(problem),
        )
