"""Eigenvalues and eigenvectors of a small symmetric matrix."""

from __future__ import annotations

import math

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats

#: An entry off the diagonal is negligible if it is this small relative to the eigenvalues.
NEGLIGIBLE = 1e-13
#: Convergence is quadratic: fewer than ten sweeps over all entries are enough.
MAX_SWEEPS = 30
#: Smallest eigenvalue that float64 can tell from zero, as a share of the largest.
ROUNDING = 1e-16


@program
def diagonalize(matrix: Floats, axes: Floats, eigenvalues: Floats) -> int:
    """Write the eigenvalues of a positive definite matrix, and its eigenvectors as rows of axes.

    Returns the position of the largest eigenvalue. Jacobi's method: it rotates two axes at a time.
    """
    dim = matrix.shape[0]
    images = matrix.copy()  # row i is the matrix times axis i
    for i in range(dim):
        for j in range(dim):
            axes[i, j] = 1.0 if i == j else 0.0
        eigenvalues[i] = matrix[i, i]
    for _ in range(MAX_SWEEPS):
        rotations = 0
        for p in range(dim):
            for q in range(p):
                rotations += _rotate(images, axes, eigenvalues, p, q)
        if rotations == 0:
            break
    longest = 0
    for i in range(dim):
        if eigenvalues[i] > eigenvalues[longest]:
            longest = i
    for i in range(dim):  # rounding errors must not make any of them negative
        eigenvalues[i] = max(eigenvalues[i], ROUNDING * eigenvalues[longest])
    return longest


@kernel
def _rotate(images: Floats, axes: Floats, eigenvalues: Floats, p: int, q: int) -> int:
    """Rotate two axes so that the entry between them becomes zero; return 0 if it was already."""
    entry = 0.0
    for k in range(axes.shape[1]):
        entry += images[p, k] * axes[q, k]
    if abs(entry) <= NEGLIGIBLE * math.sqrt(max(0.0, eigenvalues[p] * eigenvalues[q])):
        return 0
    ratio = (eigenvalues[q] - eigenvalues[p]) / (2.0 * entry)
    tangent = math.copysign(1.0 / (abs(ratio) + math.sqrt(ratio * ratio + 1.0)), ratio)
    cosine = 1.0 / math.sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    eigenvalues[p] -= tangent * entry
    eigenvalues[q] += tangent * entry
    for k in range(axes.shape[1]):
        left, right = axes[p, k], axes[q, k]
        axes[p, k] = cosine * left - sine * right
        axes[q, k] = sine * left + cosine * right
        left, right = images[p, k], images[q, k]
        images[p, k] = cosine * left - sine * right
        images[q, k] = sine * left + cosine * right
    return 1
