"""Elimination of arms in layers: state of FastSlowElimination, MLAER and SuccessiveElimination.

Each round belongs to one layer, drawn at random; the layer plays and learns by itself and drops
arms that are clearly worse than another. A layer that is drawn once in 2^l rounds sees about 2^-l
of what an attacker spends, so slow layers decide late but reliably. An arm that a layer drops is
dropped by all faster layers too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.size_limit import check_array_size
from robustbandits.policies._state_checks import check_counts, check_index

#: Stands for infinity: the numbers of a state must be finite to be saved.
HUGE = 1e300
# Field of the memo: the layer that will learn; -1 if none will.
MEMO_LAYER = 0
# Fields of a layer's tally: see RaceState.tally. TIED is how many arms have the count LEAST.
BEST, WORST, LEAST, TIED = range(4)


class RaceState(NamedTuple):
    """What the policies that eliminate arms remember: one row for each layer, the fastest first."""

    counts: Floats  # (layers, arms) rewards learned
    sums: Floats  # (layers, arms) their sums
    turns: Floats  # (layers, arms) the counts of active arms; HUGE once dropped
    lows: Floats  # (layers, arms) mean - width; -HUGE if never played or dropped
    highs: Floats  # (layers, arms) mean + width; HUGE if never played or dropped
    tally: Floats  # (layers, 4) upper bound of all lows, lower bound of all highs; smallest entry
    #                of turns, and the number of arms with that entry
    chances: Floats  # (layers,) probability of each layer
    noise: Floats  # (layers,) the width of n rewards is noise/√n + harm/n
    harm: Floats  # (layers,)

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Draw a layer and play the active arm that it has played least."""
        # One random number draws the layer and then the arm: given the layer, its position within
        # the layer's share is uniform again.
        position = _draw_layer(self.chances, rng.random(), memo)
        layer = int(memo[MEMO_LAYER])
        if self.tally[layer, TIED] > 0.0:
            return _least_played(self.turns, self.tally, layer, position)
        memo[MEMO_LAYER] = -1.0  # no active arm: borrow one from a slower layer, learn nothing
        return _borrowed_arm(self.turns, layer, position)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Update the layer that chose, and drop the arms that are now clearly worse than another.

        Rewards of borrowed arms, and of arms that were dropped in the meantime, are not used.
        """
        layer = int(memo[MEMO_LAYER])
        if layer >= 0 and self.turns[layer, arm] < HUGE:
            count = self.counts[layer, arm] + 1.0
            self.counts[layer, arm] = count
            self.turns[layer, arm] = count
            self.sums[layer, arm] += reward
            mean = self.sums[layer, arm] / count
            width = _width(self, layer, count)
            self.lows[layer, arm] = mean - width
            self.highs[layer, arm] = mean + width
            _update_tally(self.turns, self.tally, layer, count)
            best = max(self.tally[layer, BEST], mean - width)
            worst = min(self.tally[layer, WORST], mean + width)
            self.tally[layer, BEST] = best
            self.tally[layer, WORST] = worst
            if worst < best:
                _eliminate(self.turns, self.lows, self.highs, self.tally, layer)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean and width in the decision's layer, or else in the slowest.

        An arm that was never played has the width of one reward.
        """
        layer = int(memo[MEMO_LAYER])
        if layer < 0:
            layer = self.chances.shape[0] - 1
        for a in range(self.counts.shape[1]):
            count = max(1.0, self.counts[layer, a])
            means[a] = self.sums[layer, a] / count
            bonuses[a] = _width(self, layer, count)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm over the draw of the layer."""
        _probabilities(self, out)

    def check(self, memos: Floats) -> None:
        check_index("layer", memos[:, MEMO_LAYER], -1, len(self.chances))
        check_counts("counts", self.counts)
        active = self.turns == self.counts
        nested = np.all(active[1:] >= active[:-1]) and active[-1].any()
        if not (nested and np.all(active | (self.turns == HUGE))):
            raise ValueError("turns must equal counts, or 1e300 for arms that a layer has dropped")
        least = self.turns.min(axis=1)
        tied = np.sum((self.turns == least[:, None]) & active, axis=1)
        if not (np.all(self.tally[:, LEAST] == least) and np.all(self.tally[:, TIED] == tied)):
            raise ValueError("tally must hold the smallest of turns and how many arms have it")
        if not np.all((self.chances > 0.0) & (self.noise >= 0.0) & (self.harm >= 0.0)):
            raise ValueError("chances must be positive, noise and harm must not be negative")


def start_elimination(arms: int, probabilities: Floats, noise: Floats, harm: Floats) -> RaceState:
    """Return a state in which every layer has every arm; the fastest layer comes first."""
    shape = (len(probabilities), arms)
    check_array_size(*shape)
    return RaceState(
        counts=np.zeros(shape),
        sums=np.zeros(shape),
        turns=np.zeros(shape),
        lows=np.full(shape, -HUGE),
        highs=np.full(shape, HUGE),
        tally=np.tile([-HUGE, HUGE, 0.0, float(arms)], (len(probabilities), 1)),
        chances=probabilities,
        noise=noise,
        harm=harm,
    )


@kernel
def _width(state: RaceState, layer: int, count: float) -> float:
    return state.noise[layer] / math.sqrt(count) + state.harm[layer] / count


@kernel
def _draw_layer(probabilities: Floats, number: float, memo: Floats) -> float:
    """Write the layer that a uniform number selects; return its position within the layer's share.

    The shares of the layers are as long as their probabilities; the position is in [0, 1].
    """
    layer = 0
    last = probabilities.shape[0] - 1
    while layer < last and number >= probabilities[layer]:
        number -= probabilities[layer]
        layer += 1
    memo[MEMO_LAYER] = layer
    return number / probabilities[layer]


@kernel
def _least_played(turns: Floats, tally: Floats, layer: int, position: float) -> int:
    """Arm with the smallest entry of turns; among tied arms the position in [0, 1] decides.

    Written without branches: which arms are tied is nearly random, and mispredicted branches are
    slow.
    """
    least = tally[layer, LEAST]
    ties = int(tally[layer, TIED])
    skip = min(int(position * ties), ties - 1)  # rounding may have raised the position to 1
    seen = 0
    index = 0
    for a in range(turns.shape[1]):
        seen += turns[layer, a] == least
        index += seen <= skip
    return index


@kernel
def _update_tally(turns: Floats, tally: Floats, layer: int, count: float) -> None:
    """Account for an arm that now has ``count`` rewards; recount if no other arm had as few."""
    if count - 1.0 == tally[layer, LEAST]:
        tally[layer, TIED] -= 1.0
        if tally[layer, TIED] == 0.0:
            _recount(turns, tally, layer)


@program
def _recount(turns: Floats, tally: Floats, layer: int) -> None:
    """Find the smallest entry of turns, and how many active arms have it."""
    least = HUGE
    ties = 0
    for a in range(turns.shape[1]):
        if turns[layer, a] < least:
            least = turns[layer, a]
            ties = 1
        elif turns[layer, a] == least and least < HUGE:
            ties += 1
    tally[layer, LEAST] = least
    tally[layer, TIED] = ties


@kernel
def _active_arms(turns: Floats, layer: int) -> int:
    """Return how many arms a layer has not dropped."""
    active = 0
    for a in range(turns.shape[1]):
        active += turns[layer, a] < HUGE
    return active


@program
def _borrowed_arm(turns: Floats, layer: int, position: float) -> int:
    """Active arm of the next slower layer that has any; the position in [0, 1] decides which."""
    layers, arms = turns.shape
    for slower in range(layer + 1, layers):
        active = _active_arms(turns, slower)
        if active > 0:
            skip = min(int(position * active), active - 1)
            for a in range(arms):
                if turns[slower, a] < HUGE:
                    if skip == 0:
                        return a
                    skip -= 1
    return 0  # not reached: the slowest layer keeps an arm


@program
def _eliminate(turns: Floats, lows: Floats, highs: Floats, tally: Floats, layer: int) -> None:
    """Drop every arm whose interval lies below another's, in this layer and in faster ones."""
    best = -HUGE
    worst = HUGE
    for a in range(lows.shape[1]):
        best = max(best, lows[layer, a])
    for a in range(highs.shape[1]):
        if highs[layer, a] < best:
            for faster in range(layer + 1):
                turns[faster, a] = HUGE
                lows[faster, a] = -HUGE
                highs[faster, a] = HUGE
        worst = min(worst, highs[layer, a])
    tally[layer, BEST] = best
    tally[layer, WORST] = worst
    for faster in range(layer + 1):
        _recount(turns, tally, faster)


@program
def _probabilities(state: RaceState, out: Floats) -> None:
    layers, arms = state.turns.shape
    out[:] = 0.0
    for layer in range(layers):
        source = layer
        while source < layers - 1 and _active_arms(state.turns, source) == 0:
            source += 1
        least = HUGE  # any active arm may be borrowed
        if source == layer:
            for a in range(arms):
                least = min(least, state.turns[layer, a])
        ties = 0
        for a in range(arms):
            if state.turns[source, a] < HUGE and state.turns[source, a] <= least:
                ties += 1
        for a in range(arms):
            if state.turns[source, a] < HUGE and state.turns[source, a] <= least:
                out[a] += state.chances[layer] / ties
