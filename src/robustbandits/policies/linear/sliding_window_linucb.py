"""SlidingWindowLinUCB: LinUCB on the last observations only (SW-LinUCB).

For a parameter that drifts (Cheung, Simchi-Levi, Zhu 2019). The observations are kept in a ring
buffer of ``window · (dim + 1)`` numbers, in which a new observation replaces the oldest. Each
removal adds rounding errors, so after every ``window`` removals the regression is computed again
from the observations it holds. That costs one more update per round on average, but they all happen
at once: a pause of ``window`` updates (8 ms for 46,000 observations of dimension 10).

The state is shared with BOB, which draws one of several windows with EXP3 for each block of rounds,
and forgets everything at the end of a block.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import Count, Flag, NonNegative, Probability
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import COUNT, forget, observe, replay, reset_ridge
from robustbandits.kernels.size_limit import check_array_size
from robustbandits.policies._exp3 import Exp3, exp3_update, start_exp3
from robustbandits.policies._state_checks import check_index
from robustbandits.policies.linear._blocks import (
    CANDIDATE,
    CHANCE,
    CREDITED,
    EARNED,
    LEARNED,
    NUMBER,
    begin_block,
    candidate_probabilities,
    check_candidates_of,
    choose_candidate,
    credit,
    described_candidate,
)
from robustbandits.policies.linear._linear import (
    LinearRecipe,
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
        return optimistic_arm(self.optimist, contexts, _radius(self, candidate), 0.0, rng)

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
        optimistic_scores(self.optimist, contexts, factor, 0.0, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm, over the draw of a window if none is drawn yet."""
        size = self.windows.shape[0]
        probabilities = np.empty(size)
        factors = np.empty(size)
        candidate_probabilities(self.exp3, self.diary, probabilities)
        for j in range(size):
            factors[j] = _radius(self, j)
        out[:] = 0.0
        add_mixed_shares(self.optimist, contexts, factors, np.zeros(size), probabilities, out)

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
    check_array_size(window, dim + 1)
    return np.zeros((window, dim + 1))


@dataclass(frozen=True, kw_only=True)
class WindowRecipe(LinearRecipe):
    """Parameters of SW-LinUCB and BOB: ``delta`` may be left to the theory, which has 1/T."""

    delta: Probability | None = 0.01  # type: ignore[assignment]

    def start_window_optimist(self, problem: Problem) -> Optimist:
        """Return a regression without observations and the constants of its radius."""
        delta = 1.0 / problem.horizon(self.name) if self.delta is None else self.delta
        return self.start_optimist(problem, delta=delta)


@dataclass(frozen=True, kw_only=True)
class SlidingWindowLinUCB(WindowRecipe):
    """LinUCB on the last ``window`` observations, for a parameter that drifts (SW-LinUCB).

    The score of an arm is ``x·θ̂ + β‖x‖``, where θ̂ and the norm come from the observations held and
    β is LinUCB's radius for that many. It is not made for attackers, but once the attacker's budget
    is used up, the effect of the attack is forgotten after ``window`` rounds. Without a given
    ``window`` it needs the horizon T: then w = ⌊(dT/B)^⅔⌋, or T if T is less. If ``window`` is at
    least the number of rounds this is LinUCB, bit for bit. It keeps ``window · (dim + 1)`` numbers.

    The regret bounds are the paper's: one for a known B, a larger one for the default
    ``variation=1``. A gap in their proof was found later (Faury, Russac, Abeille, Calauzènes 2021);
    what can be proved for changing arms is nearer to d^⅞ B^¼ T^¾, with a smaller window.

    The window and what it holds are the paper's. The default radius is ours: the paper's counts the
    full window instead of the observations held, and has δ = 1/T (:meth:`as_written`).

    Parameters
    ----------
    window
        w, how many observations are held; None for the theory's.
    variation
        B, how far the parameter travels in total: Σ‖θ_{t+1} - θ_t‖. The default, 1, is what the
        paper advises if it is unknown.
    growing
        Whether β counts the observations held, which is valid, or w even while the window fills, as
        in the paper.
    delta
        Probability with which the confidence ellipsoid may fail; None for the paper's 1/T, which
        needs the horizon.
    ridge, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    References
    ----------
    Cheung, Simchi-Levi, Zhu (AISTATS 2019), "Learning to optimize under non-stationarity".
    Specification: the paper.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("horizon", "variation"),
        adversary="none; drifting parameter",
        regret="d^⅔ B^⅓ T^⅔ if B is known, d^⅔ (B+1) T^⅔ by default (claimed)",
        cost="Kd²",
        provenance=PAPER,
        reference="Cheung, Simchi-Levi, Zhu (2019)",
        infinite_arms=True,
    )

    window: Count | None = None
    variation: NonNegative = 1.0
    growing: Flag = True

    @classmethod
    def as_written(cls, **changes: Any) -> Self:
        """Use the paper's radius: for a full window from the first round on, with δ = 1/T."""
        return cls(**{"growing": False, "delta": None, **changes})

    def window_for(self, problem: Problem) -> int:
        """Return the given window, or the theory's."""
        if self.window is not None:
            return self.window
        rounds = problem.horizon(self.name)
        if self.variation == 0.0:
            return rounds
        drift = problem.dim * rounds / self.variation
        window = math.floor(min(drift ** (2.0 / 3.0), rounds))
        # If the root is a whole number, rounding may have put it just below.
        if window < rounds and (window + 1) ** 3 <= drift * drift:
            window += 1
        return max(1, window)

    def start(self, problem: Problem) -> WindowState:
        window = self.window_for(problem)
        diary = np.zeros(DIARY_SIZE)
        diary[CHANCE] = 1.0
        return WindowState(
            optimist=self.start_window_optimist(problem),
            ring=start_ring(window, problem.dim),
            exp3=start_exp3(1, 1.0),
            windows=np.array([float(window)]),
            diary=diary,
            length=math.inf,
            scale=1.0,
            growing=self.growing,
            clip=True,
        )
