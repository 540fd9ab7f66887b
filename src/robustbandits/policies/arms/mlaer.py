"""MLAER: log T layers of arm elimination, for an unknown attack budget.

The multi-layer active arm elimination race of Lykouris, Mirrokni, Paes Leme (2018).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.policies._fixed_arms import ArmsRecipe, refuse_changing_arms
from robustbandits.policies.arms._elimination import RaceState, start_elimination


@dataclass(frozen=True, kw_only=True)
class MLAER(ArmsRecipe):
    """Multi-layer active arm elimination race: one layer for each possible size of the attack.

    With L = ⌈log₂ T⌉ layers and Λ = ln(4KT ln T / δ), a round belongs to layer l ≥ 2 with
    probability 2^-l, else to layer 1; the layer plays the arm that it has played least. Widths are
    √(Λ/n) + Λ/n in every layer. A layer drops an arm whose interval lies below another's, and all
    faster layers drop it too. A layer without arms borrows one from the next slower layer that has
    any, and no layer learns. Layers with 2^l above the attacker's budget hardly see the attack, if
    the attacker does not know which layer is drawn. Most attacks here see the arm first; WeakVector
    does not. Rewards are assumed to lie in [0, 1].

    At the theory's widths a gap of 0.05 needs 40,000 rewards of each arm in one layer: with 20 arms
    little is dropped before T = 10⁵. See :meth:`practical`.

    The specification is reconstructed from memory and from the widths of a re-implementation,
    because we could not read the paper.

    Parameters
    ----------
    delta
        Probability with which the guarantee may fail.
    width_scale
        Multiplies all widths. 1 is the theory's, for any rewards in [0, 1]. To cover the noise
        alone, √2 σ is enough if its standard deviation is σ.

    References
    ----------
    Lykouris, Mirrokni, Paes Leme (STOC 2018), unknown corruption.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="MAB",
        needs=("horizon",),
        adversary="weak, rewards",
        regret="KC Σ 1/Δ",
        cost="K",
        provenance=RECONSTRUCTION,
        reference="Lykouris, Mirrokni, Paes Leme (2018)",
    )

    delta: Probability = 0.01
    width_scale: Positive = 1.0

    @classmethod
    def practical(cls, **changes: Any) -> Self:
        """Multiply widths by 0.15, which covers noise of 0.1: √2 σ = 0.14.

        Of the scales in ``docs/presets.md`` it has the smallest worst case. It also reduces the
        part of the widths that covers corruption, so nothing is proved about it.
        """
        return cls(**{"width_scale": 0.15, **changes})

    def start(self, problem: Problem) -> RaceState:
        refuse_changing_arms(problem, self.name)
        rounds = problem.horizon(self.name)
        layers = max(1, math.ceil(math.log2(rounds)))
        # In games of one or two rounds ln T is below 1, which would make the widths too small.
        log_term = math.log(4.0 * problem.arms * rounds * max(1.0, math.log(rounds)) / self.delta)
        probabilities = 0.5 ** np.arange(1.0, layers + 1.0)
        probabilities[0] = 1.0 - probabilities[1:].sum()
        return start_elimination(
            problem.arms,
            probabilities=probabilities,
            noise=np.full(layers, self.width_scale * math.sqrt(log_term)),
            harm=np.full(layers, self.width_scale * log_term),
        )
