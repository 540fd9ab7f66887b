"""The ridge regression of attacks that estimate mean rewards from what they see."""

from __future__ import annotations

import math

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats, copy_column, dot, multiply
from robustbandits.kernels.ridge import COUNT, Ridge, observe


@kernel
def learn_arm(ridge: Ridge, scene: Scene, arm: int, reward: float) -> None:
    """Learn the reward of an arm of this round."""
    context = np.empty(scene.contexts.shape[0])
    copy_column(scene.contexts, arm, context)
    observe(ridge, context, reward, 1.0)


@kernel
def radius(ridge: Ridge, sigma: float, delta: float) -> float:
    """Return by how many widths an estimate may be wrong; all hold with probability 1 - delta."""
    growth = math.log((1.0 + ridge.tally[COUNT] / ridge.penalty) / delta)
    return sigma * math.sqrt(ridge.theta.shape[0] * growth) + math.sqrt(ridge.penalty)


@kernel
def width(inverse: Floats, context: Floats, direction: Floats) -> float:
    """Return √(xᵀ V⁻¹ x) of a context, and write V⁻¹ x into ``direction``."""
    multiply(inverse, context, direction)
    return math.sqrt(max(0.0, dot(context, direction)))
