"""FastSlowGPUCB: two Gaussian processes and a test of corruption, for a known attack budget.

Bogunovic, Krause, Scarlett (AISTATS 2020), Algorithm 2. The slow process sees few rounds and so
little of the corruption. Its upper bounds limit those of the fast one, and its lower bounds show
when the fast one is corrupted.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO, score
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import draw, largest, share_of_largest
from robustbandits.policies._state_checks import check_index
from robustbandits.policies.catalogue._layers import (
    MEMO_LAYER,
    Alpha,
    LayeredRecipe,
    RunningBounds,
    add_reward,
    count_unknown,
    narrow,
    start_bounds,
    update_estimates,
    upper_bounds,
)

#: The posteriors: of the fast process, of the slow process, and of all rewards.
FAST, SLOW, POOLED = range(3)
# Field of the memo: 1 if the bounds of an arm without rewards contradicted each other.
MEMO_CONTRADICTED = 1


class FastSlowState(NamedTuple):
    """What FastSlowGPUCB remembers."""

    posteriors: Any  # layers FAST, SLOW and POOLED
    bounds: RunningBounds  # of FAST and SLOW
    valid: Floats  # (1,) 1 until the bounds of the two processes contradict each other, then 0
    alpha: float

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Draw a process and return the arm that it prefers; once invalid, follow Algorithm 1."""
        layer = POOLED
        if self.valid[0] > 0.0:
            layer = SLOW
            if self.posteriors.layering.chances[SLOW] < 1.0:
                layer = draw(self.posteriors.layering.chances, rng)
        memo[MEMO_LAYER] = layer
        scores = np.empty(contexts.shape[1])
        if _score_arms(self, contexts, layer, scores):
            memo[MEMO_CONTRADICTED] = 1.0
        return largest(scores, rng, self.posteriors.layering.first)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Update the process that was drawn, and test whether the two contradict each other."""
        contradicted = memo[MEMO_CONTRADICTED] > 0.0
        _learn(self, arm, context, reward, int(memo[MEMO_LAYER]), contradicted)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean and bonus in the process that chose.

        Without a decision: in the fast process, or after the switch in the pooled one.
        """
        layer = int(memo[MEMO_LAYER])
        if layer < 0:
            layer = FAST if self.valid[0] > 0.0 else POOLED
        memo_of_layer = memo.copy()
        memo_of_layer[MEMO_LAYER] = layer
        score(self.posteriors, contexts, memo_of_layer, means, bonuses)
        if layer == SLOW:
            for a in range(bonuses.shape[0]):
                bonuses[a] *= self.alpha

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm over the draw of the process."""
        layering = self.posteriors.layering
        scores = np.empty(contexts.shape[1])
        out[:] = 0.0
        for layer in range(POOLED + 1):
            chance = layering.chances[layer]
            if self.valid[0] == 0.0:
                chance = 1.0 if layer == POOLED else 0.0
            if chance > 0.0:
                _score_arms(self, contexts, layer, scores)
                share_of_largest(scores, layering.first, chance, out)

    def check(self, memos: Floats) -> None:
        check_index("layer", memos[:, MEMO_LAYER], FAST, POOLED + 1)
        check_index("contradicted", memos[:, MEMO_CONTRADICTED], 0, 2)
        check_index("valid", self.valid, 0, 2)


@program
def _score_arms(state: FastSlowState, contexts: Floats, layer: int, out: Floats) -> bool:
    """Write the score of each arm: for the fast process the smaller of both running upper bounds.

    For the slow process it is the present bound with alpha, for Algorithm 1 the present bound from
    all rewards. Arms that have had no reward have no running bounds, so their present bounds are
    used. Returns whether the present bounds of such an arm in the two processes contradict each
    other.
    """
    if layer != FAST:
        scale = state.alpha if layer == SLOW else 1.0
        upper_bounds(state.posteriors, contexts, layer, scale, out)
    else:
        for a in range(out.shape[0]):
            out[a] = min(state.bounds.highs[FAST, a], state.bounds.highs[SLOW, a])
    known = state.posteriors.known
    if layer == POOLED or count_unknown(known) == 0:
        return False
    memo = np.zeros(MEMO)
    means = np.empty((2, out.shape[0]))
    bonuses = np.empty((2, out.shape[0]))
    for i in range(POOLED):
        memo[MEMO_LAYER] = i
        score(state.posteriors, contexts, memo, means[i], bonuses[i])
    contradicted = False
    for a in range(out.shape[0]):
        if known[a] == 0.0:
            high = means[FAST, a] + bonuses[FAST, a]
            if layer == FAST:
                out[a] = min(high, means[SLOW, a] + bonuses[SLOW, a])
            if high < means[SLOW, a] - bonuses[SLOW, a]:
                contradicted = True
    return contradicted


@program
def _learn(
    state: FastSlowState,
    arm: int,
    context: Floats,
    reward: float,
    layer: int,
    contradicted: bool,
) -> None:
    if state.valid[0] > 0.0 and layer != POOLED:
        is_new = add_reward(state.posteriors, layer, arm, context, reward)
        for i in range(POOLED):
            if is_new or i == layer:
                update_estimates(state.posteriors, i)
        narrow(state.bounds, state.posteriors, layer, arm, is_new)
        for a in range(state.bounds.highs.shape[1]):
            if state.bounds.highs[FAST, a] < state.bounds.lows[SLOW, a]:
                contradicted = True
    if contradicted:
        state.valid[0] = 0.0
    add_reward(state.posteriors, POOLED, arm, context, reward)
    if state.valid[0] == 0.0:  # until then its estimates are not used
        update_estimates(state.posteriors, POOLED)


@dataclass(frozen=True)
class FastSlowGPUCB(LayeredRecipe):
    """Two Gaussian processes, one of which sees few rounds and so little corruption.

    This is Algorithm 2 of the paper. With probability min(1, 1/C) the slow process is drawn,
    otherwise the fast one; only the one drawn learns. The fast one has GP-UCB's own bounds; those
    of the slow one also cover a constant corruption, ``(3 + B₀ ln(5/δ)) s(x)/√λ``, where s is the
    posterior's standard deviation. Each process keeps the smallest upper and the largest lower
    bound that it ever had of each arm. The fast one plays the arm with the largest of
    ``min(UCB_fast, UCB_slow)``, made of these running bounds. The slow one plays the arm with the
    largest present bound ``μ + α β s``.

    If a running upper bound of the fast process falls below the slow process's running lower bound
    of the same arm, the fast one is corrupted. From then on the policy follows Algorithm 1
    (:class:`~robustbandits.policies.EnlargedGPUCB`) with the budget C, on a third, pooled
    process, which has learned all rewards from the start.

    All rules and constants are the paper's. Three things are ours. γ_t is the information gained so
    far, ``½ log det(I + K_t/λ)``, instead of the largest possible; this is as valid and tighter.
    ``bonus_scale`` is ours. The paper assumes that the contexts of all arms are known from the
    start; this policy knows an arm's context from its first reward on. Before that, the arm's
    present bounds replace its running ones, in the choice and in the test. They hold as well, but
    may be wider, so this may cost one round for each arm.

    A late reward goes to the process that was drawn for its decision, and to the pooled one; after
    the switch only to the pooled one. A reward that never comes changes nothing. The bounds then
    hold if neither the delay nor the loss of a reward depends on the reward.

    The bound is for an attacker who acts before the process is drawn. An attacker who sees the
    choice can corrupt the fast process alone, until the test fails.

    Needs the same arms in every round. Time and memory do not grow with the rounds.

    Parameters
    ----------
    budget
        C, at least the attacker's budget.
    max_corruption
        B₀, the largest change of a single reward.
    alpha
        Factor on the bonus by which the slow process explores. The proof needs more than 1; the
        paper uses 2.
    kernel, lengthscale, smoothness, norm_bound, ridge, delta, sigma, bonus_scale, ties
        As for every policy with a Gaussian process, see
        :class:`~robustbandits.policies.catalogue._layers.LayeredRecipe`. The paper's theorems have
        ``ridge=1``.

    References
    ----------
    Bogunovic, Krause, Scarlett (AISTATS 2020), Algorithm 2, Theorem 9.
    """

    version: ClassVar[int] = 2
    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="fixed arms",
        needs=("budget",),
        adversary="weak, rewards",
        regret="(B + B₀ + √γ_T) √(Tγ_T) if clean, times 1 + C if not; γ_T is d if linear",
        cost="Kd² (linear), K² (other kernels)",
        provenance=PAPER,
        reference="Bogunovic, Krause, Scarlett (2020)",
    )

    budget: NonNegative
    _: KW_ONLY
    max_corruption: Positive = 1.0
    alpha: Alpha = 2.0

    def start(self, problem: Problem) -> FastSlowState:
        slow = min(1.0, 1.0 / self.budget) if self.budget > 0.0 else 1.0
        extra = 3.0 + self.max_corruption * math.log(5.0 / self.delta)
        posteriors = self.start_layers(
            problem, [1.0 - slow, slow, 0.0], [0.0, extra, self.budget], delta=self.delta / 5.0
        )
        bounds = start_bounds(2, problem.arms)
        return FastSlowState(posteriors, bounds, valid=np.ones(1), alpha=self.alpha)
