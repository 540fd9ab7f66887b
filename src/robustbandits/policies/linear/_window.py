"""A linear optimist that remembers only its last observations.

The observations it holds are kept in a ring, ``window · (dim + 1)`` numbers: one enters, the oldest
leaves. What is left after a removal carries its rounding errors, so all that is held is learned
anew, from nothing, after every ``window`` removals: one more update a round in the long run, and a
pause of ``window`` updates (8 ms for 46,000 observations of dimension 10) when it happens.

SlidingWindowLinUCB has one window for ever. BOB draws one of several with EXP3 for each block of
rounds, at whose end it forgets everything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import COUNT, forget, observe, replay, reset_ridge
from robustbandits.kernels.sampling import draw
from robustbandits.policies._exp3 import Exp3, check_guesses, exp3_probabilities, exp3_update
from robustbandits.policies.linear._linear import (
    Optimist,
    mixed_shares,
    optimistic_arm,
    optimistic_scores,
)
from robustbandits.policies.linear._radius import radius_at

# Fields of the block's diary.
CANDIDATE, CHANCE, LEARNED, CREDITED, EARNED, NUMBER, NEXT, REMOVED = range(8)
# Fields of a decision's memo.
MEMO_CANDIDATE, MEMO_CHANCE, MEMO_BLOCK = range(3)

#: Most numbers that a window may hold: 2 GiB.
MOST_NUMBERS = 2**28


class WindowState(NamedTuple):
    """What SlidingWindowLinUCB and BOB remember."""

    optimist: Optimist
    ring: Floats  # (largest window, dim + 1) context and reward of each observation held
    exp3: Exp3
    windows: Floats  # (candidates,) possible windows
    diary: Floats  # (8,) of this block: candidate (-1: not drawn yet), its chance, rewards learned,
    #               those earned under the candidate, their sum; blocks before; row that is written
    #               next; removals since all was learned anew
    length: float  # of a block
    scale: float  # EXP3 is paid 1/2 + what a block earns / scale
    growing: bool  # the radius counts the observations held, not the window's size
    clip: bool

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Play the arm with the largest upper confidence bound, by what the window holds."""
        memo[MEMO_CANDIDATE] = self.diary[CANDIDATE]
        memo[MEMO_CHANCE] = self.diary[CHANCE]
        memo[MEMO_BLOCK] = self.diary[NUMBER]
        if self.diary[CANDIDATE] < 0.0:
            # Nothing learned yet, and a choice may not change the state: the first reward to
            # come back settles which candidate the first block has.
            chances = np.empty(self.windows.shape[0])
            exp3_probabilities(self.exp3, chances)
            candidate = draw(chances, rng)
            memo[MEMO_CANDIDATE] = candidate
            memo[MEMO_CHANCE] = chances[candidate]
        factor = window_radius(self, int(memo[MEMO_CANDIDATE]))
        return optimistic_arm(self.optimist, contexts, factor, rng)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Let one observation in, and the oldest out; at the end of a block begin anew."""
        diary = self.diary
        if diary[CANDIDATE] < 0.0:
            diary[CANDIDATE] = memo[MEMO_CANDIDATE]
            diary[CHANCE] = memo[MEMO_CHANCE]
        # A late reward still teaches the regression, but is not credited to another candidate.
        if memo[MEMO_BLOCK] == diary[NUMBER] and memo[MEMO_CANDIDATE] == diary[CANDIDATE]:
            diary[CREDITED] += 1.0
            diary[EARNED] += reward
        _slide(self, context, reward, int(self.windows[int(diary[CANDIDATE])]))
        diary[LEARNED] += 1.0
        if diary[LEARNED] >= self.length:
            _next_block(self, rng)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean and bonus under the decision's or block's window."""
        candidate = memo[MEMO_CANDIDATE] if memo[MEMO_CANDIDATE] >= 0.0 else self.diary[CANDIDATE]
        factor = window_radius(self, int(max(0.0, candidate)))
        optimistic_scores(self.optimist, contexts, factor, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm, over what is still undrawn."""
        size = self.windows.shape[0]
        chances = np.zeros(size)
        factors = np.empty(size)
        if self.diary[CANDIDATE] < 0.0:
            exp3_probabilities(self.exp3, chances)
        else:
            chances[int(self.diary[CANDIDATE])] = 1.0
        for j in range(size):
            factors[j] = window_radius(self, j)
        mixed_shares(self.optimist, contexts, factors, chances, out)

    def check(self, memos: Floats) -> None:
        """Refuse windows, a diary or memos (one a row) that would lead a kernel out of bounds."""
        size, room = self.windows.shape[0], self.ring.shape[0]
        check_guesses(memos[:, MEMO_CANDIDATE], memos[:, MEMO_CHANCE], size)
        whole = self.windows == np.floor(self.windows)
        if not np.all(whole & (self.windows >= 1.0) & (self.windows <= room)):
            raise ValueError("it has a window that its observations do not fit")
        candidate, place = self.diary[CANDIDATE], self.diary[NEXT]
        window = 1.0
        if candidate != -1.0:
            check_guesses(self.diary[[CANDIDATE]], self.diary[[CHANCE]], size)
            window = self.windows[int(candidate)]
        if not (0.0 <= place < window and place == np.floor(place)):
            raise ValueError("it would write its next observation outside its window")


@kernel
def window_radius(state: WindowState, candidate: int) -> float:
    """LinUCB's radius for the observations held, or for as many as the window may hold."""
    window = state.windows[candidate]
    held = state.optimist.ridge.tally[COUNT]
    t = min(held + 1.0, window) if state.growing else window
    return radius_at(state.optimist.radius, state.optimist.ridge, t)


@kernel
def _slide(state: WindowState, x: Floats, y: float, window: int) -> None:
    """Put an observation in the place of the one that is ``window`` older, if there is one."""
    diary = state.diary
    row = int(diary[NEXT])
    dim = x.shape[0]
    full = state.optimist.ridge.tally[COUNT] >= window
    fresh = False  # whether all that is held must be learned anew
    if full:
        diary[REMOVED] += 1.0
        fresh = diary[REMOVED] >= window
        if not fresh:
            fresh = not forget(state.optimist.ridge, state.ring[row, :dim], state.ring[row, dim])
    for i in range(dim):
        state.ring[row, i] = x[i]
    state.ring[row, dim] = y
    row += 1
    if row == window:
        row = 0
    diary[NEXT] = row
    if fresh:
        diary[REMOVED] = 0.0
        replay(state.optimist.ridge, state.ring, row, window)
    else:
        observe(state.optimist.ridge, x, y, 1.0)


@program
def _next_block(state: WindowState, rng: np.random.Generator) -> None:
    """Pay EXP3, draw the next window, forget everything."""
    diary = state.diary
    if diary[CREDITED] > 0.0:
        # Rewards that were lost or came too late count as the mean of the others.
        earned = diary[EARNED] * (state.length / diary[CREDITED])
        payment = 0.5 + earned / state.scale
        if state.clip:
            payment = min(1.0, max(0.0, payment))
        exp3_update(state.exp3, int(diary[CANDIDATE]), payment, diary[CHANCE])
    chances = np.empty(state.windows.shape[0])
    exp3_probabilities(state.exp3, chances)
    candidate = draw(chances, rng)
    diary[CANDIDATE] = candidate
    diary[CHANCE] = chances[candidate]
    diary[LEARNED] = 0.0
    diary[CREDITED] = 0.0
    diary[EARNED] = 0.0
    diary[NUMBER] += 1.0
    diary[NEXT] = 0.0
    diary[REMOVED] = 0.0
    reset_ridge(state.optimist.ridge)


def start_ring(window: int, dim: int) -> Floats:
    """Return room for a window of observations; refuse what no memory should be asked for."""
    if window * (dim + 1) > MOST_NUMBERS:
        raise ValueError(
            f"window must hold at most {MOST_NUMBERS // (dim + 1)} observations of dimension "
            f"{dim} (2 GiB), got {window}: a window that never fills is LinUCB"
        )
    return np.zeros((window, dim + 1))
