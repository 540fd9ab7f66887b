"""EXP3 over a few candidates, with weights kept as logarithms.

Subtracting the largest logarithm before each exponential keeps every number finite. With plain
weights, the update in RobustBandit's paper would overflow in the first epoch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats


class Exp3(NamedTuple):
    """Exponential weights over a few candidates."""

    log_weights: Floats  # (candidates,)
    alpha: float  # share of uniform exploration


def start_exp3(candidates: int, alpha: float) -> Exp3:
    """Return equal weights."""
    return Exp3(np.zeros(candidates), alpha)


def exp3_alpha(candidates: int, plays: float) -> float:
    """Return ``min{1, √(N ln N / ((e-1) g))}`` for N candidates and at most g plays.

    With rewards in [0, 1] EXP3's regret is then at most ``2.63 √(g N ln N)``
    (Auer, Cesa-Bianchi, Freund, Schapire 2002, Corollary 3.2).
    """
    return min(1.0, math.sqrt(candidates * math.log(candidates) / ((math.e - 1.0) * plays)))


@kernel
def exponentials(logs: Floats, out: Floats) -> float:
    """Write exponentials, divided by the largest of them; return their sum."""
    top = logs[0]
    for j in range(1, logs.shape[0]):
        top = max(top, logs[j])
    total = 0.0
    for j in range(logs.shape[0]):
        out[j] = math.exp(logs[j] - top)
        total += out[j]
    return total


@kernel
def exp3_probabilities(exp3: Exp3, out: Floats) -> None:
    """Write the probability of each candidate; none is below ``alpha / N``."""
    size = exp3.log_weights.shape[0]
    scale = (1.0 - exp3.alpha) / exponentials(exp3.log_weights, out)
    floor = exp3.alpha / size
    for j in range(size):
        out[j] = scale * out[j] + floor


@kernel
def exp3_update(exp3: Exp3, candidate: int, reward: float, probability: float) -> None:
    """Add the reward of a candidate that was drawn with this probability."""
    size = exp3.log_weights.shape[0]
    exp3.log_weights[candidate] += exp3.alpha / size * (reward / probability)
