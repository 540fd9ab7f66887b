"""Optimists that cover corruption by levels: what WeightedOFUL and its multi-level form share.

One regression sees everything. Beside it each level has a regression of its own, which sees the
rounds that were dealt to it at random, one in 2^ℓ: an attacker who cannot foresee the draw spoils
no more than about C / 2^ℓ of what level ℓ sees. Without levels this is robust weighted OFUL.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import COUNT, Ridges, observe, ridge_at
from robustbandits.kernels.sampling import draw, largest, share_of_largest
from robustbandits.kernels.scoring import score_columns

MEMO_LEVEL = 0


class Band(NamedTuple):
    """Constants of the confidence radius of Zhao, Zhou, Gu (2021)."""

    reach: float  # A² / ((R + 1)² λ)
    prior: float  # √λ B
    delta: float
    scale: float  # 1 in theory


class LevelledState(NamedTuple):
    """What WeightedOFUL and MultiLevelWeightedOFUL remember."""

    ridges: Ridges  # of everything first, then one for each level
    chances: Floats  # (levels,) of each level; one that is not used without levels
    band: Band
    levels: int
    budget: float  # corruption covered, when there are no levels
    weight: float  # 1 / σ̄², of every observation
    first: bool

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Draw a level, and play the arm with the largest of the smaller upper bounds."""
        level = 0
        if self.levels > 0:
            level = 1
            if self.levels > 1:
                level += draw(self.chances, rng)
        memo[MEMO_LEVEL] = level
        arms = contexts.shape[1]
        means = np.empty(arms)
        bonuses = np.empty(arms)
        level_scores(self, level, contexts, means, bonuses)
        for a in range(arms):
            means[a] += bonuses[a]
        return largest(means, rng, self.first)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add one observation to the regression of everything, and to that of its level."""
        level = int(memo[MEMO_LEVEL])
        observe(ridge_at(self.ridges, 0), context, reward, self.weight)
        if level > 0:
            observe(ridge_at(self.ridges, level), context, reward, self.weight)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's mean and bonus under the decision's level; the first if there is none.

        The two belong to whichever of the two regressions has the smaller upper bound.
        """
        level = int(memo[MEMO_LEVEL])
        if level < 0:
            level = min(1, self.levels)
        level_scores(self, level, contexts, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm over the draw of the level."""
        arms = contexts.shape[1]
        means = np.empty(arms)
        bonuses = np.empty(arms)
        for a in range(arms):
            out[a] = 0.0
        for j in range(max(1, self.levels)):
            level_scores(self, j + 1 if self.levels > 0 else 0, contexts, means, bonuses)
            for a in range(arms):
                means[a] += bonuses[a]
            share_of_largest(means, self.first, self.chances[j], out)

    def check(self, memos: Floats) -> None:
        """Refuse memos (one a row) that name a level which does not exist."""
        lowest = min(1, self.levels)
        if not np.isin(memos[:, MEMO_LEVEL], np.arange(lowest, self.levels + 1)).all():
            raise ValueError("it was dealt a level that does not exist")


def level_chances(levels: int) -> Floats:
    """2^-ℓ for the levels ℓ = 2, 3, ..., and the rest for the first; a lone 1 without levels."""
    chances: Floats = 0.5 ** np.arange(1.0, max(1, levels) + 1.0)
    chances[0] = 1.0 - chances[1:].sum()
    return chances


@kernel
def band_at(band: Band, dim: int, t: float, count: float, slack: float) -> float:
    """Radius at round t for one of ``count`` regressions, plus √d times ``slack``."""
    tail = math.log(4.0 * t * t * count / band.delta)
    noise = 8.0 * math.sqrt(dim * math.log(1.0 + t * band.reach) * tail)
    root = math.sqrt(dim)
    return band.scale * (noise + 4.0 * root * tail + band.prior + root * slack)


@kernel
def level_scores(
    state: LevelledState, level: int, contexts: Floats, means: Floats, bonuses: Floats
) -> None:
    """Write each arm's mean and bonus, of everything or of the level: whichever sum is smaller."""
    ridges = state.ridges
    dim, arms = contexts.shape
    t = ridges.tally[0, COUNT] + 1.0
    slack = state.budget if level == 0 else math.ldexp(1.0, level)
    wide = band_at(state.band, dim, t, 1.0, slack)
    score_columns(ridges.inverse[0], ridges.theta[0], contexts, means, bonuses)
    for a in range(arms):
        bonuses[a] = wide * math.sqrt(max(0.0, bonuses[a]))
    if level > 0:
        others = np.empty(arms)
        widths = np.empty(arms)
        share = math.log(2.0 * level * level / state.band.delta) + 3.0
        narrow = band_at(state.band, dim, t, float(state.levels), share)
        score_columns(ridges.inverse[level], ridges.theta[level], contexts, others, widths)
        for a in range(arms):
            bonus = narrow * math.sqrt(max(0.0, widths[a]))
            if others[a] + bonus < means[a] + bonuses[a]:
                means[a] = others[a]
                bonuses[a] = bonus
