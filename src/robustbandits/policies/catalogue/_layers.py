"""Layers of posteriors of one reward function: what the three GP-UCB policies share.

Each layer learns from a random share of the rounds. A layer that is drawn in one round of 2^ℓ sees
about 2^-ℓ of what the attacker spends. Slow layers know little, but what they know is nearly
uncorrupted; they limit which arms the fast layers may prefer. The fastest layer comes first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.game.parameters import NonNegative, Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO, score
from robustbandits.kernels.gaussian_process import KERNELS, MIN_NOISE
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import draw, largest, share_of_largest
from robustbandits.policies._fixed_arms import CatalogueRecipe, refuse_changing_arms
from robustbandits.policies.linear._linear import LinearRecipe, Radius, Ties

# Field of the memo: the layer that was drawn.
MEMO_LAYER = 0

SMOOTHNESS = {0.5: "matern-1/2", 1.5: "matern-3/2", 2.5: "matern-5/2"}


class Layering(NamedTuple):
    """How layers are drawn, and how wide their confidence bounds are."""

    chances: Floats  # (layers,) probability of each layer
    extras: Floats  # (layers,) what is added to the radius that covers the noise
    radius: Radius
    shortlist: bool  # choose among arms that no slower layer rules out; else by the smallest bound
    first: bool  # among equal scores choose the first arm


@kernel
def choose_in_layer(state: Any, contexts: Floats, rng: Generator, memo: Floats) -> int:
    """Draw a layer and return the arm with the largest score in it."""
    layer = 0
    if state.layering.chances.shape[0] > 1:
        layer = draw(state.layering.chances, rng)
    memo[MEMO_LAYER] = layer
    scores = np.empty(contexts.shape[1])
    _scores_in_layer(state, contexts, layer, scores)
    return largest(scores, rng, state.layering.first)


@kernel
def probability_over_layers(state: Any, contexts: Floats, out: Floats) -> None:
    """Write the probability of each arm over the draw of the layer."""
    scores = np.empty(contexts.shape[1])
    out[:] = 0.0
    for layer in range(state.layering.chances.shape[0]):
        _scores_in_layer(state, contexts, layer, scores)
        share_of_largest(scores, state.layering.first, state.layering.chances[layer], out)


@program
def _scores_in_layer(state: Any, contexts: Floats, layer: int, out: Floats) -> None:
    """Write the score of each arm in a layer; the state's `score` knows one layer at a time."""
    layers, arms = state.means.shape
    uppers = np.empty((layers, arms))
    lowers = np.empty((layers, arms))
    means = np.empty(arms)
    bonuses = np.empty(arms)
    memo = np.empty(MEMO)
    for i in range(layer, layers):
        memo[MEMO_LAYER] = i
        score(state, contexts, memo, means, bonuses)
        for a in range(arms):
            uppers[i, a] = means[a] + bonuses[a]
            lowers[i, a] = means[a] - bonuses[a]
    layered_scores(uppers, lowers, layer, state.layering.shortlist, out)


@program
def layered_scores(
    uppers: Floats, lowers: Floats, layer: int, shortlist: bool, out: Floats
) -> None:
    """Write the score of each arm in a layer, given every layer's bounds.

    Without a shortlist the score is the smallest upper bound of this layer and slower ones. With a
    shortlist it is this layer's upper bound for arms that neither this layer nor a slower one knows
    to be worse than another, and -∞ for the others. If that leaves no arm, the next slower layer
    takes this one's place.
    """
    layers, arms = uppers.shape
    if not shortlist:
        for a in range(arms):
            out[a] = uppers[layer, a]
            for i in range(layer + 1, layers):
                out[a] = min(out[a], uppers[i, a])
        return
    listed = np.ones(arms)
    deciding = layers - 1
    for step in range(layers - layer):
        i = layers - 1 - step
        floor = lowers[i, 0]
        for a in range(1, arms):
            floor = max(floor, lowers[i, a])
        remain = 0
        for a in range(arms):
            if listed[a] > 0.0 and uppers[i, a] >= floor:
                remain += 1
        if remain == 0:
            break
        deciding = i
        for a in range(arms):
            if not uppers[i, a] >= floor:
                listed[a] = 0.0
    for a in range(arms):
        out[a] = uppers[deciding, a] if listed[a] > 0.0 else -math.inf


@dataclass(frozen=True, kw_only=True)
class LayeredRecipe(CatalogueRecipe):
    """Parameters that every policy with Gaussian processes has.

    Parameters
    ----------
    kernel
        ``"linear"``: the mean reward is linear in the context; a layer is one ridge regression,
        two dim x dim matrices. ``"rbf"`` or ``"matern"``: it is a smooth function of the context; a
        layer is one arms x arms matrix, exact for the whole history (see
        :mod:`~robustbandits.kernels.gaussian_process`).
    lengthscale
        Distance over which the mean reward changes (not with ``"linear"``).
    smoothness
        ν of the Matérn kernel: 0.5, 1.5 or 2.5.
    norm_bound
        Bound on the norm of the mean reward in the kernel's space; None for the problem's bound on
        theta, which is that norm when the kernel is linear.
    ridge
        λ, the variance of a reward that the regression assumes.
    delta
        Probability with which the confidence bounds may fail.
    sigma
        Sub-Gaussian level of the noise: its standard deviation if it is Gaussian.
    bonus_scale
        Factor on the part of the bonus that covers corruption; 1 is the theory's.
    ties
        Among equal scores choose a ``"random"`` arm, or the ``"first"``.
    """

    kernel: Literal["linear", "rbf", "matern"] = "linear"
    lengthscale: Positive = 1.0
    smoothness: Positive = 2.5
    norm_bound: Positive | None = None
    ridge: Positive = 0.1
    delta: Probability = 0.01
    sigma: NonNegative = 0.1
    bonus_scale: NonNegative = 1.0
    ties: Ties = "random"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smoothness not in SMOOTHNESS:
            raise ValueError(f"smoothness must be 0.5, 1.5 or 2.5, got {self.smoothness!r}")

    def start_layers(
        self,
        problem: Problem,
        chances: list[float],
        extras: list[float],
        *,
        delta: float,
        shortlist: bool = False,
    ) -> Any:
        """Return layers without observations, the fastest first."""
        # Imported here, so that a policy with one kind of kernel does not compile the other.
        from robustbandits.policies.catalogue import _kernel_layers, _linear_layers

        refuse_changing_arms(problem, self.name)
        layering = Layering(
            chances=np.array(chances),
            extras=self.bonus_scale * np.array(extras),
            radius=Radius(
                by_determinant=True,
                sigma=self.sigma,
                delta=delta,
                penalty=self.ridge,
                context_bound=problem.context_bound,
                theta_bound=problem.theta_bound if self.norm_bound is None else self.norm_bound,
            ),
            shortlist=shortlist,
            first=self.ties == "first",
        )
        if self.kernel == "linear":
            regression = LinearRecipe(ridge=self.ridge).start_regression(problem)
            return _linear_layers.start_linear_layers(regression, layering, problem.arms)
        if self.ridge < MIN_NOISE:
            raise ValueError(
                f"ridge must be at least {MIN_NOISE:g} for kernel={self.kernel!r}, got "
                f"{self.ridge!r}: with less, rounding errors dominate for similar arms"
            )
        name = "rbf" if self.kernel == "rbf" else SMOOTHNESS[self.smoothness]
        similar = _kernel_layers.Similarity(KERNELS.index(name), self.lengthscale)
        return _kernel_layers.start_kernel_layers(similar, layering, problem.dim, problem.arms)
