"""MultiLayerGPUCB: log T layers of Gaussian processes, for an unknown attack budget.

Bogunovic, Krause, Scarlett (AISTATS 2020). Slower layers see less of the corruption, and rule out
arms for the faster ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import Count, Positive
from robustbandits.game.problem import Problem
from robustbandits.policies.catalogue._layers import LayeredRecipe


@dataclass(frozen=True, kw_only=True)
class MultiLayerGPUCB(LayeredRecipe):
    """Gaussian processes that see a half, a quarter, an eighth, ... of the rounds.

    Layer ℓ = 1, 2, ..., ⌈log₂T⌉ is drawn with probability 2^-ℓ (the first with what is left), and
    only the one drawn learns. Each layer's bonus covers a constant corruption, ``(3 + B₀ ln(4(1 +
    log₂T)/δ)) s(x)/√λ`` beside GP-UCB's own: whatever C is, from layer log₂C on they see no more
    than that. A layer plays the arm with its largest upper bound, among those that neither it nor a
    slower layer knows to be worse than another. If there is none, the next slower layer plays in
    its place, and the layer that was drawn learns. The bound is for an attacker who does not see
    which layer is drawn; every attack here sees the arm.

    This is a reconstruction: the layers, their probabilities and the sets of arms are the paper's;
    the constants, and which layer learns in the last case, are from memory or ours.

    Needs the horizon, and the same arms in every round. Time and memory do not grow with the
    rounds: a round costs what LinUCB's costs (or arms² if the kernel is not linear), and layers x
    arms more; the state is that of ``layers`` processes.

    Parameters
    ----------
    layers
        Number of layers; None for ⌈log₂T⌉.
    max_corruption
        B₀, the largest change of a single reward.
    kernel, lengthscale, smoothness, norm_bound, ridge, delta, sigma, bonus_scale, ties
        As for every policy with a Gaussian process, see
        :class:`~robustbandits.policies.catalogue._layers.LayeredRecipe`.

    References
    ----------
    Bogunovic, Krause, Scarlett (AISTATS 2020), the algorithm for unknown corruption.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="fixed arms",
        needs=("horizon",),
        adversary="weak, rewards",
        regret="(1 + C) γ_T √T; γ_T is d if the kernel is linear",
        cost="Kd² + K log T (linear), K² + K log T (other kernels)",
        provenance=RECONSTRUCTION,
        reference="Bogunovic, Krause, Scarlett (2020)",
    )

    layers: Count | None = None
    max_corruption: Positive = 1.0

    @classmethod
    def practical(cls, **changes: Any) -> Self:
        """Use three tenths of the bonus for corruption.

        In ``docs/presets.md`` a tenth has the same worst case and costs half as much without an
        attack, but corrupting a quarter of the arms harms it; no attack there harms three tenths.
        """
        return cls(**{"bonus_scale": 0.3, **changes})

    def start(self, problem: Problem) -> Any:
        logs = math.log2(problem.horizon(self.name))
        layers = max(1, math.ceil(logs)) if self.layers is None else self.layers
        slower = [0.5**layer for layer in range(2, layers + 1)]
        delta = self.delta / (4.0 * (1.0 + logs))
        extra = 3.0 + self.max_corruption * math.log(1.0 / delta)
        return self.start_layers(
            problem, [1.0 - sum(slower), *slower], [extra] * layers, delta=delta, shortlist=True
        )
