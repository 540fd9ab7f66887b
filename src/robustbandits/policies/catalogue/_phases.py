"""Phases: plan how often to play each arm of a catalogue, play the plan, look at the sums.

A policy that works by phases must know every arm before the first one. Nobody tells it the
catalogue, and a choice may not remember anything; so it calls the roll: it plays arms that have not
answered yet, at random, until each has. An arm that never answers must not hold up the rest: one
play in eight goes to an arm that has answered, and after 16 rewards an arm (on average) the roll is
closed, without whoever is missing.

Within a phase the arms are drawn in proportion to what is left of their plan: played one after
another, each arm is played exactly as often as planned; with rewards that come late some are played
more often, and with rewards that are lost again. A reward that comes after its phase is over is
not counted.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.optimal_design import fit_means, g_optimal

# Fields of the diary. Phase 0 is the roll call.
PHASE, LEFT, LENGTH, SURPLUS, LEADER, WIDTH, GAP, FLOOR, GUESS = range(9)
# Fields of a decision's memo.
MEMO_PHASE, MEMO_MEASURES = range(2)

#: While the roll is called, the share of plays for arms that have answered.
SPARED = 0.125
#: Rewards, times the number of arms, after which the roll is closed.
PATIENCE = 16

#: The phases stop growing here: far beyond any horizon, and still exact as float64.
LONGEST = 1e15


class Rules(NamedTuple):
    """What the phases are like."""

    by_gap: bool  # epochs that explore according to the gap (SBE), not elimination
    length: float  # of the first phase
    least: float  # smallest weight of an arm that is measured at all
    tight: bool
    noise: float  # threshold for noise, times √m (and, if tight, times √r)
    harm: float  # threshold for a unit of corruption, times m; unused if tight
    cap: float  # corruption to withstand, at most
    decay: float  # of the guessed corruption, phase by phase
    max_corruption: float


class PhasedState(NamedTuple):
    """What RobustPhasedElimination and SupportBasisExploration remember."""

    contexts: Floats  # (dim, arms) as heard in the roll call
    active: Floats  # (arms,) 1: in the race; during the roll call: has answered
    plan: Floats  # (arms,) plays of each arm in this phase
    counts: Floats  # (arms,) rewards of this phase
    sums: Floats  # (arms,) and their sum
    means: Floats  # (arms,) estimates, from the last phase that an arm was in
    diary: Floats  # (9,) phase; rewards that it waits for; its length; plays of the leader;
    #               leader; half-width of the estimates; gap and its floor; guessed corruption
    rules: Rules

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Play an arm of which the plan wants more."""
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
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Count the reward; at the end of a phase look at the sums and plan the next."""
        diary = self.diary
        if memo[MEMO_PHASE] != diary[PHASE]:
            return
        if diary[PHASE] == 0.0:
            diary[LEFT] -= 1.0
            if self.active[arm] == 0.0:
                _answer(self, arm, context)
        elif self.rules.by_gap or self.counts[arm] < self.plan[arm]:
            diary[LEFT] -= 1.0
        if memo[MEMO_MEASURES] > 0.0:
            self.counts[arm] += 1.0
            self.sums[arm] += reward
        if diary[LEFT] <= 0.0:
            _next_phase(self)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimate, and how far off it may be."""
        for a in range(means.shape[0]):
            means[a] = self.means[a]
            bonuses[a] = self.diary[WIDTH]

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm."""
        total = _shares(self, out)
        left = total
        for a in range(out.shape[0]):
            left -= out[a]
            out[a] = out[a] / total if total > 0.0 else 0.0
        leader = int(self.diary[LEADER])
        out[leader] += max(0.0, left) / total if total > 0.0 else 1.0

    def check(self, memos: Floats) -> None:
        """Refuse a leader that does not exist: a file may hold anything."""
        if not np.isin(self.diary[LEADER], np.arange(self.plan.shape[0])):
            raise ValueError("its leading arm does not exist")


@kernel
def _shares(state: PhasedState, out: Floats) -> float:
    """Write what the plan still wants of each arm; return that and the leader's own share."""
    arms = out.shape[0]
    if state.diary[PHASE] == 0.0:
        known = 0.0
        for a in range(arms):
            known += state.active[a]
        spared = SPARED / known if known > 0.0 else 0.0
        called = 1.0 / (arms - known) if arms > known else 0.0
        for a in range(arms):
            out[a] = spared if state.active[a] > 0.0 else (1.0 - spared * known) * called
        return 1.0
    total = 0.0
    for a in range(arms):
        left = state.plan[a] if state.rules.by_gap else state.plan[a] - state.counts[a]
        out[a] = max(0.0, left)
        total += out[a]
    return total + state.diary[SURPLUS]


@kernel
def _answer(state: PhasedState, arm: int, context: Floats) -> None:
    """Note an arm's context; close the roll when it was the last."""
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
    """Draw conclusions from this phase, and plan the next."""
    diary = state.diary
    if diary[PHASE] == 0.0:
        diary[LENGTH] = state.rules.length
    else:
        _conclude(state)
        grow = 4.0 if state.rules.by_gap else 2.0
        diary[LENGTH] = min(LONGEST, grow * diary[LENGTH])
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
def _conclude(state: PhasedState) -> None:
    """Estimate the means of the arms in the race; drop some of them, or measure the gap."""
    diary, rules = state.diary, state.rules
    # SBE divides by planned counts: corruption placed on lucky rounds then gains nothing.
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
    """How far below the best an estimate may be: twice the noise and the corruption."""
    if not rules.tight:
        return rules.noise / math.sqrt(length) + rules.harm * level / length
    share = 2.0 * rank / length
    harm = min(level * share, math.sqrt(level * rules.max_corruption * share))
    return rules.noise * math.sqrt(rank / length) + 2.0 * harm


def start_phases(dim: int, arms: int, rules: Rules, *, guess: float, bound: float) -> PhasedState:
    """Return a state that calls the roll."""
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
