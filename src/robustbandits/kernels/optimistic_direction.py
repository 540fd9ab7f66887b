"""The arm with the largest upper confidence bound, if every vector of the unit ball is an arm.

The bound of an arm x is ``x·θ + b √(xᵀ A x)``, where A is positive definite. It is convex, so it is
largest on the sphere. There its gradient is a multiple of x, which gives ``x ∝ (μI - A)⁻¹ θ`` for
a number μ that is at least the largest eigenvalue a of A. With the eigenvalues a_i and the
coordinates c_i of θ along the eigenvectors, the excess ``e = μ - a`` is the solution of ::

    Σ a_i c_i² / (e + a - a_i)² = b²

The sum decreases in e. To the power -1/2 it is concave, so Newton's method approaches the solution
from below. There is no solution if θ has no share along the eigenvectors of a, and b is large: then
e = 0, and x has a share along such an eigenvector, of either sign. (Equivalently, x points along
the longest vector of the confidence ellipsoid around θ.)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats, dot, multiply
from robustbandits.kernels.tridiagonal import (
    diagonalize_along,
    from_tridiagonal,
    solve_shifted,
    to_tridiagonal,
    tridiagonalize,
)

#: If the bonus is this small relative to the mean, the best arm points along θ, up to rounding
#: errors.
NO_BONUS = 1e-9
#: Below this excess, relative to a, the share along the eigenvector of a is computed separately.
SMALL_EXCESS = 1e-10
#: How far above a, relative to a, inverse iteration is safe from the rounding errors of a.
SAFE = 1e-12
#: Eigenvalues this close to the largest one, relative to it, count as equal to it.
EQUAL = 1e-13
#: Number of last steps, which remove rounding errors: each goes to the unit vector along the
#: gradient.
POLISHING_STEPS = 2


@program
def optimistic_direction(
    matrix: Floats, theta: Floats, factor: float, rng: Generator, out: Floats
) -> None:
    """Write the unit vector x with the largest ``theta·x + factor √(xᵀ matrix x)``.

    Draws from ``rng`` only if there is more than one.
    """
    dim = theta.shape[0]
    trace = 0.0
    for i in range(dim):
        trace += matrix[i, i]
    length = math.sqrt(dot(theta, theta))
    bonus = factor * math.sqrt(trace)  # no arm has a larger one
    for i in range(dim):
        out[i] = theta[i]
    if bonus <= NO_BONUS * length:
        if length == 0.0:
            _draw_direction(rng, out)
        _normalize(out)
        return
    scaled, scale = np.empty((dim, dim)), 1.0 / max(length, bonus)
    for i in range(dim):
        out[i] *= scale
        for j in range(dim):
            scaled[i, j] = matrix[i, j] / trace
    _solve(scaled, bonus * scale, rng, out)
    _normalize(out)
    _polish(matrix, theta, factor, out)


@program
def _draw_direction(rng: Generator, out: Floats) -> None:
    for i in range(out.shape[0]):
        out[i] = rng.standard_normal()


@kernel
def _normalize(vector: Floats) -> None:
    length = math.sqrt(dot(vector, vector))
    for i in range(vector.shape[0]):
        vector[i] /= length


@kernel
def _solve(matrix: Floats, factor: float, rng: Generator, vector: Floats) -> None:
    """Replace θ by a multiple of the arm. The matrix, of trace 1, is overwritten."""
    dim = vector.shape[0]
    diagonal, off_diagonal, work = np.empty(dim), np.empty(dim), np.empty(dim)
    off_diagonal[dim - 1] = 0.0
    tridiagonalize(matrix, diagonal, off_diagonal, work)
    to_tridiagonal(matrix, vector)
    eigenvalues, shares = np.empty(dim), np.empty(dim)
    for i in range(dim):
        eigenvalues[i] = diagonal[i]
        shares[i] = vector[i]
        work[i] = off_diagonal[i]
    diagonalize_along(eigenvalues, work, shares)
    largest, along = _largest(eigenvalues, shares)
    excess, rest = _find_excess(eigenvalues, shares, largest, factor)
    if excess > SMALL_EXCESS * largest:
        solve_shifted(diagonal, off_diagonal, largest + excess, vector, work)
    else:
        _solve_near_eigenvalue(
            diagonal, off_diagonal, (largest, excess), (along, rest, factor), rng, vector
        )
    from_tridiagonal(matrix, vector)


@kernel
def _largest(eigenvalues: Floats, shares: Floats) -> tuple[float, float]:
    """Return the largest eigenvalue, and how much of θ lies along its eigenvectors."""
    largest, along = 0.0, 0.0
    for i in range(eigenvalues.shape[0]):
        largest = max(largest, eigenvalues[i])
    for i in range(eigenvalues.shape[0]):
        eigenvalues[i] = max(0.0, eigenvalues[i])
        if eigenvalues[i] >= largest * (1.0 - EQUAL):
            eigenvalues[i] = largest
            along += shares[i] * shares[i]
    return largest, math.sqrt(along)


@program
def _find_excess(
    eigenvalues: Floats, shares: Floats, largest: float, factor: float
) -> tuple[float, float]:
    """Return e, and the sum without the terms of the largest eigenvalue."""
    excess = 0.0
    for i in range(shares.shape[0]):
        bound = math.sqrt(eigenvalues[i]) * abs(shares[i]) / factor
        excess = max(excess, bound - (largest - eigenvalues[i]))
    rest = 0.0
    for _ in range(100):
        total, slope, rest = 0.0, 0.0, 0.0
        for i in range(shares.shape[0]):
            if shares[i] != 0.0:
                divisor = excess + (largest - eigenvalues[i])
                if divisor > 0.0:
                    term = eigenvalues[i] * (shares[i] / divisor) * (shares[i] / divisor)
                    total += term
                    slope += term / divisor
                    if eigenvalues[i] < largest:
                        rest += term
        if slope == 0.0:
            break
        step = (math.sqrt(total) / factor - 1.0) * total / slope
        if not step > 1e-15 * excess:
            break
        excess += step
    return excess, rest


@program
def _solve_near_eigenvalue(
    diagonal: Floats,
    off_diagonal: Floats,
    shift: tuple[float, float],
    terms: tuple[float, float, float],
    rng: Generator,
    vector: Floats,
) -> None:
    """Replace θ by a multiple of the arm if the excess is so small that a plain solution fails.

    The share along the eigenvector of the largest eigenvalue follows from the equation for e.
    """
    largest, excess = shift
    along, rest, factor = terms
    dim = vector.shape[0]
    axis, work = vector.copy(), np.empty(dim)
    tied = along <= 1e-14
    if tied:  # two arms, or a whole circle or sphere of them, are equally good: draw one
        _draw_direction(rng, axis)
    for _ in range(4):
        solve_shifted(diagonal, off_diagonal, largest * (1.0 + SAFE), axis, work)
        _normalize(axis)
    share = dot(vector, axis)
    sign = math.copysign(1.0, share)
    if tied:
        sign = 1.0 if rng.random() < 0.5 else -1.0
    for i in range(dim):
        vector[i] -= share * axis[i]
    solve_shifted(diagonal, off_diagonal, largest + max(excess, SAFE * largest), vector, work)
    off = dot(vector, axis)
    missing = math.sqrt(max(0.0, factor * factor - rest) * largest)
    weight = (sign * missing + share) / (largest + excess) - off
    for i in range(dim):
        vector[i] += weight * axis[i]


@program
def _polish(matrix: Floats, theta: Floats, factor: float, x: Floats) -> None:
    """Remove rounding errors from the arm x."""
    image = np.empty(x.shape[0])
    for _ in range(POLISHING_STEPS):
        multiply(matrix, x, image)
        pull = factor / math.sqrt(max(1e-300, dot(x, image)))
        for i in range(x.shape[0]):
            x[i] = theta[i] + pull * image[i]
        _normalize(x)
