"""Layers of Gaussian processes with a kernel that is not linear.

A layer keeps one arms x arms matrix, exact for its whole history
(see ``kernels/gaussian_process.py``). A round costs O(arms²) for the one layer that learns, and
O(layers·arms) for the choice; while n arms have been played and others not, each of the others
costs O(n²) more. Memory: 8·(layers + 1)·arms² bytes, from the first round to the last.

The context of an arm is the one that came with its first reward, for good.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

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
from robustbandits.kernels.sampling import draw, largest, share_of_largest
from robustbandits.policies.catalogue._layers import LAYER, Layering, check_layers, layered_scores


class Similarity(NamedTuple):
    """A kernel: which, and its lengthscale."""

    kind: int
    length: float


class KernelLayersState(NamedTuple):
    """What layers of Gaussian processes remember: see ``kernels/gaussian_process.py``."""

    precision: Floats  # (layers, arms, arms)
    pull: Floats  # (layers, arms)
    counts: Floats  # (layers, arms)
    sums: Floats  # (layers, arms)
    tally: Floats  # (layers, 2)
    contexts: Floats  # (dim, arms) as first seen with a reward
    known: Floats  # (arms,) 1: that has happened
    prior: Floats  # (arms, arms) the kernel of known arms
    means: Floats  # (layers, arms) of known arms
    widths: Floats  # (layers, arms) of known arms: deviations, divided by the penalty's root
    similar: Similarity
    layering: Layering

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Draw a layer; play the arm that is worth most to it."""
        layer = 0
        if self.layering.chances.shape[0] > 1:
            layer = draw(self.layering.chances, rng)
        memo[LAYER] = layer
        scores = np.empty(contexts.shape[1])
        _worth(self, contexts, layer, scores)
        return largest(scores, rng, self.layering.first)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Teach the layer that was drawn."""
        _learn(self, arm, context, reward, int(memo[LAYER]))

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean and bonus, in the decision's layer or else the fastest."""
        layer = int(max(0.0, memo[LAYER]))
        _look(self, contexts, layer, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm, over the draw of the layer."""
        scores = np.empty(contexts.shape[1])
        for a in range(out.shape[0]):
            out[a] = 0.0
        for layer in range(self.layering.chances.shape[0]):
            _worth(self, contexts, layer, scores)
            share_of_largest(scores, self.layering.first, self.layering.chances[layer], out)

    def check(self, memos: Floats) -> None:
        """Refuse memos (one a row) that would lead a kernel out of its arrays."""
        check_layers(memos, self.precision.shape[0])


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
def _factor(state: KernelLayersState, layer: int) -> float:
    """Radius in units of the posterior's deviation over √λ, as a ridge regression has it."""
    radius = state.layering.radius
    inside = state.tally[layer, LOG_DET] + 2.0 * math.log(1.0 / radius.delta)
    noise = radius.sigma * math.sqrt(inside)
    return noise + math.sqrt(radius.penalty) * radius.theta_bound + state.layering.extras[layer]


@program
def _look(
    state: KernelLayersState, contexts: Floats, layer: int, means: Floats, bonuses: Floats
) -> None:
    """Write each arm's mean and bonus in one layer."""
    arms = means.shape[0]
    factor = _factor(state, layer)
    strangers = 0
    for a in range(arms):
        means[a] = state.means[layer, a]
        bonuses[a] = factor * state.widths[layer, a]
        if state.known[a] == 0.0:
            strangers += 1
    if strangers == 0:
        return
    rows = np.zeros((arms, strangers))
    found = np.empty((2, strangers))
    for b in range(arms):
        j = 0
        for a in range(arms):
            if state.known[a] == 0.0:
                if state.counts[layer, b] > 0.0:
                    rows[b, j] = similarity(
                        state.similar.kind, state.similar.length, contexts, a, state.contexts, b
                    )
                j += 1
    predict_new(_posterior(state, layer), rows, found[0], found[1])
    j = 0
    for a in range(arms):
        if state.known[a] == 0.0:
            means[a] = found[0, j]
            bonuses[a] = factor * found[1, j]
            j += 1


@program
def _worth(state: KernelLayersState, contexts: Floats, layer: int, out: Floats) -> None:
    """Write what each arm is worth to a layer."""
    layers, arms = state.means.shape
    uppers = np.empty((layers, arms))
    lowers = np.empty((layers, arms))
    means = np.empty(arms)
    bonuses = np.empty(arms)
    for i in range(layer, layers):
        _look(state, contexts, i, means, bonuses)
        for a in range(arms):
            uppers[i, a] = means[a] + bonuses[a]
            lowers[i, a] = means[a] - bonuses[a]
    layered_scores(uppers, lowers, layer, state.layering.shortlist, out)


@program
def _learn(state: KernelLayersState, arm: int, context: Floats, reward: float, layer: int) -> None:
    """Add an observation to a layer, and look at the arms anew."""
    news = state.known[arm] == 0.0
    if news:
        _meet(state, arm, context)
    measure(_posterior(state, layer), state.prior, arm, reward)
    for i in range(state.means.shape[0]):
        if news or i == layer:
            _refresh(state, i)


@program
def _refresh(state: KernelLayersState, layer: int) -> None:
    """Note the mean and the width of each known arm in one layer."""
    arms = state.known.shape[0]
    post = _posterior(state, layer)
    means = state.means[layer]
    widths = state.widths[layer]
    fresh = 0
    for a in range(arms):
        if post.counts[a] > 0.0:
            predict_measured(post, a, means, widths)
        elif state.known[a] > 0.0:
            fresh += 1
    if fresh == 0:
        return
    rows = np.zeros((arms, fresh))
    found = np.empty((2, fresh))
    for b in range(arms):
        j = 0
        for a in range(arms):
            if post.counts[a] == 0.0 and state.known[a] > 0.0:
                rows[b, j] = state.prior[b, a]
                j += 1
    predict_new(post, rows, found[0], found[1])
    j = 0
    for a in range(arms):
        if post.counts[a] == 0.0 and state.known[a] > 0.0:
            means[a] = found[0, j]
            widths[a] = found[1, j]
            j += 1


@kernel
def _meet(state: KernelLayersState, arm: int, context: Floats) -> None:
    """Note a new arm, and how similar it is to those known."""
    for i in range(context.shape[0]):
        state.contexts[i, arm] = context[i]
    state.known[arm] = 1.0
    for b in range(state.known.shape[0]):
        if state.known[b] > 0.0:
            alike = similarity(
                state.similar.kind, state.similar.length, state.contexts, arm, state.contexts, b
            )
            state.prior[arm, b] = alike
            state.prior[b, arm] = alike


def start_kernel_layers(
    similar: Similarity, layering: Layering, dim: int, arms: int
) -> KernelLayersState:
    """Return layers that have seen nothing."""
    layers = layering.chances.shape[0]
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
