"""EXP3 over candidates: probabilities, unbiased estimates, and the bound on its regret."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from robustbandits.compiled.jit import program
from robustbandits.kernels.sampling import draw
from robustbandits.policies._exp3 import (
    Exp3,
    exp3_alpha,
    exp3_probabilities,
    exp3_update,
    start_exp3,
)

log_weights = arrays.arrays(
    np.float64, st.integers(1, 30), elements=st.floats(-1e6, 1e6, allow_subnormal=False)
)
alphas = st.just(1.0) | st.floats(1e-6, 1.0)


def probabilities_of(exp3):
    out = np.full(len(exp3.log_weights), np.nan)
    exp3_probabilities(exp3, out)
    return out


@given(log_weights, st.just(0.0) | alphas)
def test_exp3_probabilities_sum_to_one_and_none_is_below_its_floor(weights, alpha):
    probabilities = probabilities_of(Exp3(weights, alpha))
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    assert probabilities.min() >= alpha / len(weights) * (1 - 1e-12)


@given(log_weights, st.floats(-1e3, 1e3), alphas)
def test_exp3_probabilities_ignore_a_common_factor_of_the_weights(weights, shift, alpha):
    # Whole numbers, so that the shift loses no digit.
    grid = np.round(weights)
    shifted = Exp3(grid + np.round(shift), alpha)
    assert np.array_equal(probabilities_of(Exp3(grid, alpha)), probabilities_of(shifted))


def test_exp3_probabilities_are_the_paper_formula():
    exp3 = Exp3(np.log([1.0, 2.0, 5.0]), 0.3)
    np.testing.assert_allclose(
        probabilities_of(exp3), 0.7 * np.array([1, 2, 5]) / 8 + 0.1, rtol=1e-14
    )


@given(log_weights)
def test_exp3_with_alpha_one_is_always_uniform(weights):
    assert (probabilities_of(Exp3(weights, 1.0)) == 1.0 / len(weights)).all()


def test_start_exp3_is_uniform():
    probabilities = probabilities_of(start_exp3(7, 0.2))
    np.testing.assert_allclose(probabilities, np.full(7, 1 / 7), rtol=1e-15)


@given(log_weights, alphas, st.floats(0.0, 1.0), st.data())
def test_exp3_update_raises_one_log_weight_by_at_most_one(weights, alpha, reward, data):
    exp3 = Exp3(weights - weights.max(), alpha)
    j = data.draw(st.integers(0, len(weights) - 1))
    before = exp3.log_weights.copy()
    exp3_update(exp3, j, reward, probabilities_of(exp3)[j])
    step = exp3.log_weights - before
    assert 0.0 <= step[j] <= 1.0 + 1e-9  # 1e-9: the difference of large numbers is rounded
    assert np.count_nonzero(step) <= 1
    assert step[j] == step.sum()


@given(
    arrays.arrays(np.float64, 6, elements=st.floats(-20, 20)),
    arrays.arrays(np.float64, 6, elements=st.floats(0, 1)),
    st.floats(0.01, 1.0),
)
def test_exp3_update_is_unbiased_over_its_own_draw(weights, rewards, alpha):
    # E[step of j] = Σ_k p_k · step of j when k is drawn = (α/N) r_j, by enumeration.
    probabilities = probabilities_of(Exp3(weights, alpha))
    mean_step = np.zeros(6)
    for k in range(6):
        exp3 = Exp3(np.zeros(6), alpha)
        exp3_update(exp3, k, rewards[k], probabilities[k])
        mean_step += probabilities[k] * exp3.log_weights
    np.testing.assert_allclose(mean_step * 6 / alpha, rewards, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.0073688])
def test_exp3_does_not_overflow_when_paid_raw_sums_of_an_epoch(alpha):
    exp3 = start_exp3(28, alpha)
    rng = np.random.default_rng(0)
    for _ in range(500):
        probabilities = probabilities_of(exp3)
        assert np.isfinite(probabilities).all()
        assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)
        j = draw(probabilities, rng)
        exp3_update(exp3, j, 1e5, probabilities[j])
    assert np.isfinite(exp3.log_weights).all()
    assert exp3.log_weights.max() > 710  # the plain weight would be infinite


def test_exp3_alpha_has_the_known_values():
    assert exp3_alpha(28, 10**6) == pytest.approx(0.0073688, abs=5e-8)
    assert exp3_alpha(27, 10**6) == pytest.approx(0.00720, abs=5e-6)
    assert exp3_alpha(22, 10**6) == pytest.approx(0.00629, abs=5e-6)
    assert exp3_alpha(28, 172) == pytest.approx(0.562, abs=5e-4)
    # 1.0985 before it is cut to 1: α decreases with the square root of the plays.
    assert 10 * exp3_alpha(28, 100 * 45) == pytest.approx(1.0985, abs=5e-5)
    assert exp3_alpha(28, 45) == 1.0


@given(st.integers(1, 60), st.integers(1, 10**7))
def test_exp3_alpha_is_in_the_unit_interval_and_minimises_the_bound(size, plays):
    alpha = exp3_alpha(size, plays)
    assert 0.0 <= alpha <= 1.0
    if size == 1:
        assert alpha == 0.0
    elif alpha < 1.0:
        # Auer et al., Theorem 3.1: (e-1) α g + N ln N / α, smallest at this α.
        bounds = [
            (math.e - 1) * a * plays + size * math.log(size) / a
            for a in (0.9 * alpha, alpha, 1.1 * alpha)
        ]
        assert bounds[1] == min(bounds)
        assert bounds[1] == pytest.approx(2.6216 * math.sqrt(plays * size * math.log(size)), 1e-3)


@program
def earn(exp3, rewards, rng):
    """Play EXP3 against a sequence fixed in advance; return what it earned."""
    probabilities = np.empty(rewards.shape[1])
    total = 0.0
    for t in range(rewards.shape[0]):
        exp3_probabilities(exp3, probabilities)
        j = draw(probabilities, rng)
        total += rewards[t, j]
        exp3_update(exp3, j, rewards[t, j], probabilities[j])
    return total


def regrets(rewards, alpha, runs=100):
    size = rewards.shape[1]
    best = rewards.sum(axis=0).max()
    rng = np.random.default_rng(1)
    return np.array([best - earn(start_exp3(size, alpha), rewards, rng) for _ in range(runs)])


def switching_rewards(plays=4000, size=5):
    """Each candidate is good for some time, and one of them longest: it is best in hindsight."""
    rewards = np.zeros((plays, size))
    rewards[: plays // 4, 0] = 0.8
    rewards[plays // 8 : plays // 2, 1] = 0.9
    rewards[plays // 3 :, 2] = 1.0
    return rewards


@pytest.mark.statistical
def test_exp3_regret_against_a_switching_sequence_is_within_its_bound():
    rewards = switching_rewards()
    plays, size = rewards.shape
    sample = regrets(rewards, exp3_alpha(size, plays))
    bound = 2.63 * math.sqrt(plays * size * math.log(size))
    assert sample.mean() <= bound + 3 * sample.std()
    assert sample.max() < 0.9 * regrets(rewards, 1.0).min()  # uniform play is far worse


@pytest.mark.statistical
def test_uniform_play_violates_the_bound_of_exp3():
    # So the test above can fail: a policy that does not learn would fail it.
    rewards = switching_rewards()
    plays, size = rewards.shape
    sample = regrets(rewards, 1.0)
    assert sample.mean() > 2.63 * math.sqrt(plays * size * math.log(size)) + 3 * sample.std()
