"""The race: layers of arm elimination, each of which sees a random part of the rounds.

A layer that is drawn once in 2^l rounds sees about 2^-l of what an attacker spends, so slow layers
judge late but soundly; what they drop, faster layers drop too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats

#: Stands for infinity where a state must stay finite.
ENDLESS = 1e300
#: The memo's only field: the layer that will learn; -1 when none may.
LAYER = 0
# Fields of a layer's tally.
BEST, WORST, LEAST, LEVEL = range(4)


class RaceState(NamedTuple):
    """What the policies that eliminate arms remember: one row a layer, the fastest first."""

    counts: Floats  # (layers, arms) rewards learned
    sums: Floats  # (layers, arms)
    turns: Floats  # (layers, arms) the counts of arms still in the race; endless once dropped
    lows: Floats  # (layers, arms) mean - width; endlessly low if never played, or dropped
    highs: Floats  # (layers, arms) mean + width; endlessly high if never played, or dropped
    tally: Floats  # (layers, 4) no low is above the first, no high below the second; fewest turns,
    #                and how many arms have as few
    chances: Floats  # (layers,) how often each is drawn
    noise: Floats  # (layers,) a width is noise/√n + harm/n
    harm: Floats  # (layers,)

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Draw a layer and play the arm that it has seen least, among those it still has."""
        # One uniform number serves twice: within a layer's share of it, it is uniform again.
        level = _draw_layer(self.chances, rng.random(), memo)
        layer = int(memo[LAYER])
        if self.tally[layer, LEVEL] > 0.0:
            return _least_seen(self.turns, self.tally, layer, level)
        memo[LAYER] = -1.0  # it has dropped all: a slower one lends an arm, and nobody learns
        return _lent(self.turns, layer, level)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Teach the layer that chose; drop the arms that it now knows to be worse than another."""
        layer = int(memo[LAYER])
        # Nobody learns from an arm that was lent, nor from one that was dropped in the meantime.
        if layer >= 0 and self.turns[layer, arm] < ENDLESS:
            count = self.counts[layer, arm] + 1.0
            self.counts[layer, arm] = count
            self.turns[layer, arm] = count
            self.sums[layer, arm] += reward
            mean = self.sums[layer, arm] / count
            width = _width(self, layer, count)
            self.lows[layer, arm] = mean - width
            self.highs[layer, arm] = mean + width
            _keep_tally(self.turns, self.tally, layer, count)
            best = max(self.tally[layer, BEST], mean - width)
            worst = min(self.tally[layer, WORST], mean + width)
            self.tally[layer, BEST] = best
            self.tally[layer, WORST] = worst
            if worst < best:
                _eliminate(self.turns, self.lows, self.highs, self.tally, layer)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean and width in the decision's layer, or else in the slowest.

        An arm never played shows the width that one reward would leave.
        """
        layer = int(memo[LAYER])
        if layer < 0:
            layer = self.chances.shape[0] - 1
        for a in range(self.counts.shape[1]):
            count = max(1.0, self.counts[layer, a])
            means[a] = self.sums[layer, a] / count
            bonuses[a] = _width(self, layer, count)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm, over the draw of the layer."""
        _shares(self, out)

    def check(self, memos: Floats) -> None:
        """Refuse memos (one a row) and races that cannot have been: a file may hold anything."""
        layers = self.chances.shape[0]
        if not np.isin(memos[:, LAYER], np.arange(-1, layers)).all():
            raise ValueError("it waits for a layer that does not exist")
        if not np.all((self.counts >= 0.0) & (self.counts < 2.0**53) & (self.counts % 1.0 == 0.0)):
            raise ValueError("its counts are not whole numbers")
        active = self.turns == self.counts
        nested = np.all(active[1:] >= active[:-1]) and active[-1].any()
        if not (nested and np.all(active | (self.turns == ENDLESS))):
            raise ValueError("its layers of arms are not those of a race")
        least = self.turns.min(axis=1)
        level = np.sum((self.turns == least[:, None]) & active, axis=1)
        if not (np.all(self.tally[:, LEAST] == least) and np.all(self.tally[:, LEVEL] == level)):
            raise ValueError("its turns do not agree with its tally")
        if not np.all((self.chances > 0.0) & (self.noise >= 0.0) & (self.harm >= 0.0)):
            raise ValueError("its chances and widths must not be negative")


def start_race(arms: int, chances: Floats, noise: Floats, harm: Floats) -> RaceState:
    """Return a race in which every layer has every arm; ``chances`` run from fast to slow."""
    shape = (len(chances), arms)
    return RaceState(
        counts=np.zeros(shape),
        sums=np.zeros(shape),
        turns=np.zeros(shape),
        lows=np.full(shape, -ENDLESS),
        highs=np.full(shape, ENDLESS),
        tally=np.tile([-ENDLESS, ENDLESS, 0.0, float(arms)], (len(chances), 1)),
        chances=chances,
        noise=noise,
        harm=harm,
    )


@kernel
def _width(state: RaceState, layer: int, count: float) -> float:
    return state.noise[layer] / math.sqrt(count) + state.harm[layer] / count


@kernel
def _draw_layer(chances: Floats, level: float, memo: Floats) -> float:
    """Write the layer that a uniform number points to, and return where in its share it points."""
    layer = 0
    last = chances.shape[0] - 1
    while layer < last and level >= chances[layer]:
        level -= chances[layer]
        layer += 1
    memo[LAYER] = layer
    return level / chances[layer]


@kernel
def _least_seen(turns: Floats, tally: Floats, layer: int, level: float) -> int:
    """Arm with the fewest turns; of several the one that a uniform number points to.

    Found without branches: which arms are level is as good as random, and wrong guesses of a
    processor are dear.
    """
    least = tally[layer, LEAST]
    equals = int(tally[layer, LEVEL])
    skip = min(int(level * equals), equals - 1)  # rounding may have brought the number to 1
    seen = 0
    index = 0
    for a in range(turns.shape[1]):
        seen += turns[layer, a] == least
        index += seen <= skip
    return index


@kernel
def _keep_tally(turns: Floats, tally: Floats, layer: int, count: float) -> None:
    """Note that an arm has now this many rewards; look at the others only when it matters."""
    if count - 1.0 == tally[layer, LEAST]:
        tally[layer, LEVEL] -= 1.0
        if tally[layer, LEVEL] == 0.0:
            _recount(turns, tally, layer)


@program
def _recount(turns: Floats, tally: Floats, layer: int) -> None:
    """Find the fewest turns, and how many arms have as few."""
    least = ENDLESS
    level = 0
    for a in range(turns.shape[1]):
        if turns[layer, a] < least:
            least = turns[layer, a]
            level = 1
        elif turns[layer, a] == least and least < ENDLESS:
            level += 1
    tally[layer, LEAST] = least
    tally[layer, LEVEL] = level


@kernel
def _left(turns: Floats, layer: int) -> int:
    """How many arms a layer still has."""
    left = 0
    for a in range(turns.shape[1]):
        left += turns[layer, a] < ENDLESS
    return left


@program
def _lent(turns: Floats, layer: int, level: float) -> int:
    """Arm of the next slower layer that has some: the one that a uniform number points to."""
    layers, arms = turns.shape
    for slower in range(layer + 1, layers):
        left = _left(turns, slower)
        if left > 0:
            skip = min(int(level * left), left - 1)
            for a in range(arms):
                if turns[slower, a] < ENDLESS:
                    if skip == 0:
                        return a
                    skip -= 1
    return 0  # not reached: the slowest layer keeps an arm


@program
def _eliminate(turns: Floats, lows: Floats, highs: Floats, tally: Floats, layer: int) -> None:
    """Drop every arm whose interval lies wholly below another's, here and in faster layers."""
    best = -ENDLESS
    worst = ENDLESS
    for a in range(lows.shape[1]):
        best = max(best, lows[layer, a])
    for a in range(highs.shape[1]):
        if highs[layer, a] < best:
            for faster in range(layer + 1):
                turns[faster, a] = ENDLESS
                lows[faster, a] = -ENDLESS
                highs[faster, a] = ENDLESS
        worst = min(worst, highs[layer, a])
    tally[layer, BEST] = best
    tally[layer, WORST] = worst
    for faster in range(layer + 1):
        _recount(turns, tally, faster)


@program
def _shares(state: RaceState, out: Floats) -> None:
    layers, arms = state.turns.shape
    for a in range(arms):
        out[a] = 0.0
    for layer in range(layers):
        source = layer
        while source < layers - 1 and _left(state.turns, source) == 0:
            source += 1
        least = ENDLESS  # any arm that is lent will do
        if source == layer:
            for a in range(arms):
                least = min(least, state.turns[layer, a])
        equals = 0
        for a in range(arms):
            if state.turns[source, a] < ENDLESS and state.turns[source, a] <= least:
                equals += 1
        for a in range(arms):
            if state.turns[source, a] < ENDLESS and state.turns[source, a] <= least:
                out[a] += state.chances[layer] / equals
