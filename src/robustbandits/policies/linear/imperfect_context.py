"""MaxMinUCB and MinWD: linear policies for contexts that are known only up to an error.

The true context of an arm may be anywhere in the ball of radius ``error`` around the one shown. The
optimistic index of a context x is ``x·θ̂ + β_t √(xᵀ V⁻¹ x)``, as in LinUCB. Its smallest and its
largest value in the ball of each arm are all that the two policies need. Both are computed in
coordinates along the eigenvectors of V⁻¹ (kernels/ball.py), which takes O(d³ + K d²) in each round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import NonNegative
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO
from robustbandits.kernels.ball import Cone, extreme_in_ball, step_down
from robustbandits.kernels.eigen import diagonalize
from robustbandits.kernels.linalg import Floats, copy_column, dot, products
from robustbandits.kernels.ridge import observe
from robustbandits.kernels.sampling import largest, share_of_largest
from robustbandits.kernels.scoring import score_columns
from robustbandits.policies._infinite_arms import refuse_infinite_arms
from robustbandits.policies.linear._linear import LinearRecipe, Optimist, width_factor


class ImperfectState(NamedTuple):
    """What MaxMinUCB and MinWD remember."""

    optimist: Optimist
    error: float
    degradation: bool  # whether to compare worst-case degradations, as MinWD does

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Play the arm that is best in the worst case."""
        values = np.empty(contexts.shape[1])
        rate_arms(self, contexts, False, values)
        return largest(values, rng, self.optimist.first)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add one observation to the regression, at the context that was shown."""
        observe(self.optimist.ridge, context, reward, 1.0)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean; the bonus is the value maximised minus this mean."""
        rate_arms(self, contexts, True, bonuses)
        products(self.optimist.ridge.theta, contexts, means)
        for a in range(means.shape[0]):
            bonuses[a] -= means[a]

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write 1 for the best arm; equally good arms share it."""
        values = np.empty(contexts.shape[1])
        rate_arms(self, contexts, False, values)
        for a in range(out.shape[0]):
            out[a] = 0.0
        share_of_largest(values, self.optimist.first, 1.0, out)


@kernel
def rate_arms(state: ImperfectState, contexts: Floats, complete: bool, values: Floats) -> None:
    """Write what the policy maximises: the smallest index of each arm, or minus its degradation.

    Unless the rating must be ``complete``, arms that cannot be the best get minus infinity.
    """
    ridge, factor = state.optimist.ridge, width_factor(state.optimist, 0.0)
    if state.error > 0.0:
        cone, centers = rotate(ridge.inverse, ridge.theta, factor, state.error, contexts)
        rate_worst_cases(cone, centers, state.degradation, complete, values)
    else:  # LinUCB, with the same bits
        squares = np.empty(contexts.shape[1])
        score_columns(ridge.inverse, ridge.theta, contexts, values, squares)
        for a in range(values.shape[0]):
            values[a] += factor * math.sqrt(max(0.0, squares[a]))


@program
def rotate(
    inverse: Floats, theta: Floats, factor: float, error: float, contexts: Floats
) -> tuple[Cone, Floats]:
    """Return the index and all contexts in coordinates along the eigenvectors of the inverse."""
    dim, arms = contexts.shape
    axes, eigenvalues = np.empty((dim, dim)), np.empty(dim)
    longest = diagonalize(inverse, axes, eigenvalues)
    vector, centers = np.empty(dim), np.empty((dim, arms))
    for i in range(dim):
        vector[i] = dot(axes[i], theta)
        products(axes[i], contexts, centers[i])
    return Cone(vector, eigenvalues, longest, factor, error), centers


@program
def rate_worst_cases(
    cone: Cone, centers: Floats, degradation: bool, complete: bool, values: Floats
) -> None:
    """Write each arm's smallest index; or minus its degradation, cut off at 0 if ``complete``."""
    dim, arms = centers.shape
    indices, rivals, center = np.empty(arms), np.zeros(arms), np.empty(dim)
    top = 0
    for a in range(arms):  # at first, the values are upper bounds
        copy_column(centers, a, center)
        indices[a], values[a] = step_down(cone, center)
        if values[a] > values[top]:
            top = a
    if degradation:
        write_rivals(cone, centers, indices, top, rivals)
    best = -np.inf
    for k in range(arms):  # the most promising arm first: it often rules out the others
        a = (top + k) % arms
        if complete or values[a] - rivals[a] >= best:
            copy_column(centers, a, center)
            values[a] = min(values[a], extreme_in_ball(cone, center, 1.0)) - rivals[a]
            best = max(best, values[a])
        else:
            values[a] = -np.inf
        if complete and degradation:
            values[a] = min(0.0, values[a])


@kernel
def write_rivals(cone: Cone, centers: Floats, indices: Floats, first: int, rivals: Floats) -> None:
    """Write for each arm the largest index that another arm may have; look at ``first`` first.

    The index of a sum is at most the sum of the indices. So no index in a ball exceeds that of its
    center by more than the largest index in the ball around the origin.
    """
    dim, arms = centers.shape
    center = np.zeros(dim)
    reach = extreme_in_ball(cone, center, -1.0)
    highest, second, leader = -np.inf, -np.inf, 0
    for k in range(arms):
        a = (first + k) % arms
        if indices[a] + reach >= second:
            copy_column(centers, a, center)
            index = extreme_in_ball(cone, center, -1.0)
            if index > highest:
                highest, second, leader = index, highest, a
            else:
                second = max(second, index)
    for a in range(arms):
        rivals[a] = second if a == leader else highest


@dataclass(frozen=True, kw_only=True)
class ImperfectRecipe(LinearRecipe):
    """Parameters of the policies for imperfect contexts.

    Parameters
    ----------
    error
        Δ, the largest Euclidean distance of a true context from the one shown. The theory gives no
        value. The default, 0.1, is a tenth of the longest context in most problems; set your own.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("error of contexts",),
        adversary="nothing proved here; in the paper: contexts, if the true ones are told later",
        regret="none here; d√T in the paper, plus what the error costs",
        cost="Kd², and a small search",
        provenance=RECONSTRUCTION,
        reference="Yang, Ren (2021)",
    )

    error: NonNegative = 0.1

    def start_state(self, problem: Problem, *, degradation: bool) -> ImperfectState:
        """Return a fresh state of MaxMinUCB, or of MinWD, which compares degradations."""
        refuse_infinite_arms(problem, self.name)
        return ImperfectState(self.start_optimist(problem), self.error, degradation)

    @staticmethod
    def upgrade_file(arrays: dict[str, Floats]) -> dict[str, Floats]:
        """Return the arrays of an agent file in the present layout.

        Older files also hold where earlier searches ended, and the memos of their pending decisions
        may be longer than `MEMO` numbers. Neither is needed any more.
        """
        if "state.stretch" not in arrays:
            return arrays
        old = ("state.stretch", "state.places.lows", "state.places.highs", "state.places.found")
        remaining = {name: array for name, array in arrays.items() if name not in old}
        rows, dim = arrays["pending"], len(arrays["state.optimist.ridge.theta"])
        memos = np.zeros((len(rows), MEMO))
        remaining["pending"] = np.hstack([rows[:, :2], memos, rows[:, rows.shape[1] - dim :]])
        return remaining


@dataclass(frozen=True, kw_only=True)
class MaxMinUCB(ImperfectRecipe):
    """Play the arm whose optimistic index is largest at the worst context that it may have.

    The true context is anywhere within ``error`` of the one shown. The value of an arm is the
    minimum of ``x·θ̂ + β_t ‖x‖`` over that ball. With ``error=0`` this is LinUCB.

    The paper's learner is told the true context at the end of a round, and its bounds need that.
    This one learns from the context that was shown, and nothing is proved about it.

    Parameters
    ----------
    error, ridge, delta, sigma, radius, ties
        See :class:`ImperfectRecipe`.

    References
    ----------
    Yang, Ren (2021), "Robust bandit learning with imperfect context". This is a reconstruction from
    summaries of the paper, which also give the constants. The paper has kernels and one context for
    all arms; here the model is linear and each arm has its own feature vector.
    """

    def start(self, problem: Problem) -> ImperfectState:
        """Return a fresh state."""
        return self.start_state(problem, degradation=False)


@dataclass(frozen=True, kw_only=True)
class MinWD(ImperfectRecipe):
    """Play the arm whose worst-case degradation is smallest.

    The true context is anywhere within ``error`` of the one shown, independently for each arm. The
    degradation of an arm is how much the optimistic index ``x·θ̂ + β_t ‖x‖`` of another arm may
    exceed its own, in the worst case of both contexts, or 0 if none can: the largest index in the
    other ball minus the smallest in its own. With ``error=0`` this is LinUCB.

    Like :class:`MaxMinUCB` it learns from the context that was shown; nothing is proved about it.

    Parameters
    ----------
    error, ridge, delta, sigma, radius, ties
        See :class:`ImperfectRecipe`.

    References
    ----------
    Yang, Ren (2021), "Robust bandit learning with imperfect context". A reconstruction from
    summaries of the paper, see :class:`MaxMinUCB`.
    """

    def start(self, problem: Problem) -> ImperfectState:
        """Return a fresh state."""
        return self.start_state(problem, degradation=True)
