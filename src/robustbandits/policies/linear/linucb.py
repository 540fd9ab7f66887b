"""LinUCB: play the arm with the largest upper confidence bound.

The standard policy for linear contextual bandits (OFUL of Abbasi-Yadkori, Pál, Szepesvári 2011),
and the baseline of this package: nearly optimal without an attacker, easily misled by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.policies.linear._linear import (
    LinearRecipe,
    Optimist,
    choose_largest_sum,
    learn_reward,
    optimistic_arm,
    optimistic_scores,
    optimistic_shares,
    width_factor,
)


class LinUCBState(NamedTuple):
    """What LinUCB and RobustLinUCB remember."""

    optimist: Optimist
    level: float  # corruption that the bonus covers; 0 for LinUCB

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        factor = width_factor(self.optimist, self.level)
        return optimistic_arm(self.optimist, contexts, factor, self.level, rng)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        learn_reward(self.optimist, arm, context, reward)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        factor = width_factor(self.optimist, self.level)
        optimistic_scores(self.optimist, contexts, factor, self.level, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        factor = width_factor(self.optimist, self.level)
        optimistic_shares(self.optimist, contexts, factor, self.level, out)

    @kernel
    def choose_by_scores(self, means: Floats, bonuses: Floats, rng: Generator, out: Floats) -> int:
        return choose_largest_sum(means, bonuses, rng, self.optimist.first, out)


@dataclass(frozen=True, kw_only=True)
class LinUCB(LinearRecipe):
    """Play the arm with the largest upper confidence bound (the paper's Algorithm 2, OFUL).

    The score of an arm is ``x·θ̂ + β_t ‖x‖``, with the radius β_t of Eq. (1). It is
    nearly optimal without an attacker; a few corrupted rewards can mislead it permanently.

    Parameters
    ----------
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    Examples
    --------
    >>> import robustbandits as rb
    >>> agent = rb.Agent(rb.policies.LinUCB(), arms=2, dim=2, seed=0)
    >>> decision = agent.choose([[1.0, 0.0], [0.0, 0.5]])
    >>> decision.arm
    0

    References
    ----------
    Abbasi-Yadkori, Pál, Szepesvári (2011); Li, Chu, Langford, Schapire (2010).
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=(),
        adversary="none",
        regret="d√T",
        cost="Kd²",
        provenance=PAPER,
        reference="Abbasi-Yadkori, Pál, Szepesvári (2011)",
        infinite_arms=True,
    )

    def start(self, problem: Problem) -> LinUCBState:
        return LinUCBState(optimist=self.start_optimist(problem), level=0.0)
