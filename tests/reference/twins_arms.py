"""Slow, simple NumPy twins of the policies that ignore contexts, written from their formulas.

Nothing here comes from the package: rewards are kept in lists, means are ``np.mean``, equations
are solved by bisection. Only the order of random draws is shared with the kernels: one uniform
number a round, and one for a tie between arms with equal scores.
"""

import math

import numpy as np

from reference.twins import draw, pick


class Elimination:
    """Lykouris, Mirrokni, Paes Leme (2018): layers that eliminate arms, the fastest first."""

    def __init__(self, bounds, rng, probabilities, width):
        arms = bounds.arms
        self.rng, self.chances, self.width = rng, probabilities, width
        self.active = [set(range(arms)) for _ in probabilities]
        self.rewards = [[[] for _ in range(arms)] for _ in probabilities]
        self.borrowed = 0

    def choose(self, contexts):
        number = self.rng.random()
        edges = [math.fsum(self.chances[:k]) for k in range(len(self.chances))]
        layer = max(k for k, edge in enumerate(edges) if number >= edge)
        # Within a layer's share the number is uniform again.
        number = (number - edges[layer]) / self.chances[layer]
        self.layer = layer
        if self.active[layer]:
            fewest = min(len(self.rewards[layer][a]) for a in self.active[layer])
            pool = [a for a in self.active[layer] if len(self.rewards[layer][a]) == fewest]
        else:
            self.layer = None
            self.borrowed += 1
            pool = next(active for active in self.active[layer + 1 :] if active)
        return sorted(pool)[min(int(number * len(pool)), len(pool) - 1)]

    def learn(self, arm, reward):
        if self.layer is None:
            return
        rewards = self.rewards[self.layer]
        rewards[arm].append(reward)
        while True:
            known = [a for a in self.active[self.layer] if rewards[a]]
            mean = {a: np.mean(rewards[a]) for a in known}
            width = {a: self.width(self.layer, len(rewards[a])) for a in known}
            worse = [b for a in known for b in known if mean[a] - mean[b] > width[a] + width[b]]
            if not worse:
                return
            for faster in range(self.layer + 1):
                self.active[faster].discard(worse[0])


def fast_slow(bounds, rng, *, budget, delta=0.01, width_scale=1.0):
    log_term = math.log(8 * bounds.arms * bounds.rounds / delta)
    slow = min(1.0, 1.0 / budget) if budget > 0 else 1.0
    both = [
        lambda n: width_scale * math.sqrt(log_term / n),
        lambda n: width_scale * (math.sqrt(log_term / n) + 2 * log_term / n),
    ]
    if slow == 1.0:
        return Elimination(bounds, rng, [1.0], lambda layer, n: both[1](n))
    return Elimination(bounds, rng, [1.0 - slow, slow], lambda layer, n: both[layer](n))


def mlaer(bounds, rng, *, delta=0.01, width_scale=1.0):
    rounds = bounds.rounds
    log_term = math.log(4 * bounds.arms * rounds * math.log(rounds) / delta)
    probabilities = [2.0**-layer for layer in range(1, math.ceil(math.log2(rounds)) + 1)]
    probabilities[0] = 1.0 - math.fsum(probabilities[1:])

    def width(layer, n):
        return width_scale * (math.sqrt(log_term / n) + log_term / n)

    return Elimination(bounds, rng, probabilities, width)


def successive_elimination(bounds, rng, *, budget, delta=0.01, width_scale=1.0):
    log_term = math.log(2 * bounds.arms * bounds.rounds / delta)

    def width(layer, n):
        return width_scale * math.sqrt(log_term / n) + budget / n

    return Elimination(bounds, rng, [1.0], width)


class Epochs:
    """Gupta, Koren, Talwar (2019), and with ``trust`` Hu, Chen (2025)."""

    def __init__(self, bounds, rng, *, trust, const, delta=0.01, divide_by="planned"):
        arms, rounds = bounds.arms, bounds.rounds
        self.arms, self.rng, self.trust, self.divide_by = arms, rng, trust, divide_by
        self.const = const if trust else const * math.log(8 * arms / delta * math.log2(rounds))
        self.gaps, self.means, self.epoch = np.ones(arms), np.zeros(arms), 1
        self.plan(0)

    def plan(self, best):
        m, K = self.epoch, self.arms
        if self.trust:
            zeta = (m + 4) * 2.0 ** (2 * (m + 4)) * math.log(K)
            size = self.const * math.log(4 * K * (K * zeta))
            self.length = math.ceil(K * size * 4.0 ** (m - 1))
            self.planned = size / self.gaps**2
            self.planned[best] = self.length - np.delete(self.planned, best).sum()
        else:
            self.planned = self.const / self.gaps**2
            self.length = math.ceil(self.planned.sum())
            self.planned = self.planned * self.length / self.planned.sum()
        self.rewards = [[] for _ in range(K)]

    def choose(self, contexts):
        shares = np.cumsum(self.planned / self.length)
        return min(int(np.searchsorted(shares, self.rng.random(), side="right")), self.arms - 1)

    def learn(self, arm, reward):
        self.rewards[arm].append(reward)
        if sum(map(len, self.rewards)) < self.length:
            return
        for a, rewards in enumerate(self.rewards):
            if self.divide_by == "planned":
                self.means[a] = sum(rewards) / self.planned[a]
            elif rewards:
                self.means[a] = np.mean(rewards)
        top = max(self.means - self.gaps / 16)
        self.gaps = np.clip(top - self.means, 2.0**-self.epoch, 1.0)
        self.epoch += 1
        self.plan(int(np.argmax(self.means)))


def barbar(bounds, rng, *, lambda_const=1024.0, **options):
    return Epochs(bounds, rng, trust=False, const=lambda_const, **options)


def barbat(bounds, rng, *, lambda_const=256.0, **options):
    return Epochs(bounds, rng, trust=True, const=lambda_const, **options)


class EXP3:
    """Auer, Cesa-Bianchi, Freund, Schapire (2002), with plain weights."""

    def __init__(self, bounds, rng, *, alpha=None):
        arms, rounds = bounds.arms, bounds.rounds
        if alpha is None:
            alpha = min(1.0, math.sqrt(arms * math.log(arms) / ((math.e - 1) * rounds)))
        self.arms, self.rng, self.alpha = arms, rng, alpha
        self.weights = np.ones(arms)

    def probabilities(self):
        return (1 - self.alpha) * self.weights / self.weights.sum() + self.alpha / self.arms

    def choose(self, contexts):
        self.drawn = self.probabilities()
        return draw(self.drawn, self.rng)

    def learn(self, arm, reward):
        gain = np.clip(reward, 0, 1) / self.drawn[arm]
        self.weights[arm] *= math.exp(self.alpha * gain / self.arms)


class TsallisINF(EXP3):
    """Zimmert, Seldin (2021), the normalization found by bisection."""

    def __init__(self, bounds, rng):
        super().__init__(bounds, rng, alpha=0.0)
        self.losses, self.t = np.zeros(bounds.arms), 1

    def probabilities(self):
        rate = 2 / math.sqrt(self.t)
        low, high = self.losses.min() - 2 * math.sqrt(self.arms) / rate - 1, self.losses.min()
        for _ in range(200):
            middle = (low + high) / 2
            with np.errstate(divide="ignore"):
                total = (4 / (rate * (self.losses - middle)) ** 2).sum()
            low, high = (low, middle) if total > 1 else (middle, high)
        return 4 / (rate * (self.losses - low)) ** 2

    def learn(self, arm, reward):
        self.losses[arm] += (1 - np.clip(reward, 0, 1)) / self.drawn[arm]
        self.t += 1


class RobustUCB:
    """rUCB-MAB of Kapoor, Patel, Kar (2019), by their code; crUCB of Niss, Tewari (2020).

    Ours: rewards are rounded to the middle of their bin, the median of an even number is the mean
    of the middle two, ties are random, and t may be the horizon.
    """

    def __init__(self, bounds, rng, *, estimator="median", trim=0.1, sigma=0.1, **options):
        self.arms, self.rng, self.rounds = bounds.arms, rng, bounds.rounds
        self.alpha = None if estimator == "median" else trim
        scale = options.get("width_scale", 2.0)
        if estimator == "median":
            self.rho = (scale * sigma) ** 2
        else:  # the paper's bonus is σ₀/(1-2α) √(4 ln t / N)
            self.rho = (scale / 2) ** 2 * 4 * (sigma / (1 - 2 * trim)) ** 2
        self.clock = options.get("clock", "rewards")
        self.low, self.bins = options.get("low", -0.5), options.get("bins", 1024)
        self.width = (options.get("high", 1.5) - self.low) / self.bins
        self.rewards = [[] for _ in range(self.arms)]

    def estimate(self, rewards):
        if self.alpha is None:
            return np.median(rewards)
        n = len(rewards)
        cut = math.ceil(self.alpha * n)
        while n - 2 * cut < 1:
            cut -= 1
        return np.mean(sorted(rewards)[cut : n - cut])

    def choose(self, contexts):
        scores = np.full(self.arms, np.inf)  # first each arm once
        t = self.rounds if self.clock == "horizon" else sum(map(len, self.rewards))
        for a, rewards in enumerate(self.rewards):
            if rewards:
                bonus = math.sqrt(self.rho * math.log(t) / len(rewards))
                scores[a] = self.low + self.width * (self.estimate(rewards) + 0.5) + bonus
        return pick(scores, self.rng, "random")

    def learn(self, arm, reward):
        number = math.floor((reward - self.low) / self.width)
        self.rewards[arm].append(min(max(number, 0), self.bins - 1))
