"""The radius of LinUCB's confidence ellipsoid."""

from __future__ import annotations

import math
from typing import NamedTuple

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.ridge import LOG_DET, Ridge

RADII = ("trace", "det")


class Radius(NamedTuple):
    """How wide a confidence ellipsoid to draw."""

    by_determinant: bool
    sigma: float
    delta: float
    penalty: float
    context_bound: float
    theta_bound: float


@kernel
def radius_at(radius: Radius, ridge: Ridge, t: float) -> float:
    """Radius at round ``t``, counted from 1.

    ``trace`` is the paper's Eq. (1): ``σ√(d log((1 + tL²/λ)/δ)) + √λ S``. It is a valid bound for
    d >= 2 only. ``det`` is the tighter bound of Abbasi-Yadkori, Pál, Szepesvári (2011), Theorem 1:
    ``σ√(log det V - log det λI + 2 log(1/δ)) + √λ S``, valid for every d.
    """
    if radius.by_determinant:
        inside = ridge.tally[LOG_DET] + 2.0 * math.log(1.0 / radius.delta)
    else:
        bound = radius.context_bound
        growth = 1.0 + t * (bound * bound) / radius.penalty
        inside = ridge.theta.shape[0] * math.log(growth / radius.delta)
    return radius.sigma * math.sqrt(inside) + math.sqrt(radius.penalty) * radius.theta_bound
