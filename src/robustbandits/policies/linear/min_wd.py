"""MinWD: the arm that can be the least worse than another."""

from __future__ import annotations

from dataclasses import dataclass

from robustbandits.game.problem import Problem
from robustbandits.policies.linear._imperfect import ImperfectRecipe, ImperfectState


@dataclass(frozen=True, kw_only=True)
class MinWD(ImperfectRecipe):
    """Play the arm whose worst-case degradation is smallest (MinWD).

    The context shown is an imperfect one: the true one is anywhere within ``error`` of it,
    independently for each arm. The degradation of an arm is how much the upper confidence bound of
    another may exceed its own, in the worst case of both contexts; 0 if none can. That is a
    largest bound over a ball minus a smallest one. The latter is a convex problem, solved to a
    relative error of 1e-10 or in 100 steps, which are hardly ever needed; the former is not, and is
    the highest of three climbs unless the first is known to be the highest (kernels/ball_steps.py).
    In most rounds neither is needed to know the arm (policies/worst_case.py). With ``error=0`` this
    is LinUCB, arm for arm.

    As :class:`~robustbandits.policies.MaxMinUCB` it learns from the context that was shown, where
    the paper's learner is told the true one at the end of a round.

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
        return self.start_state(problem, degradation=True)
