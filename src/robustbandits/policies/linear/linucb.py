"""LinUCB: the policy that everybody runs, and that everybody can fool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import observe
from robustbandits.policies.linear._linear import (
    LinearRecipe,
    Optimist,
    optimistic_arm,
    optimistic_scores,
    optimistic_shares,
    width_factor,
)


class LinUCBState(NamedTuple):
    """What LinUCB remembers."""

    optimist: Optimist
    level: float  # corruption that the bonus covers

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Play the arm with the largest upper confidence bound."""
        factor = width_factor(self.optimist, self.level)
        return optimistic_arm(self.optimist, contexts, factor, rng)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add one observation to the regression."""
        observe(self.optimist.ridge, context, reward, 1.0)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean and bonus."""
        factor = width_factor(self.optimist, self.level)
        optimistic_scores(self.optimist, contexts, factor, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write 1 for the best arm; equals share it."""
        factor = width_factor(self.optimist, self.level)
        optimistic_shares(self.optimist, contexts, factor, out)


@dataclass(frozen=True, kw_only=True)
class LinUCB(LinearRecipe):
    """Play the arm whose upper confidence bound is largest (the paper's Algorithm 2, OFUL).

    The score of an arm is ``x·θ̂ + β_t ‖x‖``, with the radius β_t of Eq. (1). The best there is
    without an attacker; with one, a few corrupted rewards can steer it for good.

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
    )

    def start(self, problem: Problem) -> LinUCBState:
        """Return a fresh state."""
        return LinUCBState(optimist=self.start_optimist(problem), level=0.0)
