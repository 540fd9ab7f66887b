"""The largest eigenvalue of a symmetric matrix: a bound of it, and roughly where it points."""

from __future__ import annotations

import math

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats, dot, multiply

#: A matrix is squared this often: what is bounded then is a high power of its eigenvalues, of which
#: the largest stands out.
SQUARINGS = 3


@program
def largest_eigenvalue(matrix: Floats) -> float:
    """Return at least the largest eigenvalue of a positive definite matrix, and little more.

    None of d numbers exceeds their mean by more than √(d-1) times their standard deviation. O(d³).
    """
    dim = matrix.shape[0]
    scale = 0.0
    for i in range(dim):
        scale += matrix[i, i]
    power = matrix / scale  # all eigenvalues are at most 1
    square = np.empty((dim, dim))
    for _ in range(SQUARINGS):
        for i in range(dim):
            multiply(power, power[i], square[i])
        power, square = square, power
    mean = 0.0
    total = 0.0
    for i in range(dim):
        mean += power[i, i] / dim
        total += dot(power[i], power[i]) / dim
    bound = mean + math.sqrt(max(0.0, total - mean * mean) * (dim - 1))
    for _ in range(SQUARINGS):
        bound = math.sqrt(bound)
    return scale * bound * (1.0 + 1e-7)  # more than rounding takes away


@kernel
def find_axis(matrix: Floats, axis: Floats) -> None:
    """Write a unit vector along which P is large, as a direction to start climbing from."""
    dim = axis.shape[0]
    image = np.empty(dim)
    longest = 0
    for i in range(1, dim):
        if matrix[i, i] > matrix[longest, longest]:
            longest = i
    for i in range(dim):  # something of all others, lest it be an eigenvector, but not the longest
        axis[i] = 1.0 if i == longest else 1.0 / (i + 2)
    for _ in range(6 + dim // 10):
        multiply(matrix, axis, image)
        size = math.sqrt(dot(image, image))
        for i in range(dim):
            axis[i] = image[i] / size
