"""Symmetric matrices as tridiagonal ones: fewer operations than for all eigenvectors.

A symmetric matrix A is ``Q T Qᵀ`` with a tridiagonal T and a product Q of reflections. After that,
systems with T take O(d), and the eigenvalues of T, with the coordinates of one vector along its
eigenvectors, take O(d²).
"""

from __future__ import annotations

import math

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats

#: An entry off the diagonal is zero if it is this small relative to its neighbors on the diagonal.
NEGLIGIBLE = 1e-16
#: Largest number of steps for one eigenvalue. Two are usual.
MAX_STEPS = 60


@program
def tridiagonalize(matrix: Floats, diagonal: Floats, off_diagonal: Floats, work: Floats) -> None:
    """Reduce a symmetric matrix in place; write the diagonal of T, and the entries next to it.

    Row k of the matrix then holds, from column k + 1 on, the vector v of reflection k, which is
    ``I - v vᵀ``. ``work`` has room for d numbers.
    """
    dim = matrix.shape[0]
    for k in range(dim - 1):
        diagonal[k] = matrix[k, k]
        off_diagonal[k] = _make_reflection(matrix[k], k + 1)
        _reflect_both_sides(matrix, matrix[k], k + 1, work)
    diagonal[dim - 1] = matrix[dim - 1, dim - 1]


@kernel
def _make_reflection(row: Floats, start: int) -> float:
    """Replace x, a row from ``start`` on, by the v of the reflection that maps x to an axis.

    Return the coordinate of its image on that axis, ±‖x‖.
    """
    rest = 0.0
    for i in range(start + 1, row.shape[0]):
        rest += row[i] * row[i]
    first = row[start]
    if rest == 0.0:
        row[start] = 0.0  # nothing to reflect: v = 0
        return first
    target = -math.copysign(math.sqrt(first * first + rest), first)
    row[start] = first - target
    scale = math.sqrt(2.0 / (row[start] * row[start] + rest))
    for i in range(start, row.shape[0]):
        row[i] *= scale
    return target


@kernel
def _reflect_both_sides(matrix: Floats, v: Floats, start: int, work: Floats) -> None:
    """Replace the matrix M from ``start`` on by ``(I - v vᵀ) M (I - v vᵀ)``."""
    dim = matrix.shape[0]
    if v[start] == 0.0:
        return
    for i in range(start, dim):
        work[i] = 0.0
    for j in range(start, dim):
        for i in range(start, dim):
            work[i] += v[j] * matrix[j, i]
    half = 0.0
    for i in range(start, dim):
        half += 0.5 * work[i] * v[i]
    for i in range(start, dim):
        work[i] -= half * v[i]
    for j in range(start, dim):
        for i in range(start, dim):
            matrix[j, i] -= v[j] * work[i] + work[j] * v[i]


@program
def to_tridiagonal(reflections: Floats, vector: Floats) -> None:
    """Replace a vector by its coordinates in the basis of T."""
    for k in range(vector.shape[0] - 1):
        _reflect(reflections[k], k + 1, vector)


@program
def from_tridiagonal(reflections: Floats, vector: Floats) -> None:
    """Replace coordinates in the basis of T by the vector that they belong to."""
    for k in range(vector.shape[0] - 2, -1, -1):
        _reflect(reflections[k], k + 1, vector)


@kernel
def _reflect(v: Floats, start: int, vector: Floats) -> None:
    product = 0.0
    for i in range(start, vector.shape[0]):
        product += v[i] * vector[i]
    for i in range(start, vector.shape[0]):
        vector[i] -= product * v[i]


@program
def diagonalize_along(diagonal: Floats, off_diagonal: Floats, vector: Floats) -> None:
    """Replace T's diagonal by its eigenvalues, and a vector by its coordinates along eigenvectors.

    The symmetric QR method with Wilkinson's shift. It overwrites ``off_diagonal``.
    """
    for last in range(diagonal.shape[0] - 1, 0, -1):
        for _ in range(MAX_STEPS):
            first = last
            while first > 0 and not _is_negligible(diagonal, off_diagonal, first - 1):
                first -= 1
            if first == last:
                break
            _chase(diagonal, off_diagonal, vector, first, last)
        off_diagonal[last - 1] = 0.0


@kernel
def _is_negligible(diagonal: Floats, off_diagonal: Floats, k: int) -> bool:
    return abs(off_diagonal[k]) <= NEGLIGIBLE * (abs(diagonal[k]) + abs(diagonal[k + 1]))


@kernel
def _chase(diagonal: Floats, off_diagonal: Floats, vector: Floats, first: int, last: int) -> None:
    """Take one step of the QR method on the block from ``first`` to ``last``."""
    half = 0.5 * (diagonal[last - 1] - diagonal[last])
    corner = off_diagonal[last - 1]
    root = half + math.copysign(math.sqrt(half * half + corner * corner), half)
    x = diagonal[first] - (diagonal[last] - corner * corner / root)
    z = off_diagonal[first]
    for k in range(first, last):
        length = math.sqrt(x * x + z * z)
        cosine, sine = (x / length, z / length) if length > 0.0 else (1.0, 0.0)
        if k > first:
            off_diagonal[k - 1] = length
        upper, between, lower = diagonal[k], off_diagonal[k], diagonal[k + 1]
        twice = 2.0 * cosine * sine * between
        diagonal[k] = cosine * cosine * upper + twice + sine * sine * lower
        diagonal[k + 1] = sine * sine * upper - twice + cosine * cosine * lower
        cosine_of_twice = cosine * cosine - sine * sine
        off_diagonal[k] = (lower - upper) * cosine * sine + between * cosine_of_twice
        if k < last - 1:
            z = sine * off_diagonal[k + 1]
            off_diagonal[k + 1] *= cosine
            x = off_diagonal[k]
        left, right = vector[k], vector[k + 1]
        vector[k] = cosine * left + sine * right
        vector[k + 1] = cosine * right - sine * left


@program
def solve_shifted(
    diagonal: Floats, off_diagonal: Floats, shift: float, vector: Floats, pivots: Floats
) -> None:
    """Solve ``(shift I - T) x = vector`` in place, for a shift above the largest eigenvalue.

    ``pivots`` is overwritten. A pivot that rounding has made zero or negative becomes a tiny one.
    """
    dim = vector.shape[0]
    tiny = 1e-300 + 1e-16 * abs(shift)
    pivots[0] = max(tiny, shift - diagonal[0])
    for i in range(1, dim):
        ratio = -off_diagonal[i - 1] / pivots[i - 1]
        pivots[i] = max(tiny, (shift - diagonal[i]) + ratio * off_diagonal[i - 1])
        vector[i] -= ratio * vector[i - 1]
    vector[dim - 1] /= pivots[dim - 1]
    for i in range(dim - 2, -1, -1):
        vector[i] = (vector[i] + off_diagonal[i] * vector[i + 1]) / pivots[i]
