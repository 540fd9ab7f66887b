"""Squared widths keep six digits in whatever order arms are played, by exact fractions.

So does theta if the rewards of an arm do not change their mean, or if the penalty is large enough
(docs/decisions/0010).
"""

import numpy as np
import pytest

import exact_ridge
from robustbandits.compiled.jit import jit_is_on, program
from robustbandits.kernels.linalg import dot, multiply
from robustbandits.kernels.ridge import MAX_CONDITION, observe, observe_cautiously, start_ridge

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="a million rounds of plain Python"),
]

ROUNDS = 1_000_000
TIMES = np.arange(ROUNDS)
CHECKED = (100_000, 500_000, 500_005, 501_000, 900_000, ROUNDS)

#: Which of two arms is played in each round.
ORDERS = {
    "in turn": TIMES % 2,
    "two blocks": TIMES // (ROUNDS // 2),
    "blocks that double": np.log2(TIMES + 1).astype(np.int64) % 2,
    "long blocks in turn": TIMES // 10_007 % 2,
    "one arm rarely": (TIMES % 1000 == 999).astype(np.int64),
    "one arm at the start": (TIMES < 10).astype(np.int64),
}
#: Rewards whose mean does not change, and others.
STEADY = np.random.default_rng(0).random(1009)[TIMES % 1009]
REWARDS = {
    "only the last ten are 1": (TIMES >= ROUNDS - 10).astype(float),
    "only the first ten are 1": (TIMES < 10).astype(float),
    "0.3 and then 0.7": np.where(TIMES < ROUNDS // 2, 0.3, 0.7),
}


@program
def feed(ridge, arms, order, rewards, start, stop):
    for t in range(start, stop):
        observe(ridge, arms[order[t]], rewards[t], 1.0)


def two_arms(dim, apart):
    """Return two arms of length 0.9 or more, at most 1, at this distance."""
    directions = np.random.default_rng(dim).uniform(-1.0, 1.0, (2, dim))
    first, step = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    arms = np.array([first, first + apart * step])
    return arms / np.linalg.norm(arms, axis=1).max()


def worst_errors(dim, apart, condition, order, rewards):
    """Return the worst relative errors of theta and of squared widths over a million rounds."""
    arms = two_arms(dim, apart)
    ridge = start_ridge(dim, ROUNDS / condition)
    done, worst = 0, (0.0, 0.0)
    for rounds in CHECKED:
        feed(ridge, arms, order, rewards, done, rounds)
        done = rounds
        played = [order[:rounds] == arm for arm in range(2)]
        sums = [exact_ridge.exact_sum(rewards[:rounds][where]) for where in played]
        if any(sums):
            found = exact_ridge.errors(ridge, arms, [int(p.sum()) for p in played], sums)
            worst = tuple(map(max, worst, found))
    return worst


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("apart", [1e-6, 1e-3, 0.03, 0.3])
@pytest.mark.parametrize("dim", [3, 20])
def test_the_smallest_ridge_keeps_six_digits_in_any_order_of_arms(dim, apart, order):
    of_theta, of_widths = worst_errors(dim, apart, MAX_CONDITION, ORDERS[order], STEADY)
    assert of_theta < 1e-6
    assert of_widths < 1e-6


@pytest.mark.parametrize("order", ["in turn", "two blocks"])
@pytest.mark.parametrize("rewards", REWARDS)
@pytest.mark.parametrize("dim", [3, 20])
def test_squared_widths_do_not_depend_on_rewards_and_theta_is_right_with_a_ridge_of_one(
    dim, rewards, order
):
    for apart in (1e-6, 0.03):
        case = ORDERS[order], REWARDS[rewards]
        assert worst_errors(dim, apart, MAX_CONDITION, *case)[1] < 1e-6
        assert worst_errors(dim, apart, 1e6, *case)[0] < 1e-6


@program
def feed_cautiously(ridge, arms, order, caution, weights):
    """Observe 0.5 in all rounds; write the weight min(1, caution / width) of each."""
    direction = np.empty(arms.shape[1])
    for t in range(order.shape[0]):
        x = arms[order[t]]
        multiply(ridge.inverse, x, direction)
        width = np.sqrt(max(0.0, dot(x, direction)))
        weights[t] = caution / width if width > caution else 1.0
        observe_cautiously(ridge, x, 0.5, caution)


@pytest.mark.parametrize("order", ["two blocks", "long blocks in turn"])
@pytest.mark.parametrize("caution", [0.002, 0.02])
def test_weights_below_one_keep_six_digits_as_in_cwoful(order, caution):
    arms = two_arms(3, 0.3)
    ridge = start_ridge(3, ROUNDS / MAX_CONDITION)
    weights = np.empty(ROUNDS)
    feed_cautiously(ridge, arms, ORDERS[order], caution, weights)
    totals = [exact_ridge.exact_sum(weights[ORDERS[order] == arm]) for arm in range(2)]
    sums = [total / 2 for total in totals]
    assert max(exact_ridge.errors(ridge, arms, totals, sums)) < 1e-6
