"""MaxMinUCB: the best arm in the worst case of its context."""

from __future__ import annotations

from dataclasses import dataclass

from robustbandits.game.problem import Problem
from robustbandits.policies.linear._imperfect import ImperfectRecipe, ImperfectState


@dataclass(frozen=True, kw_only=True)
class MaxMinUCB(ImperfectRecipe):
    """Play the arm whose upper confidence bound is largest at its worst possible context.

    The context shown is an imperfect one: the true one is anywhere within ``error`` of it. The
    score of an arm is ``min x·θ̂ + β_t ‖x‖`` over that ball: a convex problem, solved to a relative
    error of 1e-10 or in 100 steps, which are hardly ever needed (kernels/ball_steps.py), and only
    for arms that quick bounds cannot rule out (policies/worst_case.py). With ``error=0`` this is
    LinUCB, arm for arm.

    The paper's learner is told the true context at the end of a round, and its bounds need that.
    Nobody tells it here: this one learns from the context that was shown, and nothing is proved
    about it when that one was tampered with.

    Parameters
    ----------
    error, ridge, delta, sigma, radius, ties
        See :class:`~robustbandits.policies.linear._imperfect.ImperfectRecipe`.

    References
    ----------
    Yang, Ren (2021), "Robust bandit learning with imperfect context". Specification: reconstructed
    for one feature vector an arm, from the abstract and from memory of the paper, which has kernels
    and one context for all arms.
    """

    def start(self, problem: Problem) -> ImperfectState:
        """Return a fresh state."""
        return self.start_state(problem, degradation=False)
