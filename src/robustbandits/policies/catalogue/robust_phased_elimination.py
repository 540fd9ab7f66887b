"""RobustPhasedElimination: eliminate arms in phases, with thresholds that cover corruption.

Bogunovic, Losalka, Krause, Scarlett (AISTATS 2021), Algorithm 1. In each phase the active arms are
played according to an optimal experimental design.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import Count, NonNegative, Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.policies._fixed_arms import CatalogueRecipe, refuse_changing_arms
from robustbandits.policies.catalogue._phases import PhasedState, Rules, start_phases


@dataclass(frozen=True)
class RobustPhasedElimination(CatalogueRecipe):
    """Play a G-optimal design of the active arms, phase by phase, and drop the worst arms.

    Phase h has about m_h = 2^h m_0 plays; an arm a with weight ζ(a) > 0 in the design gets
    ``u(a) = ⌈m_h max(ζ(a), 1/m_0)⌉`` of them. Least squares on the phase's own rewards gives a mean
    for each arm; arms too far below the best are dropped. The threshold covers noise and a
    corruption of C in total: ``budget``, or, if that is None, a guess Ĉ_h that never grows from one
    phase to the next::

        Ĉ_h = min(√T / (m_0 log₂T), m_0 √d T / 2^h)

    The design is computed in the span of the active arms, by Frank and Wolfe's method, within a
    factor 2 of the optimum. Before the first phase each arm is played until it has returned one
    reward (see :mod:`~robustbandits.policies.catalogue._phases`). Needs the horizon, and the same
    arms in every round. A round costs O(arms); the state is (dim + 5) x arms numbers and does not
    grow.

    With the paper's constants and ``budget=100`` no arm is eliminated in games of practical length:
    in ten dimensions a gap of 0.05 takes phases of 3·10⁷ rounds. Without ``budget`` the guess at
    T = 10⁶ is 0.07, and the theorem holds for no larger C. See :meth:`practical`.

    Parameters
    ----------
    budget
        C, at least the attacker's budget (the paper's known C); None if it is unknown.
    threshold
        ``"paper"``: ``2σ√(4d ln(1/δ')/m) + (2 C m_0 / m) √(8d)``, δ' = δ/(K log₂T). ``"tight"``:
        twice the sum of ``σ√(4r ln(2K log₂T/δ)/m)`` and ``min(2rC/m, √(C·max_corruption·2r/m))``,
        because every arm's variance is at most 2r/m in r dimensions. Both are valid; the second is
        derived here, and does not need the 1/m_0 in u(a).
    delta
        Probability with which a good arm may be dropped.
    sigma
        Sub-Gaussian level of the noise. The paper has 1.
    max_corruption
        Largest change of a single reward (``threshold="tight"``).
    c_hat_scale
        Factor on the guess Ĉ_h (when ``budget`` is None).
    first_phase
        m_0; None for the paper's ``4d(ln ln d + 18)``.

    References
    ----------
    Bogunovic, Losalka, Krause, Scarlett (AISTATS 2021), Algorithm 1.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="fixed arms",
        needs=("horizon",),
        adversary="strong, rewards",
        regret="√(dT) + d^{3/2}C; C unknown: + C², for C ≤ √T/(m_0 log T)",
        cost="K",
        provenance=PAPER,
        reference="Bogunovic, Losalka, Krause, Scarlett (2021)",
    )

    budget: NonNegative | None = None
    _: KW_ONLY
    threshold: Literal["paper", "tight"] = "paper"
    delta: Probability = 0.01
    sigma: NonNegative = 0.1
    max_corruption: Positive = 1.0
    c_hat_scale: NonNegative = 1.0
    first_phase: Count | None = None

    @classmethod
    def practical(cls, budget: float, **changes: Any) -> Self:
        """Use the tight threshold for a known budget.

        It is as valid as the paper's. With ``budget=100`` it stops exploring within 10⁶ rounds, but
        not within 10⁵ (``docs/presets.md``). With the default ``budget=None``, the paper's
        threshold also stops exploring.
        """
        return cls(**{"budget": budget, "threshold": "tight", **changes})

    def start(self, problem: Problem) -> PhasedState:
        refuse_changing_arms(problem, self.name)
        rounds, dim = problem.horizon(self.name), problem.dim
        tight = self.threshold == "tight"
        phases = max(1.0, math.log2(rounds))  # a bound on their number
        length = first_length(dim) if self.first_phase is None else float(self.first_phase)
        if tight:
            noise = 4.0 * self.sigma * math.sqrt(math.log(2.0 * problem.arms * phases / self.delta))
        else:
            noise = 4.0 * self.sigma * math.sqrt(dim * math.log(problem.arms * phases / self.delta))
        if self.budget is not None:
            cap = guess = self.budget
        else:
            cap = self.c_hat_scale * math.sqrt(rounds) / (length * phases)
            guess = self.c_hat_scale * length * math.sqrt(dim) * rounds
        rules = Rules(
            by_gap=False,
            length=length,
            least=0.0 if tight else 1.0 / length,
            tight=tight,
            noise=noise,
            harm=2.0 * length * math.sqrt(8.0 * dim),
            cap=cap,
            decay=0.5 if self.budget is None else 1.0,
            max_corruption=self.max_corruption,
        )
        bound = problem.theta_bound * problem.context_bound
        return start_phases(dim, problem.arms, rules, guess=guess, bound=bound)


def first_length(dim: int) -> float:
    """Return m_0 = 4d (ln ln d + 18); 72 in one dimension, where ln ln d is not defined."""
    return 4.0 * dim * ((math.log(math.log(dim)) if dim > 1 else 0.0) + 18.0)
