"""MaxMinUCB: the best arm in the worst case of its context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.policies.imperfect import ImperfectState
from robustbandits.policies.optimism import LinearRecipe


@dataclass(frozen=True, kw_only=True)
class MaxMinUCB(LinearRecipe):
    """Play the arm whose upper confidence bound is largest at its worst possible context.

    The context shown is an imperfect one: the true one is anywhere within ``error`` of it. The
    score of an arm is ``min x·θ̂ + β_t ‖x‖`` over that ball: a convex problem, solved to a relative
    error of 1e-10 (kernels/ball.py), and only for arms that a quick bound cannot rule out. With
    ``error=0`` this is LinUCB, arm for arm.

    The paper's learner is told the true context at the end of a round, and its bounds need that.
    Nobody tells it here: this one learns from the context that was shown, and nothing is proved
    about it when that one was tampered with.

    Parameters
    ----------
    error
        Δ, how far (Euclidean) a true context may be from the one shown. Theory has no default for
        it: 0.1 is a tenth of the longest context in most problems. Say yours; one that exceeds
        the length of contexts makes no sense, and the search in such balls may end early.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`~robustbandits.policies.optimism.LinearRecipe`.

    References
    ----------
    Yang, Ren (2021), "Robust bandit learning with imperfect context". Specification: reconstructed
    for one feature vector an arm, from the abstract and from memory of the paper, which has kernels
    and one context for all arms.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("error of contexts",),
        adversary="contexts, when the true ones are revealed later",
        regret="d√T, beside what the error costs",
        cost="Kd², and a small search",
        provenance=RECONSTRUCTION,
        reference="Yang, Ren (2021)",
    )

    error: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(error=require.at_least("error", self.error, 0.0))

    def start(self, problem: Problem) -> ImperfectState:
        """Return a fresh state."""
        return ImperfectState(
            optimist=self.start_optimist(problem), error=self.error, degradation=False
        )
