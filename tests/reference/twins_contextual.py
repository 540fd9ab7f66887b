"""Slow twins of the contextual linear policies, written from their formulas.

Nothing here comes from the package; see twins.py for what is shared with the kernels: the order of
random draws only.
"""

import math

import numpy as np

from reference.twins import Linear, Ridge, candidate_set, draw, pick


class WeightedOFUL:
    """Zhao, Zhou, Gu (2021): with a budget, or with levels."""

    def __init__(
        self,
        bounds,
        rng,
        *,
        budget=None,
        levels=None,
        ridge=None,
        delta=0.01,
        sigma=0.1,
        noise_bound=1.0,
        radius_scale=1.0,
        ties="random",
    ):
        self.bounds, self.rng, self.ties = bounds, rng, ties
        self.penalty = 1 / bounds.S**2 if ridge is None else ridge
        self.delta, self.R, self.scale = delta, noise_bound, radius_scale
        self.budget = budget
        self.levels = 0
        if budget is None:
            self.levels = math.ceil(math.log2(2 * bounds.rounds)) if levels is None else levels
        self.ridge = Ridge(bounds.dim, self.penalty)
        self.own = [Ridge(bounds.dim, self.penalty) for _ in range(self.levels)]
        self.weight = 1 / max(sigma, (noise_bound + 1) / math.sqrt(bounds.dim)) ** 2

    def radius(self, t, split, extra):
        d, A = self.bounds.dim, self.bounds.L
        inside = math.log(1 + t * A**2 / ((self.R + 1) ** 2 * self.penalty))
        tail = math.log(4 * t**2 * split / self.delta)
        noise = 8 * math.sqrt(d * inside * tail) + 4 * math.sqrt(d) * tail
        prior = math.sqrt(self.penalty) * self.bounds.S
        return self.scale * (noise + prior + math.sqrt(d) * extra)

    def choose(self, contexts):
        t = self.ridge.count + 1
        if self.levels == 0:
            scores = self.ridge.scores(contexts, self.radius(t, 1, self.budget))
            return pick(scores, self.rng, self.ties)
        probabilities = [2.0**-level for level in range(1, self.levels + 1)]
        probabilities[0] += 1 - sum(probabilities)
        self.level = 1 + (draw(probabilities, self.rng) if self.levels > 1 else 0)
        wide = self.radius(t, 1, 2**self.level)
        extra = math.log(2 * self.level**2 / self.delta) + 3
        narrow = self.radius(t, self.levels, extra)
        own = self.own[self.level - 1].scores(contexts, narrow)
        scores = np.minimum(self.ridge.scores(contexts, wide), own)
        return pick(scores, self.rng, self.ties)

    def learn(self, context, reward):
        self.ridge.add(context, reward, self.weight)
        if self.levels > 0:
            self.own[self.level - 1].add(context, reward, self.weight)


class COBE:
    """Wei, Dann, Zimmert (2022), type a, over CW-OFUL: all pairs of bases are tested every round.

    Ours: the bound R of a base, and ``test_scale``, a factor of every constant of the test.
    """

    def __init__(
        self,
        bounds,
        rng,
        *,
        ridge=None,
        delta=0.01,
        sigma=0.1,
        max_corruption=1.0,
        test_scale=1.0,
        ties="random",
    ):
        d, T, L, S = bounds.dim, bounds.rounds, bounds.L, bounds.S
        self.dim, self.rng, self.ties = d, rng, ties
        self.c_max, self.scale, self.log = max_corruption, test_scale, math.log(T / delta)
        # CW-OFUL: its penalty, the numerator of its α, and its radius.
        self.penalty = sigma**2 / S**2 if ridge is None else ridge
        prior = math.sqrt(self.penalty) * S
        self.c = sigma * math.sqrt(d) + prior
        spread = math.sqrt(d * math.log((1 + T * L**2 / self.penalty) / delta))
        self.radius = sigma * spread + prior + self.c
        self.iota = d * math.log(1 + T * L**2 / (d * self.penalty))
        self.b = max(self.radius, L * S)
        beta_2 = self.bound(0, 1) - self.bound(0, 0)
        k_init = max(math.ceil(math.log2(self.bound(T, self.c_max) / beta_2)), 0)
        self.k_max = math.ceil(math.log2(self.c_max * T))
        self.k_first = min(k_init, self.k_max)
        self.basic(self.k_first)

    def bound(self, n, theta):
        """R(n, θ): regret of a base in n rounds with budget θ, in rewards as they are seen."""
        means = math.sqrt(2 * self.iota * n) + 2 * self.iota * theta / self.c + 2 * self.iota
        return 2 * self.b * means + 2 * theta + 2 * math.sqrt(2 * n * self.log)

    def basic(self, k):
        """Start BASIC(k)."""
        self.k = k
        guesses = range(k, self.k_max + 1)
        self.alpha = {i: 2.0 ** (k - i - 1) for i in guesses}
        self.alpha[k] = 1 - sum(self.alpha[i] for i in guesses if i > k)
        slack = self.scale * 21 * self.c_max * self.log
        self.theta = {i: 1.25 * self.alpha[i] * 2**i + slack for i in guesses}
        self.bases = {i: Ridge(self.dim, self.penalty) for i in guesses}
        self.earned = dict.fromkeys(guesses, 0.0)

    def choose(self, contexts):
        self.i = self.k
        if self.k < self.k_max:
            self.i += draw([self.alpha[i] for i in sorted(self.alpha)], self.rng)
        return pick(self.bases[self.i].scores(contexts, self.radius), self.rng, self.ties)

    def learn(self, context, reward):
        base = self.bases[self.i]
        width = base.widths(context[None, :])[0]
        base.add(context, reward, min(1.0, self.c / (self.theta[self.i] * width)))
        self.earned[self.i] += reward
        if self.stops():
            self.basic(self.k + 1)

    def most(self, i):
        """Left side of the test: what all rounds would have earned with base i, at the most."""
        R = self.scale * self.bound(self.bases[i].count, self.theta[i])
        return (self.earned[i] + R) / self.alpha[i]

    def least(self, j):
        """Right side of the test: and with base j, at the least."""
        t, alpha = sum(base.count for base in self.bases.values()), self.alpha[j]
        luck = math.sqrt(t * self.log / alpha) + (self.log + self.theta[j]) / alpha
        return self.earned[j] / alpha - self.scale * 8 * luck

    def stops(self):
        return any(self.most(i) < self.least(j) for i in self.bases for j in self.bases if i < j)


class SharedGrid(Linear):
    """EXP4.P over arms; each round's probabilities are kept until its reward comes."""

    def __init__(self, bounds, rng, *, candidates="sqrtT", uniform=True, floor=None, **options):
        super().__init__(bounds, rng, **options)
        self.levels = sorted(candidate_set(candidates, bounds))
        self.uniform = uniform
        experts = len(self.levels) + uniform
        plays = bounds.arms * bounds.rounds
        self.p_min = min(1 / (2 * bounds.arms), math.sqrt(math.log(experts) / plays))
        if floor is not None:
            self.p_min = floor
        self.a_m = math.sqrt(math.log(3 * experts / self.delta) / plays)
        self.log_weights = np.zeros(experts)

    def choose(self, contexts):
        arms, beta = len(contexts), self.beta(self.ridge.count + 1)
        advice, before = np.zeros((len(self.log_weights), arms)), None
        for j, level in enumerate(self.levels):
            scores = self.scores(contexts, beta + self.kappa(level), level)
            if before is None or scores[before] < scores.max():
                before = pick(scores, self.rng, self.ties)
            advice[j, before] = 1.0
        if self.uniform:
            advice[-1] = 1 / arms
        weights = np.exp(self.log_weights - self.log_weights.max())
        mixture = weights @ advice / weights.sum()
        self.chances = (1 - arms * self.p_min) * mixture + self.p_min
        self.advice = advice
        self.arm = draw(self.chances, self.rng) if len(self.log_weights) > 1 else before
        return self.arm

    def learn(self, context, reward):
        super().learn(context, reward)
        estimate = np.zeros(len(self.chances))
        estimate[self.arm] = np.clip(reward, 0, 1) / self.chances[self.arm]
        with np.errstate(divide="ignore", invalid="ignore"):
            rarity = np.where(self.advice > 0, self.advice / self.chances, 0.0).sum(axis=1)
        self.log_weights += self.p_min / 2 * (self.advice @ estimate + self.a_m * rarity)


class HuberOFUL:
    """Hvt-UCB: one mirror-descent step a reward, in the metric of V."""

    def __init__(
        self,
        bounds,
        rng,
        *,
        budget=0.0,
        moment=2.0,
        sigma=0.1,
        delta=0.01,
        ridge=None,
        radius_scale=1.0,
        ties="random",
    ):
        d, T = bounds.dim, bounds.rounds
        self.bounds, self.rng, self.ties = bounds, rng, ties
        self.penalty = d if ridge is None else ridge
        epsilon = moment - 1
        self.power = (1 - epsilon) / (2 * (1 + epsilon))
        self.nu, self.least = sigma, 1 / math.sqrt(T)
        kappa = d * math.log(1 + bounds.L**2 * T / (4 * self.least**2 * self.penalty * d))
        self.log = math.log(2 * T**2 / delta)
        self.tau0 = math.sqrt(2 * kappa) * math.log(3 * T) ** self.power
        self.tau0 /= self.log ** (1 / (1 + epsilon))
        level = math.sqrt(T) if budget is None else budget
        self.floor = math.sqrt(level / math.sqrt(kappa))
        self.prior = math.sqrt(self.penalty * (2 + 4 * bounds.S**2))
        self.prior += math.sqrt(kappa) if level > 0 else 0.0
        self.scale = radius_scale
        self.V = self.penalty * np.eye(d)
        self.theta = np.zeros(d)
        self.count = 0
        self.projections = self.bends = 0

    def beta(self, n):
        return self.scale * (107 * self.log * self.tau0 * max(1, n) ** self.power + self.prior)

    def widths(self, contexts):
        return np.sqrt((contexts * np.linalg.solve(self.V, contexts.T).T).sum(axis=1))

    def choose(self, contexts):
        return self.optimistic(contexts, self.beta(self.count))

    def optimistic(self, contexts, factor):
        scores = contexts @ self.theta + factor * self.widths(contexts)
        return pick(scores, self.rng, self.ties)

    def learn(self, context, reward):
        x, y = context, reward
        width = self.widths(x[None, :])[0]
        growth = (self.count + 1) ** self.power
        steep = math.sqrt(2 * self.beta(self.count) / (self.tau0 * 2 * growth))
        sigma = max(self.nu, self.least, steep * width, self.floor * math.sqrt(width))
        w = width / sigma / 2
        tau = self.tau0 * math.sqrt(1 + w**2) / w * growth
        residual = (y - x @ self.theta) / sigma
        self.bends += abs(residual) > tau
        gradient = -x / sigma * np.clip(residual, -tau, tau)
        self.V = self.V + np.outer(x, x) / (4 * sigma**2)
        self.theta = self.theta - np.linalg.solve(self.V, gradient)
        if np.linalg.norm(self.theta) > self.bounds.S:
            self.project()
        self.count += 1

    def project(self):
        """(V + μI)⁻¹ V θ is the nearest point of its own length, in the norm of V."""
        self.projections += 1
        target, eye = self.V @ self.theta, np.eye(len(self.theta))
        low, high = 0.0, np.linalg.norm(target) / self.bounds.S
        for _ in range(200):
            middle = (low + high) / 2
            point = np.linalg.solve(self.V + middle * eye, target)
            low, high = (middle, high) if np.linalg.norm(point) > self.bounds.S else (low, middle)
        self.theta = np.linalg.solve(self.V + high * eye, target)


class RobustRegressionUCB(Linear):
    """rUCB-Lin: the whole history is kept, but only its end can still be left out or taken back."""

    def __init__(self, bounds, rng, *, fraction=0.1, memory=2000, growth=0.25, passes=5, **options):
        super().__init__(bounds, rng, **options)
        self.fraction, self.memory, self.growth, self.passes = fraction, memory, growth, passes
        self.x, self.y, self.kept = [], [], []
        self.next_fit = min(max(10, 4 * bounds.dim), memory // 2)
        self.left_out = 0

    def choose(self, contexts):
        return self.optimistic(contexts, self.beta(len(self.y) + 1))

    def learn(self, context, reward):
        self.x.append(context)
        self.y.append(reward)
        self.kept.append(True)
        self.ridge.add(context, reward)
        if self.fraction > 0 and len(self.y) >= self.next_fit:
            self.refit()
            n = len(self.y)
            self.next_fit = n + max(1, min(self.growth * n, self.memory / 2))

    def refit(self):
        x, y, kept = np.array(self.x), np.array(self.y), np.array(self.kept)
        start = max(0, len(y) - self.memory)
        size = len(y) - start
        for turn in range(self.passes):
            residuals = np.abs(y[start:] - x[start:] @ self.ridge.theta())
            limit = np.sort(residuals)[size - 1 - int(self.fraction * size)]
            before = kept.copy()
            kept[start:] = residuals <= limit
            if turn > 0 and np.array_equal(before, kept):
                break
            self.ridge = Ridge(self.bounds.dim, self.penalty)
            for a, b in zip(x[kept], y[kept], strict=True):
                self.ridge.add(a, b)
        self.kept = list(kept)
        self.left_out = np.count_nonzero(~kept)
