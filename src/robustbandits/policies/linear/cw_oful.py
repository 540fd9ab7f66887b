"""CW-OFUL: confidence-weighted optimism (He, Zhou, Zhang, Gu, NeurIPS 2022).

Observations of arms with a large width ‖x‖ count less: with the weight ``min(1, α / ‖x‖)`` a
corruption c of a reward moves the estimate by at most α|c|. Corruptions of C in total therefore
move it by at most αC, in the norm in which widths are measured. The radius is constant and covers a
given attack budget, or any budget up to √T.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.ridge_limit import refuse_small_ridge
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import observe_cautiously
from robustbandits.policies.linear._linear import (
    LinearRecipe,
    Optimist,
    choose_largest_sum,
    optimistic_arm,
    optimistic_scores,
    optimistic_shares,
    theory_ridge,
    width_factor,
)


class WeightedState(NamedTuple):
    """What CW-OFUL and CautiousLinUCB remember."""

    optimist: Optimist
    caution: float  # α; infinity gives every observation its full weight
    constant: float  # constant radius; if negative, LinUCB's growing radius is used

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        return optimistic_arm(self.optimist, contexts, _radius(self), 0.0, rng)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        observe_cautiously(self.optimist.ridge, context, reward, self.caution)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        optimistic_scores(self.optimist, contexts, _radius(self), 0.0, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        optimistic_shares(self.optimist, contexts, _radius(self), 0.0, out)

    @kernel
    def choose_by_scores(self, means: Floats, bonuses: Floats, rng: Generator, out: Floats) -> int:
        return choose_largest_sum(means, bonuses, rng, self.optimist.first, out)


@kernel
def _radius(state: WeightedState) -> float:
    if state.constant >= 0.0:
        return state.constant
    return width_factor(state.optimist, 0.0)


class Constants(NamedTuple):
    """CW-OFUL's constants for a problem."""

    ridge: float  # λ
    noise: float  # R√(d log((1 + TL²/λ)/δ))
    prior: float  # √λ S
    scale: float  # R√d + √λ S; the caution α is this divided by the budget


@dataclass(frozen=True, kw_only=True)
class ConfidenceRecipe(LinearRecipe):
    """Parameters of CW-OFUL and of COBE, which is built on it: ``ridge`` may be left to the theory.

    The theory's penalty is (sigma / theta_bound)², which needs a positive ``sigma``.
    """

    ridge: Positive | None = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ridge is None:
            require.positive("sigma", self.sigma)

    def constants(self, problem: Problem, rounds: int) -> Constants:
        """Compute the constants for this many rounds."""
        ridge = self.ridge
        if ridge is None:
            ridge = theory_ridge(problem, self.sigma, "(sigma / theta_bound)²")
        refuse_small_ridge(problem, ridge)
        prior = math.sqrt(ridge) * problem.theta_bound
        growth = (1.0 + rounds * problem.context_bound**2 / ridge) / self.delta
        return Constants(
            ridge=ridge,
            noise=self.sigma * math.sqrt(problem.dim * math.log(growth)),
            prior=prior,
            scale=self.sigma * math.sqrt(problem.dim) + prior,
        )


@dataclass(frozen=True)
class CWOFUL(ConfidenceRecipe):
    """Optimism with less weight for rewards of arms about which little is known (CW-OFUL).

    An observation has the weight ``min(1, α/‖x‖)``, the norm being that of the inverse Gram matrix
    before it; the score of an arm is ``x·θ̂ + β‖x‖`` with a constant β. With R = ``sigma``, S and L
    the bounds of theta and of contexts, and T the horizon:

    - ``budget`` given: α = (R√d + √λ S) / C and β = R√(d log((1 + TL²/λ)/δ)) + √λ S + αC.
      Regret Õ(d√T + dC) against any attacker with that budget.
    - ``budget=None``: √T replaces C in α, and β = 2R√(d log((1 + TL²/λ)/δ)) + 2√λ S. The same
      bound for every attacker with a budget of at most √T; no guarantee for a larger one.

    With ``budget=0`` every weight is 1 and this is LinUCB with a constant radius.

    Parameters
    ----------
    budget
        C, at least the attacker's budget; None if it is unknown.
    ridge
        λ; None for the theory's R²/S².
    delta, sigma, ties
        As for every linear policy, see :class:`LinearRecipe`; ``radius`` has no effect.

    References
    ----------
    He, Zhou, Zhang, Gu (NeurIPS 2022), Algorithm 1, Theorems 4.2 and 4.4. Specification: the paper.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("horizon", "budget, or at most √T"),
        adversary="strong, rewards",
        regret="d√T + dC",
        cost="Kd²",
        provenance=PAPER,
        reference="He, Zhou, Zhang, Gu (2022)",
        infinite_arms=True,
    )

    budget: NonNegative | None = None

    def start(self, problem: Problem) -> WeightedState:
        rounds = problem.horizon(self.name)
        ridge, noise, prior, scale = self.constants(problem, rounds)
        level = math.sqrt(rounds) if self.budget is None else self.budget
        caution = scale / level if level > 0.0 else math.inf
        if self.budget is None:
            radius = 2.0 * (noise + prior)
        else:
            radius = noise + prior + (scale if level > 0.0 else 0.0)
        with_ridge = dataclasses.replace(self, ridge=ridge)
        return WeightedState(
            optimist=with_ridge.start_optimist(problem), caution=caution, constant=radius
        )
