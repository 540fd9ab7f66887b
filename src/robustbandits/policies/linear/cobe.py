"""COBE: several CW-OFULs with different guesses of the attack budget, and a test of the guesses.

Each round one base learner (a CW-OFUL with its own guess) plays and learns. A test compares what
the bases earned; when it shows that the smallest guess is too small, that guess is dropped and all
bases start again. From Wei, Dann, Zimmert (2022) and He, Zhou, Zhang, Gu (2022).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import Positive
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import (
    Ridges,
    observe_cautiously,
    reset_ridges,
    ridge_at,
    start_ridges,
)
from robustbandits.kernels.scoring import score_columns
from robustbandits.policies._infinite_arms import refuse_infinite_arms
from robustbandits.policies._state_checks import check_index
from robustbandits.policies.linear._linear import (
    largest_sum,
    share_of_largest_sum,
    widths_to_bonuses,
)
from robustbandits.policies.linear.cw_oful import ConfidenceRecipe

# Fields of a base's account.
PULLS, EARNED = range(2)
# Fields of the memo.
MEMO_STAGE, MEMO_BASE = range(2)


class Bases(NamedTuple):
    """Constants of the base learners and of the test."""

    radius: float  # β, the same for every base
    scale: float  # a base's caution is this divided by its budget
    root: float  # √β₁ of the bound R(n, θ) = √(β₁n) + β₂θ + β₃ on a base's regret
    slope: float  # β₂
    offset: float  # β₃
    jolt: float  # largest change of a single reward times ln(T/δ)
    tail: float  # ln(T/δ)
    lowest: int  # 2^lowest is the first guess
    test_scale: float


class COBEState(NamedTuple):
    """What COBE remembers."""

    ridges: Ridges  # one for each base
    accounts: Floats  # (bases, 2) in this stage: rewards learned, their sum
    stage: Floats  # (1,) index of the lowest base in use
    bases: Bases
    first: bool  # among equal scores choose the first arm

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Draw a base and play its arm."""
        base = draw_base(self, rng)
        memo[MEMO_STAGE] = self.stage[0]
        memo[MEMO_BASE] = base
        means = np.empty(contexts.shape[1])
        bonuses = np.empty(contexts.shape[1])
        _base_scores(self, base, contexts, means, bonuses)
        return largest_sum(means, bonuses, rng, self.first)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Update the base that played; if the test fails, drop the smallest guess."""
        stage = int(self.stage[0])
        if int(memo[MEMO_STAGE]) == stage:  # a reward from an earlier stage is not used
            base = int(memo[MEMO_BASE])
            caution = self.bases.scale / budget_of(self, stage, base)
            observe_cautiously(ridge_at(self.ridges, base), context, reward, caution)
            self.accounts[base, PULLS] += 1.0
            self.accounts[base, EARNED] += reward
            if guess_refuted(self, stage):
                next_stage(self)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean and bonus in the decision's base, or else in the likeliest base."""
        base = int(memo[MEMO_BASE]) if memo[MEMO_BASE] >= 0.0 else int(self.stage[0])
        _base_scores(self, base, contexts, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm over the draw of the base."""
        means = np.empty(contexts.shape[1])
        bonuses = np.empty(contexts.shape[1])
        out[:] = 0.0
        stage = int(self.stage[0])
        for base in range(stage, self.accounts.shape[0]):
            _base_scores(self, base, contexts, means, bonuses)
            chance = chance_of(self, stage, base)
            share_of_largest_sum(means, bonuses, self.first, chance, out)

    def check(self, memos: Floats) -> None:
        check_index("stage", self.stage, 0, len(self.accounts))
        check_index("stage", memos[:, MEMO_STAGE], 0, len(self.accounts))
        check_index("base", memos[:, MEMO_BASE], 0, len(self.accounts))


@kernel
def chance_of(state: COBEState, stage: int, base: int) -> float:
    """Return the probability of base i in stage k: 2^(k-i-1) if i > k; k has the rest, over 1/2."""
    if base > stage:
        return math.ldexp(1.0, stage - base - 1)
    return 0.5 + math.ldexp(1.0, stage - state.accounts.shape[0])


@kernel
def budget_of(state: COBEState, stage: int, base: int) -> float:
    """Return the corruption to expect in a base: its share of its guess plus a deviation."""
    share = chance_of(state, stage, base) * math.ldexp(1.0, state.bases.lowest + base)
    return 1.25 * share + 21.0 * state.bases.test_scale * state.bases.jolt


@kernel
def draw_base(state: COBEState, rng: Generator) -> int:
    """Draw a base; with a single base left no random number is used."""
    base = int(state.stage[0])
    top = state.accounts.shape[0] - 1
    if base < top:
        uniform = rng.random()
        total = 0.5 + math.ldexp(1.0, base - top - 1)
        step = 0.25
        while uniform >= total and base < top:
            base += 1
            total += step
            step *= 0.5
    return base


@kernel
def _base_scores(
    state: COBEState, base: int, contexts: Floats, means: Floats, bonuses: Floats
) -> None:
    score_columns(state.ridges.inverse[base], state.ridges.theta[base], contexts, means, bonuses)
    widths_to_bonuses(bonuses, state.bases.radius)


@program
def guess_refuted(state: COBEState, stage: int) -> bool:
    """Whether a base earned so much less than one with a larger guess that its guess is wrong.

    Goes through the bases from the largest guess down and keeps the largest lower bound on what
    all rounds would have earned with one of them.
    """
    bases = state.bases
    top = state.accounts.shape[0] - 1
    t = 0.0
    for i in range(stage, top + 1):
        t += state.accounts[i, PULLS]
    lower_bound = -math.inf
    for i in range(top, stage - 1, -1):
        chance = chance_of(state, stage, i)
        budget = budget_of(state, stage, i)
        earned = state.accounts[i, EARNED]
        regret = bases.root * math.sqrt(state.accounts[i, PULLS])
        regret += bases.slope * budget + bases.offset
        if (earned + bases.test_scale * regret) / chance < lower_bound:
            return True
        deviation = math.sqrt(t * bases.tail / chance) + (bases.tail + budget) / chance
        lower_bound = max(lower_bound, earned / chance - 8.0 * bases.test_scale * deviation)
    return False


@program
def next_stage(state: COBEState) -> None:
    """Drop the smallest guess and reset all bases."""
    state.stage[0] += 1.0
    reset_ridges(state.ridges)
    for i in range(state.accounts.shape[0]):
        state.accounts[i, PULLS] = 0.0
        state.accounts[i, EARNED] = 0.0


@dataclass(frozen=True, kw_only=True)
class COBE(ConfidenceRecipe):
    """Run CW-OFULs with several guesses of the attack budget; drop guesses that fail a test (COBE).

    The guesses are 2^k, 2^(k+1), ..., up to about the horizon. In each round the index i of a guess
    is drawn: the smallest, k, with a probability above one half and each larger i with probability
    2^(k-i-1). Each guess has its own CW-OFUL, its base, which plays in these rounds and learns from
    them only. A base sees its share of the corruption, and is told to expect that share of its
    guess. When a base has earned so much less than one with a larger guess that its own regret
    bound must be broken, guess k was too small: all bases are reset, and the next stage begins with
    k + 1. The proof is for an attacker who cannot foresee the draw.

    Parameters
    ----------
    max_corruption
        Largest change of a single reward.
    test_scale
        Factor on every constant of the test: on the deviations, on the bases' regret bound, and on
        the ``21 ln(T/δ)`` that each base is told to expect besides its share. 1 is the theory's;
        see :meth:`practical`.
    ridge, sigma, delta, ties
        As for :class:`~robustbandits.policies.linear.cw_oful.CWOFUL`.

    Notes
    -----
    The outer algorithm is the paper's: the guesses, their probabilities, what each base is told to
    expect, the test, and the restart. The base is not: the paper's linear base is a form of OFUL,
    and CW-OFUL (He et al.) was published later. It is of the paper's type "a", so Theorem 3 gives
    d√T + dC.

    The bound R on a base's regret, which the outer algorithm needs, is derived here. From the proof
    of CW-OFUL's Theorem 4.2, with its radius β (at least LS), its scale c = σ√d + √λ S and
    ι = d ln(1 + TL²/(dλ)), the regret of a base in n rounds with budget θ is at most
    2β(√(2ιn) + 2ιθ/c + 2ι) in mean rewards. The paper's Assumption 2 is about seen rewards, which
    lie in [0, 1]: corruption may add 2θ to their regret, and chance 2√(2n ln(T/δ)).

    References
    ----------
    Wei, Dann, Zimmert, "A model selection approach for corruption robust reinforcement learning"
    (ALT 2022), algorithms BASIC and COBE and Theorem 3; He, Zhou, Zhang, Gu (NeurIPS 2022).
    Specification: the two papers, except for R.
    """

    version: ClassVar[int] = 2

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("horizon",),
        adversary="weak, rewards",
        regret="d√T + dC",
        cost="Kd² + log T",
        provenance=PAPER,
        reference="Wei, Dann, Zimmert (2022)",
    )

    max_corruption: Positive = 1.0
    test_scale: Positive = 1.0

    @classmethod
    def practical(cls, **changes: Any) -> Self:
        """Test with a fiftieth of the theory's constants.

        Of the scales in ``docs/presets.md`` it has the smallest worst case.
        """
        return cls(**{"test_scale": 0.02, **changes})

    def start(self, problem: Problem) -> COBEState:
        refuse_infinite_arms(problem, self.name)
        rounds = problem.horizon(self.name)
        ridge, noise, prior, scale = self.constants(problem, rounds)
        radius = noise + prior + scale
        reach = problem.context_bound**2 / (problem.dim * ridge)
        potential = problem.dim * math.log1p(rounds * reach)
        tail = math.log(rounds / self.delta)
        twice_radius = 2.0 * max(radius, problem.context_bound * problem.theta_bound)
        root = twice_radius * math.sqrt(2.0 * potential) + 2.0 * math.sqrt(2.0 * tail)
        slope = twice_radius * 2.0 * potential / scale + 2.0
        offset = twice_radius * 2.0 * potential
        regret_bound = root * math.sqrt(rounds) + slope * self.max_corruption + offset
        highest = math.ceil(math.log2(self.max_corruption * rounds))
        lowest = min(highest, max(0, math.ceil(math.log2(regret_bound / slope))))
        count = highest - lowest + 1
        return COBEState(
            ridges=start_ridges(count, problem.dim, ridge),
            accounts=np.zeros((count, 2)),
            stage=np.zeros(1),
            bases=Bases(
                radius=radius,
                scale=scale,
                root=root,
                slope=slope,
                offset=offset,
                jolt=self.max_corruption * tail,
                tail=tail,
                lowest=lowest,
                test_scale=self.test_scale,
            ),
            first=self.ties == "first",
        )

    @staticmethod
    def upgrade_file(arrays: dict[str, Floats]) -> dict[str, Floats]:
        """Return the arrays of an agent file of version 1, which mean the same.

        Only constants of the test have changed. If they lead to another number of guesses, the
        arrays have other shapes than expected, and the file is refused.
        """
        return arrays
