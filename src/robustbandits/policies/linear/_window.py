"""State of SlidingWindowLinUCB and BOB: LinUCB on the last observations only.

The observations are kept in a ring buffer of ``window · (dim + 1)`` numbers: one enters, the oldest
leaves. Each removal adds rounding errors, so after every ``window`` removals the regression is
computed again from the observations it holds. That costs one more update a round on average, all at
once: a pause of ``window`` updates (8 ms for 46,000 observations of dimension 10).

SlidingWindowLinUCB has one window for the whole run. BOB draws one of several with EXP3 for each
block of rounds, and forgets everything at the end of a block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.downdate import forget, replay
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import COUNT, observe, reset_ridge
from robustbandits.policies._exp3 import Exp3, exp3_update
from robustbandits.policies._state_checks import check_index
from robustbandits.policies.linear._blocks import (
    CANDIDATE,
    CHANCE,
    CREDITED,
    EARNED,
    LEARNED,
    NUMBER,
    begin_block,
    candidate_chances,
    check_candidates_of,
    choose_candidate,
    credit,
    described_candidate,
)
from robustbandits.policies.linear._linear import (
    Optimist,
    add_mixed_shares,
    optimistic_arm,
    optimistic_scores,
    radius_at,
)

# Last fields of the diary, after those of _blocks.py: the row of the ring that is written next;
# removals since the regression was last computed again.
NEXT, REMOVED = NUMBER + 1, NUMBER + 2
DIARY_SIZE = REMOVED + 1

#: Most numbers that a window may hold: 2 GiB.
MOST_NUMBERS = 2**28


class WindowState(NamedTuple):
    """What SlidingWindowLinUCB and BOB remember."""

    optimist: Optimist
    ring: Floats  # (largest window, dim + 1) context and reward of each observation
    exp3: Exp3
    windows: Floats  # (candidates,) possible windows
    diary: Floats  # (8,) of this block: see _blocks.py; row written next; removals
    length: float  # of a block
    scale: float  # EXP3 is paid 1/2 + what a block earns / scale
    growing: bool  # the radius counts the observations held, not the window's size
    clip: bool  # EXP3 is paid at most 1 and at least 0

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        candidate = choose_candidate(self.exp3, self.diary, rng, memo)
        return optimistic_arm(self.optimist, contexts, _radius(self, candidate), rng)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Add one observation and remove the oldest; at the end of a block start again.

        A reward from an earlier block is added to the regression, but credited to no candidate.
        """
        credit(self.diary, reward, memo)
        _slide(self, context, reward, int(self.windows[int(self.diary[CANDIDATE])]))
        if self.diary[LEARNED] >= self.length:
            _next_block(self, rng)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean and bonus for the decision's or block's window."""
        factor = _radius(self, described_candidate(self.diary, memo))
        optimistic_scores(self.optimist, contexts, factor, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm, over the draw of a window if none is drawn yet."""
        size = self.windows.shape[0]
        chances = np.empty(size)
        factors = np.empty(size)
        candidate_chances(self.exp3, self.diary, chances)
        for j in range(size):
            factors[j] = _radius(self, j)
        out[:] = 0.0
        add_mixed_shares(self.optimist, contexts, factors, chances, out)

    def check(self, memos: Floats) -> None:
        check_candidates_of(self.diary, memos, len(self.windows))
        check_index("window", self.windows, 1, len(self.ring) + 1)
        candidate = int(self.diary[CANDIDATE])
        window = 1 if candidate < 0 else int(self.windows[candidate])
        check_index("next row of the window", self.diary[NEXT], 0, window)


@kernel
def _radius(state: WindowState, candidate: int) -> float:
    """LinUCB's radius for the observations held, or for as many as the window may hold."""
    window = state.windows[candidate]
    held = state.optimist.ridge.tally[COUNT]
    t = min(held + 1.0, window) if state.growing else window
    return radius_at(state.optimist.radius, state.optimist.ridge, t)


@kernel
def _slide(state: WindowState, x: Floats, y: float, window: int) -> None:
    """Add an observation in place of the one that is ``window`` rounds older, if there is one."""
    diary = state.diary
    row = int(diary[NEXT])
    dim = x.shape[0]
    full = state.optimist.ridge.tally[COUNT] >= window
    recompute = False
    if full:
        diary[REMOVED] += 1.0
        recompute = diary[REMOVED] >= window
        if not recompute:
            removed = forget(state.optimist.ridge, state.ring[row, :dim], state.ring[row, dim])
            recompute = not removed
    for i in range(dim):
        state.ring[row, i] = x[i]
    state.ring[row, dim] = y
    row += 1
    if row == window:
        row = 0
    diary[NEXT] = row
    if recompute:
        diary[REMOVED] = 0.0
        replay(state.optimist.ridge, state.ring, row, window)
    else:
        observe(state.optimist.ridge, x, y, 1.0)


@program
def _next_block(state: WindowState, rng: Generator) -> None:
    """Pay EXP3, draw the next window, and forget all observations."""
    diary = state.diary
    if diary[CREDITED] > 0.0:
        # Rewards that were lost or came too late count as the mean of the others.
        earned = diary[EARNED] * (state.length / diary[CREDITED])
        payment = 0.5 + earned / state.scale
        if state.clip:
            payment = min(1.0, max(0.0, payment))
        exp3_update(state.exp3, int(diary[CANDIDATE]), payment, diary[CHANCE])
    begin_block(state.exp3, diary, rng)
    diary[NEXT] = 0.0
    diary[REMOVED] = 0.0
    reset_ridge(state.optimist.ridge)


def start_ring(window: int, dim: int) -> Floats:
    """Return an empty ring buffer; raise ValueError if it would need more than 2 GiB."""
    if window * (dim + 1) > MOST_NUMBERS:
        raise ValueError(
            f"window must hold at most {MOST_NUMBERS // (dim + 1)} observations of dimension "
            f"{dim} (2 GiB), got {window}: a window that never fills is LinUCB"
        )
    return np.zeros((window, dim + 1))
