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

from robustbandits.compiled.jit import kernel

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
    """Inverse of a positive definite matrix by sweeping out one pivot after another.

    Returns False, and leaves ``out`` useless, when a pivot is not positive.
    """
    dim = matrix.shape[0]
    for i in range(dim):
        for j in range(dim):
            out[i, j] = matrix[i, j]
    for k in range(dim):
        pivot = out[k, k]
        if not pivot > 0.0:
            return False
        out[k, k] = 1.0
        for j in range(dim):
            out[k, j] /= pivot
        for i in range(dim):
            if i != k:
                weight = out[i, k]
                out[i, k] = 0.0
                for j in range(dim):
                    out[i, j] -= weight * out[k, j]
    for i in range(dim):
        for j in range(i):
            out[j, i] = out[i, j]  # symmetric to the last bit
    return True
