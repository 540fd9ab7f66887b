"""Layers of ridge regressions: a Gaussian process with a linear kernel.

The arms are always the same, so a layer's estimates change only when it learns. They are worked
out then, once, for every arm whose context is known from an earlier reward; an arm that has not
answered yet is looked at when there is something to choose. A round costs O(arms·dim²) for the one
layer that learns, and O(layers·arms) for the choice.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import Ridge, observe
from robustbandits.kernels.sampling import draw, largest, share_of_largest
from robustbandits.kernels.scoring import score_columns
from robustbandits.policies.catalogue._layers import LAYER, Layering, check_layers, layered_scores
from robustbandits.policies.linear._radius import radius_at


class LinearLayersState(NamedTuple):
    """What layers of ridge regressions remember; see :mod:`~robustbandits.kernels.ridge`."""

    inverse: Floats  # (layers, dim, dim)
    gram: Floats  # (layers, dim, dim)
    moment: Floats  # (layers, dim)
    theta: Floats  # (layers, dim)
    tally: Floats  # (layers, 3)
    contexts: Floats  # (dim, arms) as last seen with a reward
    known: Floats  # (arms,) 1: that has happened
    means: Floats  # (layers, arms) of known arms
    widths: Floats  # (layers, arms) of known arms, in the norm of the inverse
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
        check_layers(memos, self.inverse.shape[0])


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


@program
def _look(
    state: LinearLayersState, contexts: Floats, layer: int, means: Floats, bonuses: Floats
) -> None:
    """Write each arm's mean and bonus in one layer."""
    ridge = _ridge(state, layer)
    factor = radius_at(state.layering.radius, ridge, 0.0) + state.layering.extras[layer]
    for a in range(means.shape[0]):
        means[a] = state.means[layer, a]
        bonuses[a] = factor * state.widths[layer, a]
        if state.known[a] == 0.0:
            mean = 0.0
            form = 0.0
            for i in range(contexts.shape[0]):  # in the very order of score_columns
                mean += ridge.theta[i] * contexts[i, a]
                inner = 0.5 * ridge.inverse[i, i] * contexts[i, a]
                for j in range(i):
                    inner += ridge.inverse[i, j] * contexts[j, a]
                form += inner * contexts[i, a]
            means[a] = mean
            bonuses[a] = factor * math.sqrt(max(0.0, 2.0 * form))


@program
def _worth(state: LinearLayersState, contexts: Floats, layer: int, out: Floats) -> None:
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
def _learn(state: LinearLayersState, arm: int, context: Floats, reward: float, layer: int) -> None:
    """Add an observation to a layer, and look at the arms anew."""
    observe(_ridge(state, layer), context, reward, 1.0)
    news = state.known[arm] == 0.0
    state.known[arm] = 1.0
    for i in range(context.shape[0]):
        if state.contexts[i, arm] != context[i]:
            news = True
            state.contexts[i, arm] = context[i]
    for i in range(state.means.shape[0]):
        if news or i == layer:
            widths = state.widths[i]
            score_columns(state.inverse[i], state.theta[i], state.contexts, state.means[i], widths)
            for a in range(widths.shape[0]):
                widths[a] = math.sqrt(max(0.0, widths[a]))


def start_linear_layers(regression: Ridge, layering: Layering, arms: int) -> LinearLayersState:
    """Return layers that have seen nothing, each a copy of a fresh regression."""
    dim, layers = regression.theta.shape[0], layering.chances.shape[0]
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
