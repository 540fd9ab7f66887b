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
from robustbandits.game.verbs import MEMO, score
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import draw, largest, share_of_largest
from robustbandits.kernels.size_limit import check_array_size
from robustbandits.policies._state_checks import check_index
from robustbandits.policies.catalogue._layers import (
    MEMO_LAYER,
    Alpha,
    LayeredRecipe,
    RunningBounds,
    learn_in_layer,
    narrow,
    start_bounds,
    upper_bounds,
)

# Field of the memo: the layer that chose the arm. MEMO_LAYER is -1 if the arm was borrowed.
MEMO_CHOSE = 1
#: A bound that excludes nothing.
HUGE = 1e300


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

    If the set is empty, the next slower layer that has arms in its set chooses instead.
    """
    chose = layer
    while chose < state.listed.shape[0] - 1 and not state.listed[chose].any():
        chose += 1
    upper_bounds(state.posteriors, contexts, chose, state.alpha, out)
    for a in range(out.shape[0]):
        if state.listed[chose, a] == 0.0:
            out[a] = -math.inf
    return chose


@program
def _learn(state: MultiLayerState, arm: int, context: Floats, reward: float, layer: int) -> None:
    is_new = learn_in_layer(state.posteriors, arm, context, reward, layer)
    narrow(state.bounds, state.posteriors, layer, arm, is_new)
    for i in range(state.listed.shape[0]):
        if is_new or i == layer:
            _remove_worse(state, i)


@program
def _remove_worse(state: MultiLayerState, layer: int) -> None:
    """Remove arms that are worse than another from the sets of a layer and of faster ones.

    If the whole set of the slowest layer would be removed, it stays as it is, because otherwise no
    layer would ever learn again. The paper rules this case out with high probability.
    """
    layers, arms = state.listed.shape
    floor = -math.inf
    for a in range(arms):
        if state.posteriors.known[a] > 0.0:
            floor = max(floor, state.bounds.lows[layer, a])
    remaining = 0
    for a in range(arms):
        worse = state.posteriors.known[a] > 0.0 and state.bounds.highs[layer, a] < floor
        if state.listed[layer, a] > 0.0 and not worse:
            remaining += 1
    if remaining == 0 and layer == layers - 1:
        return
    for a in range(arms):
        if state.posteriors.known[a] > 0.0 and state.bounds.highs[layer, a] < floor:
            for i in range(layer + 1):
                state.listed[i, a] = 0.0


@dataclass(frozen=True, kw_only=True)
class MultiLayerGPUCB(LayeredRecipe):
    """Gaussian processes that see a half, a quarter, an eighth, ... of the rounds.

    This is Algorithm 3 of the paper. Layer ℓ = 1, 2, ..., ⌈log₂T⌉ is drawn with probability 2^-ℓ
    (the first with the remaining probability), and only the one drawn learns. Besides GP-UCB's own
    bonus, each layer has a bonus ``(3 + B₀ ln(4(1 + log₂T)/δ)) s(x)/√λ`` for a constant corruption:
    whatever C is, the layers from log₂C on see no more than that.

    Each layer has a set of arms, at first all. It plays the arm of its set with the largest
    ``μ + α β s`` and learns. It keeps the smallest upper and the largest lower bound that it ever
    had of each arm, with α = 1, and removes arms whose running upper bound is below the largest
    running lower bound, from its set and from those of all faster layers. Sets only shrink. If the
    set of the layer that was drawn is empty, the next slower layer that has arms in its set chooses
    one, and no layer learns.

    All rules and constants are the paper's. Four things are ours. γ_t is the information gained so
    far, ``½ log det(I + K_t/λ)``, instead of the largest possible; this is as valid and tighter.
    ``bonus_scale`` is ours. The slowest layer keeps its set if all of it would be removed, a case
    for which the paper has no rule. The paper assumes that the contexts of all arms are known from
    the start; this policy knows an arm's context from its first reward on. Before that, the arm
    stays in all sets, which may cost one round for each arm.

    A late reward goes to the layer that was drawn for its decision, even if the arm has left that
    layer's set. A reward that never comes changes nothing. The bounds then hold if neither the
    delay nor the loss of a reward depends on the reward.

    The bound is for an attacker who does not see which layer is drawn. Most attacks here see the
    arm first; WeakVector does not.

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
        Factor on the bonus by which layers explore. The proof needs more than 1; the paper uses 2.
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

        Of the scales in ``docs/presets.md`` it has the smallest worst case, and no attack there
        harms it. At a tenth an attack on a quarter of the arms does, because layers then remove the
        best arm permanently. With α = 2 the regret is nearly twice as large. Nothing is proved
        about this preset.
        """
        return cls(**{"alpha": 1.0, "bonus_scale": 0.3, **changes})

    def start(self, problem: Problem) -> MultiLayerState:
        log_rounds = math.log2(problem.horizon(self.name))
        layers = max(1, math.ceil(log_rounds)) if self.layers is None else self.layers
        check_array_size(layers, problem.arms)
        slower = [0.5**layer for layer in range(2, layers + 1)]
        delta = self.delta / (4.0 * (1.0 + log_rounds))
        extra = 3.0 + self.max_corruption * math.log(1.0 / delta)
        posteriors = self.start_layers(
            problem, [1.0 - sum(slower), *slower], [extra] * layers, delta=delta
        )
        bounds = start_bounds(layers, problem.arms)
        listed = np.ones((layers, problem.arms))
        return MultiLayerState(posteriors, bounds, listed, alpha=self.alpha)

    @staticmethod
    def upgrade_file(arrays: dict[str, Floats]) -> dict[str, Floats]:
        """Return the arrays of an agent file in the present layout.

        Files of version 1 have no running bounds and no sets. They keep all rewards; the bounds of
        a layer begin with its next reward, and every arm is in every set.
        """
        if "state.bounds.highs" in arrays:
            return arrays
        shape = arrays["state.means"].shape
        highs = HUGE * np.broadcast_to(arrays["state.known"], shape)
        upgraded = {
            name.replace("state.", "state.posteriors.", 1): array for name, array in arrays.items()
        }
        upgraded["pending"] = arrays["pending"].copy()
        memos = upgraded["pending"][:, 2 : 2 + MEMO]
        memos[:, MEMO_CHOSE] = memos[:, MEMO_LAYER]
        return upgraded | {
            "state.bounds.highs": highs,
            "state.bounds.lows": -highs,
            "state.listed": np.ones(shape),
        }
