"""Theta and squared widths of a ridge regression by exact fractions."""

from fractions import Fraction

import numpy as np

from robustbandits.compiled.jit import program
from robustbandits.kernels.scoring import score_columns


@program
def squared_widths(ridge, columns, means, widths):
    score_columns(ridge.inverse, ridge.theta, columns, means, widths)


def solve(matrix, right_sides):
    """Solve a linear system by elimination with fractions."""
    rows = [list(left) + list(right) for left, right in zip(matrix, right_sides, strict=True)]
    size = len(rows)
    for k in range(size):
        pivot = rows[k][k]
        rows[k] = [value / pivot for value in rows[k]]
        for i in range(size):
            if i != k and rows[i][k]:
                factor = rows[i][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[size:] for row in rows]


def exact(arms, penalty, weights, sums):
    """Return theta and each arm's squared width, given each arm's weight and sum of rewards.

    With X the arms as rows, W their weights and λ the penalty, theta is ``Xᵀ a`` and the inverse
    times arm c is ``(c - Xᵀ b) / λ``, where ``(λ I + W X Xᵀ) a = sums`` and the same matrix times b
    is ``W X c``.
    """
    x = [[Fraction(value) for value in arm] for arm in arms.tolist()]
    count, penalty = range(len(x)), Fraction(penalty)
    inner = [[sum(p * q for p, q in zip(u, v, strict=True)) for v in x] for u in x]
    matrix = [[weights[a] * inner[a][b] + (penalty if a == b else 0) for b in count] for a in count]
    right_sides = [[sums[a], *(weights[a] * inner[a][c] for c in count)] for a in count]
    solved = solve(matrix, right_sides)
    theta = [sum(solved[a][0] * x[a][i] for a in count) for i in range(len(x[0]))]
    rests = [inner[c][c] - sum(inner[c][a] * solved[a][1 + c] for a in count) for c in count]
    return theta, [rest / penalty for rest in rests]


def errors(ridge, arms, weights, sums):
    """Return the relative errors of theta, in its norm, and of the worst squared width."""
    theta, widths = exact(arms, ridge.penalty, weights, sums)
    means, found = np.empty(len(arms)), np.empty(len(arms))
    squared_widths(ridge, np.ascontiguousarray(arms.T), means, found)
    squares = [(Fraction(a) - b) ** 2 for a, b in zip(ridge.theta, theta, strict=True)]
    of_theta = float(sum(squares) / sum(value**2 for value in theta)) ** 0.5
    of_widths = [float(abs(Fraction(a) / b - 1)) for a, b in zip(found, widths, strict=True)]
    return of_theta, max(of_widths)
