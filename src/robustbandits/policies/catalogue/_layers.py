"""Layers of posteriors of one reward function: what the three GP-UCB policies share.

Each layer learns from a random share of the rounds. A layer that is drawn in one round of 2^ℓ sees
about 2^-ℓ of what the attacker spends. Slow layers learn from few rewards, but these are nearly
uncorrupted; they limit which arms the fast layers may prefer. The fastest layer comes first.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.calls import calls_kernel
from robustbandits.compiled.jit import kernel, program
from robustbandits.game import require
from robustbandits.game.parameters import NonNegative, Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.game.ridge_limit import counted_rounds, refuse_ridge_below
from robustbandits.game.verbs import MEMO, score
from robustbandits.kernels.gaussian_process import KERNELS, MAX_RATIO, MIN_NOISE
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import largest, share_of_largest
from robustbandits.kernels.size_limit import check_array_size
from robustbandits.policies._fixed_arms import CatalogueRecipe, refuse_changing_arms
from robustbandits.policies.linear._linear import LinearRecipe, Radius, Ties

# Field of the memo: the layer that will learn.
MEMO_LAYER = 0

#: Factor on the bonus by which a layer explores.
Alpha = Annotated[float, functools.partial(require.at_least, low=1.0)]

SMOOTHNESS = {0.5: "matern-1/2", 1.5: "matern-3/2", 2.5: "matern-5/2"}


class Layering(NamedTuple):
    """How layers are drawn, and how wide their confidence bounds are."""

    chances: Floats  # (layers,) probability of each layer
    extras: Floats  # (layers,) added to the radius, which covers the noise only
    radius: Radius
    first: bool  # among equal scores choose the first arm


# ------------------------------------------- what linear and other posteriors have in common


@calls_kernel("add_reward")
def add_reward(self: Any, layer: int, arm: int, context: Floats, reward: float) -> bool:
    """Add a reward to a layer; return whether the arm, or its context, is new to all layers."""
    is_new: bool = self.add_reward(layer, arm, context, reward)
    return is_new


@calls_kernel("update_estimates")
def update_estimates(self: Any, layer: int) -> None:
    """Compute a layer's mean and width of each arm that has had a reward."""
    self.update_estimates(layer)


@calls_kernel("width_factor")
def width_factor(self: Any, layer: int) -> float:
    """Return the factor by which a layer's widths become bonuses."""
    factor: float = self.width_factor(layer)
    return factor


@kernel
def learn_in_layer(state: Any, arm: int, context: Floats, reward: float, layer: int) -> bool:
    """Add a reward to a layer, and compute the estimates that it changes.

    Returns whether the arm, or its context, is new to all layers.
    """
    is_new = add_reward(state, layer, arm, context, reward)
    for i in range(state.means.shape[0]):
        if is_new or i == layer:
            update_estimates(state, i)
    return is_new


@program
def upper_bounds(state: Any, contexts: Floats, layer: int, scale: float, out: Floats) -> None:
    """Write each arm's mean in a layer plus ``scale`` times its bonus."""
    bonuses = np.empty(out.shape[0])
    memo = np.zeros(MEMO)
    memo[MEMO_LAYER] = layer
    score(state, contexts, memo, out, bonuses)
    for a in range(out.shape[0]):
        out[a] += scale * bonuses[a]


@kernel
def choose_by_bound(state: Any, contexts: Floats, rng: Generator) -> int:
    """Return the arm with the largest upper bound in the first layer, which may be the only one."""
    scores = np.empty(contexts.shape[1])
    upper_bounds(state, contexts, 0, 1.0, scores)
    return largest(scores, rng, state.layering.first)


@kernel
def probability_by_bound(state: Any, contexts: Floats, out: Floats) -> None:
    """Write the probability with which :func:`choose_by_bound` returns each arm."""
    scores = np.empty(contexts.shape[1])
    upper_bounds(state, contexts, 0, 1.0, scores)
    out[:] = 0.0
    share_of_largest(scores, state.layering.first, 1.0, out)


# --------------------------------------------------------------------------- running bounds


class RunningBounds(NamedTuple):
    """The tightest bounds that layers have ever had of known arms, those with a reward."""

    highs: Floats  # (layers, arms) smallest upper bound; 0 for unknown arms
    lows: Floats  # (layers, arms) largest lower bound; 0 for unknown arms


def start_bounds(layers: int, arms: int) -> RunningBounds:
    """Return running bounds before any arm is known."""
    check_array_size(layers, arms)
    return RunningBounds(np.zeros((layers, arms)), np.zeros((layers, arms)))


@program
def narrow(bounds: RunningBounds, state: Any, layer: int, arm: int, is_new: bool) -> None:
    """Intersect a layer's running bounds with its present ones.

    A new arm, or one with a new context, gets the present bounds of all layers.
    """
    for i in range(bounds.highs.shape[0]):
        if i == layer or is_new:
            factor = width_factor(state, i)
            for a in range(bounds.highs.shape[1]):
                high = state.means[i, a] + factor * state.widths[i, a]
                low = state.means[i, a] - factor * state.widths[i, a]
                if is_new and a == arm:
                    bounds.highs[i, a] = high
                    bounds.lows[i, a] = low
                elif i == layer and state.known[a] > 0.0:
                    bounds.highs[i, a] = min(bounds.highs[i, a], high)
                    bounds.lows[i, a] = max(bounds.lows[i, a], low)


@kernel
def count_unknown(known: Floats) -> int:
    """Return how many arms have had no reward."""
    unknown = 0
    for a in range(known.shape[0]):
        if known[a] == 0.0:
            unknown += 1
    return unknown


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
        probabilities: list[float],
        extras: list[float],
        *,
        delta: float,
    ) -> Any:
        """Return posteriors without observations, one for each layer, the fastest first."""
        # Imported here, so that a policy with a linear covariance does not compile the code for the
        # others, or the reverse.
        from robustbandits.policies.catalogue import _kernel_layers, _linear_layers

        refuse_changing_arms(problem, self.name)
        layering = Layering(
            chances=np.array(probabilities),
            extras=self.bonus_scale * np.array(extras),
            radius=Radius(
                by_determinant=True,
                sigma=self.sigma,
                delta=delta,
                penalty=self.ridge,
                context_bound=problem.context_bound,
                theta_bound=problem.theta_bound if self.norm_bound is None else self.norm_bound,
            ),
            first=self.ties == "first",
        )
        if self.kernel == "linear":
            regression = LinearRecipe(ridge=self.ridge).start_regression(problem)
            return _linear_layers.start_linear_layers(regression, layering, problem.arms)
        smallest = max(MIN_NOISE, counted_rounds(problem) / MAX_RATIO)
        cause = f"kernel={self.kernel!r}"
        refuse_ridge_below(smallest, problem, self.ridge, cause, "raise ridge")
        name = "rbf" if self.kernel == "rbf" else SMOOTHNESS[self.smoothness]
        similar = _kernel_layers.Similarity(KERNELS.index(name), self.lengthscale)
        return _kernel_layers.start_kernel_layers(similar, layering, problem.dim, problem.arms)
