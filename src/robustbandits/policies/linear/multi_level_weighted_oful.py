"""MultiLevelWeightedOFUL: weighted linear regressions at several levels, for an unknown budget.

The multi-level policy of Zhao, Zhou, Gu (2021). Each round is assigned to a level at random, so
that higher levels see little of the corruption; an arm's score is the smaller of two upper bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from robustbandits.game.facts import CODE, PolicyFacts
from robustbandits.game.parameters import Count
from robustbandits.game.problem import Problem
from robustbandits.policies.linear.weighted_oful import LevelledState, WeightedRecipe

#: A level above this one would be drawn less than once in a trillion rounds.
MAX_LEVELS = 40


@dataclass(frozen=True, kw_only=True)
class MultiLevelWeightedOFUL(WeightedRecipe):
    """Assign each round to a random level, and use the smaller of two upper bounds.

    A round goes to level ℓ = 2, 3, ... with probability 2^-ℓ, else to level 1. Level ℓ sees one
    round in 2^ℓ, and so about that share of the corruption. The score of an arm in a round of level
    ℓ is the smaller of ``x·θ̂ + β_t(2^ℓ)‖x‖``, computed from all rounds with the radius of
    :class:`~robustbandits.policies.linear.weighted_oful.WeightedOFUL` for the budget 2^ℓ, and
    ``x·θ̂_ℓ + γ_{t,ℓ}‖x‖_ℓ``, computed from the rounds of the level, with

    ``γ_{t,ℓ} = 8√(d ln(1 + tA²/((R+1)²λ)) ln(4t²L/δ)) + 4√d ln(4t²L/δ) + √λB + √d(ln(2ℓ²/δ)+3)``.

    With one level the first bound is always the smaller, and this is WeightedOFUL with a budget
    of 2. An attacker who sees the arm before spending may guess the level from it; the guarantee is
    for an attacker who does not see it. Most attacks here see the arm first; WeakVector does not.

    Parameters
    ----------
    levels
        L, at most 40; None for ⌈log₂ 2T⌉, which needs the horizon.
    ridge, sigma, noise_bound, radius_scale, delta, ties
        As for :class:`~robustbandits.policies.linear.weighted_oful.WeightedRecipe`.

    Notes
    -----
    Radii, levels and updates are those of the authors' experiment code, except for the differences
    that :class:`~robustbandits.policies.linear.weighted_oful.WeightedOFUL` lists (the constant
    tuned by hand is 0.5) and two more. The code has ⌊log₂ 2T⌋ + 1 levels, one more than this policy
    if T is a power of two. And the δ of the code is a third of the probability with which the bound
    may fail; here ``delta`` is that δ, so use 0.01/3 for a bound that holds with probability 0.99.

    References
    ----------
    Zhao, Zhou, Gu, "Linear contextual bandits with adversarial corruptions" (2021). Specification:
    the authors' code; we could not read the text.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("horizon",),
        adversary="weak, rewards",
        regret="C²d√T",
        cost="2Kd²",
        provenance=CODE,
        reference="Zhao, Zhou, Gu (2021)",
    )

    levels: Count | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.levels is not None and self.levels > MAX_LEVELS:
            raise ValueError(f"levels must be <= {MAX_LEVELS}, got {self.levels!r}")

    @classmethod
    def practical(cls, **changes: Any) -> Self:
        """Use a hundredth of the theory's radius.

        Of the scales in ``docs/presets.md`` it has the smallest worst case. There, an attack on a
        quarter of the arms harms it a little, and succeeds at the next smaller scale.
        """
        return cls(**{"radius_scale": 0.01, **changes})

    def start(self, problem: Problem) -> LevelledState:
        levels = self.levels
        if levels is None:
            levels = min(MAX_LEVELS, math.ceil(math.log2(2 * problem.horizon(self.name))))
        return self.start_levels(problem, levels)
