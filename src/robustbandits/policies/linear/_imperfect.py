"""An optimist that knows contexts only up to an error: the state of MaxMinUCB and MinWD.

Which arm to play is found in worst_case.py, from where in each arm's ball its upper confidence
bound was smallest and largest when that was last looked for. A decision must not remember where its
searches ended; it notes the longest one in its memo, and learning remembers it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.kernels.ball import Ball, new_ball
from robustbandits.kernels.ball_steps import least_in_ball, most_in_ball, new_scratch
from robustbandits.kernels.linalg import Floats, dot, products
from robustbandits.kernels.ridge import COUNT, observe
from robustbandits.kernels.sampling import largest, share_of_largest
from robustbandits.kernels.spectrum import largest_eigenvalue
from robustbandits.policies.linear._enclosure import (
    LOW,
    PLACE,
    REACHED,
    Places,
    fetch,
    new_bounds,
    remember,
)
from robustbandits.policies.linear._linear import LinearRecipe, Optimist, width_factor
from robustbandits.policies.linear._worst_case import decide

#: How much more must have been learned before bounds of eigenvalues are brought up to date.
REFRESH = 1 / 16


class ImperfectState(NamedTuple):
    """What MaxMinUCB and MinWD remember."""

    optimist: Optimist
    error: float
    places: Places
    stretch: Floats  # (2,) at least the largest eigenvalue of the inverse; when to look again

    @property
    def memo_size(self) -> int:
        """Room for an offset on either side that has places."""
        dim, arms = self.places.lows.shape
        sides = (arms + self.places.highs.shape[1]) // arms
        return sides * (PLACE + dim) if self.places.found.shape[1] else 0

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Play the arm that is best in the worst case."""
        bounds = new_bounds(contexts.shape[0], contexts.shape[1])
        arm = decide(ball_of(self), contexts, self.places, bounds, memo)
        return arm if arm >= 0 else largest(bounds[LOW + REACHED], rng, self.optimist.first)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add one observation to the regression, at the context that was shown."""
        observe(self.optimist.ridge, context, reward, 1.0)
        if self.error > 0.0:
            if self.optimist.ridge.tally[COUNT] >= self.stretch[1]:
                refresh(self)
            remember(memo, 0, self.places.lows, self.places.found, 0)
            if self.places.highs.shape[1] > 0:
                at = PLACE + context.shape[0]
                remember(memo, at, self.places.highs, self.places.found, 1)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean, and what makes it U⁻, or the negative degradation."""
        appraise(ball_of(self), contexts, self.places, bonuses)
        products(self.optimist.ridge.theta, contexts, means)
        for a in range(means.shape[0]):
            bonuses[a] -= means[a]

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write 1 for the best arm; equals share it."""
        arms = contexts.shape[1]
        bounds = new_bounds(contexts.shape[0], arms)
        arm = decide(ball_of(self), contexts, self.places, bounds, np.empty(0))
        for a in range(arms):
            out[a] = 1.0 if a == arm else 0.0
        if arm < 0:
            share_of_largest(bounds[LOW + REACHED], self.optimist.first, 1.0, out)


@kernel
def ball_of(state: ImperfectState) -> Ball:
    """Describe the bounds of this round."""
    factor = width_factor(state.optimist, 0.0)
    return new_ball(state.optimist.ridge, factor, state.error, state.stretch[0])


@program
def appraise(ball: Ball, contexts: Floats, places: Places, values: Floats) -> None:
    """Write every arm's U⁻; or, if there are offsets in ``highs``, minus its worst degradation."""
    dim, arms = contexts.shape
    work = new_scratch(dim)
    for a in range(arms):
        fetch(contexts, places.lows, a, work)
        values[a] = least_in_ball(ball, work)
    if places.highs.shape[1] == 0:
        return
    tops = np.empty(arms)
    for a in range(arms):
        fetch(contexts, places.highs, a, work)
        tops[a] = most_in_ball(ball, work)
    for a in range(arms):
        rival = -np.inf
        for b in range(arms):
            if b != a:
                rival = max(rival, tops[b])
        values[a] = -max(0.0, rival - values[a])


@program
def refresh(state: ImperfectState) -> None:
    """Bring up to date what may be a little out of date.

    The inverse only shrinks, so a bound of its eigenvalues stays one. Arms that have no places of
    their own look along theta.
    """
    ridge, places = state.optimist.ridge, state.places
    state.stretch[0] = largest_eigenvalue(ridge.inverse)
    # The longer it has learned, the less a round changes: O(dim³) every so often costs nothing.
    state.stretch[1] = ridge.tally[COUNT] * (1.0 + REFRESH) + 1.0
    length = math.sqrt(dot(ridge.theta, ridge.theta))
    step = state.error / length if length > 0.0 else 0.0
    dim, arms = places.lows.shape
    for a in range(arms):
        for i in range(dim):
            if places.found.shape[1] == 0 or places.found[0, a] == 0.0:
                places.lows[i, a] = -step * ridge.theta[i]
            if places.highs.shape[1] > 0 and (
                places.found.shape[1] == 0 or places.found[1, a] == 0.0
            ):
                places.highs[i, a] = step * ridge.theta[i]


@dataclass(frozen=True, kw_only=True)
class ImperfectRecipe(LinearRecipe):
    """Parameters of the policies for imperfect contexts.

    Parameters
    ----------
    error
        Δ, how far (Euclidean) a true context may be from the one shown. Theory has no default for
        it: 0.1 is a tenth of the longest context in most problems. Say yours; one that exceeds
        the length of contexts makes no sense, and the search in such balls may end early.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("error of contexts",),
        adversary="nothing proved here; in the paper: contexts, if the true ones are told later",
        regret="none here; d√T in the paper, beside what the error costs",
        cost="Kd², and a small search",
        provenance=RECONSTRUCTION,
        reference="Yang, Ren (2021)",
    )

    error: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(error=require.at_least("error", self.error, 0.0))

    def start_state(self, problem: Problem, *, degradation: bool) -> ImperfectState:
        """Return a fresh state of MaxMinUCB, or of MinWD, which looks at degradation."""
        # Where arms change, places of their own would be those of other contexts.
        own = problem.arms if problem.fixed_arms else 0
        shape = (problem.dim, max(1, own))
        return ImperfectState(
            optimist=self.start_optimist(problem),
            error=self.error,
            places=Places(
                lows=np.zeros(shape),
                highs=np.zeros(shape if degradation else (problem.dim, 0)),
                found=np.zeros((2, own)),
            ),
            stretch=np.array([1.0 / self.ridge, 0.0]),
        )
