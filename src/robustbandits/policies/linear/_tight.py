"""The tight bonus: what corruptions of the learned rewards can do to the estimate of each arm.

Corruptions c_1, c_2, ... of the rewards learned at x_1, x_2, ... move the estimate of an arm x by
``Σ c_s (xᵀ V⁻¹ x_s)``, which is at most ``C · h(x)`` with ``h(x) = max |xᵀ V⁻¹ x_s|``
(docs/tight.md). If an arm always has the same context, the maximum runs over the arms that were
learned. If contexts change, a ball that contains them stands for those that are not kept:
``|xᵀ V⁻¹ x_s| <= |g·center| + radius · ‖g‖`` with ``g = V⁻¹ x``; or their largest length, because
``|xᵀ V⁻¹ x_s| <= length · ‖g‖``. The smaller bound counts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.kernels.linalg import Floats, dot
from robustbandits.kernels.scoring import multiply_columns, score_images

#: How many known arms are multiplied with how many shown arms at a time, to stay in fast memory.
ROWS, COLUMNS = 16, 128

# Fields of `reach`.
RADIUS, LENGTH = range(2)


class Learned(NamedTuple):
    """The contexts of all learned rewards: those of a catalogue exactly, others within a ball."""

    contexts: Floats  # (arms, dim) the context of each arm that is known
    known: Floats  # (arms,) 1 if the arm was learned
    center: Floats  # (dim,) center of a ball that contains all other learned contexts
    reach: Floats  # (2,) radius of the ball, -1 if nothing is in it; largest length in it
    fixed: bool  # arms keep their contexts, unless an attack changes them


def start_learned(problem: Problem) -> Learned:
    """Return a record without contexts; raise UnsupportedProblem for infinitely many arms."""
    if problem.infinite:
        raise UnsupportedProblem(
            "bonus='tight' needs a list of arms, and this environment has infinitely many: use "
            "bonus='l2'"
        )
    return Learned(
        contexts=np.zeros((problem.arms, problem.dim)),
        known=np.zeros(problem.arms),
        center=np.zeros(problem.dim),
        reach=np.array([-1.0, 0.0]),
        fixed=problem.fixed_arms is True,
    )


@program
def forget_contexts(learned: Learned | None) -> None:
    """Forget all contexts. A program of its own, so that Numba sees whether there is a record."""
    if learned is None:
        return
    learned.contexts[:] = 0.0
    learned.known[:] = 0.0
    learned.center[:] = 0.0
    learned.reach[RADIUS] = -1.0
    learned.reach[LENGTH] = 0.0


# ------------------------------------------------------------------------------------ remembering


@program
def remember(learned: Learned | None, arm: int, context: Floats) -> None:
    """Record the context of a learned reward.

    A context that differs from the one known for its arm goes into the ball. So do all known ones,
    unless the problem says that arms are fixed: they have turned out to change.
    """
    if learned is None:
        return
    changes = learned.reach[RADIUS] >= 0.0 and not learned.fixed
    if not changes and arm < learned.known.shape[0]:
        if learned.known[arm] == 0.0:
            for i in range(context.shape[0]):
                learned.contexts[arm, i] = context[i]
            learned.known[arm] = 1.0
            return
        if _is_known(learned, arm, context):
            return
    if not changes and not learned.fixed:
        for other in range(learned.known.shape[0]):
            if learned.known[other] > 0.0:
                _enlarge(learned, learned.contexts[other])
                learned.known[other] = 0.0
    _enlarge(learned, context)


@kernel
def _is_known(learned: Learned, arm: int, context: Floats) -> bool:
    same = True
    for i in range(context.shape[0]):
        same = same and learned.contexts[arm, i] == context[i]
    return same


@kernel
def _enlarge(learned: Learned, context: Floats) -> None:
    """Enlarge the ball to the smallest one that contains it and the context."""
    square = 0.0
    for i in range(context.shape[0]):
        square += (context[i] - learned.center[i]) * (context[i] - learned.center[i])
    distance = math.sqrt(square)
    radius = learned.reach[RADIUS]
    if distance > radius:
        share = 1.0
        if radius >= 0.0:
            share = 0.5 * (1.0 - radius / distance)
            radius = 0.5 * (radius + distance)
        for i in range(context.shape[0]):
            learned.center[i] += share * (context[i] - learned.center[i])
        learned.reach[RADIUS] = max(0.0, radius)
    learned.reach[LENGTH] = max(learned.reach[LENGTH], math.sqrt(dot(context, context)))


# ------------------------------------------------------------------------------------------ harms


@program
def add_harms(
    learned: Learned | None, inverse: Floats, contexts: Floats, level: float, out: Floats
) -> None:
    """Add ``level · h(x)`` to ``out``, for each column x of the contexts; nothing without a record.

    Corruptions of ``level`` in total move the estimate of x by no more than that.
    """
    if learned is None:
        return
    if level > 0.0:
        arms = contexts.shape[1]
        harms = np.zeros(arms)
        if learned.fixed or learned.reach[RADIUS] < 0.0:
            _harms_of_known(learned, inverse, contexts, harms)
        if learned.reach[RADIUS] >= 0.0:
            _harms_of_ball(learned, inverse, contexts, harms)
        for a in range(arms):
            out[a] += level * harms[a]


@kernel
def _harms_of_known(learned: Learned, inverse: Floats, contexts: Floats, harms: Floats) -> None:
    """Raise each harm to the largest ``|g·x_s|`` over the known arms."""
    dim, arms = contexts.shape
    rows = np.empty(learned.contexts.shape)
    count = 0
    for s in range(learned.known.shape[0]):
        if learned.known[s] > 0.0:
            for i in range(dim):
                rows[count, i] = learned.contexts[s, i]
            count += 1
    images = np.empty((dim, arms))
    multiply_columns(inverse, contexts, images)
    for first in range(0, arms, COLUMNS):
        width = min(COLUMNS, arms - first)
        part = images if width == arms else images[:, first : first + width].copy()
        products = np.empty((ROWS, width))
        for start in range(0, count, ROWS):
            height = min(ROWS, count - start)
            multiply_columns(rows[start : start + height], part, products[:height])
            for s in range(height):
                for a in range(width):
                    harms[first + a] = max(harms[first + a], abs(products[s, a]))


@kernel
def _harms_of_ball(learned: Learned, inverse: Floats, contexts: Floats, harms: Floats) -> None:
    """Raise each harm to a bound on the largest ``|g·x|`` over the contexts in the ball."""
    arms = contexts.shape[1]
    sums = np.empty((2, arms))
    score_images(inverse, learned.center, contexts, sums[0], sums[1])
    for a in range(arms):
        length = math.sqrt(sums[1, a])
        bound = abs(sums[0, a]) + learned.reach[RADIUS] * length
        harms[a] = max(harms[a], min(bound, learned.reach[LENGTH] * length))
