"""BARBAT: BARBAR with epochs of fixed length, in which the best arm gets the remaining rounds.

Hu, Chen (NeurIPS 2025). An attacker cannot make an epoch longer, and no horizon is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import Positive
from robustbandits.game.problem import Problem
from robustbandits.policies._fixed_arms import ArmsRecipe, refuse_changing_arms
from robustbandits.policies.arms.barbar import EpochState, start_epochs


@dataclass(frozen=True, kw_only=True)
class BARBAT(ArmsRecipe):
    """BARBAR with epochs of fixed length, in which the best arm gets all remaining rounds.

    Epoch m has N = ⌈K λ 4^(m-1)⌉ rounds with λ = 2⁸ ln(4K/δ), δ = 1/(K ζ) and
    ζ = (m+4) 4^(m+4) ln K. The plan gives n_i = λ/Δ_i² rounds to arm i, and the rest to the arm
    with the largest mean in the previous epoch. An attacker cannot prolong an epoch, which removes
    BARBAR's factor K from the damage; and no horizon is needed. Means and gaps are BARBAR's: r_i is
    the sum of the arm's rewards divided by n_i, r* = max(r_i - Δ_i/16), Δ_i = max(2^-m, r* - r_i),
    here also at most 1. Rewards are assumed to lie in [0, 1]; a reward that arrives after its epoch
    has ended is not used. The bound is for an attacker who acts before the arm is drawn. Most
    attacks here see the arm first; WeakVector does not.

    At the theory's λ the first epoch is about 4,400 K rounds of uniform play, and with 20 arms the
    third does not end before T = 10⁶. See :meth:`practical`.

    The specification is reconstructed from notes on the paper. The structure of the epochs comes
    from these notes. The constants in λ and ζ and the Δ/16 in r* are from memory and may not be the
    paper's.

    Parameters
    ----------
    lambda_const
        The constant in λ; 256 is the theory's.
    divide_by
        As for :class:`~robustbandits.policies.BARBAR`.

    References
    ----------
    Hu, Chen (NeurIPS 2025), arXiv 2502.07514.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="MAB",
        needs=(),
        adversary="weak, rewards",
        regret="Σ 1/Δ + C",
        cost="log K",
        provenance=RECONSTRUCTION,
        reference="Hu, Chen (2025)",
    )

    lambda_const: Positive = 256.0
    divide_by: Literal["planned", "actual"] = "planned"

    @classmethod
    def practical(cls, **changes: Any) -> Self:
        """Use the constant 1 in λ, so that a game has several epochs.

        In ``docs/presets.md`` 0.25 has nearly the same worst case, and 0.1 fails: an epoch is then
        too short to tell arms apart, and a wrong arm gets the rest of the rounds. The preset stays
        well above that.
        """
        return cls(**{"lambda_const": 1.0, **changes})

    def start(self, problem: Problem) -> EpochState:
        refuse_changing_arms(problem, self.name)
        return start_epochs(
            problem.arms,
            factor=self.lambda_const,
            trust=True,
            actual=self.divide_by == "actual",
        )
