"""BARBAR: every arm is played in every epoch, the less often the worse it looked before.

Gupta, Koren, Talwar (COLT 2019), "Better algorithms for stochastic bandits with adversarial
corruptions". The name stands for "bad arms get recourse".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.policies._fixed_arms import ArmsRecipe, refuse_changing_arms
from robustbandits.policies.arms._epochs import EpochState, start_epochs


@dataclass(frozen=True, kw_only=True)
class BARBAR(ArmsRecipe):
    """Play every arm in every epoch, the less often the worse it looked in the previous one.

    With λ = 1024 ln((8K/δ) log₂ T) and gaps Δ that start at 1, epoch m has N = Σ n rounds, in each
    of which arm i is drawn with probability n_i / N, where n_i = λ/Δ_i². Then r_i is the sum of the
    arm's rewards divided by the *planned* n_i, r* = max(r_i - Δ_i/16), and Δ_i = max(2^-m, r* -
    r_i); here gaps are also kept at most 1. Rewards are assumed to lie in [0, 1]; one that arrives
    after its epoch has ended is not used. The bound is for an attacker who acts before the arm is
    drawn; every attack here sees it first.

    At the theory's λ the first epoch is about 13,000 K rounds of uniform play, and with 20 arms
    the second does not end before T = 10⁶. See :meth:`practical`.

    The specification is reconstructed from memory; its structure agrees with a re-implementation of
    a descendant.

    Parameters
    ----------
    delta
        Probability with which the guarantee may fail.
    lambda_const
        The constant in λ; 1024 is the theory's.
    divide_by
        ``"planned"`` as in the paper, which makes r_i unbiased even when the attacker knows the
        epoch's probabilities; ``"actual"`` divides by the number of rewards.

    References
    ----------
    Gupta, Koren, Talwar (COLT 2019), Algorithm 1.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="MAB",
        needs=("horizon",),
        adversary="weak, rewards",
        regret="Σ 1/Δ + KC",
        cost="log K",
        provenance=RECONSTRUCTION,
        reference="Gupta, Koren, Talwar (2019)",
    )

    delta: Probability = 0.01
    lambda_const: Positive = 1024.0
    divide_by: Literal["planned", "actual"] = "planned"

    @classmethod
    def practical(cls, **changes: Any) -> Self:
        """Use the constant 1 in λ, so that a game has several epochs.

        In ``docs/presets.md`` 0.25 has nearly the same worst case, and 0.1 fails: an epoch is then
        too short to tell arms apart. The preset keeps a distance.
        """
        return cls(**{"lambda_const": 1.0, **changes})

    def start(self, problem: Problem) -> EpochState:
        refuse_changing_arms(problem, self.name)
        epochs = max(1.0, math.log2(problem.horizon(self.name)))
        return start_epochs(
            problem.arms,
            factor=self.lambda_const * math.log(8.0 * problem.arms / self.delta * epochs),
            trust=False,
            actual=self.divide_by == "actual",
        )
