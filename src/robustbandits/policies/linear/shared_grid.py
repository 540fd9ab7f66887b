"""SharedGrid: EXP4.P over arms, where each expert assumes a different attack budget.

The experts are optimistic linear policies that share one regression and differ in the corruption
that their bonus covers. The Shared-Grid policy of Wang, Li, Zong, Ma, Jiang (2026), without its
knapsack.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import Flag, Positive
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import draw, largest
from robustbandits.policies._infinite_arms import refuse_infinite_arms
from robustbandits.policies.linear._candidates import (
    candidate_levels,
    check_candidates_without_epochs,
)
from robustbandits.policies.linear._exp4 import (
    MAX_EXPERTS,
    MEMO_ARMS,
    MEMO_BORDERS,
    MEMO_CHANCE,
    MEMO_RUN,
    Exp4,
    check_advice,
    exp4_floor,
    expert_shares,
    floor_of,
    pay_experts,
    rest_of,
    run_of,
    start_exp4,
)
from robustbandits.policies.linear._linear import (
    Bonus,
    LinearRecipe,
    Optimist,
    add_mixed_shares,
    corruption_bonus,
    learn_reward,
    optimistic_scores,
    width_factor,
)
from robustbandits.policies.linear._tight import add_harms


class SharedGridState(NamedTuple):
    """What SharedGrid remembers."""

    optimist: Optimist
    exp4: Exp4
    levels: Floats  # (candidates,) possible attack budgets, ascending
    clip: bool  # the experts are paid the reward clipped to [0, 1]

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Draw an arm from the mixture of all candidates' advice."""
        arms = contexts.shape[1]
        means = np.empty(arms)
        widths = np.empty(arms)
        harms = np.zeros(arms)
        probabilities = np.empty(arms)
        shares = np.empty(self.exp4.log_weights.shape[0])
        optimistic_scores(self.optimist, contexts, 1.0, 0.0, means, widths)
        add_harms(self.optimist.learned, self.optimist.ridge.inverse, contexts, 1.0, harms)
        expert_shares(self.exp4, shares)
        rest = rest_of(self.exp4, arms, shares)
        advice_share = 1.0 - arms * floor_of(self.exp4, arms)
        probabilities[:] = rest
        advice = np.empty(self.levels.shape[0], dtype=np.int64)
        borders = _advise(self, means, widths, harms, advice, rng)
        for j in range(advice.shape[0]):
            probabilities[advice[j]] += advice_share * shares[j]
        certain = borders == 0 and rest == 0.0
        arm = advice[0] if certain else draw(probabilities, rng)
        memo[MEMO_BORDERS] = borders
        memo[MEMO_RUN] = run_of(advice, arm)
        memo[MEMO_CHANCE] = probabilities[arm]
        memo[MEMO_ARMS] = arms
        return arm

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Add one observation to the regression, and pay the experts."""
        learn_reward(self.optimist, arm, context, reward)
        pay_experts(self.exp4, min(1.0, max(0.0, reward)) if self.clip else reward, memo)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean, and its bonus averaged over the candidates by weight."""
        shares = np.empty(self.exp4.log_weights.shape[0])
        expert_shares(self.exp4, shares)
        total = 0.0
        factor = 0.0
        level = 0.0
        for j in range(self.levels.shape[0]):
            total += shares[j]
            factor += shares[j] * width_factor(self.optimist, self.levels[j])
            level += shares[j] * self.levels[j]
        factor = factor / total if total > 0.0 else width_factor(self.optimist, self.levels[0])
        level = level / total if total > 0.0 else self.levels[0]
        optimistic_scores(self.optimist, contexts, factor, level, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        arms = contexts.shape[1]
        size = self.levels.shape[0]
        shares = np.empty(self.exp4.log_weights.shape[0])
        probabilities = np.empty(size)
        factors = np.empty(size)
        expert_shares(self.exp4, shares)
        advice_share = 1.0 - arms * floor_of(self.exp4, arms)
        for j in range(size):
            probabilities[j] = advice_share * shares[j]
            factors[j] = width_factor(self.optimist, self.levels[j])
        out[:] = rest_of(self.exp4, arms, shares)
        add_mixed_shares(self.optimist, contexts, factors, self.levels, probabilities, out)

    def check(self, memos: Floats) -> None:
        check_advice(self.exp4, memos)


@kernel
def _advise(
    state: SharedGridState,
    means: Floats,
    widths: Floats,
    harms: Floats,
    out: np.ndarray,
    rng: Generator,
) -> int:
    """Write the arm that each candidate advises; return where the advice changes, as bits.

    Larger candidates prefer arms with a larger bonus, so equal advice comes in runs. Among equal
    scores the arm that the previous candidate advised is preferred; this keeps the runs whole.
    """
    arms = means.shape[0]
    scores = np.empty(arms)
    radius = width_factor(state.optimist, 0.0)
    borders = 0
    for j in range(out.shape[0]):
        factor = radius + corruption_bonus(state.optimist, state.levels[j])
        best = -math.inf
        for a in range(arms):
            scores[a] = means[a] + factor * widths[a] + state.levels[j] * harms[a]
            best = max(best, scores[a])
        if j > 0 and scores[out[j - 1]] == best:
            out[j] = out[j - 1]
        else:
            out[j] = largest(scores, rng, state.optimist.first)
            if j > 0:
                borders += 1 << (j - 1)
    return borders


@dataclass(frozen=True, kw_only=True)
class SharedGrid(LinearRecipe):
    """Mix the advice of LinUCBs that cover different attack budgets (Shared-Grid).

    All candidates Γ share one regression; in each round every candidate advises the arm with the
    largest ``x·θ̂ + (β_t + κ(Γ))‖x‖``. EXP4.P keeps a weight for each candidate, and one for an
    expert that advises all arms with equal probability. An arm is drawn from the weighted advice;
    no arm has a probability below p_min. Then each weight is multiplied by
    ``exp((p_min/2)(ŷ_j + a_m v_j))``, where ŷ_j is an unbiased estimate of what the advice earns
    and v_j the mean inverse probability of the arms that it names. Needs the horizon.

    The paper's policy also has a knapsack. Without it, this policy is similar to
    :class:`~robustbandits.policies.BOBNoRestart`, but it has been analysed. Its guarantee requires
    that the arms which the right candidate advises are played often enough.

    Parameters
    ----------
    candidates
        Levels for Γ: ``{0, 1, 2, 4, ...}`` up to ``"sqrtT"`` (default), ``"T"`` or ``"2KT"``, or a
        sequence of at most 50 levels.
    uniform
        Whether there is a uniform expert.
    floor
        p_min; None for min{1/(2K), √(ln M/(KT))} with M experts and K arms. With 0 no weight ever
        changes.
    bonus, max_corruption
        As for :class:`~robustbandits.policies.linear.robust_linucb.RobustLinUCB`.
    clip
        Whether the reward that EXP4.P is paid is clipped to [0, 1], as its bound requires.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    References
    ----------
    Wang, Li, Zong, Ma, Jiang (2026), the Shared-Grid policy; EXP4.P: Beygelzimer, Langford, Li,
    Reyzin, Schapire (2011). Specification: the papers', without the knapsack, with our l2 bonus and
    candidates up to √T.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("horizon",),
        adversary="strong, rewards, if the advice is covered",
        regret="√(KT) + that of the right candidate",
        cost="Kd² + K log T",
        provenance=PAPER,
        reference="Wang, Li, Zong, Ma, Jiang (2026)",
    )

    candidates: str | tuple[float, ...] = "sqrtT"
    uniform: Flag = True
    floor: float | None = None
    bonus: Bonus = "l2"
    max_corruption: Positive = 1.0
    clip: Flag = True

    def __post_init__(self) -> None:
        super().__post_init__()
        candidates = check_candidates_without_epochs(self.candidates, self.name)
        if not isinstance(candidates, str) and len(candidates) > MAX_EXPERTS:
            raise ValueError(f"candidates must be at most {MAX_EXPERTS}, got {len(candidates)}")
        if self.floor is not None:
            self._set(floor=require.between("floor", self.floor, 0.0, 0.5))
        self._set(candidates=candidates)

    def start(self, problem: Problem) -> SharedGridState:
        refuse_infinite_arms(problem, self.name)
        rounds = problem.horizon(self.name)
        levels = candidate_levels(self.candidates, arms=problem.arms, rounds=rounds)
        levels = levels[:MAX_EXPERTS]
        floor = exp4_floor(len(levels) + self.uniform, problem.arms, rounds)
        if self.floor is not None:
            floor = self.floor
        plays = float(problem.arms * rounds)
        return SharedGridState(
            optimist=self.start_optimist(
                problem, bonus=self.bonus, max_corruption=self.max_corruption
            ),
            exp4=start_exp4(len(levels), self.uniform, plays, floor, self.delta),
            levels=np.sort(np.array(levels)),
            clip=self.clip,
        )
