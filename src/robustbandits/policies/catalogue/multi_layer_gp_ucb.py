"""MultiLayerGPUCB: log T layers of Gaussian processes, for an unknown attack budget.

Bogunovic, Krause, Scarlett (AISTATS 2020), Algorithm 3. Slower layers see less of the corruption,
and rule out arms for the faster ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import Count, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import score
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import draw, largest, share_of_largest
from robustbandits.policies._state_checks import check_index
from robustbandits.policies.catalogue._layers import (
    MEMO_LAYER,
    Alpha,
    LayeredRecipe,
    RunningBounds,
    count_unknown,
    learn_in_layer,
    narrow,
    start_bounds,
    upper_bounds,
)

# Field of the memo: the layer that chose the arm. MEMO_LAYER is -1 if it was borrowed.
MEMO_CHOSE = 1


class MultiLayerState(NamedTuple):
    """What MultiLayerGPUCB remembers, the fastest layer first."""

    posteriors: Any
    bounds: RunningBounds
    listed: Floats  # (layers, arms) 1 while an arm is in the layer's set, else 0; nested
    alpha: float

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Draw a layer and play the arm of its set with the largest bound.

        A layer with an empty set borrows an arm from the next slower layer that has any, and then
        no layer learns.
        """
        layer = 0
        if self.listed.shape[0] > 1:
            layer = draw(self.posteriors.layering.chances, rng)
        scores = np.empty(contexts.shape[1])
        chose = _scores_in_layer(self, contexts, layer, scores)
        memo[MEMO_LAYER] = layer if chose == layer else -1.0
        memo[MEMO_CHOSE] = chose
        return largest(scores, rng, self.posteriors.layering.first)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Update the layer that was drawn, and remove arms from its set and from faster ones."""
        layer = int(memo[MEMO_LAYER])
        if layer >= 0:
            _learn(self, arm, context, reward, layer)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean and bonus in the layer that chose, or else in the fastest."""
        memo_of_layer = memo.copy()
        memo_of_layer[MEMO_LAYER] = max(0.0, memo[MEMO_CHOSE])
        score(self.posteriors, contexts, memo_of_layer, means, bonuses)
        for a in range(bonuses.shape[0]):
            bonuses[a] *= self.alpha

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm over the draw of the layer."""
        layering = self.posteriors.layering
        scores = np.empty(contexts.shape[1])
        out[:] = 0.0
        for layer in range(layering.chances.shape[0]):
            _scores_in_layer(self, contexts, layer, scores)
            share_of_largest(scores, layering.first, layering.chances[layer], out)

    def check(self, memos: Floats) -> None:
        layers = len(self.listed)
        check_index("layer", memos[:, MEMO_LAYER], -1, layers)
        check_index("layer that chose", memos[:, MEMO_CHOSE], 0, layers)
        check_index("listed", self.listed, 0, 2)
        if not (np.all(self.listed[1:] >= self.listed[:-1]) and self.listed[-1].any()):
            raise ValueError("listed must be nested, and the slowest layer must have an arm")


@program
def _scores_in_layer(state: MultiLayerState, contexts: Floats, layer: int, out: Floats) -> int:
    """Write the score of each arm in a layer's set, -∞ for others; return the layer that chose.

    If the set is empty, the next slower layer whose set is not takes its place.
    """
    layers, arms = state.listed.shape
    listed = state.listed[layers - 1].copy()
    chose = layers - 1
    if count_unknown(state.posteriors.known) == 0:
        chose = layer
        while chose < layers - 1 and not state.listed[chose].any():
            chose += 1
        listed[:] = state.listed[chose]
    else:
        uppers = np.empty(arms)
        smaller = listed.copy()
        for step in range(layers - layer):  # from the slowest layer to the one that was drawn
            i = layers - 1 - step
            upper_bounds(state.posteriors, contexts, i, 1.0, uppers)
            floor = _largest_lower_bound(state, i)
            for a in range(arms):
                unknown = state.posteriors.known[a] == 0.0
                if state.listed[i, a] == 0.0 or (unknown and uppers[a] < floor):
                    smaller[a] = 0.0
            if not smaller.any():
                break
            chose = i
            listed[:] = smaller
    upper_bounds(state.posteriors, contexts, chose, state.alpha, out)
    for a in range(arms):
        if listed[a] == 0.0:
            out[a] = -math.inf
    return chose


@program
def _learn(state: MultiLayerState, arm: int, context: Floats, reward: float, layer: int) -> None:
    is_new = learn_in_layer(state.posteriors, arm, context, reward, layer)
    narrow(state.bounds, state.posteriors, layer, arm, is_new)
    for i in range(state.listed.shape[0]):
        if is_new or i == layer:
            _remove_worse(state, i)


@kernel
def _largest_lower_bound(state: MultiLayerState, layer: int) -> float:
    """Return the largest running lower bound in a layer; -∞ before the first reward."""
    floor = -math.inf
    for a in range(state.listed.shape[1]):
        if state.posteriors.known[a] > 0.0:
            floor = max(floor, state.bounds.lows[layer, a])
    return floor


@program
def _remove_worse(state: MultiLayerState, layer: int) -> None:
    """Remove arms that are worse than another from the sets of a layer and of faster ones.

    The slowest layer keeps its set if all of it would go, which the paper rules out with high
    probability: otherwise nobody would ever learn again.
    """
    layers, arms = state.listed.shape
    floor = _largest_lower_bound(state, layer)
    remain = 0
    for a in range(arms):
        worse = state.posteriors.known[a] > 0.0 and state.bounds.highs[layer, a] < floor
        if state.listed[layer, a] > 0.0 and not worse:
            remain += 1
    if remain == 0 and layer == layers - 1:
        return
    for a in range(arms):
        if state.posteriors.known[a] > 0.0 and state.bounds.highs[layer, a] < floor:
            for i in range(layer + 1):
                state.listed[i, a] = 0.0


@dataclass(frozen=True, kw_only=True)
class MultiLayerGPUCB(LayeredRecipe):
    """Gaussian processes that see a half, a quarter, an eighth, ... of the rounds.

    This is Algorithm 3 of the paper. Layer ℓ = 1, 2, ..., ⌈log₂T⌉ is drawn with probability 2^-ℓ
    (the first with what is left), and only the one drawn learns. Each layer's bonus covers a
    constant corruption, ``(3 + B₀ ln(4(1 + log₂T)/δ)) s(x)/√λ`` beside GP-UCB's own: whatever C is,
    from layer log₂C on they see no more than that.

    Each layer has a set of arms, at first all. It plays the arm of its set with the largest
    ``μ + α β s`` and learns. It keeps the smallest upper and the largest lower bound that it ever
    had of each arm, with α = 1, and removes arms whose running upper bound is below the largest
    running lower bound, from its set and from those of all faster layers. Sets only shrink. If the
    set of the layer that was drawn is empty, the next slower layer whose set is not chooses an arm,
    and no layer learns.

    The paper's: all rules and constants. Ours: γ_t is the information gained so far,
    ``½ log det(I + K_t/λ)``, not the largest possible, which is as valid and tighter;
    ``bonus_scale``; the slowest layer keeps its set if all of it would be removed, on which the
    paper is silent. The paper knows the contexts of all arms from the start. This policy knows an
    arm's context from its first reward on; before that, the arm stays in all sets, and is not
    played where its present upper bound is below the largest lower bound.

    A late reward goes to the layer that was drawn for its decision, even if the arm has left that
    layer's set. A reward that never comes changes nothing. The bounds then hold if neither the
    delay nor the loss of a reward depends on the reward.

    The bound is for an attacker who does not see which layer is drawn; every attack here sees the
    arm.

    Needs the horizon, and the same arms in every round. Time and memory do not grow with the
    rounds: a round costs what LinUCB's costs (or arms² if the kernel is not linear); the state is
    that of ``layers`` processes.

    Parameters
    ----------
    layers
        Number of layers; None for ⌈log₂T⌉.
    max_corruption
        B₀, the largest change of a single reward.
    alpha
        Factor on the bonus by which layers explore. The proof needs more than 1, the paper has 2.
    kernel, lengthscale, smoothness, norm_bound, ridge, delta, sigma, bonus_scale, ties
        As for every policy with a Gaussian process, see
        :class:`~robustbandits.policies.catalogue._layers.LayeredRecipe`. The paper's theorems have
        ``ridge=1``.

    References
    ----------
    Bogunovic, Krause, Scarlett (AISTATS 2020), Algorithm 3, Theorem 10.
    """

    version: ClassVar[int] = 2
    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="fixed arms",
        needs=("horizon",),
        adversary="weak, rewards",
        regret="(1 + C) (B + B₀ + √γ_T) √(Tγ_T); γ_T is d if linear",
        cost="Kd² (linear), K² (other kernels)",
        provenance=PAPER,
        reference="Bogunovic, Krause, Scarlett (2020)",
    )

    layers: Count | None = None
    max_corruption: Positive = 1.0
    alpha: Alpha = 2.0

    @classmethod
    def practical(cls, **changes: Any) -> Self:
        """Use three tenths of the bonus for corruption, and α = 1.

        Of the scales in ``docs/presets.md`` the one with the smallest worst case: no attack there
        harms it. At a tenth an attack on a quarter of the arms does, as layers then remove the best
        arm for good. With α = 2 it would cost nearly twice as much. Nothing is proved about it.
        """
        return cls(**{"alpha": 1.0, "bonus_scale": 0.3, **changes})

    def start(self, problem: Problem) -> MultiLayerState:
        logs = math.log2(problem.horizon(self.name))
        layers = max(1, math.ceil(logs)) if self.layers is None else self.layers
        slower = [0.5**layer for layer in range(2, layers + 1)]
        delta = self.delta / (4.0 * (1.0 + logs))
        extra = 3.0 + self.max_corruption * math.log(1.0 / delta)
        posteriors = self.start_layers(
            problem, [1.0 - sum(slower), *slower], [extra] * layers, delta=delta
        )
        bounds = start_bounds(layers, problem.arms)
        listed = np.ones((layers, problem.arms))
        return MultiLayerState(posteriors, bounds, listed, alpha=self.alpha)
