"""Slow NumPy twins of the policies with a window, and of those with imperfect contexts.

Written from the papers' formulas, beside the twins of twins.py, and as slow. A window is the end of
the list of all observations, from which V and b are summed anew in every round. The smallest bound
in a ball is left to SciPy's SLSQP; the largest is the highest of climbs from many points of the
sphere.
"""

import math
from types import SimpleNamespace

import numpy as np
from scipy import optimize

from reference.twins import Linear, draw, pick


class SlidingWindow:
    """SW-UCB(w) of Cheung, Simchi-Levi, Zhu (2019).

    Ours are ``growing``, a radius for the observations held; and ``radius="det"``, that of
    Abbasi-Yadkori et al. (2011) for them.
    """

    def __init__(
        self,
        bounds,
        rng,
        *,
        window=None,
        variation=1.0,
        growing=True,
        ridge=0.1,
        delta=0.01,
        sigma=0.1,
        radius="trace",
        ties="random",
    ):
        self.d, self.T, self.L, self.S = bounds.dim, bounds.rounds, bounds.L, bounds.S
        self.rng, self.ties = rng, ties
        self.penalty, self.R, self.radius, self.growing = ridge, sigma, radius, growing
        self.delta = 1 / self.T if delta is None else delta
        if window is None:  # w = ⌊(dT)^⅔ B^-⅔⌋
            window = min(self.T, math.floor((self.d * self.T) ** (2 / 3) * variation ** (-2 / 3)))
        self.w = window
        self.past = []  # all observations since the start

    def fit(self):
        """Compute V and b from the last w observations."""
        held = self.past[-self.w :]
        x = np.array([x for x, _ in held]).reshape(len(held), self.d)
        y = np.array([y for _, y in held])
        self.V = self.penalty * np.eye(self.d) + x.T @ x
        self.b = x.T @ y
        return len(held)

    def theta(self):
        return np.linalg.solve(self.V, self.b)

    @property
    def ridge(self):
        self.fit()
        return self

    def choose(self, contexts):
        size = self.w
        held = self.fit()
        if self.growing:
            size = min(self.w, held + 1)
        if self.radius == "det":
            growth = np.linalg.slogdet(self.V)[1] - self.d * math.log(self.penalty)
            noise = math.sqrt(growth + 2 * math.log(1 / self.delta))
        else:
            inside = (1 + size * self.L**2 / self.penalty) / self.delta
            noise = math.sqrt(self.d * math.log(inside))
        factor = self.R * noise + math.sqrt(self.penalty) * self.S
        return self.optimistic(contexts, factor)

    def optimistic(self, contexts, factor):
        widths = np.sqrt([x @ np.linalg.solve(self.V, x) for x in contexts])
        return pick(contexts @ self.theta() + factor * widths, self.rng, self.ties)

    def learn(self, context, reward):
        self.past.append((context, reward))


class BOB(SlidingWindow):
    """EXP3 draws a window for each block of H rounds, in which SW-UCB starts anew."""

    def __init__(self, bounds, rng, *, block=None, windows=None, alpha=None, clip=True, **options):
        super().__init__(bounds, rng, window=1, **options)
        # The tiny numbers keep whole powers whole.
        H = math.floor(self.d ** (2 / 3) * self.T ** (1 / 2) + 1e-9)  # eq. (22)
        self.H = min(self.T, H) if block is None else block
        if windows is None:
            steps = math.ceil(math.log(self.H))  # Δ
            windows = [math.floor(self.H ** (j / max(1, steps)) + 1e-9) for j in range(steps + 1)]
        self.windows = windows
        N = len(windows)  # Δ + 1
        if alpha is None:
            blocks = math.ceil(self.T / self.H)
            alpha = min(1.0, math.sqrt(N * math.log(N) / ((math.e - 1) * blocks)))
        self.gamma, self.clip = alpha, clip
        self.s = np.ones(N)
        self.j = None

    @property
    def exp3(self):
        return SimpleNamespace(log_weights=np.log(self.s))

    def begin(self):
        self.p = (1 - self.gamma) * self.s / self.s.sum() + self.gamma / len(self.s)
        self.j = draw(self.p, self.rng)
        self.w = self.windows[self.j]
        self.past = []

    def choose(self, contexts):
        if self.j is None:
            self.begin()
        return super().choose(contexts)

    def learn(self, context, reward):
        super().learn(context, reward)
        if len(self.past) == self.H:
            most = 2 * self.H
            most += 4 * self.R * math.sqrt(self.H * math.log(self.T / math.sqrt(self.H)))
            payment = 1 / 2 + sum(y for _, y in self.past) / most
            payment = min(max(payment, 0.0), 1.0) if self.clip else payment
            self.s[self.j] *= math.exp(self.gamma / (len(self.s) * self.p[self.j]) * payment)
            self.begin()


def bound(x, theta, P, beta):
    """θ·x + β √(x P x), for each row x."""
    x = np.asarray(x)
    return x @ theta + beta * np.sqrt(np.maximum(0.0, ((x @ P) * x).sum(axis=-1)))


def smallest_bound(center, error, theta, P, beta, start=None):
    """Smallest bound in a ball: convex, so any descent will do; at 0 it needs a direction."""
    if error == 0.0:
        return bound(center, theta, P, beta)

    def slope(x):
        width = math.sqrt(max(x @ P @ x, 1e-300))
        return theta + beta * (P @ x) / width

    inside = {
        "type": "ineq",
        "fun": lambda x: error**2 - (x - center) @ (x - center),
        "jac": lambda x: -2 * (x - center),
    }
    down = -slope(center) if start is None else start
    found = optimize.minimize(
        lambda x: bound(x, theta, P, beta),
        center + 0.5 * error * down / np.linalg.norm(down),
        jac=slope,
        constraints=[inside],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 300},
    )
    reached = found.x - center
    length = np.linalg.norm(reached)
    x = center + reached * min(1.0, error / length) if length > 0 else center
    best = bound(x, theta, P, beta)
    if np.linalg.norm(center) <= error:
        best = min(best, 0.0)  # the bound of the origin, where it has no slope
    return best


def largest_bound(center, error, theta, P, beta, starts=20, steps=200):
    """Largest bound in a ball: the highest of many climbs."""
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(starts, len(center)))
    _, axes = np.linalg.eigh(P)
    directions = np.vstack([directions, axes.T, -axes.T])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    x = center + error * directions
    for _ in range(steps):
        widths = np.sqrt(((x @ P) * x).sum(axis=1, keepdims=True))
        slopes = theta + beta * (x @ P) / np.maximum(widths, 1e-150)  # at the origin: theta
        x = center + error * slopes / np.linalg.norm(slopes, axis=1, keepdims=True)
    return bound(x, theta, P, beta).max()


def search_disc(center, error, theta, P, beta, sign, points=2001):
    """Smallest (sign 1) or largest (sign -1) bound in a disc, by a search of the whole rim.

    The bound is homogeneous, so both are on the rim, or the smallest is at the origin.
    """
    angles, width = np.linspace(0.0, 2.0 * np.pi, points), 20.0 / points
    for _ in range(7):  # ever closer around the best points
        rim = center + error * np.column_stack([np.cos(angles), np.sin(angles)])
        values = sign * bound(rim, theta, P, beta)
        best = angles[np.argsort(values)[:6]]
        angles = (best[:, None] + width * np.linspace(-1.0, 1.0, 61)).ravel()
        width /= 20
    found = sign * values.min()
    return min(found, 0.0) if sign > 0 and np.linalg.norm(center) <= error else found


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
