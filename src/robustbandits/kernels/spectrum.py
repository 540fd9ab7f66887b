"""The largest eigenvalue of a symmetric matrix: a bound of it, and roughly where it points."""

from __future__ import annotations

import math

import numpy as np

from robustbandits._jit import kernel, program
from robustbandits.kernels.linalg import Floats, dot, multiply


@program
def largest_eigenvalue(matrix: Floats) -> float:
    """At least the largest eigenvalue of P, by the mean and the spread of the squares of all.

    None of d numbers exceeds their mean by more than √(d-1) times their standard deviation.
    """
    dim = matrix.shape[0]
    row = np.empty(dim)
    mean = 0.0
    square = 0.0
    for i in range(dim):
        multiply(matrix, matrix[i], row)
        mean += row[i] / dim
        square += dot(row, row) / dim
    spread = math.sqrt(max(0.0, square - mean * mean) * (dim - 1))
    return math.sqrt(mean + spread) * (1.0 + 1e-7)  # more than rounding takes from the spread


@kernel
def find_axis(matrix: Floats, axis: Floats) -> None:
    """Write a unit vector along which P is large, as a direction to start climbing from."""
    dim = axis.shape[0]
    image = np.empty(dim)
    longest = 0
    for i in range(1, dim):
        if matrix[i, i] > matrix[longest, longest]:
            longest = i
    for i in range(dim):
        axis[i] = 1.0 if i == longest else 0.0
    for _ in range(6):
        multiply(matrix, axis, image)
        size = math.sqrt(dot(image, image))
        for i in range(dim):
            axis[i] = image[i] / size
