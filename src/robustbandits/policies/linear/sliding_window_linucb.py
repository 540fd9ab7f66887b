"""SlidingWindowLinUCB: LinUCB on the last observations only (SW-LinUCB).

For a parameter that drifts (Cheung, Simchi-Levi, Zhu 2019).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import Count, Flag, NonNegative
from robustbandits.game.problem import Problem
from robustbandits.policies._exp3 import start_exp3
from robustbandits.policies.linear._blocks import CHANCE
from robustbandits.policies.linear._linear import LinearRecipe
from robustbandits.policies.linear._window import DIARY_SIZE, WindowState, start_ring


@dataclass(frozen=True, kw_only=True)
class SlidingWindowLinUCB(LinearRecipe):
    """LinUCB on the last ``window`` observations, for a parameter that drifts (SW-LinUCB).

    The score of an arm is ``x·θ̂ + β‖x‖``, where θ̂ and the norm come from the observations held and
    β is LinUCB's radius for that many. It is not made for attackers, but the effect of an attacker
    who has run out of money is forgotten after ``window`` rounds. Without a given ``window`` it
    needs the horizon T: then w = ⌊(dT/B)^⅔⌋, or T if that is less. With ``window`` not below the
    number of rounds this is LinUCB, bit for bit. It keeps ``window · (dim + 1)`` numbers.

    The regret bound is the paper's. A gap in its proof was found later (Faury, Russac, Abeille,
    Calauzènes 2021); what can be proved for changing arms is nearer to d^⅞ B^¼ T^¾, with a smaller
    window.

    Parameters
    ----------
    window
        w, how many observations are held; None for the theory's.
    variation
        B, how far the parameter travels in total: Σ‖θ_{t+1} - θ_t‖. The default, 1, is what the
        paper advises if it is unknown.
    growing
        Whether β counts the observations held, as it may, or w even while the window fills, as the
        paper writes it (:meth:`as_written`).
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    References
    ----------
    Cheung, Simchi-Levi, Zhu (2019), "Learning to optimize under non-stationarity". Specification:
    reconstructed from memory of the paper, without its text at hand.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("horizon", "variation"),
        adversary="none; drifting parameter",
        regret="d^⅔ B^⅓ T^⅔ (claimed)",
        cost="Kd²",
        provenance=RECONSTRUCTION,
        reference="Cheung, Simchi-Levi, Zhu (2019)",
    )

    window: Count | None = None
    variation: NonNegative = 1.0
    growing: Flag = True

    @classmethod
    def as_written(cls, **changes: Any) -> Self:
        """Use the paper's radius, for a full window from the first round on."""
        return cls(**{"growing": False, **changes})

    def window_for(self, problem: Problem) -> int:
        """Return the given window, or the theory's."""
        if self.window is not None:
            return self.window
        rounds = problem.horizon(self.name)
        if self.variation == 0.0:
            return rounds
        drift = problem.dim * rounds / self.variation
        window = math.floor(min(drift ** (2.0 / 3.0), rounds))
        # Rounding may put a root that is a whole number just below it.
        if window < rounds and (window + 1) ** 3 <= drift * drift:
            window += 1
        return max(1, window)

    def start(self, problem: Problem) -> WindowState:
        window = self.window_for(problem)
        diary = np.zeros(DIARY_SIZE)
        diary[CHANCE] = 1.0
        return WindowState(
            optimist=self.start_optimist(problem),
            ring=start_ring(window, problem.dim),
            exp3=start_exp3(1, 1.0),
            windows=np.array([float(window)]),
            diary=diary,
            length=math.inf,
            scale=1.0,
            growing=self.growing,
            clip=True,
        )
