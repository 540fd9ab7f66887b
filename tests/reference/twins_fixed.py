"""Slow, simple NumPy twins of the policies for a catalogue, written from the papers' formulas.

Nothing here comes from the package. A Gaussian process keeps its whole history and solves with the
full n x n matrix; a design is computed with pseudo-inverses in the space itself. Only the *order*
of random draws is shared with the kernels: one uniform number for a layer (if there are several),
one for a tie, one for each play of a phase.
"""

import math

import numpy as np

from reference.twins import draw, pick


def linear(x, y):
    return float(x @ y)


def rbf(x, y, length=1.0):
    return math.exp(-float(np.sum((x - y) ** 2)) / (2 * length**2))


def matern(x, y, smoothness, length=1.0):
    r = float(np.linalg.norm(x - y)) / length
    if smoothness == 0.5:
        return math.exp(-r)
    if smoothness == 1.5:
        return (1 + math.sqrt(3) * r) * math.exp(-math.sqrt(3) * r)
    return (1 + math.sqrt(5) * r + 5 * r * r / 3) * math.exp(-math.sqrt(5) * r)


class Process:
    """A Gaussian process with noise variance λ, by the textbook, on its whole history."""

    def __init__(self, kernel, penalty):
        self.kernel, self.penalty = kernel, penalty
        self.points, self.values = [], []
        self.matrix = np.empty((0, 0))

    def add(self, x, y):
        row = [self.kernel(x, point) for point in self.points]
        self.matrix = np.block([[self.matrix, np.array(row)[:, None]], [*row, self.kernel(x, x)]])
        self.points.append(x)
        self.values.append(y)

    def posterior(self, contexts):
        """Means and variances at some points."""
        prior = np.array([self.kernel(x, x) for x in contexts])
        if not self.points:
            return np.zeros(len(contexts)), prior
        rows = np.array([[self.kernel(x, y) for y in self.points] for x in contexts])
        solved = np.linalg.solve(self.noisy(), np.column_stack([self.values, rows.T]))
        return rows @ solved[:, 0], prior - np.einsum("an,na->a", rows, solved[:, 1:])

    def noisy(self):
        return self.matrix + self.penalty * np.eye(len(self.points))

    def information(self):
        return 0.5 * np.linalg.slogdet(self.noisy() / self.penalty)[1] if self.points else 0.0


class EnlargedGP:
    """Bogunovic, Krause, Scarlett (2020), Algorithm 1; what the other two have in common with it.

    β = B + (σ/√λ) √(2(γ + ln(1/δ))), where γ is the information gained so far.
    """

    def __init__(self, bounds, rng, *, kernel, budget=0.0, delta=0.01, **options):
        self.rng, self.kernel, self.C, self.delta = rng, kernel, budget, delta
        self.penalty, self.sigma = options.get("ridge", 0.1), options.get("sigma", 0.1)
        self.B, self.B0 = options.get("norm_bound", 1.0), options.get("max_corruption", 1.0)
        self.alpha, self.scale = options.get("alpha", 2.0), options.get("bonus_scale", 1.0)
        self.rounds, self.all = bounds.rounds, Process(kernel, self.penalty)

    def interval(self, process, delta, corruption, factor=1.0):
        """μ ± factor (β + corruption/√λ) s for all arms."""
        gained = process.information() + math.log(1 / delta)
        beta = self.B + self.sigma / math.sqrt(self.penalty) * math.sqrt(2 * gained)
        means, variances = process.posterior(self.contexts)
        beta += self.scale * corruption / math.sqrt(self.penalty)
        widths = factor * beta * np.sqrt(np.maximum(0.0, variances))
        return means - widths, means + widths

    def choose(self, contexts):
        self.contexts = contexts
        return pick(self.interval(self.all, self.delta, self.C)[1], self.rng, "random")

    def learn(self, arm, context, reward):
        self.all.add(context, reward)


class RunningBounds:
    """UCB and LCB of a process: the smallest and the largest bounds of its past.

    The paper knows all contexts from the start. The policy knows an arm from its first reward on,
    so the past of an arm's bounds begins there; until then they are the present ones.
    """

    def __init__(self, process, interval):
        self.process, self.interval = process, interval
        self.past = {}

    def update(self, arms):
        lows, highs = self.interval(self.process)
        for arm in arms:
            low, high = self.past.get(arm, (-np.inf, np.inf))
            self.past[arm] = max(low, lows[arm]), min(high, highs[arm])

    def __call__(self):
        """LCB and UCB of all arms."""
        lows, highs = self.interval(self.process)
        for arm, (low, high) in self.past.items():
            lows[arm], highs[arm] = low, high
        return lows, highs


class FastSlowGP(EnlargedGP):
    """Bogunovic, Krause, Scarlett (2020), Algorithm 2."""

    def __init__(self, bounds, rng, **options):
        super().__init__(bounds, rng, **options)
        constant = 3 + self.B0 * math.log(5 / self.delta)
        self.corruption = {"F": 0.0, "S": constant}
        self.processes = {name: Process(self.kernel, self.penalty) for name in "FS"}
        self.running = {
            name: RunningBounds(self.processes[name], lambda _, name=name: self.present(name))
            for name in "FS"
        }
        self.known, self.valid, self.switched, self.t = set(), True, None, 0

    def present(self, name, factor=1.0):
        return self.interval(self.processes[name], self.delta / 5, self.corruption[name], factor)

    def choose(self, contexts):
        self.contexts = contexts
        if not self.valid:  # Algorithm 1 on all data
            return pick(self.interval(self.all, self.delta / 5, self.C)[1], self.rng, "random")
        slow = min(1, 1 / self.C)
        self.drawn = "F" if slow < 1 and self.rng.random() < 1 - slow else "S"
        fast, slow = self.running["F"](), self.running["S"]()
        self.contradicted = bool(np.any(fast[1] < slow[0]))
        scores = np.minimum(fast[1], slow[1])
        if self.drawn == "S":
            scores = self.present("S", self.alpha)[1]
        return pick(scores, self.rng, "random")

    def learn(self, arm, context, reward):
        self.t += 1
        self.all.add(context, reward)
        if not self.valid:
            return
        self.processes[self.drawn].add(context, reward)
        for name in "FS":
            if arm not in self.known:
                self.running[name].update([arm])
        self.known.add(arm)
        self.running[self.drawn].update(self.known)
        known = sorted(self.known)
        contradicted = self.running["F"]()[1][known] < self.running["S"]()[0][known]
        if self.contradicted or contradicted.any():
            self.valid, self.switched = False, self.t


class MultiLayerGP(EnlargedGP):
    """Bogunovic, Krause, Scarlett (2020), Algorithm 3; arms without rewards are in all sets."""

    def __init__(self, bounds, rng, **options):
        super().__init__(bounds, rng, **options)
        logs = math.log2(self.rounds)
        self.L = math.ceil(logs)
        self.split = self.delta / (4 * (1 + logs))
        self.constant = 3 + self.B0 * math.log(1 / self.split)
        self.layers = [Process(self.kernel, self.penalty) for _ in range(self.L)]
        self.running = [RunningBounds(process, self.present) for process in self.layers]
        self.sets = [set(range(bounds.arms)) for _ in range(self.L)]
        self.known, self.borrowed = set(), 0

    def present(self, process, factor=1.0):
        return self.interval(process, self.split, self.constant, factor)

    def floor(self, layer):
        return max((low for low, _ in self.running[layer].past.values()), default=-np.inf)

    def choose(self, contexts):
        self.contexts = contexts
        probabilities = [2.0**-i for i in range(1, self.L + 1)]
        probabilities[0] += 1 - sum(probabilities)
        self.drawn = draw(probabilities, self.rng)
        chooser = self.drawn
        while not self.sets[chooser]:
            chooser += 1
        self.learns = chooser == self.drawn
        self.borrowed += not self.learns
        scores = np.full(len(contexts), -np.inf)
        inside = sorted(self.sets[chooser])
        scores[inside] = self.present(self.layers[chooser], self.alpha)[1][inside]
        return pick(scores, self.rng, "random")

    def learn(self, arm, context, reward):
        if not self.learns:
            return
        self.layers[self.drawn].add(context, reward)
        changed = [self.drawn]
        if arm not in self.known:
            changed = range(self.L)
            for running in self.running:
                running.update([arm])
        self.known.add(arm)
        self.running[self.drawn].update(self.known)
        for layer in changed:
            highs = {a: high for a, (_, high) in self.running[layer].past.items()}
            worse = {a for a in highs if highs[a] < self.floor(layer)}
            if layer == self.L - 1 and self.sets[layer] <= worse:
                continue  # the slowest layer keeps its last arms
            for faster in range(layer + 1):
                self.sets[faster] -= worse


# ------------------------------------------------------------------------------------- designs


def known_to_within(arms, weights):
    """g(x) = xᵀ M⁺ x for each arm (a row), with M = Σ w x xᵀ."""
    moment = (arms * weights[:, None]).T @ arms
    return np.einsum("ai,ij,aj->a", arms, np.linalg.pinv(moment, rcond=1e-10), arms)


def wynn(arms, slack=1.0):
    """Frank and Wolfe from a greedy spanner; weights of the arms (rows), and their rank."""
    rest, chosen = arms.astype(float).copy(), []
    rank = np.linalg.matrix_rank(arms, tol=1e-7 * np.linalg.norm(arms, axis=1).max())
    while len(chosen) < rank:
        lengths = np.linalg.norm(rest, axis=1)
        chosen.append(int(lengths.argmax()))
        axis = rest[chosen[-1]] / lengths.max()
        rest = rest - np.outer(rest @ axis, axis)
    weights = np.zeros(len(arms))
    weights[chosen] = 1 / rank
    while True:
        reach = known_to_within(arms, weights)
        best = int(reach.argmax())
        if reach[best] <= (1 + slack) * rank:
            return weights, rank
        step = (reach[best] / rank - 1) / (reach[best] - 1)
        weights = (1 - step) * weights
        weights[best] += step


class Phased:
    """Phase 0, and arms drawn in proportion to what is left of their plan."""

    def __init__(self, bounds, rng):
        self.size, self.dim, self.rounds, self.rng = bounds.arms, bounds.dim, bounds.rounds, rng
        self.known, self.phase = {}, 0

    def choose(self, contexts):
        self.measures = True
        if self.phase == 0:
            known, size = len(self.known), self.size
            share = 0.125 if known else 0.0  # of plays for arms that have returned a reward
            probabilities = [
                share / known if a in self.known else (1 - share) / (size - known)
                for a in range(size)
            ]
            return self.draw(np.array(probabilities), 1.0)
        return self.draw(*self.wanted())

    def draw(self, shares, total):
        level = self.rng.random() * total
        later = np.flatnonzero(level < np.cumsum(shares))
        if len(later):
            return int(later[0])
        self.measures = False
        return self.leader

    def learn(self, arm, context, reward):
        if self.phase == 0:
            self.known[arm] = context
            if len(self.known) < self.size:
                return
            self.contexts = np.array([self.known[a] for a in range(self.size)])
            self.means = np.zeros(self.size)
            self.active = np.ones(self.size, dtype=bool)
            self.begin()
        else:
            self.played += 1
            if self.measures:
                self.counts[arm] += 1
                self.sums[arm] += reward
            if not self.over():
                return
            self.conclude()
        self.phase += 1
        self.counts, self.sums, self.played = np.zeros(self.size), np.zeros(self.size), 0
        self.weights = np.zeros(self.size)
        self.weights[self.active], self.rank = wynn(self.contexts[self.active])
        self.plan_phase()

    def fit(self, counts):
        """Least squares on the active arms, with these counts; writes their means."""
        arms = self.contexts[self.active]
        gram = (arms * counts[self.active][:, None]).T @ arms
        moment = arms.T @ self.sums[self.active]
        self.means[self.active] = arms @ np.linalg.pinv(gram, rcond=1e-10) @ moment
        masked = np.where(self.active, self.means, -np.inf)
        self.leader = int(masked.argmax())
        return masked


class PhasedElimination(Phased):
    """Bogunovic et al. (2021), Algorithm 1."""

    def __init__(self, bounds, rng, *, threshold="paper", sigma=0.1, delta=0.01, **options):
        super().__init__(bounds, rng)
        first = options.get("first_phase")
        self.threshold, self.sigma, self.delta = threshold, sigma, delta
        self.budget = options.get("budget")
        self.largest = options.get("max_corruption", 1.0)
        self.m0 = 4 * self.dim * (math.log(math.log(self.dim)) + 18) if first is None else first

    def begin(self):
        self.h, self.m = 0, self.m0

    def plan_phase(self):
        least = 0.0 if self.threshold == "tight" else 1 / self.m0
        self.plan = np.where(
            self.weights > 0, np.ceil(self.m * np.maximum(self.weights, least)), 0.0
        )

    def wanted(self):
        shares = np.maximum(0.0, self.plan - self.counts)
        return shares, shares.sum()

    def over(self):
        return bool(np.all(self.counts >= self.plan))

    def corruption(self):
        if self.budget is not None:
            return self.budget
        logs = math.log2(self.rounds)
        cautious = math.sqrt(self.rounds) / (self.m0 * logs)
        return min(cautious, self.m0 * math.sqrt(self.dim) * 2 ** (logs - self.h))

    def limit(self):
        level, m, logs = self.corruption(), self.m, math.log2(self.rounds)
        if self.threshold == "paper":
            split, least = self.delta / (self.size * logs), 1 / self.m0
            noise = 2 * self.sigma * math.sqrt(4 * self.dim / m * math.log(1 / split))
            root = math.sqrt(4 * self.dim * (1 + least * self.m0))
            return noise + 2 * level / (m * least) * root
        share = 2 * self.rank / m
        noise = self.sigma * math.sqrt(2 * share * math.log(2 * self.size * logs / self.delta))
        return 2 * (noise + min(level * share, math.sqrt(level * self.largest * share)))

    def conclude(self):
        masked = self.fit(self.counts)
        self.active &= masked.max() - self.means <= self.limit()
        self.h, self.m = self.h + 1, 2 * self.m


class SupportBasis(Phased):
    """The reconstruction of Li, Lou, Shan (2019)."""

    def __init__(self, bounds, rng, *, scale=1.0, delta=0.01):
        super().__init__(bounds, rng)
        self.base = math.ceil(scale * self.dim**2 * math.log(self.dim * self.rounds / delta))

    def begin(self):
        self.m, self.gap, self.leader = 1, 1.0, 0

    def plan_phase(self):
        self.measured = self.base / self.gap**2
        self.length = self.base * 4 ** (self.m - 1)

    def wanted(self):
        return self.measured * self.weights, self.length

    def over(self):
        return self.played >= self.length

    def conclude(self):
        self.fit(self.measured * self.weights)
        values = np.sort(self.means)[::-1]
        lead = [values[0] - value for value in values if values[0] - value > 1e-9]
        self.gap = max(2.0**-self.m, min(1.0, lead[0] / 2 if lead else 0.0))
        self.m += 1
