"""An optimist that knows contexts only up to an error.

Each arm's true context is somewhere within ``error`` of the one shown, wherever those of the other
arms are. An arm's upper confidence bound then has a smallest and a largest possible value, U⁻ and
U⁺ (kernels/ball.py). MaxMinUCB plays the arm with the largest U⁻. MinWD plays the arm a whose worst
degradation ``max(0, max over the others of U⁺ - U⁻(a))`` is smallest: as errors are independent,
pairs of arms need not be searched.

Almost nothing of that is worked out in a round. U⁻ is first bounded from above for all arms at
once, and the search goes on for the arm with the largest bound, until what a step proves its U⁻ to
be at least exceeds the bounds of all others: in most rounds the first step does. Let that arm be c.
MinWD plays c too, unless another arm a has the largest U⁺ and ``U⁺(a) + U⁻(a) > U⁺(c) + U⁻(c)``. As
U is convex the right side is at least 2 U(c), and for the left there are bounds that need no
search; only when some arm gets past it are U⁺ looked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits._jit import kernel, program
from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.kernels.ball import (
    CENTRE,
    IMAGE,
    POINT,
    STEPS,
    UNIT,
    Ball,
    first_step,
    least_in_ball,
    most_in_ball,
    most_of_sum,
    new_scratch,
    step_down,
)
from robustbandits.kernels.columns import score_columns
from robustbandits.kernels.linalg import Floats, copy_column, dot, multiply, products
from robustbandits.kernels.ridge import observe
from robustbandits.kernels.sampling import largest, share_of_largest
from robustbandits.policies.optimism import LinearRecipe, Optimist, width_factor


class Bends(NamedTuple):
    """What bounds of U⁺ and U⁻ are made of."""

    champion: int  # arm with the largest U⁻
    lift: float  # at least U⁺ - U of any arm
    sag: float  # over an arm's width: at least what U rises above its tangent plane
    squares: Floats  # (arms,) of the widths


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
    dim, arms = contexts.shape
    work = new_scratch(dim)
    room = np.empty((3, arms))
    uppers = room[0]  # of the bound as shown
    ball = _ball_of(state)
    lift = _bound_worst(ball, contexts, work, room, values)
    champion = _find_safest(ball, contexts, work, room[2], values)
    if thorough:
        for a in range(arms):
            copy_column(contexts, a, work[CENTRE])
            values[a] = least_in_ball(ball, work, values[a])
    if not state.degradation:
        return
    stretch = ball.error * ball.reach
    bends = Bends(champion, lift, 0.5 * ball.factor * stretch * stretch, room[1])
    if thorough or _is_contested(ball, contexts, work, uppers, values, bends):
        for a in range(arms):
            uppers[a] += lift
        _degrade(ball, contexts, work, uppers, values)


@kernel
def _find_safest(ball: Ball, contexts: Floats, work: Floats, steps: Floats, values: Floats) -> int:
    """Lower the arms' bounds of U⁻ until the largest is known to be that of the largest U⁻."""
    dim, arms = contexts.shape
    places = np.empty((arms, 2, dim))  # where each search is
    for a in range(arms):
        steps[a] = 0.0
    best = 0
    while True:
        best = 0
        rival = -np.inf
        for a in range(1, arms):
            # Among equals one whose search is not over comes first.
            if values[a] > values[best] or (values[a] == values[best] and steps[a] < steps[best]):
                rival = max(rival, values[best])
                best = a
            else:
                rival = max(rival, values[a])
        if steps[best] >= STEPS:
            break
        copy_column(contexts, best, work[CENTRE])
        if steps[best] == 0.0:
            first_step(ball, work)
        else:
            for i in range(dim):
                work[POINT, i] = places[best, 0, i]
                work[IMAGE, i] = places[best, 1, i]
        below = -np.inf
        while steps[best] < STEPS and values[best] >= rival and not below > rival:
            values[best], below = step_down(ball, work, values[best], rival)
            steps[best] = STEPS if values[best] == below else steps[best] + 1.0
        if below > rival:
            break
        for i in range(dim):
            places[best, 0, i] = work[POINT, i]
            places[best, 1, i] = work[IMAGE, i]
    return best


@kernel
def _reach(matrix: Floats) -> float:
    """At least the root of the largest eigenvalue, by the mean and the spread of all of them.

    None of d numbers exceeds their mean by more than √(d-1) times their standard deviation.
    """
    dim = matrix.shape[0]
    squares = np.zeros(dim)
    for i in range(dim):
        for j in range(dim):
            squares[j] += matrix[i, j] * matrix[i, j]
    mean = 0.0
    square = 0.0
    for i in range(dim):
        mean += matrix[i, i] / dim
        square += squares[i] / dim
    spread = math.sqrt(max(0.0, square - mean * mean) * (dim - 1))
    return math.sqrt((mean + spread) * (1.0 + MARGIN))


@kernel
def _ball_of(state: ImperfectState) -> Ball:
    """Describe the bounds of this round."""
    ridge = state.optimist.ridge
    factor = width_factor(state.optimist, 0.0)
    reach = _reach(ridge.inverse) if state.degradation else 0.0
    # θᵀVθ <= β²: theta 0 is in the ellipsoid, so the largest x·t in it is at least 0.
    positive = dot(ridge.theta, ridge.moment) <= factor * factor
    return Ball(ridge.inverse, ridge.theta, factor, state.error, reach, positive)


@kernel
def _bound_worst(ball: Ball, contexts: Floats, work: Floats, room: Floats, values: Floats) -> float:
    """Write each arm's bound as shown, and at ``x - error · θ/‖θ‖``; return a bound of U⁺ - U.

    A step δ = αu + δ' with u = θ/‖θ‖ and δ' across adds at most α‖θ‖ to the mean, and to the width
    ``α √(uᵀPu) + ‖δ'‖ reach``; the largest sum for ‖δ‖ = error is what is returned.
    """
    dim, arms = contexts.shape
    length = math.sqrt(dot(ball.theta, ball.theta))
    unit, image = work[UNIT], work[IMAGE]
    for i in range(dim):
        unit[i] = ball.theta[i] / length if length > 0.0 else 0.0
    multiply(ball.inverse, unit, image)
    uppers, squares, means = room[0], room[1], room[2]
    score_columns(ball.inverse, ball.theta, contexts, means, squares)
    products(image, contexts, values)
    fall = ball.error * length
    along = max(0.0, dot(unit, image))
    square = ball.error * ball.error * along
    for a in range(arms):
        moved = squares[a] - 2.0 * ball.error * values[a] + square
        if ball.reach > 0.0:  # MinWD
            uppers[a] = means[a] + ball.factor * math.sqrt(max(0.0, squares[a]))
        values[a] = means[a] - fall + ball.factor * math.sqrt(max(0.0, moved))
    ahead = length + ball.factor * math.sqrt(along)
    aside = ball.factor * ball.reach
    return ball.error * math.sqrt(ahead * ahead + aside * aside)


@kernel
def _is_contested(
    ball: Ball, contexts: Floats, work: Floats, uppers: Floats, values: Floats, bends: Bends
) -> bool:
    """Whether an arm but the one with the largest U⁻ may degrade least.

    U lies above its tangent plane at x, by at most β error² reach² / 2‖x‖ in the ball: U⁺ + U⁻ is
    at most 2U and twice that.
    """
    champion = bends.champion
    bar = 2.0 * uppers[champion]  # at most U⁺ + U⁻
    bar -= MARGIN * (abs(bar) + abs(values[champion]))
    for a in range(values.shape[0]):
        top = uppers[a] + bends.lift
        if a != champion and top + values[a] >= bar and top >= bar - values[champion]:
            width = math.sqrt(max(0.0, bends.squares[a]))
            extra = 2.0 * bends.sag / width if width > 0.0 else np.inf
            if 2.0 * uppers[a] + extra >= bar:
                copy_column(contexts, a, work[CENTRE])
                if 2.0 * uppers[a] + most_of_sum(ball, work, extra) >= bar:
                    return True
    return False


@kernel
def _degrade(ball: Ball, contexts: Floats, work: Floats, tops: Floats, values: Floats) -> None:
    """Turn U⁻ into minus the worst degradation; ``tops`` are bounds of U⁺.

    Arms that cannot have the largest U⁻ keep a bound of it: it will not make them the best.
    """
    arms = values.shape[0]
    champion = 0
    for a in range(1, arms):
        if values[a] > values[champion]:
            champion = a
    leader, highest, second = _find_highest(ball, contexts, work, tops)
    for a in (champion, leader):
        copy_column(contexts, a, work[CENTRE])
        values[a] = least_in_ball(ball, work, values[a])
    for a in range(arms):
        rival = second if a == leader else highest
        values[a] = -max(0.0, rival - values[a])


@kernel
def _find_highest(
    ball: Ball, contexts: Floats, work: Floats, tops: Floats
) -> tuple[int, float, float]:
    """Return the arm with the largest U⁺, that, and the second largest; uses up ``tops``."""
    leader = 0
    highest = -np.inf
    second = -np.inf
    for _ in range(tops.shape[0]):
        a = 0
        for other in range(1, tops.shape[0]):
            if tops[other] > tops[a]:
                a = other
        if tops[a] < second:
            break
        tops[a] = -np.inf
        copy_column(contexts, a, work[CENTRE])
        top = most_in_ball(ball, work)
        if top > highest:
            leader, highest, second = a, top, highest
        else:
            second = max(second, top)
    return leader, highest, second


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
        As for every linear policy, see :class:`~robustbandits.policies.optimism.LinearRecipe`.
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
