"""Slow twins of the policies that can play a ball of arms.

A twin does not choose: several vectors may be equally good. It judges the vector that its policy
chose, by the largest bound that NumPy's eigenvectors give.
"""

import math

import numpy as np

from reference import twins, twins_contextual, twins_window

#: How much of the best value may be missing.
CLOSE = 1e-9


def largest_bound(matrix, theta, factor):
    """Return the largest ``x·theta + factor √(xᵀ matrix x)`` of the unit vectors.

    It is the length of the longest vector of an ellipsoid. With the eigenvalues a of the matrix,
    and theta's coordinates c along its eigenvectors, the best x is proportional to c / (μ - a),
    where ``Σ a c² / (μ - a)² = factor²``. If the sum is too small even for the largest a, the rest
    of the ellipsoid's radius goes along its eigenvector.
    """
    a, axes = np.linalg.eigh(matrix)
    a = np.maximum(a, 0.0)
    c = axes.T @ theta
    if factor == 0.0:
        return float(np.linalg.norm(theta))
    a[a > a[-1] * (1 - 1e-13)] = a[-1]
    gaps = a[-1] - a

    def reach(excess):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            terms = a * (c / (excess + gaps)) ** 2
        return float(terms[c != 0].sum())

    tiny, huge = a[-1] * 1e-18, a[-1] + math.sqrt(a[-1]) * np.linalg.norm(c) / factor
    if reach(tiny) < factor**2:
        inside = gaps > 0
        u = np.where(inside, a * c / np.where(inside, gaps, 1.0), 0.0)
        used = float((a[inside] * (c[inside] / gaps[inside]) ** 2).sum())
        longest = c + u
        longest[-1] += math.sqrt(max(0.0, factor**2 - used) * a[-1]) * (1 if c[-1] >= 0 else -1)
    else:
        for _ in range(200):
            middle = math.sqrt(tiny * huge)
            tiny, huge = (middle, huge) if reach(middle) > factor**2 else (tiny, middle)
        longest = c + a * c / (tiny + gaps)
    x = longest / np.linalg.norm(longest)
    return float(x @ c + factor * math.sqrt((a * x * x).sum()))


def judge(x, theta, best, bonus=0.0):
    """Check that a vector is of length 1, and that its bound is the largest; return index 0."""
    assert abs(np.linalg.norm(x) - 1.0) < 1e-12
    assert abs(x @ theta + bonus - best) <= CLOSE * abs(best)
    return 0


class OnBall:
    """For twins that have a method ``optimistic``."""

    def optimistic(self, contexts, factor, level=0.0):
        (x,) = contexts
        fit = getattr(self, "ridge", self)
        theta = fit.theta() if callable(fit.theta) else fit.theta
        best = largest_bound(np.linalg.inv(fit.V), theta, factor)
        return judge(x, theta, best, factor * math.sqrt(x @ np.linalg.solve(fit.V, x)))


class LinUCB(OnBall, twins.LinUCB):
    pass


class CautiousLinUCB(OnBall, twins.CautiousLinUCB):
    pass


class CWOFUL(OnBall, twins.CWOFUL):
    pass


class BOBNoRestart(OnBall, twins.BOBNoRestart):
    pass


class RobustBandit(OnBall, twins.RobustBandit):
    pass


class RobustRegressionUCB(OnBall, twins_contextual.RobustRegressionUCB):
    pass


class HuberOFUL(OnBall, twins_contextual.HuberOFUL):
    pass


class SlidingWindow(OnBall, twins_window.SlidingWindow):
    pass


class Greedy(twins.Greedy):
    def choose(self, contexts):
        theta = self.ridge.theta()
        return judge(contexts[0], theta, np.linalg.norm(theta))


class LinTS(twins.LinTS):
    def choose(self, contexts):
        sample = self.sample()
        return judge(contexts[0], sample, np.linalg.norm(sample))
