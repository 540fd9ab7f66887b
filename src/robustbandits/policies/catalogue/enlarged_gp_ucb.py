"""EnlargedGPUCB: GP-UCB with confidence bounds enlarged for a known attack budget.

Bogunovic, Krause, Scarlett (AISTATS 2020). The reward may be any smooth function of the context.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import NonNegative
from robustbandits.game.problem import Problem
from robustbandits.policies.catalogue._layers import LayeredRecipe


@dataclass(frozen=True)
class EnlargedGPUCB(LayeredRecipe):
    """GP-UCB with confidence bounds enlarged for a known attack budget.

    The score of an arm is ``μ(x) + (β_t + C/√λ) s(x)``, where μ and s are the mean and the
    deviation of a Gaussian process, and ``β_t = B + σ √(2(γ_t + ln(1/δ)) / λ)`` with γ_t the
    information gained so far, ½ log det(I + K_t/λ). With ``kernel="linear"`` this is
    :class:`~robustbandits.policies.RobustLinUCB` with ``bonus="l1", radius="det"``, arm for arm.

    This is the paper's Algorithm 1 with its bonus. It chooses without randomness, so its bound
    holds against an attacker who sees the choice. Two things are ours. γ_t is the information
    gained so far, where the paper has the largest possible after t rounds; by the self-normalized
    bound on which its proof rests, ours is as valid and tighter. The other is ``bonus_scale``.

    Needs the same arms in every round. Time and memory do not grow with the rounds: they are those
    of LinUCB when the kernel is linear, else O(arms²) for each round and 16·arms² bytes.

    Parameters
    ----------
    budget
        C, at least the attacker's budget.
    kernel, lengthscale, smoothness, norm_bound, ridge, delta, sigma, bonus_scale, ties
        As for every policy with a Gaussian process, see
        :class:`~robustbandits.policies.catalogue._layers.LayeredRecipe`.

    References
    ----------
    Bogunovic, Krause, Scarlett (AISTATS 2020), Algorithm 1, as restated in Bogunovic, Li, Krause,
    Scarlett (NeurIPS 2022), whose experiments scale the bonus for corruption as ``bonus_scale``
    does.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="fixed arms",
        needs=("budget",),
        adversary="strong, rewards",
        regret="(B + C + √γ_T) √(Tγ_T); γ_T is d if the kernel is linear",
        cost="Kd² (linear), K² (other kernels)",
        provenance=PAPER,
        reference="Bogunovic, Krause, Scarlett (2020)",
    )

    budget: NonNegative
    _: KW_ONLY

    @classmethod
    def practical(cls, budget: float, **changes: Any) -> Self:
        """Use a tenth of the bonus for corruption.

        Of the scales in ``docs/presets.md`` it has the smallest worst case. The attacks there do
        not harm it, and succeed at the next smaller scale. The bounds then hold for a tenth of the
        budget; nothing is proved beyond that.
        """
        return cls(budget, **{"bonus_scale": 0.1, **changes})

    def start(self, problem: Problem) -> Any:
        return self.start_layers(problem, [1.0], [self.budget], delta=self.delta)
