"""Phases on a fixed catalogue: state of RobustPhasedElimination and SupportBasisExploration.

A phase plans how often to play each arm, plays the plan, and then estimates the arms' means. The
policies must know every arm's context before the first phase, but contexts arrive only with
rewards. So phase 0 collects them: arms without a reward are played at random until each arm has
one. Some arms may never return a reward; therefore one play in eight goes to an arm that has
returned one, and after 16 rewards for each arm on average, phase 0 ends without the missing arms.

Within a phase, RobustPhasedElimination draws arms in proportion to what is left of their plan. If
rewards arrive at once, each arm is played exactly as often as planned. If they arrive late, some
arms are played more often; if a reward is lost, the play is repeated. SupportBasisExploration draws
arms in proportion to their whole plan, so they are played as often as planned on average. A reward
that arrives after its phase has ended is not used.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.optimal_design import fit_means, g_optimal
from robustbandits.kernels.size_limit import check_array_size
from robustbandits.policies._state_checks import check_index

# Fields of the diary.
PHASE, LEFT, LENGTH, SURPLUS, LEADER, WIDTH, GAP, FLOOR, GUESS = range(9)
# Fields of the memo: the phase; 1 if the reward is to be used, 0 if the arm was played because it
# is the leader.
MEMO_PHASE, MEMO_MEASURES = range(2)

#: In phase 0, the share of plays for arms that have returned a reward.
KNOWN_SHARE = 0.125
#: Phase 0 ends after this many rewards times the number of arms, even if arms are missing.
PATIENCE = 16

#: Largest length of a phase: far beyond any horizon, and still exact as float64.
LONGEST = 1e15


class Rules(NamedTuple):
    """How phases are planned and evaluated."""

    by_gap: bool  # SupportBasisExploration: explore according to the gap, eliminate no arm
    length: float  # of the first phase
    least: float  # smallest weight of an arm that is played at all
    tight: bool  # use the tight threshold
    noise: float  # the threshold for noise is noise/√m; if tight, noise·√(r/m)
    harm: float  # the threshold for a corruption C is harm·C/m; unused if tight
    cap: float  # largest corruption to withstand
    decay: float  # factor of the guessed corruption from one phase to the next
    max_corruption: float


class PhasedState(NamedTuple):
    """What RobustPhasedElimination and SupportBasisExploration remember."""

    contexts: Floats  # (dim, arms) as they came in phase 0
    active: Floats  # (arms,) 1 for active arms; in phase 0 for arms that have returned a reward
    plan: Floats  # (arms,) planned plays of each arm in this phase
    counts: Floats  # (arms,) rewards of this phase
    sums: Floats  # (arms,) their sums
    means: Floats  # (arms,) estimates, from the last phase in which the arm was active
    diary: Floats  # (9,) phase; rewards it still waits for; its length; plays of the leader;
    #               leader; half-width of the estimates; gap and its floor; guessed corruption
    rules: Rules

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Draw an arm in proportion to what is left of its plan, or play the leader."""
        memo[MEMO_PHASE] = self.diary[PHASE]
        memo[MEMO_MEASURES] = 1.0
        shares = np.empty(self.plan.shape[0])
        total = _shares(self, shares)
        level = rng.random() * total
        for a in range(shares.shape[0]):
            if level < shares[a]:
                return a
            level -= shares[a]
        memo[MEMO_MEASURES] = 0.0
        return int(self.diary[LEADER])

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Count the reward; at the end of a phase evaluate it and plan the next."""
        diary = self.diary
        if memo[MEMO_PHASE] != diary[PHASE]:
            return
        if diary[PHASE] == 0.0:
            diary[LEFT] -= 1.0
            if self.active[arm] == 0.0:
                _add_arm(self, arm, context)
        elif self.rules.by_gap or self.counts[arm] < self.plan[arm]:
            diary[LEFT] -= 1.0
        if memo[MEMO_MEASURES] > 0.0:
            self.counts[arm] += 1.0
            self.sums[arm] += reward
        if diary[LEFT] <= 0.0:
            _next_phase(self)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimate, and the half-width of its interval as the bonus."""
        for a in range(means.shape[0]):
            means[a] = self.means[a]
            bonuses[a] = self.diary[WIDTH]

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        total = _shares(self, out)
        left = total
        for a in range(out.shape[0]):
            left -= out[a]
            out[a] = out[a] / total if total > 0.0 else 0.0
        leader = int(self.diary[LEADER])
        out[leader] += max(0.0, left) / total if total > 0.0 else 1.0

    def check(self, memos: Floats) -> None:
        check_index("leader", self.diary[LEADER], 0, len(self.plan))


@kernel
def _shares(state: PhasedState, out: Floats) -> float:
    """Write each arm's share of the plays; return the sum of the shares and the leader's.

    A share is what is left of the arm's plan, or with ``by_gap`` the whole plan.
    """
    arms = out.shape[0]
    if state.diary[PHASE] == 0.0:
        known = 0.0
        for a in range(arms):
            known += state.active[a]
        share = KNOWN_SHARE / known if known > 0.0 else 0.0
        unknown = 1.0 / (arms - known) if arms > known else 0.0
        for a in range(arms):
            out[a] = share if state.active[a] > 0.0 else (1.0 - share * known) * unknown
        return 1.0
    total = 0.0
    for a in range(arms):
        left = state.plan[a] if state.rules.by_gap else state.plan[a] - state.counts[a]
        out[a] = max(0.0, left)
        total += out[a]
    return total + state.diary[SURPLUS]


@kernel
def _add_arm(state: PhasedState, arm: int, context: Floats) -> None:
    """Store an arm's context; end phase 0 if it was the last."""
    for i in range(context.shape[0]):
        state.contexts[i, arm] = context[i]
    state.active[arm] = 1.0
    known = 0.0
    for a in range(state.active.shape[0]):
        known += state.active[a]
    if known == state.active.shape[0]:
        state.diary[LEFT] = 0.0


@program
def _next_phase(state: PhasedState) -> None:
    """Evaluate this phase, and plan the next."""
    diary = state.diary
    if diary[PHASE] == 0.0:
        diary[LENGTH] = state.rules.length
    else:
        _evaluate(state)
        growth = 4.0 if state.rules.by_gap else 2.0
        diary[LENGTH] = min(LONGEST, growth * diary[LENGTH])
        diary[FLOOR] = max(1e-9, 0.5 * diary[FLOOR])
        diary[GUESS] *= state.rules.decay
    diary[PHASE] += 1.0
    arms = state.plan.shape[0]
    coordinates = np.empty(state.contexts.shape)
    g_optimal(state.contexts, state.active, 1.0, coordinates, state.plan)
    measured = diary[LENGTH]
    if state.rules.by_gap:
        measured = min(measured, state.rules.length / (diary[GAP] * diary[GAP]))
    total = 0.0
    for a in range(arms):
        state.counts[a] = 0.0
        state.sums[a] = 0.0
        if state.rules.by_gap:
            state.plan[a] *= measured
        elif state.plan[a] > 0.0:
            state.plan[a] = math.ceil(measured * max(state.plan[a], state.rules.least))
        total += state.plan[a]
    diary[SURPLUS] = diary[LENGTH] - measured
    diary[LEFT] = math.ceil(diary[LENGTH]) if state.rules.by_gap else total


@kernel
def _evaluate(state: PhasedState) -> None:
    """Estimate the means of active arms; then drop arms, or estimate the gap."""
    diary, rules = state.diary, state.rules
    # SupportBasisExploration divides by planned counts, so that an attacker gains nothing by
    # corrupting rounds in which an arm happens to be played often.
    counts = state.plan if rules.by_gap else state.counts
    rank = fit_means(state.contexts, state.active, counts, state.sums, state.means)
    if rank < 0:
        return
    leader = -1
    for a in range(state.means.shape[0]):
        if state.active[a] > 0.0 and (leader < 0 or state.means[a] > state.means[leader]):
            leader = a
    diary[LEADER] = leader
    threshold = _threshold(rules, diary[LENGTH], min(rules.cap, diary[GUESS]), rank)
    diary[WIDTH] = 0.25 * diary[GAP] if rules.by_gap else 0.5 * threshold
    gap = 0.0
    for a in range(state.means.shape[0]):
        below = state.means[leader] - state.means[a]
        if rules.by_gap:
            if state.active[a] > 0.0 and below > 1e-9 and (gap == 0.0 or below < gap):
                gap = below
        elif below > threshold:
            state.active[a] = 0.0
    diary[GAP] = max(0.5 * diary[FLOOR], min(1.0, 0.5 * gap))


@kernel
def _threshold(rules: Rules, length: float, level: float, rank: int) -> float:
    """How far below the best an estimate may be: twice the error from noise and corruption."""
    if not rules.tight:
        return rules.noise / math.sqrt(length) + rules.harm * level / length
    share = 2.0 * rank / length
    harm = min(level * share, math.sqrt(level * rules.max_corruption * share))
    return rules.noise * math.sqrt(rank / length) + 2.0 * harm


def start_phases(dim: int, arms: int, rules: Rules, *, guess: float, bound: float) -> PhasedState:
    """Return a state at the start of phase 0."""
    check_array_size(dim, arms)
    diary = np.zeros(9)
    diary[LEFT] = PATIENCE * arms
    diary[WIDTH] = bound
    diary[GAP] = diary[FLOOR] = 1.0
    diary[GUESS] = guess
    return PhasedState(
        contexts=np.zeros((dim, arms)),
        active=np.zeros(arms),
        plan=np.zeros(arms),
        counts=np.zeros(arms),
        sums=np.zeros(arms),
        means=np.zeros(arms),
        diary=diary,
        rules=rules,
    )
