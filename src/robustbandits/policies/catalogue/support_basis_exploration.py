"""SupportBasisExploration (SBE): explore a basis of the catalogue, as much as the gap demands.

Reconstructed after Li, Lou, Shan (2019). The arms to explore are the contact points of the smallest
ellipsoid around the catalogue.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.policies._fixed_arms import CatalogueRecipe, refuse_changing_arms
from robustbandits.policies.catalogue._phases import PhasedState, Rules, start_phases


@dataclass(frozen=True, kw_only=True)
class SupportBasisExploration(CatalogueRecipe):
    """SBE: epochs four times as long as the last, with no more exploration than the gap demands.

    This is a reconstruction. The paper's abstract, and papers that quote it, say four things: the
    policy does not know C; epochs grow exponentially; it explores through the Löwner–John ellipsoid
    of the arms; its regret is d^{5/2}C/Δ + d⁶/Δ². The rest is modeled from memory on BARBAR
    (Gupta, Koren, Talwar 2019), on which the policy builds, and every constant is ours.

    With ``n = ⌈scale · d² ln(dT/δ)⌉``, epoch m = 1, 2, ... has ``4^{m-1} n`` rounds. Each round
    explores with the same probability, such that ``n/Δ̂²`` of them explore on average. A round that
    explores draws an arm from the design π whose support is the set of contact points of the
    ellipsoid (the G-optimal design), and its reward is used. The other rounds play the leader, and
    their rewards are not used. The estimate divides by *planned* counts,
    ``θ̂ = M(π)⁻¹ Σ x y / (n/Δ̂²)``, so that an attacker gains nothing by corrupting rounds in which
    an arm happens to be played often. The arm with the largest estimate is the leader of the next
    epoch, and ``Δ̂ = max(2^{-m}, half its lead)``. The first epoch, with Δ̂ = 1, only explores.

    The bound is for an attacker who acts before the arm is drawn. Most attacks here see the arm
    first; WeakVector does not.

    Before the first epoch each arm is played until it has returned one reward (see
    :mod:`~robustbandits.policies.catalogue._phases`). Needs the horizon, and the same arms in every
    round. A round costs O(arms); the state is (dim + 5) x arms numbers and does not grow.

    Parameters
    ----------
    scale
        The constant factor in n. By Bernstein's inequality 64 brings every estimate within Δ̂/4 of
        its mean (rewards in [-1, 1]); with it the policy is still exploring at T = 10⁶.
    delta
        Probability with which an estimate may have a larger error.

    References
    ----------
    Li, Lou, Shan (2019), arXiv 1909.02109.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="fixed arms",
        needs=("horizon",),
        adversary="weak, rewards",
        regret="d^{5/2}C/Δ + d⁶/Δ²",
        cost="K",
        provenance=RECONSTRUCTION,
        reference="Li, Lou, Shan (2019)",
    )

    scale: Positive = 64.0
    delta: Probability = 0.01

    @classmethod
    def practical(cls, **changes: Any) -> Self:
        """Use epochs so short that several fit in 10⁵ rounds.

        Of the scales in ``docs/presets.md`` it has the smallest worst case, which is less than the
        regret of uniform play. But even after 10⁶ rounds it still explores a lot, and no other
        scale there makes the policy practical.
        """
        return cls(**{"scale": 0.003, **changes})

    def start(self, problem: Problem) -> PhasedState:
        refuse_changing_arms(problem, self.name)
        rounds, dim = problem.horizon(self.name), problem.dim
        rules = Rules(
            by_gap=True,
            length=first_epoch(self.scale, dim, rounds, self.delta),
            least=0.0,
            tight=False,
            noise=0.0,
            harm=0.0,
            cap=0.0,
            decay=1.0,
            max_corruption=0.0,
        )
        bound = problem.theta_bound * problem.context_bound
        return start_phases(dim, problem.arms, rules, guess=0.0, bound=bound)


def first_epoch(scale: float, dim: int, rounds: int, delta: float) -> float:
    """Return the length of the first epoch, rounded up to whole rounds."""
    return float(math.ceil(scale * dim * dim * math.log(dim * rounds / delta)))
