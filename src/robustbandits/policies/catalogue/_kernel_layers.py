"""Layers of Gaussian processes with a kernel that is not linear.

A layer keeps one arms x arms matrix, exact for its whole history
(see ``kernels/gaussian_process.py``). A round costs O(arms²) for the one layer that learns, and
O(layers·arms) for the choice. While only n arms have had a reward, each of the others costs O(n²)
more. Memory is 8·(layers + 1)·arms² bytes and does not grow.

An arm keeps the context that came with its first reward.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.gaussian_process import (
    LOG_DET,
    Posterior,
    measure,
    predict_measured,
    predict_new,
    similarity,
)
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.size_limit import check_array_size
from robustbandits.policies._state_checks import check_index
from robustbandits.policies.catalogue._layers import (
    MEMO_LAYER,
    Layering,
    choose_by_bound,
    learn_in_layer,
    probability_by_bound,
)


class Similarity(NamedTuple):
    """A kernel and its lengthscale."""

    kind: int  # index into gaussian_process.KERNELS
    length: float


class KernelLayersState(NamedTuple):
    """What layers of Gaussian processes remember; see ``kernels/gaussian_process.py``."""

    precision: Floats  # (layers, arms, arms)
    pull: Floats  # (layers, arms)
    counts: Floats  # (layers, arms)
    sums: Floats  # (layers, arms)
    tally: Floats  # (layers, 2)
    contexts: Floats  # (dim, arms) of known arms, as they came with the first reward
    known: Floats  # (arms,) 1 if the arm has had a reward, else 0
    prior: Floats  # (arms, arms) kernel of known arms
    means: Floats  # (layers, arms) of known arms
    widths: Floats  # (layers, arms) of known arms: standard deviations, divided by √penalty
    similar: Similarity
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
        check_index("layer", memos[:, MEMO_LAYER], 0, len(self.precision))


@kernel
def _posterior(state: KernelLayersState, layer: int) -> Posterior:
    return Posterior(
        state.precision[layer],
        state.pull[layer],
        state.counts[layer],
        state.sums[layer],
        state.tally[layer],
        state.layering.radius.penalty,
    )


@kernel
def _width_factor(state: KernelLayersState, layer: int) -> float:
    """Factor on a width, the posterior's standard deviation over √λ, as for a ridge regression."""
    radius = state.layering.radius
    inside = state.tally[layer, LOG_DET] + 2.0 * math.log(1.0 / radius.delta)
    noise = radius.sigma * math.sqrt(inside)
    return noise + math.sqrt(radius.penalty) * radius.theta_bound + state.layering.extras[layer]


@program
def _score(
    state: KernelLayersState, contexts: Floats, layer: int, means: Floats, bonuses: Floats
) -> None:
    """Write each arm's mean and bonus in one layer."""
    arms = means.shape[0]
    factor = _width_factor(state, layer)
    unknown = 0
    for a in range(arms):
        means[a] = state.means[layer, a]
        bonuses[a] = factor * state.widths[layer, a]
        if state.known[a] == 0.0:
            unknown += 1
    if unknown == 0:
        return
    rows = np.zeros((arms, unknown))
    predicted = np.empty((2, unknown))
    for b in range(arms):
        j = 0
        for a in range(arms):
            if state.known[a] == 0.0:
                if state.counts[layer, b] > 0.0:
                    rows[b, j] = similarity(
                        state.similar.kind, state.similar.length, contexts, a, state.contexts, b
                    )
                j += 1
    predict_new(_posterior(state, layer), rows, predicted[0], predicted[1])
    j = 0
    for a in range(arms):
        if state.known[a] == 0.0:
            means[a] = predicted[0, j]
            bonuses[a] = factor * predicted[1, j]
            j += 1


@program
def _add_reward(
    state: KernelLayersState, layer: int, arm: int, context: Floats, reward: float
) -> bool:
    """Add a reward to a layer; return whether the arm is new."""
    new_arm = state.known[arm] == 0.0
    if new_arm:
        _add_arm(state, arm, context)
    measure(_posterior(state, layer), state.prior, arm, reward)
    return new_arm


@program
def _update_estimates(state: KernelLayersState, layer: int) -> None:
    """Compute a layer's mean and width of each known arm."""
    arms = state.known.shape[0]
    post = _posterior(state, layer)
    means = state.means[layer]
    widths = state.widths[layer]
    unmeasured = 0  # known arms without a reward in this layer
    for a in range(arms):
        if post.counts[a] > 0.0:
            predict_measured(post, a, means, widths)
        elif state.known[a] > 0.0:
            unmeasured += 1
    if unmeasured == 0:
        return
    rows = np.zeros((arms, unmeasured))
    predicted = np.empty((2, unmeasured))
    for b in range(arms):
        j = 0
        for a in range(arms):
            if post.counts[a] == 0.0 and state.known[a] > 0.0:
                rows[b, j] = state.prior[b, a]
                j += 1
    predict_new(post, rows, predicted[0], predicted[1])
    j = 0
    for a in range(arms):
        if post.counts[a] == 0.0 and state.known[a] > 0.0:
            means[a] = predicted[0, j]
            widths[a] = predicted[1, j]
            j += 1


@kernel
def _add_arm(state: KernelLayersState, arm: int, context: Floats) -> None:
    """Store a new arm's context, and its kernel with all known arms."""
    for i in range(context.shape[0]):
        state.contexts[i, arm] = context[i]
    state.known[arm] = 1.0
    for b in range(state.known.shape[0]):
        if state.known[b] > 0.0:
            value = similarity(
                state.similar.kind, state.similar.length, state.contexts, arm, state.contexts, b
            )
            state.prior[arm, b] = value
            state.prior[b, arm] = value


def start_kernel_layers(
    similar: Similarity, layering: Layering, dim: int, arms: int
) -> KernelLayersState:
    """Return layers without observations."""
    layers = layering.chances.shape[0]
    check_array_size(layers, arms, arms)
    check_array_size(dim, arms)
    return KernelLayersState(
        precision=np.zeros((layers, arms, arms)),
        pull=np.zeros((layers, arms)),
        counts=np.zeros((layers, arms)),
        sums=np.zeros((layers, arms)),
        tally=np.zeros((layers, 2)),
        contexts=np.zeros((dim, arms)),
        known=np.zeros(arms),
        prior=np.zeros((arms, arms)),
        means=np.zeros((layers, arms)),
        widths=np.zeros((layers, arms)),
        similar=similar,
        layering=layering,
    )
