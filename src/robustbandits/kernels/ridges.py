"""Several ridge regressions of one size, stacked: layers, levels, base learners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import Ridge, reset_ridge


class Ridges(NamedTuple):
    """Ridge regressions in progress; the first axis tells them apart."""

    inverse: Floats  # (count, dim, dim)
    gram: Floats  # (count, dim, dim)
    moment: Floats  # (count, dim)
    theta: Floats  # (count, dim)
    tally: Floats  # (count, 3)
    penalty: float


def start_ridges(count: int, dim: int, penalty: float) -> Ridges:
    """Return regressions that have seen nothing."""
    eye = np.eye(dim)
    return Ridges(
        inverse=np.tile(eye * (1.0 / penalty), (count, 1, 1)),
        gram=np.tile(eye * penalty, (count, 1, 1)),
        moment=np.zeros((count, dim)),
        theta=np.zeros((count, dim)),
        tally=np.zeros((count, 3)),
        penalty=float(penalty),
    )


@kernel
def ridge_at(ridges: Ridges, index: int) -> Ridge:
    """One of them, to be read and changed in place."""
    return Ridge(
        ridges.inverse[index],
        ridges.gram[index],
        ridges.moment[index],
        ridges.theta[index],
        ridges.tally[index],
        ridges.penalty,
    )


@program
def reset_ridges(ridges: Ridges) -> None:
    """Let all of them forget everything."""
    for index in range(ridges.inverse.shape[0]):
        reset_ridge(ridge_at(ridges, index))
