"""Slow NumPy twins of the policies with a window, and of those with imperfect contexts.

Written from the papers' formulas, beside the twins of twins.py, and as slow. A window is a list of
observations, from which V and b are summed anew in every round. The smallest bound in a ball is
left to SciPy's SLSQP; the largest is the highest of climbs from many points of the sphere.
"""

import math

import numpy as np
from scipy import optimize

from reference.twins import Exp3, Linear, Ridge, draw, exp3_share


class WindowRidge(Ridge):
    """V and b of the last ``window`` observations."""

    def reset(self):
        super().reset()
        self.window = math.inf
        self.seen = []

    def add(self, x, y):
        self.seen.append((x, y))
        if len(self.seen) > self.window:
            self.seen.pop(0)
        self.V = self.penalty * np.eye(self.dim) + sum(np.outer(x, x) for x, _ in self.seen)
        self.b = sum(y * x for x, y in self.seen)
        self.count = len(self.seen)


class SlidingWindow(Linear):
    """SW-LinUCB: LinUCB on the last w observations."""

    def __init__(self, bounds, rng, *, window=None, variation=1.0, growing=True, **options):
        super().__init__(bounds, rng, **options)
        if window is None:
            window = math.floor((bounds.dim * bounds.rounds / variation) ** (2 / 3))
            window = min(window, bounds.rounds)
        self.growing = growing
        self.ridge = WindowRidge(bounds.dim, self.penalty)
        self.ridge.window = window

    def choose(self, contexts):
        window = self.ridge.window
        t = min(len(self.ridge.seen) + 1, window) if self.growing else window
        return self.optimistic(contexts, self.beta(t))


class BOB(SlidingWindow):
    """EXP3 draws a window for each block, and is paid what the block earned, normalised."""

    def __init__(self, bounds, rng, *, block=None, windows=None, alpha=None, clip=True, **options):
        super().__init__(bounds, rng, window=1, **options)
        T = bounds.rounds
        self.H = min(T, math.floor(bounds.dim * math.sqrt(T))) if block is None else block
        if windows is None:
            steps = math.ceil(math.log(self.H))
            windows = [math.floor(self.H ** (j / steps) + 1e-9) for j in range(steps + 1)]
            windows = sorted(set(windows))
        self.windows = windows
        size = len(self.windows)
        blocks = math.ceil(T / self.H)
        self.exp3 = Exp3(size, exp3_share(size, blocks) if alpha is None else alpha)
        self.clip = clip
        self.drawn = None

    def begin(self):
        chances = self.exp3.chances()
        self.drawn = draw(chances, self.rng)
        self.chance = chances[self.drawn]
        self.ridge.reset()
        self.ridge.window = self.windows[self.drawn]
        self.played, self.earned = 0, 0.0

    def choose(self, contexts):
        if self.drawn is None:
            self.begin()
        return super().choose(contexts)

    def learn(self, context, reward):
        super().learn(context, reward)
        self.played += 1
        self.earned += reward
        if self.played == self.H:
            spread = math.sqrt(self.H * math.log(self.bounds.rounds / math.sqrt(self.H)))
            payment = 0.5 + self.earned / (2 * self.H + 4 * self.sigma * spread)
            payment = min(max(payment, 0.0), 1.0) if self.clip else payment
            self.exp3.pay(self.drawn, payment, self.chance)
            self.begin()


def bound(x, theta, P, beta):
    """θ·x + β √(x P x), for each row x."""
    x = np.asarray(x)
    return x @ theta + beta * np.sqrt(np.maximum(0.0, ((x @ P) * x).sum(axis=-1)))


def smallest_bound(centre, error, theta, P, beta, start=None):
    """Smallest bound in a ball: convex, so any descent will do; at 0 it needs a direction."""
    if error == 0.0:
        return bound(centre, theta, P, beta)

    def slope(x):
        width = math.sqrt(max(x @ P @ x, 1e-300))
        return theta + beta * (P @ x) / width

    inside = {
        "type": "ineq",
        "fun": lambda x: error**2 - (x - centre) @ (x - centre),
        "jac": lambda x: -2 * (x - centre),
    }
    down = -slope(centre) if start is None else start
    found = optimize.minimize(
        lambda x: bound(x, theta, P, beta),
        centre + 0.5 * error * down / np.linalg.norm(down),
        jac=slope,
        constraints=[inside],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 300},
    )
    reached = found.x - centre
    length = np.linalg.norm(reached)
    x = centre + reached * min(1.0, error / length) if length > 0 else centre
    best = bound(x, theta, P, beta)
    if np.linalg.norm(centre) <= error:
        best = min(best, 0.0)  # the bound of the origin, where it has no slope
    return best


def largest_bound(centre, error, theta, P, beta, starts=20, steps=200):
    """Largest bound in a ball: the highest of many climbs."""
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(starts, len(centre)))
    _, axes = np.linalg.eigh(P)
    directions = np.vstack([directions, axes.T, -axes.T])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    x = centre + error * directions
    for _ in range(steps):
        widths = np.sqrt(((x @ P) * x).sum(axis=1, keepdims=True))
        slopes = theta + beta * (x @ P) / np.maximum(widths, 1e-150)  # at the origin: theta
        x = centre + error * slopes / np.linalg.norm(slopes, axis=1, keepdims=True)
    return bound(x, theta, P, beta).max()


def search_disc(centre, error, theta, P, beta, sign, points=2001):
    """Smallest (sign 1) or largest (sign -1) bound in a disc, by a search of the whole rim.

    The bound is homogeneous, so both are on the rim, or the smallest is at the origin.
    """
    angles, width = np.linspace(0.0, 2.0 * np.pi, points), 20.0 / points
    for _ in range(7):  # ever closer around the best points
        rim = centre + error * np.column_stack([np.cos(angles), np.sin(angles)])
        values = sign * bound(rim, theta, P, beta)
        best = angles[np.argsort(values)[:6]]
        angles = (best[:, None] + width * np.linspace(-1.0, 1.0, 61)).ravel()
        width /= 20
    found = sign * values.min()
    return min(found, 0.0) if sign > 0 and np.linalg.norm(centre) <= error else found


class Imperfect(Linear):
    """MaxMinUCB, and MinWD with every pair of arms."""

    def __init__(self, bounds, rng, *, error=0.1, degradation=False, **options):
        super().__init__(bounds, rng, **options)
        self.error, self.degradation = error, degradation

    def values(self, contexts):
        """What the arm that is played has the largest of."""
        theta, P = self.ridge.theta(), np.linalg.inv(self.ridge.V)
        ball = (self.error, theta, P, self.beta(self.ridge.count + 1))
        low = np.array([smallest_bound(x, *ball) for x in contexts])
        if not self.degradation:
            return low
        high = np.array([largest_bound(x, *ball) for x in contexts])
        arms = range(len(contexts))
        return np.array([-max([0.0, *(high[b] - low[a] for b in arms if b != a)]) for a in arms])
