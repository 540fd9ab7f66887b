"""SlidingWindowLinUCB: LinUCB that forgets what is old."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.policies._exp3 import start_exp3
from robustbandits.policies.linear._linear import LinearRecipe
from robustbandits.policies.linear._window import CHANCE, WindowState, start_ring


@dataclass(frozen=True, kw_only=True)
class SlidingWindowLinUCB(LinearRecipe):
    """LinUCB on the last ``window`` observations, for a parameter that drifts (SW-LinUCB).

    The score of an arm is ``x·θ̂ + β‖x‖``, where θ̂ and the norm come from the observations held
    and β is LinUCB's radius for as many. It is not made for attackers, but an attacker who has run
    out of money is forgotten after ``window`` rounds. Without a given ``window`` it needs the
    horizon T: then w = ⌊(dT/B)^⅔⌋, or T if that is less. With ``window`` not below the number of
    rounds this is LinUCB, bit for bit. It keeps ``window · (dim + 1)`` numbers.

    The regret bound is the paper's. A step of its proof was found wanting later (Faury, Russac,
    Abeille, Calauzènes 2021); what can be proved for changing arms is nearer to d^⅞ B^¼ T^¾, with
    a smaller window.

    Parameters
    ----------
    window
        w, how many observations are held; None for the theory's.
    variation
        B, how far the parameter travels in all: Σ‖θ_{t+1} - θ_t‖. The default, 1, is the paper's
        advice for when nobody knows it.
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

    window: int | None = None
    variation: float = 1.0
    growing: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            window=None if self.window is None else require.count("window", self.window),
            variation=require.at_least("variation", self.variation, 0.0),
            growing=require.flag("growing", self.growing),
        )

    @classmethod
    def as_written(cls, **changes: Any) -> Self:
        """Write the paper's radius, for a full window from the first round on."""
        return cls(**{"growing": False, **changes})

    def window_for(self, problem: Problem) -> int:
        """Return the window that is given, or that theory asks for."""
        if self.window is not None:
            return self.window
        rounds = problem.horizon(self.name)
        if self.variation == 0.0:
            return rounds
        drift = problem.dim * rounds / self.variation
        window = math.floor(min(drift ** (2.0 / 3.0), rounds))
        # A root that is whole may come out just below itself.
        if window < rounds and (window + 1) ** 3 <= drift * drift:
            window += 1
        return max(1, window)

    def start(self, problem: Problem) -> WindowState:
        """Return a fresh state."""
        window = self.window_for(problem)
        diary = np.zeros(8)
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
