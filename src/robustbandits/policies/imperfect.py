"""An optimist that knows contexts only up to an error.

Each arm's true context is somewhere within ``error`` of the one shown, wherever those of the other
arms are. An arm's upper confidence bound then has a smallest and a largest possible value, U⁻ and
U⁺ (kernels/ball.py). MaxMinUCB plays the arm with the largest U⁻. MinWD plays the arm a whose worst
degradation ``max(0, max over the others of U⁺ - U⁻(a))`` is smallest: as errors are independent,
pairs of arms need not be searched.

Almost nothing of that is worked out in a round. U⁻ is first bounded from above for all arms at
once, and then searched only for arms that may have the largest. Let that be c. MinWD plays c too,
unless another arm a has the largest U⁺ and ``U⁺(a) + U⁻(a) > U⁺(c) + U⁻(c)``. As U is convex the
right side is at least 2 U(c), and for the left there is a bound that needs no search; only when
some arm gets past it are U⁺ looked for.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits._jit import kernel, program
from robustbandits.kernels.ball import (
    CENTRE,
    IMAGE,
    ROWS,
    UNIT,
    Ball,
    find_axis,
    least_in_ball,
    most_in_ball,
)
from robustbandits.kernels.columns import score_columns
from robustbandits.kernels.linalg import Floats, copy_column, dot, multiply, products
from robustbandits.kernels.ridge import observe
from robustbandits.kernels.sampling import largest, share_of_largest
from robustbandits.policies.optimism import Optimist, width_factor

#: What searches and rounding may be off by, relative to the sums compared.
MARGIN = 1e-9


class ImperfectState(NamedTuple):
    """What MaxMinUCB and MinWD remember."""

    optimist: Optimist
    error: float
    degradation: bool  # MinWD; otherwise MaxMinUCB

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Play the arm that is best in the worst case."""
        values = np.empty(contexts.shape[1])
        judge(self, contexts, False, values)
        return largest(values, rng, self.optimist.first)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add one observation to the regression, at the context that was shown."""
        observe(self.optimist.ridge, context, reward, 1.0)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean, and what makes it U⁻, or the negative degradation."""
        judge(self, contexts, True, bonuses)
        products(self.optimist.ridge.theta, contexts, means)
        for a in range(means.shape[0]):
            bonuses[a] -= means[a]

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write 1 for the best arm; equals share it."""
        arms = contexts.shape[1]
        values = np.empty(arms)
        judge(self, contexts, False, values)
        for a in range(arms):
            out[a] = 0.0
        share_of_largest(values, self.optimist.first, 1.0, out)


@program
def judge(state: ImperfectState, contexts: Floats, thorough: bool, values: Floats) -> None:
    """Write values of which the largest is that of the best arm; all exact when ``thorough``."""
    arms = contexts.shape[1]
    work = np.empty((ROWS, contexts.shape[0]))
    uppers = np.empty(arms)  # of the bound as shown; then U⁺, or more
    ball = _ball_of(state)
    length = _bound_worst(ball, contexts, work, uppers, values)
    first = 0
    for a in range(1, arms):
        if values[a] > values[first]:
            first = a
    copy_column(contexts, first, work[CENTRE])
    values[first] = least_in_ball(ball, work, values[first], -np.inf)
    best = values[first]
    for a in range(arms):
        if a != first and (thorough or values[a] >= best):
            copy_column(contexts, a, work[CENTRE])
            values[a] = least_in_ball(ball, work, values[a], -np.inf if thorough else best)
            best = max(best, values[a])
    if state.degradation:
        lift = ball.error * (length + ball.factor * ball.reach)
        if _is_contested(uppers, values, lift) or thorough:
            for a in range(arms):
                uppers[a] += lift
            _degrade(ball, contexts, work, uppers, values)


@kernel
def _ball_of(state: ImperfectState) -> Ball:
    """Describe the bounds of this round."""
    ridge = state.optimist.ridge
    factor = width_factor(state.optimist, 0.0)
    reach = 0.0
    if state.degradation:
        dim = ridge.theta.shape[0]
        sums = np.zeros(dim)
        for i in range(dim):
            for j in range(dim):
                sums[j] += ridge.inverse[i, j] * ridge.inverse[i, j]
        total = 0.0
        for j in range(dim):
            total += sums[j]
        reach = math.sqrt(min(math.sqrt(total), 1.0 / ridge.penalty))
    # θᵀVθ <= β²: theta 0 is in the ellipsoid, so the largest x·t in it is at least 0.
    positive = dot(ridge.theta, ridge.moment) <= factor * factor
    return Ball(ridge.inverse, ridge.theta, factor, state.error, reach, positive)


@kernel
def _bound_worst(
    ball: Ball, contexts: Floats, work: Floats, uppers: Floats, values: Floats
) -> float:
    """Write each arm's bound as shown, and at ``x - error · θ/‖θ‖``; return ‖θ‖."""
    dim, arms = contexts.shape
    length = math.sqrt(dot(ball.theta, ball.theta))
    unit, image = work[UNIT], work[IMAGE]
    for i in range(dim):
        unit[i] = ball.theta[i] / length if length > 0.0 else 0.0
    multiply(ball.inverse, unit, image)
    means = np.empty(arms)
    squares = np.empty(arms)
    score_columns(ball.inverse, ball.theta, contexts, means, squares)
    products(image, contexts, values)
    fall = ball.error * length
    square = ball.error * ball.error * dot(unit, image)
    for a in range(arms):
        uppers[a] = means[a] + ball.factor * math.sqrt(max(0.0, squares[a]))
        moved = squares[a] - 2.0 * ball.error * values[a] + square
        values[a] = means[a] - fall + ball.factor * math.sqrt(max(0.0, moved))
    return length


@kernel
def _is_contested(uppers: Floats, values: Floats, lift: float) -> bool:
    """Whether an arm but the one with the largest U⁻ may degrade least; ``lift`` bounds U⁺ - U."""
    champion = 0
    for a in range(1, values.shape[0]):
        if values[a] > values[champion]:
            champion = a
    bar = 2.0 * uppers[champion]  # at most U⁺ + U⁻
    bar -= MARGIN * (abs(bar) + abs(values[champion]))
    for a in range(values.shape[0]):
        top = uppers[a] + lift
        if a != champion and top + values[a] >= bar and top >= bar - values[champion]:
            return True
    return False


@program
def _degrade(ball: Ball, contexts: Floats, work: Floats, tops: Floats, values: Floats) -> None:
    """Turn U⁻ into minus the worst degradation; ``tops`` are bounds of U⁺."""
    find_axis(ball, work)
    arms = contexts.shape[1]
    leader = -1
    highest = -np.inf
    second = -np.inf
    for a in range(arms):
        if tops[a] >= second:
            copy_column(contexts, a, work[CENTRE])
            top = most_in_ball(ball, work)
            if top > highest:
                leader, highest, second = a, top, highest
            else:
                second = max(second, top)
    copy_column(contexts, leader, work[CENTRE])
    values[leader] = least_in_ball(ball, work, values[leader], -np.inf)
    for a in range(arms):
        rival = second if a == leader else highest
        values[a] = -max(0.0, rival - values[a])
