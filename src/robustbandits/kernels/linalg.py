"""Loops over small matrices.

Plain loops, because they compile in a tenth of the time of ``numpy.linalg`` calls, allocate
nothing, and give the same bits compiled and as plain Python. Where many vectors are treated alike
they are the *columns* of a matrix: the inner loop then runs along memory and vectorises without
changing the order of any sum.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robustbandits._jit import kernel

Floats = npt.NDArray[np.float64]


@kernel
def copy(source: Floats, target: Floats) -> None:
    """Copy a matrix onto another."""
    rows, columns = source.shape
    for i in range(rows):
        for j in range(columns):
            target[i, j] = source[i, j]


@kernel
def copy_column(source: Floats, index: int, target: Floats) -> None:
    """Copy one column onto a vector."""
    for i in range(source.shape[0]):
        target[i] = source[i, index]


@kernel
def dot(x: Floats, y: Floats) -> float:
    """Inner product."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@kernel
def products(vector: Floats, columns: Floats, out: Floats) -> None:
    """Inner product of ``vector`` with each column."""
    dim, count = columns.shape
    for a in range(count):
        out[a] = 0.0
    for i in range(dim):
        weight = vector[i]
        for a in range(count):
            out[a] += weight * columns[i, a]


@kernel
def quadratic_forms(matrix: Floats, columns: Floats, out: Floats) -> None:
    """``xᵀ M x`` for each column x; M symmetric, so only its lower triangle is read."""
    dim, count = columns.shape
    inner = np.empty(count)
    for a in range(count):
        out[a] = 0.0
    for i in range(dim):
        half = 0.5 * matrix[i, i]
        for a in range(count):
            inner[a] = half * columns[i, a]
        for j in range(i):
            weight = matrix[i, j]
            for a in range(count):
                inner[a] += weight * columns[j, a]
        for a in range(count):
            out[a] += inner[a] * columns[i, a]
    for a in range(count):
        out[a] = 2.0 * out[a]


@kernel
def multiply(matrix: Floats, x: Floats, out: Floats) -> None:
    """``M x`` for a symmetric M, summed along its rows so that it vectorises."""
    dim = x.shape[0]
    for i in range(dim):
        out[i] = 0.0
    for j in range(dim):
        weight = x[j]
        for i in range(dim):
            out[i] += weight * matrix[j, i]


@kernel
def add_outer(matrix: Floats, x: Floats, scale: float) -> None:
    """``M += scale · x xᵀ``; stays exactly symmetric."""
    dim = x.shape[0]
    for i in range(dim):
        left = x[i]
        for j in range(dim):
            matrix[i, j] += scale * (left * x[j])


@kernel
def cholesky(matrix: Floats, out: Floats) -> bool:
    """Upper R with ``RᵀR = M``; False, and ``out`` useless, when M is not positive definite."""
    dim = matrix.shape[0]
    for i in range(dim):
        for j in range(dim):
            out[i, j] = matrix[i, j] if j >= i else 0.0
    for k in range(dim):
        pivot = out[k, k]
        if not pivot > 0.0:
            return False
        root = math.sqrt(pivot)
        for j in range(k, dim):
            out[k, j] /= root
        for i in range(k + 1, dim):
            weight = out[k, i]
            for j in range(i, dim):
                out[i, j] -= weight * out[k, j]
    return True


@kernel
def cholesky_add_outer(factor: Floats, x: Floats) -> None:
    """Turn R with ``RᵀR = M`` into the factor of ``M + x xᵀ``; spoils ``x``."""
    dim = x.shape[0]
    for k in range(dim):
        pivot = factor[k, k]
        root = math.sqrt(pivot * pivot + x[k] * x[k])
        cosine = pivot / root
        sine = x[k] / root
        factor[k, k] = root
        for j in range(k + 1, dim):
            old = factor[k, j]
            factor[k, j] = cosine * old + sine * x[j]
            x[j] = cosine * x[j] - sine * old


@kernel
def solve_upper(factor: Floats, x: Floats) -> None:
    """Solve ``R y = x`` in place."""
    dim = x.shape[0]
    for i in range(dim - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, dim):
            total -= factor[i, j] * x[j]
        x[i] = total / factor[i, i]


@kernel
def invert(matrix: Floats, out: Floats) -> bool:
    """Inverse of a positive definite matrix; False, and ``out`` untouched, when it is not."""
    dim = matrix.shape[0]
    factor = np.empty((dim, dim))
    if not cholesky(matrix, factor):
        return False
    # Rows of `root` are the rows of R⁻¹, so M⁻¹ = R⁻¹ R⁻ᵀ is a sum over their common tail.
    root = np.zeros((dim, dim))
    for i in range(dim - 1, -1, -1):
        scale = 1.0 / factor[i, i]
        root[i, i] = scale
        for k in range(i + 1, dim):
            weight = -scale * factor[i, k]
            for j in range(k, dim):
                root[i, j] += weight * root[k, j]
    for i in range(dim):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, dim):
                total += root[i, k] * root[j, k]
            out[i, j] = total
            out[j, i] = total
    return True
