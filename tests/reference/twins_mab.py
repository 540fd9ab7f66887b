"""Slow, obvious NumPy twins of the policies for fixed arms, written from their formulas.

Nothing here comes from the package: rewards are kept in lists, means are ``np.mean``, equations
are solved by bisection. Only the order of random draws is shared with the kernels: a race and the
epochs cost one uniform number a round, a lottery one, a tie one when several arms are equal.
"""

import math

import numpy as np


class Race:
    """Lykouris, Mirrokni, Paes Leme (2018): layers that eliminate arms, the fastest first."""

    def __init__(self, arms, rng, chances, width):
        self.rng, self.chances, self.width = rng, chances, width
        self.alive = [set(range(arms)) for _ in chances]
        self.rewards = [[[] for _ in range(arms)] for _ in chances]
        self.lent = 0

    def choose(self):
        number = self.rng.random()
        edges = [math.fsum(self.chances[:k]) for k in range(len(self.chances))]
        layer = max(k for k, edge in enumerate(edges) if number >= edge)
        # Within a layer's share the number is uniform again.
        number = (number - edges[layer]) / self.chances[layer]
        self.layer = layer
        if self.alive[layer]:
            fewest = min(len(self.rewards[layer][a]) for a in self.alive[layer])
            pool = [a for a in self.alive[layer] if len(self.rewards[layer][a]) == fewest]
        else:
            self.layer = None
            self.lent += 1
            pool = next(alive for alive in self.alive[layer + 1 :] if alive)
        return sorted(pool)[min(int(number * len(pool)), len(pool) - 1)]

    def learn(self, arm, reward):
        if self.layer is None:
            return
        rewards = self.rewards[self.layer]
        rewards[arm].append(reward)
        while True:
            known = [a for a in self.alive[self.layer] if rewards[a]]
            mean = {a: np.mean(rewards[a]) for a in known}
            width = {a: self.width(self.layer, len(rewards[a])) for a in known}
            worse = [b for a in known for b in known if mean[a] - mean[b] > width[a] + width[b]]
            if not worse:
                return
            for faster in range(self.layer + 1):
                self.alive[faster].discard(worse[0])


def fast_slow(arms, rounds, rng, *, budget, delta=0.01, width_scale=1.0):
    doubt = math.log(8 * arms * rounds / delta)
    slow = min(1.0, 1.0 / budget) if budget > 0 else 1.0
    both = [
        lambda n: width_scale * math.sqrt(doubt / n),
        lambda n: width_scale * (math.sqrt(doubt / n) + 2 * doubt / n),
    ]
    if slow == 1.0:
        return Race(arms, rng, [1.0], lambda layer, n: both[1](n))
    return Race(arms, rng, [1.0 - slow, slow], lambda layer, n: both[layer](n))


def mlaer(arms, rounds, rng, *, delta=0.01, width_scale=1.0):
    doubt = math.log(4 * arms * rounds * math.log(rounds) / delta)
    chances = [2.0**-layer for layer in range(1, math.ceil(math.log2(rounds)) + 1)]
    chances[0] = 1.0 - math.fsum(chances[1:])
    return Race(
        arms, rng, chances, lambda layer, n: width_scale * (math.sqrt(doubt / n) + doubt / n)
    )


def successive_elimination(arms, rounds, rng, *, budget, delta=0.01, width_scale=1.0):
    doubt = math.log(2 * arms * rounds / delta)
    return Race(arms, rng, [1.0], lambda layer, n: width_scale * math.sqrt(doubt / n) + budget / n)


class Epochs:
    """Gupta, Koren, Talwar (2019), and with ``trust`` Hu, Chen (2025)."""

    def __init__(self, arms, rounds, rng, *, trust, const, delta=0.01, divide_by="planned"):
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

    def choose(self):
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


def barbar(arms, rounds, rng, *, lambda_const=1024.0, **options):
    return Epochs(arms, rounds, rng, trust=False, const=lambda_const, **options)


def barbat(arms, rounds, rng, *, lambda_const=256.0, **options):
    return Epochs(arms, rounds, rng, trust=True, const=lambda_const, **options)


class EXP3:
    """Auer, Cesa-Bianchi, Freund, Schapire (2002), with plain weights."""

    def __init__(self, arms, rounds, rng, *, alpha=None):
        if alpha is None:
            alpha = min(1.0, math.sqrt(arms * math.log(arms) / ((math.e - 1) * rounds)))
        self.arms, self.rng, self.alpha = arms, rng, alpha
        self.weights = np.ones(arms)

    def chances(self):
        return (1 - self.alpha) * self.weights / self.weights.sum() + self.alpha / self.arms

    def choose(self):
        self.drawn = self.chances()
        index = np.searchsorted(np.cumsum(self.drawn), self.rng.random(), side="right")
        return min(int(index), self.arms - 1)

    def learn(self, arm, reward):
        gain = np.clip(reward, 0, 1) / self.drawn[arm]
        self.weights[arm] *= math.exp(self.alpha * gain / self.arms)


class TsallisINF(EXP3):
    """Zimmert, Seldin (2021), the normalisation found by bisection."""

    def __init__(self, arms, rounds, rng):
        super().__init__(arms, rounds, rng, alpha=0.0)
        self.losses, self.t = np.zeros(arms), 1

    def chances(self):
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
    """Kapoor, Patel, Kar (2019), on rewards rounded to the middle of their bin."""

    def __init__(self, arms, rounds, rng, *, estimator="median", trim=0.1, sigma=0.1, scale=2.0,
                 low=-0.5, high=1.5, bins=1024):  # fmt: skip
        self.arms, self.rng, self.rounds = arms, rng, rounds
        self.estimator, self.trim, self.scale = estimator, trim, sigma * scale
        self.low, self.width, self.bins = low, (high - low) / bins, bins
        self.numbers = [[] for _ in range(arms)]

    def estimate(self, numbers):
        if self.estimator == "median":
            middle = np.median(numbers)
        else:
            cut = min(math.floor(self.trim * len(numbers)), (len(numbers) - 1) // 2)
            middle = np.mean(sorted(numbers)[cut : len(numbers) - cut])
        return self.low + self.width * (middle + 0.5)

    def choose(self):
        scores = np.full(self.arms, np.inf)
        for a, numbers in enumerate(self.numbers):
            if numbers:
                bonus = self.scale * math.sqrt(math.log(self.rounds)) / math.sqrt(len(numbers))
                scores[a] = self.estimate(numbers) + bonus
        best = np.flatnonzero(scores == scores.max())
        return int(best[0] if len(best) == 1 else best[int(self.rng.random() * len(best))])

    def learn(self, arm, reward):
        number = math.floor((reward - self.low) / self.width)
        self.numbers[arm].append(min(max(number, 0), self.bins - 1))
