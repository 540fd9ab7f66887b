"""MultiLevelWeightedOFUL: weighted optimism for an attack budget that nobody knows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.policies.linear._levels import LevelledState
from robustbandits.policies.linear.weighted_oful import WeightedRecipe

#: A level beyond this one would be drawn less than once in a trillion rounds.
MAX_LEVELS = 40


@dataclass(frozen=True, kw_only=True)
class MultiLevelWeightedOFUL(WeightedRecipe):
    """Deal each round to a level at random, and trust the smaller of two upper bounds.

    A round goes to level ℓ = 2, 3, ... with probability 2^-ℓ, else to level 1. Level ℓ sees one
    round in 2^ℓ, and so about that share of the corruption. The score of an arm in a round of level
    ℓ is the smaller of ``x·θ̂ + β_t(2^ℓ)‖x‖``, in which all rounds are counted and the radius is
    :class:`~robustbandits.policies.linear.weighted_oful.WeightedOFUL`'s for the budget 2^ℓ, and
    ``x·θ̂_ℓ + γ_{t,ℓ}‖x‖_ℓ``, in which those of the level are, with

    ``γ_{t,ℓ} = 8√(d ln(1 + tA²/((R+1)²λ)) ln(4t²L/δ)) + 4√d ln(4t²L/δ) + √λB + √d(ln(2ℓ²/δ)+3)``.

    With one level the first is always the smaller, and this is WeightedOFUL with a budget of 2.
    An attacker who sees the arm before spending (all attacks of this package do) may guess the
    level from it; the guarantee is for one who does not.

    Parameters
    ----------
    levels
        L; None for ⌈log₂ 2T⌉, which needs the horizon.
    ridge, sigma, noise_bound, radius_scale, delta, ties
        As for :class:`~robustbandits.policies.linear.weighted_oful.WeightedRecipe`.

    Notes
    -----
    A reconstruction: the formulas are from memory, checked against the structure of the authors'
    experiment code only. That code multiplies each radius by a constant tuned by hand.

    References
    ----------
    Zhao, Zhou, Gu, "Linear contextual bandits with adversarial corruptions" (2021).
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("horizon",),
        adversary="weak, rewards",
        regret="C²d√T",
        cost="2Kd²",
        provenance=RECONSTRUCTION,
        reference="Zhao, Zhou, Gu (2021)",
    )

    levels: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.levels is not None:
            levels = require.count("levels", self.levels)
            if levels > MAX_LEVELS:
                raise ValueError(f"levels must be <= {MAX_LEVELS}, got {self.levels!r}")
            self._set(levels=levels)

    @classmethod
    def practical(cls, **changes: Any) -> Self:
        """Take a hundredth of the theory's radius.

        Of the scales in ``docs/presets.md`` the one with the smallest worst case. Lies about a
        quarter of the arms harm it a little there, and win at the next smaller one.
        """
        return cls(**{"radius_scale": 0.01, **changes})

    def start(self, problem: Problem) -> LevelledState:
        """Return a fresh state."""
        levels = self.levels
        if levels is None:
            rounds = problem.horizon("MultiLevelWeightedOFUL")
            levels = min(MAX_LEVELS, math.ceil(math.log2(2 * rounds)))
        return self.start_levels(problem, levels)
