"""LinUCB's intervals cover the true means under linear reward maps, and not under affine ones."""

import numpy as np
import pytest
from scipy import stats

from ratings.little_factors import little_factors
from robustbandits.compiled.jit import jit_is_on, program
from robustbandits.environments import Ratings
from robustbandits.environments.reward_map import LINEAR_MAPS
from robustbandits.game.match import NATURE, POLICY, stream
from robustbandits.game.verbs import MEMO, choose, learn, score
from robustbandits.policies import LinUCB

pytestmark = [
    pytest.mark.statistical,
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="hundreds of thousands of rounds"),
]

ROUNDS, RUNS, DELTA = 400, 300, 0.1
#: If each game misses with probability DELTA at most, more than this many of them do so with
#: probability below 1e-7.
LIMIT = stats.binom.isf(1e-7, RUNS, DELTA)
FACTORS = little_factors(items=60, rank=3)
KINDS = pytest.mark.parametrize("contexts", ["fixed", "fresh"])


@program
def worst_miss(state, contexts, means, noise, rng):
    """Play a game; return how far a true mean ever was outside its interval."""
    rounds, dim, arms = contexts.shape
    memo, context = np.zeros(MEMO), np.empty(dim)
    estimates, bonuses = np.empty(arms), np.empty(arms)
    worst = -np.inf
    for t in range(rounds):
        score(state, contexts[t], memo, estimates, bonuses)
        for a in range(arms):
            worst = max(worst, abs(estimates[a] - means[t, a]) - bonuses[a])
        arm = choose(state, contexts[t], rng, memo)
        for i in range(dim):
            context[i] = contexts[t, i, arm]
        learn(state, arm, context, means[t, arm] + noise[t], memo, rng)
    return worst


def games_outside(reward_map, contexts, **changes):
    """Return in how many of RUNS games an arm's interval ever missed its mean."""
    environment = Ratings(
        factors=FACTORS, arms=8, users=20, reward_map=reward_map, contexts=contexts, **changes
    )
    outside = 0
    for seed in range(RUNS):
        nature = environment.start(ROUNDS, stream(seed, NATURE))
        block = nature.draw(ROUNDS)
        state = LinUCB(radius="det", delta=DELTA, sigma=0.1).start(nature.problem)
        rng = np.random.Generator(np.random.PCG64(stream(seed, POLICY)))
        outside += worst_miss(state, block.contexts, block.means, block.noise, rng) > 1e-9
    return outside


@pytest.mark.parametrize("reward_map", LINEAR_MAPS)
@KINDS
def test_intervals_cover_under_linear_maps(reward_map, contexts):
    assert games_outside(reward_map, contexts) <= LIMIT


@KINDS
def test_intervals_miss_under_the_paper_s_own_map(contexts):
    assert games_outside("affine", contexts) > 2 * LIMIT


def test_intervals_miss_when_policies_are_told_too_small_a_bound():
    # Shifted features need a bound that covers the true length of theta.
    assert games_outside("shift-features", "fixed", theta_bound=1e-3) > 2 * LIMIT
