"""Loops over small matrices.

Plain loops compile in a tenth of the time of ``numpy.linalg`` calls, allocate nothing, and give the
same bits compiled and as plain Python. Functions that process many vectors take them as the columns
of a matrix: the inner loop then reads consecutive memory, and is vectorized without changing the
order of any sum.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robustbandits.compiled.jit import kernel

#: The type of nearly all arrays that kernels use, for annotations; a few hold int64.
Floats = npt.NDArray[np.float64]


@kernel
def copy(source: Floats, target: Floats) -> None:
    """Copy a matrix into another."""
    rows, columns = source.shape
    for i in range(rows):
        for j in range(columns):
            target[i, j] = source[i, j]


@kernel
def copy_column(source: Floats, index: int, target: Floats) -> None:
    """Copy one column of a matrix into a vector."""
    for i in range(source.shape[0]):
        target[i] = source[i, index]


@kernel
def dot(x: Floats, y: Floats) -> float:
    """Return the inner product."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@kernel
def products(vector: Floats, columns: Floats, out: Floats) -> None:
    """Write the inner product of ``vector`` with each column into ``out``."""
    dim, count = columns.shape
    for a in range(count):
        out[a] = 0.0
    for i in range(dim):
        weight = vector[i]
        for a in range(count):
            out[a] += weight * columns[i, a]


@kernel
def multiply(matrix: Floats, x: Floats, out: Floats) -> None:
    """Write ``M x`` for a symmetric M, summed row by row so that it is vectorized."""
    dim = x.shape[0]
    for i in range(dim):
        out[i] = 0.0
    for j in range(dim):
        weight = x[j]
        for i in range(dim):
            out[i] += weight * matrix[j, i]


@kernel
def add_outer(matrix: Floats, x: Floats, scale: float) -> None:
    """Add ``scale · x xᵀ`` to a matrix, which stays exactly symmetric."""
    dim = x.shape[0]
    for i in range(dim):
        left = x[i]
        for j in range(dim):
            matrix[i, j] += scale * (left * x[j])


@kernel
def cholesky(matrix: Floats, out: Floats) -> bool:
    """Write the upper R with ``RᵀR = M``; return False if M is not positive definite."""
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
    """Turn R with ``RᵀR = M`` into the factor of ``M + x xᵀ``; overwrite ``x``."""
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
    """Write the inverse of a positive definite matrix, by Gauss–Jordan elimination.

    Return False if a pivot is not positive; ``out`` is then undefined.
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
            out[j, i] = out[i, j]  # exactly symmetric
    return True
