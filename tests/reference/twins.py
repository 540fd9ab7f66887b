"""Slow, simple NumPy twins of the linear policies, written from the papers' formulas.

Nothing here comes from the package. V is kept as a matrix, theta is ``solve(V, b)``, a width is
``sqrt(x V^-1 x)``; every round costs O(dim^3). Only the *order* of random draws is shared with the
kernels: one uniform number for a candidate, one normal number for each coordinate in LinTS, and one
uniform number for a tie, drawn only when several arms have exactly the largest score.
"""

import math

import numpy as np


class Bounds:
    """What a policy is told in advance."""

    def __init__(self, arms, dim, rounds=None, context_bound=1.0, theta_bound=1.0):
        self.arms, self.dim, self.rounds = arms, dim, rounds
        self.L, self.S = context_bound, theta_bound


class SeenContexts:
    """The contexts x_s that were learned, for the maximum of |x V^-1 x_s|.

    As long as every arm has a single context, the contexts are listed. Once one differs, two balls
    that contain all of them replace the list, and the smaller of the two bounds counts. The first
    ball is enlarged by each new context to the smallest ball that contains both. The second is
    centered at the origin, and its radius is the length of the longest context.
    """

    def __init__(self):
        self.by_arm, self.ball, self.length = {}, None, 0.0

    def add(self, arm, x):
        if self.ball is None and np.array_equal(self.by_arm.setdefault(arm, x), x):
            return
        if self.ball is None:
            for earlier in sorted(self.by_arm):
                self.enlarge(self.by_arm[earlier])
        self.enlarge(x)

    def enlarge(self, x):
        self.length = max(self.length, np.linalg.norm(x))
        if self.ball is None:
            self.ball = x, 0.0
            return
        center, radius = self.ball
        distance = np.linalg.norm(x - center)
        if distance > radius:  # from the ball's far side, -radius, to x
            middle = (distance - radius) / 2
            self.ball = center + middle * (x - center) / distance, radius + middle

    def harms(self, V, contexts):
        """The largest |x V^-1 x_s| for each x, over the list or over the ball."""
        images = np.linalg.solve(V, contexts.T)
        if self.ball is not None:
            center, radius = self.ball
            lengths = np.linalg.norm(images, axis=0)
            return np.minimum(abs(center @ images) + radius * lengths, self.length * lengths)
        if not self.by_arm:
            return np.zeros(len(contexts))
        return abs(np.array(list(self.by_arm.values())) @ images).max(axis=0)


class Ridge:
    """V = λI + Σ x xᵀ and b = Σ y x, since the last reset."""

    offset = 0.0  # subtracted from every y

    def __init__(self, dim, penalty):
        self.dim, self.penalty = dim, penalty
        self.reset()

    def reset(self):
        self.V = self.penalty * np.eye(self.dim)
        self.b = np.zeros(self.dim)
        self.count = 0
        self.gamma_squared = 0.0  # Σ_s x_s V_s^-1 x_s, each with the V before x_s came in
        self.seen = SeenContexts()

    def theta(self):
        return np.linalg.solve(self.V, self.b)

    def widths(self, contexts):
        return np.sqrt((contexts * np.linalg.solve(self.V, contexts.T).T).sum(axis=1))

    def scores(self, contexts, radius):
        return contexts @ self.theta() + radius * self.widths(contexts)

    def log_det_ratio(self):
        return np.linalg.slogdet(self.V)[1] - self.dim * math.log(self.penalty)

    def add(self, x, y, weight=1.0):
        self.gamma_squared += weight * (x @ np.linalg.solve(self.V, x))
        self.V = self.V + weight * np.outer(x, x)
        self.b = self.b + weight * (y - self.offset) * x
        self.count += 1


def pick(scores, rng, ties):
    """Index of the largest score; a random one among exact equals."""
    best = np.flatnonzero(scores == scores.max())
    if len(best) == 1 or ties == "first":
        return int(best[0])
    return int(best[int(rng.random() * len(best))])


def draw(probabilities, rng):
    """Index drawn with these probabilities: one uniform number against their cumulative sum."""
    index = np.searchsorted(np.cumsum(probabilities), rng.random(), side="right")
    return min(int(index), len(probabilities) - 1)


class Exp3:
    """Auer et al. (2002): mix exponential weights with a share alpha of uniform play."""

    def __init__(self, size, alpha):
        self.size, self.alpha = size, alpha
        self.log_weights = np.zeros(size)

    def probabilities(self):
        weights = np.exp(self.log_weights - self.log_weights.max())
        return (1 - self.alpha) * weights / weights.sum() + self.alpha / self.size

    def pay(self, index, reward, chance):
        self.log_weights[index] += self.alpha / self.size * reward / chance


def exp3_share(size, plays):
    """α = min{1, sqrt(N ln N / ((e - 1) g))}."""
    return min(1.0, math.sqrt(size * math.log(size) / ((math.e - 1) * plays)))


class Linear:
    """What all twins share: a regression, a radius, a bonus for corruption, a tie rule."""

    def __init__(
        self,
        bounds,
        rng,
        *,
        ridge=0.1,
        delta=0.01,
        sigma=0.1,
        radius="trace",
        ties="random",
        bonus="l2",
        max_corruption=1.0,
    ):
        self.bounds, self.rng, self.ties = bounds, rng, ties
        self.penalty, self.delta, self.sigma = ridge, delta, sigma
        self.radius, self.bonus, self.max_corruption = radius, bonus, max_corruption
        self.ridge = Ridge(bounds.dim, ridge)

    def beta(self, t):
        """Radius of the confidence ellipsoid in round t, counted from 1."""
        floor = math.sqrt(self.penalty) * self.bounds.S
        if self.radius == "trace":  # the paper's Eq. (1)
            growth = 1 + t * self.bounds.L**2 / self.penalty
            return self.sigma * math.sqrt(self.bounds.dim * math.log(growth / self.delta)) + floor
        # Abbasi-Yadkori et al. (2011), Theorem 1
        inside = self.ridge.log_det_ratio() + 2 * math.log(1 / self.delta)
        return self.sigma * math.sqrt(inside) + floor

    def kappa(self, level):
        """What corruptions of ``level`` in all may add to the radius."""
        return {
            "paper": math.sqrt(self.ridge.gamma_squared) * level,
            "l1": level,
            "l2": min(level, math.sqrt(level * self.max_corruption)),
            "tight": 0.0,  # added to each arm's bonus instead
        }[self.bonus]

    def scores(self, contexts, factor, level):
        scores = self.ridge.scores(contexts, factor)
        if self.bonus == "tight":
            scores += level * self.ridge.seen.harms(self.ridge.V, contexts)
        return scores

    def optimistic(self, contexts, factor, level=0.0):
        self.arm = pick(self.scores(contexts, factor, level), self.rng, self.ties)
        return self.arm

    def learn(self, context, reward):
        self.ridge.add(context, reward)
        if self.bonus == "tight":
            self.ridge.seen.add(self.arm, context)


class LinUCB(Linear):
    """Algorithm 2, and Theorem 1's enlarged version of it when ``budget`` is not zero."""

    def __init__(self, bounds, rng, *, budget=0.0, **options):
        super().__init__(bounds, rng, **options)
        self.budget = budget

    def choose(self, contexts):
        factor = self.beta(self.ridge.count + 1) + self.kappa(self.budget)
        return self.optimistic(contexts, factor, self.budget)


RobustLinUCB = LinUCB


class CautiousLinUCB(Linear):
    """LinUCB, each observation weighed by min(1, α/width) with α = 2√d / tolerance."""

    def __init__(self, bounds, rng, *, tolerance=100.0, **options):
        super().__init__(bounds, rng, **options)
        self.alpha = 2 * math.sqrt(bounds.dim) / tolerance if tolerance > 0 else math.inf

    def factor(self):
        return self.beta(self.ridge.count + 1)

    def choose(self, contexts):
        return self.optimistic(contexts, self.factor())

    def learn(self, context, reward):
        width = self.ridge.widths(context[None, :])[0]
        self.ridge.add(context, reward, 1.0 if width <= self.alpha else self.alpha / width)


class CWOFUL(CautiousLinUCB):
    """He et al. (2022), Algorithm 1, with λ = R²/S² unless given."""

    def __init__(self, bounds, rng, *, budget=None, ridge=None, sigma=0.1, delta=0.01, **options):
        penalty = sigma**2 / bounds.S**2 if ridge is None else ridge
        super().__init__(bounds, rng, ridge=penalty, sigma=sigma, delta=delta, **options)
        C = math.sqrt(bounds.rounds) if budget is None else budget
        prior = math.sqrt(penalty) * bounds.S
        self.alpha = (sigma * math.sqrt(bounds.dim) + prior) / C if C > 0 else math.inf
        growth = (1 + bounds.rounds * bounds.L**2 / penalty) / delta
        noise = sigma * math.sqrt(bounds.dim * math.log(growth))
        if budget is None:
            self.constant = 2 * noise + 2 * prior
        else:
            self.constant = noise + prior + (self.alpha * C if C > 0 else 0)

    def factor(self):
        return self.constant


class Greedy(Linear):
    """LinUCB without any bonus."""

    def choose(self, contexts):
        return pick(contexts @ self.ridge.theta(), self.rng, self.ties)


class LinTS(Linear):
    """Draw theta from N(θ̂, v² V^-1) and play its best arm."""

    def __init__(self, bounds, rng, *, scale=1.0, **options):
        super().__init__(bounds, rng, **options)
        self.scale = scale

    def sample(self):
        normal = self.rng.standard_normal(self.bounds.dim)
        upper = np.linalg.cholesky(self.ridge.V).T
        spread = self.scale * self.beta(self.ridge.count + 1)
        return self.ridge.theta() + spread * np.linalg.solve(upper, normal)

    def choose(self, contexts):
        return pick(contexts @ self.sample(), self.rng, self.ties)


def levels_up_to(largest, rounding):
    """{0} ∪ {2^j} with 2^j up to ``largest``, rounded up or down to a power of two."""
    return [0.0, *(2.0**j for j in range(rounding(math.log2(largest)) + 1))]


def candidate_set(candidates, bounds, epoch=None):
    if candidates == "sqrtT":
        return levels_up_to(math.sqrt(bounds.rounds), math.ceil)
    if candidates == "T":
        return levels_up_to(bounds.rounds, math.ceil)
    if candidates == "2KT":
        return levels_up_to(2 * bounds.arms * bounds.rounds, math.ceil)
    if candidates == "2KT-floor":
        return levels_up_to(2 * bounds.arms * bounds.rounds, math.floor)
    if candidates == "2KH-floor":
        return levels_up_to(2 * bounds.arms * epoch, math.floor)
    return [float(level) for level in candidates]


class BOBNoRestart(Linear):
    """Algorithm 3: EXP3 draws C' in every round and is paid that round's reward."""

    def __init__(self, bounds, rng, *, candidates="sqrtT", clip=True, alpha=None, **options):
        super().__init__(bounds, rng, **options)
        self.levels = candidate_set(candidates, bounds)
        share = exp3_share(len(self.levels), bounds.rounds) if alpha is None else alpha
        self.exp3 = Exp3(len(self.levels), share)
        self.clip = clip

    def choose(self, contexts):
        probabilities = self.exp3.probabilities()
        self.drawn = draw(probabilities, self.rng)
        self.chance = probabilities[self.drawn]
        level = self.levels[self.drawn]
        factor = self.beta(self.ridge.count + 1) + self.kappa(level)
        return self.optimistic(contexts, factor, level)

    def learn(self, context, reward):
        super().learn(context, reward)
        payment = np.clip(reward, 0, 1) if self.clip else reward
        self.exp3.pay(self.drawn, payment, self.chance)


class RobustBandit(Linear):
    """Algorithm 1: EXP3 draws C' for an epoch, LinUCB starts afresh, EXP3 is paid at the end."""

    def __init__(
        self,
        bounds,
        rng,
        *,
        candidates="sqrtT",
        epoch="balanced",
        restart=True,
        reward_scale="epoch",
        exp3_horizon="epochs",
        index="local",
        delta_split=True,
        clip=True,
        alpha=None,
        **options,
    ):
        super().__init__(bounds, rng, **options)
        # H = β_T γ_{T+1} √T / √(e-1), with γ²_{T+1} bounded by 2d log(1 + T L²/(dλ)). The
        # paper's β is Eq. (1), whatever radius is played with.
        T, reach = bounds.rounds, bounds.L**2
        spread = bounds.dim * math.log((1 + T * reach / self.penalty) / self.delta)
        beta = self.sigma * math.sqrt(spread) + math.sqrt(self.penalty) * bounds.S
        gamma = math.sqrt(2 * bounds.dim * math.log(1 + T * reach / (bounds.dim * self.penalty)))
        paper = beta * gamma * math.sqrt(T) / math.sqrt(math.e - 1)
        self.levels = candidate_set(candidates, bounds, paper)
        size = len(self.levels)
        if epoch == "paper":
            self.epoch = math.ceil(paper)
        elif epoch == "balanced" and size > 1:
            self.epoch = math.ceil(paper / math.sqrt(size * math.log(size)))
        elif epoch in ("never", "balanced"):
            self.epoch = T + 1
        else:
            self.epoch = epoch
        epochs = math.ceil(T / self.epoch)
        if alpha is None:
            alpha = exp3_share(size, epochs if exp3_horizon == "epochs" else T)
        if delta_split:
            self.delta /= epochs
        self.exp3 = Exp3(size, alpha)
        self.restart, self.reward_scale, self.clip = restart, reward_scale, clip
        self.index = index
        self.played = 0  # rounds before this one
        self.epochs_begun = 0
        self.local = None  # rounds of this epoch before this one

    def begin_epoch(self):
        probabilities = self.exp3.probabilities()
        self.drawn = draw(probabilities, self.rng)
        self.chance = probabilities[self.drawn]
        self.local = 0
        self.earned = 0.0
        self.epochs_begun += 1
        if self.restart:
            self.ridge.reset()

    def choose(self, contexts):
        if self.local is None:
            self.begin_epoch()
        # "local" counts the rounds since the restart: what the regression has seen.
        t = 1 + (self.played if self.index == "global" else self.ridge.count)
        level = self.levels[self.drawn]
        return self.optimistic(contexts, self.beta(t) + self.kappa(level), level)

    def learn(self, context, reward):
        super().learn(context, reward)
        self.played += 1
        self.local += 1
        self.earned += reward
        if self.local == self.epoch:
            if self.reward_scale == "epoch":
                payment = self.earned / self.local
                payment = min(max(payment, 0.0), 1.0) if self.clip else payment
            else:
                payment = self.earned
            self.exp3.pay(self.drawn, payment, self.chance)
            self.begin_epoch()
