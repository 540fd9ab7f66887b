"""Layers of ridge regressions: Gaussian processes with a linear kernel.

The arms are always the same, so a layer's estimates change only when it learns. They are computed
then, once, for every arm whose context is known from an earlier reward; for an arm without rewards
they are computed at each choice. A round costs O(arms·dim²) for the one layer that learns, and
O(layers·arms) for the choice.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import Ridge, observe
from robustbandits.kernels.scoring import score_columns
from robustbandits.kernels.size_limit import check_array_size
from robustbandits.policies._state_checks import check_index
from robustbandits.policies.catalogue._layers import (
    MEMO_LAYER,
    Layering,
    choose_by_bound,
    learn_in_layer,
    probability_by_bound,
)
from robustbandits.policies.linear._linear import radius_at, widths_to_bonuses


class LinearLayersState(NamedTuple):
    """What layers of ridge regressions remember; see :mod:`~robustbandits.kernels.ridge`."""

    inverse: Floats  # (layers, dim, dim)
    gram: Floats  # (layers, dim, dim)
    moment: Floats  # (layers, dim)
    theta: Floats  # (layers, dim)
    tally: Floats  # (layers, 3)
    contexts: Floats  # (dim, arms) of known arms, as they came with the last reward
    known: Floats  # (arms,) 1 if the arm has had a reward, else 0
    means: Floats  # (layers, arms) of known arms
    widths: Floats  # (layers, arms) of known arms, in the norm of the inverse
    layering: Layering

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        return choose_by_bound(self, contexts, rng)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        learn_in_layer(self, arm, context, reward, int(memo[MEMO_LAYER]))

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean and bonus in the decision's layer, or else in the fastest."""
        _score(self, contexts, int(max(0.0, memo[MEMO_LAYER])), means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        probability_by_bound(self, contexts, out)

    @kernel
    def add_reward(self, layer: int, arm: int, context: Floats, reward: float) -> bool:
        return _add_reward(self, layer, arm, context, reward)

    @kernel
    def update_estimates(self, layer: int) -> None:
        _update_estimates(self, layer)

    @kernel
    def width_factor(self, layer: int) -> float:
        return _width_factor(self, layer)

    def check(self, memos: Floats) -> None:
        check_index("layer", memos[:, MEMO_LAYER], 0, len(self.inverse))


@kernel
def _ridge(state: LinearLayersState, layer: int) -> Ridge:
    return Ridge(
        state.inverse[layer],
        state.gram[layer],
        state.moment[layer],
        state.theta[layer],
        state.tally[layer],
        state.layering.radius.penalty,
    )


@kernel
def _width_factor(state: LinearLayersState, layer: int) -> float:
    return (
        radius_at(state.layering.radius, _ridge(state, layer), 0.0) + state.layering.extras[layer]
    )


@program
def _score(
    state: LinearLayersState, contexts: Floats, layer: int, means: Floats, bonuses: Floats
) -> None:
    """Write each arm's mean and bonus in one layer."""
    ridge = _ridge(state, layer)
    factor = _width_factor(state, layer)
    for a in range(means.shape[0]):
        means[a] = state.means[layer, a]
        bonuses[a] = factor * state.widths[layer, a]
        if state.known[a] == 0.0:
            mean = 0.0
            form = 0.0
            for i in range(contexts.shape[0]):  # in the same order as score_columns: same bits
                mean += ridge.theta[i] * contexts[i, a]
                inner = 0.5 * ridge.inverse[i, i] * contexts[i, a]
                for j in range(i):
                    inner += ridge.inverse[i, j] * contexts[j, a]
                form += inner * contexts[i, a]
            means[a] = mean
            bonuses[a] = factor * math.sqrt(max(0.0, 2.0 * form))


@program
def _add_reward(
    state: LinearLayersState, layer: int, arm: int, context: Floats, reward: float
) -> bool:
    """Add a reward to a layer; return whether the arm's context is new."""
    observe(_ridge(state, layer), context, reward, 1.0)
    changed = state.known[arm] == 0.0
    state.known[arm] = 1.0
    for i in range(context.shape[0]):
        if state.contexts[i, arm] != context[i]:
            changed = True
            state.contexts[i, arm] = context[i]
    return changed


@program
def _update_estimates(state: LinearLayersState, layer: int) -> None:
    """Compute a layer's mean and width of each known arm."""
    widths = state.widths[layer]
    means = state.means[layer]
    score_columns(state.inverse[layer], state.theta[layer], state.contexts, means, widths)
    widths_to_bonuses(widths, 1.0)


def start_linear_layers(regression: Ridge, layering: Layering, arms: int) -> LinearLayersState:
    """Return layers without observations, each a copy of an empty regression."""
    dim, layers = regression.theta.shape[0], layering.chances.shape[0]
    check_array_size(layers, dim, dim)
    check_array_size(dim, arms)
    return LinearLayersState(
        inverse=np.repeat(regression.inverse[None], layers, axis=0),
        gram=np.repeat(regression.gram[None], layers, axis=0),
        moment=np.zeros((layers, dim)),
        theta=np.zeros((layers, dim)),
        tally=np.zeros((layers, 3)),
        contexts=np.zeros((dim, arms)),
        known=np.zeros(arms),
        means=np.zeros((layers, arms)),
        widths=np.zeros((layers, arms)),
        layering=layering,
    )
