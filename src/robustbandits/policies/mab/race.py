"""The race: layers of arm elimination, each of which sees a random part of the rounds.

A layer that is drawn once in 2^l rounds sees about 2^-l of what an attacker spends, so slow layers
judge late but soundly; what they drop, faster layers drop too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits._jit import kernel, program
from robustbandits.kernels.linalg import Floats

#: Stands for infinity where a state must stay finite.
ENDLESS = 1e300
#: The memo's only field: the layer that will learn; -1 when none may.
LAYER = 0
# Fields of a layer's bounds.
BEST, WORST = range(2)


class RaceState(NamedTuple):
    """What the policies that eliminate arms remember: one row a layer, the fastest first."""

    counts: Floats  # (layers, arms) rewards learned
    sums: Floats  # (layers, arms)
    turns: Floats  # (layers, arms) the counts of arms still in the race; endless once dropped
    lows: Floats  # (layers, arms) mean - width; endlessly low if never played, or dropped
    highs: Floats  # (layers, arms) mean + width; endlessly high if never played, or dropped
    bounds: Floats  # (layers, 2) no low is above the first, no high below the second
    chances: Floats  # (layers,) how often each is drawn
    noise: Floats  # (layers,) a width is noise/√n + harm/n
    harm: Floats  # (layers,)

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Draw a layer and play the arm that it has seen least, among those it still has."""
        # One uniform number serves twice: within a layer's share of it, it is uniform again.
        level = rng.random()
        layer = 0
        while layer < self.chances.shape[0] - 1 and level >= self.chances[layer]:
            level -= self.chances[layer]
            layer += 1
        level /= self.chances[layer]
        memo[LAYER] = layer
        arm = _least_seen(self.turns[layer], level)
        if self.turns[layer, arm] == ENDLESS:  # all dropped: a slower layer lends an arm
            memo[LAYER] = -1.0
            arm = _lent(self, layer, level)
        return arm

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
            best = max(self.bounds[layer, BEST], mean - width)
            worst = min(self.bounds[layer, WORST], mean + width)
            self.bounds[layer, BEST] = best
            self.bounds[layer, WORST] = worst
            if worst < best:
                _eliminate(self, layer)

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
        active = self.turns == self.counts
        nested = np.all(active[1:] >= active[:-1]) and active[-1].any()
        if not (nested and np.all(active | (self.turns == ENDLESS))):
            raise ValueError("its layers of arms are not those of a race")
        if not np.all((self.counts >= 0.0) & (self.counts % 1.0 == 0.0)):
            raise ValueError("its counts are not whole numbers")
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
        bounds=np.tile([-ENDLESS, ENDLESS], (len(chances), 1)),
        chances=chances,
        noise=noise,
        harm=harm,
    )


@kernel
def _width(state: RaceState, layer: int, count: float) -> float:
    return state.noise[layer] / math.sqrt(count) + state.harm[layer] / count


@kernel
def _least_seen(turns: Floats, level: float) -> int:
    """Arm with the fewest turns; of several the one that a uniform number points to.

    Those that are level are found without branches: which ones is as good as random, and wrong
    guesses of a processor are dear.
    """
    arms = turns.shape[0]
    least = ENDLESS
    for a in range(arms):
        if turns[a] < least:
            least = turns[a]
    equals = 0
    for a in range(arms):
        equals += turns[a] == least
    skip = min(int(level * equals), equals - 1)  # rounding may have brought the number to 1
    seen = 0
    index = 0
    for a in range(arms):
        seen += turns[a] == least
        index += seen <= skip
    return index


@kernel
def _left(state: RaceState, layer: int) -> int:
    """How many arms a layer still has."""
    left = 0
    for a in range(state.turns.shape[1]):
        left += state.turns[layer, a] < ENDLESS
    return left


@program
def _lent(state: RaceState, layer: int, level: float) -> int:
    """Arm of the next slower layer that has some: the one that a uniform number points to."""
    layers, arms = state.turns.shape
    for slower in range(layer + 1, layers):
        left = _left(state, slower)
        if left > 0:
            skip = min(int(level * left), left - 1)
            for a in range(arms):
                if state.turns[slower, a] < ENDLESS:
                    if skip == 0:
                        return a
                    skip -= 1
    return 0  # not reached: the slowest layer keeps an arm


@program
def _eliminate(state: RaceState, layer: int) -> None:
    """Drop every arm whose interval lies wholly below another's, here and in faster layers."""
    best = -ENDLESS
    worst = ENDLESS
    for a in range(state.lows.shape[1]):
        best = max(best, state.lows[layer, a])
    for a in range(state.highs.shape[1]):
        if state.highs[layer, a] < best:
            for faster in range(layer + 1):
                state.turns[faster, a] = ENDLESS
                state.lows[faster, a] = -ENDLESS
                state.highs[faster, a] = ENDLESS
        worst = min(worst, state.highs[layer, a])
    state.bounds[layer, BEST] = best
    state.bounds[layer, WORST] = worst


@program
def _shares(state: RaceState, out: Floats) -> None:
    layers, arms = state.turns.shape
    for a in range(arms):
        out[a] = 0.0
    for layer in range(layers):
        source = layer
        while source < layers - 1 and _left(state, source) == 0:
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
