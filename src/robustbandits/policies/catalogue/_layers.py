"""Layers: several posteriors of one reward function, each fed with a share of the rounds.

A layer that is drawn in one round of 2^ℓ meets about 2^-ℓ of what the attacker spends. Slow layers
know little, but what they know is nearly clean; fast ones are kept from straying beyond what the
slow ones think possible. Layers are counted from the fastest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from robustbandits.compiled.jit import program
from robustbandits.game import require
from robustbandits.game.problem import Problem
from robustbandits.kernels.gaussian_process import KERNELS, MIN_NOISE
from robustbandits.kernels.linalg import Floats
from robustbandits.policies._fixed_arms import CatalogueRecipe, refuse_changing_arms
from robustbandits.policies.linear._linear import TIES, LinearRecipe
from robustbandits.policies.linear._radius import Radius

#: Field of a decision's memo: the layer that was drawn.
LAYER = 0

SMOOTHNESS = {0.5: "matern-1/2", 1.5: "matern-3/2", 2.5: "matern-5/2"}


class Layering(NamedTuple):
    """How layers are drawn, and how far they look."""

    chances: Floats  # (layers,) probability of each
    extras: Floats  # (layers,) radius beside the one for noise
    radius: Radius
    shortlist: bool  # choose among arms that no slower layer rules out; else by the smallest bound
    first: bool  # among equal scores take the first arm


@program
def layered_scores(
    uppers: Floats, lowers: Floats, layer: int, shortlist: bool, out: Floats
) -> None:
    """Write what each arm is worth to a layer, given every layer's bounds on it.

    Either the smallest of its own upper bound and those of slower layers; or its own upper bound,
    if no slower layer, nor itself, holds another arm to be better for certain, and -∞ otherwise.
    If that leaves no arm, the next slower layer speaks in its place.
    """
    layers, arms = uppers.shape
    if not shortlist:
        for a in range(arms):
            out[a] = uppers[layer, a]
            for i in range(layer + 1, layers):
                out[a] = min(out[a], uppers[i, a])
        return
    listed = np.ones(arms)
    speaker = layers - 1
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
        speaker = i
        for a in range(arms):
            if not uppers[i, a] >= floor:
                listed[a] = 0.0
    for a in range(arms):
        out[a] = uppers[speaker, a] if listed[a] > 0.0 else -math.inf


def check_layers(memos: Floats, layers: int) -> None:
    """Refuse decisions of a layer that does not exist: a file may hold anything."""
    if not np.all(np.isin(memos[:, LAYER], np.arange(layers))):
        raise ValueError("it draws a layer that does not exist")


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
        λ, the variance that the regression ascribes to a reward.
    delta
        Probability with which the confidence bounds may fail.
    sigma
        Sub-Gaussian level of the noise: its standard deviation, if it is Gaussian.
    bonus_scale
        Factor on the part of the bonus that covers corruption; 1 is the theory's.
    ties
        Among equal scores take a ``"random"`` arm, or the ``"first"``.
    """

    kernel: str = "linear"
    lengthscale: float = 1.0
    smoothness: float = 2.5
    norm_bound: float | None = None
    ridge: float = 0.1
    delta: float = 0.01
    sigma: float = 0.1
    bonus_scale: float = 1.0
    ties: str = "random"

    def __post_init__(self) -> None:
        bound = self.norm_bound
        self._set(
            kernel=require.one_of("kernel", self.kernel, ("linear", "rbf", "matern")),
            lengthscale=require.positive("lengthscale", self.lengthscale),
            smoothness=require.positive("smoothness", self.smoothness),
            norm_bound=None if bound is None else require.positive("norm_bound", bound),
            ridge=require.positive("ridge", self.ridge),
            delta=require.fraction("delta", self.delta),
            sigma=require.at_least("sigma", self.sigma, 0.0),
            bonus_scale=require.at_least("bonus_scale", self.bonus_scale, 0.0),
            ties=require.one_of("ties", self.ties, TIES),
        )
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
        """Return layers that have seen nothing, fastest first."""
        # Imported here: a policy with one kind of kernel does not compile the other.
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
                f"{self.ridge!r}: with less, rounding decides what arms that are alike are worth"
            )
        name = "rbf" if self.kernel == "rbf" else SMOOTHNESS[self.smoothness]
        similar = _kernel_layers.Similarity(KERNELS.index(name), self.lengthscale)
        return _kernel_layers.start_kernel_layers(similar, layering, problem.dim, problem.arms)
