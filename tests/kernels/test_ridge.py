"""Recursive ridge regression against the solved normal equations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustbandits.compiled.jit import jit_is_on, program, python_of
from robustbandits.kernels.ridge import (
    COUNT,
    ENERGY,
    LOG_DET,
    observe,
    rebuild,
    reset_ridge,
    reset_ridges,
    ridge_at,
    start_ridge,
    start_ridges,
)

needs_speed = pytest.mark.skipif(not jit_is_on, reason="a million rounds of plain Python")


@program
def feed(ridge, contexts, rewards, weights):
    for t in range(contexts.shape[0]):
        observe(ridge, contexts[t], rewards[t], weights[t])


@program
def feed_cycle(ridge, contexts, order):
    for t in range(order.shape[0]):
        observe(ridge, contexts[order[t]], 0.5, 1.0)


def fed(contexts, rewards, penalty=0.1, weights=None):
    ridge = start_ridge(contexts.shape[1], penalty)
    feed(ridge, contexts, rewards, np.ones(len(rewards)) if weights is None else weights)
    return ridge


def data(dim, count, seed):
    rng = np.random.default_rng(seed)
    contexts = rng.uniform(-1.0, 1.0, (count, dim)) / np.sqrt(dim)
    return contexts, rng.random(count)


def exact_inverse(contexts, counts, penalty):
    """Inverse of λI + Σ n x xᵀ in 80-bit floats: a rough inverse refined by Newton steps."""
    wide = contexts.astype(np.longdouble)
    eye = np.eye(contexts.shape[1], dtype=np.longdouble)
    gram = penalty * eye + (wide.T * counts) @ wide
    inverse = np.linalg.inv(gram.astype(np.float64)).astype(np.longdouble)
    for _ in range(5):
        inverse = inverse @ (2 * eye - gram @ inverse)
    assert np.abs(gram @ inverse - eye).max() < 1e-8
    return inverse


def relative_error(inverse, truth):
    return float(np.abs(inverse - truth).max() / np.abs(truth).max())


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 60), st.integers(0, 2**32 - 1), st.floats(0.01, 10.0))
def test_observe_keeps_the_sums_their_inverse_and_the_estimate(dim, count, seed, penalty):
    contexts, rewards = data(dim, count, seed)
    ridge = fed(contexts, rewards, penalty)
    gram = penalty * np.eye(dim)
    energy = 0.0
    for x in contexts:
        energy += x @ np.linalg.solve(gram, x)
        gram = gram + np.outer(x, x)
    log_det = np.linalg.slogdet(gram)[1] - dim * np.log(penalty)
    assert ridge.tally[COUNT] == count
    assert ridge.tally[LOG_DET] == pytest.approx(log_det, rel=1e-9, abs=1e-9)
    assert ridge.tally[ENERGY] == pytest.approx(energy, rel=1e-9)
    np.testing.assert_allclose(ridge.gram, gram, rtol=1e-11, atol=1e-12)
    assert relative_error(ridge.inverse, np.linalg.inv(gram)) < 1e-10
    assert np.array_equal(ridge.inverse, ridge.inverse.T)
    truth = np.linalg.solve(gram, contexts.T @ rewards)
    np.testing.assert_allclose(ridge.theta, truth, rtol=1e-9, atol=1e-9)


@settings(deadline=None)
@given(st.integers(1, 8), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_observe_with_weights_is_weighted_least_squares(dim, count, seed):
    contexts, rewards = data(dim, count, seed)
    weights = np.random.default_rng(seed + 1).uniform(0.0, 3.0, count)
    ridge = fed(contexts, rewards, 0.5, weights)
    gram = 0.5 * np.eye(dim) + (contexts.T * weights) @ contexts
    np.testing.assert_allclose(ridge.gram, gram, rtol=1e-11, atol=1e-12)
    sums = contexts.T @ (weights * rewards)
    np.testing.assert_allclose(ridge.moment, sums, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(ridge.theta, np.linalg.solve(gram, sums), rtol=1e-9, atol=1e-9)
    log_det = np.linalg.slogdet(gram)[1] - dim * np.log(0.5)
    assert ridge.tally[LOG_DET] == pytest.approx(log_det, rel=1e-9, abs=1e-9)


def test_observe_compiled_and_plain_python_give_the_same_bits():
    contexts, rewards = data(5, 50, seed=1)
    compiled = fed(contexts, rewards)
    plain = start_ridge(5, 0.1)
    for x, y in zip(contexts, rewards, strict=True):
        python_of(observe)(plain, x, y, 1.0)
    for found, expected in zip(compiled[:5], plain[:5], strict=True):
        assert np.array_equal(found, expected)


def test_reset_ridge_equals_a_fresh_start():
    used = fed(*data(4, 30, seed=2), penalty=0.3)
    reset_ridge(used)
    fresh = start_ridge(4, 0.3)
    for found, expected in zip(used[:5], fresh[:5], strict=True):
        assert np.array_equal(found, expected)
    assert np.array_equal(fresh.inverse @ fresh.gram, np.eye(4))
    assert not fresh.theta.any()


def test_stacked_regressions_learn_as_single_ones_do_bit_for_bit():
    rng = np.random.default_rng(0)
    stack, single = start_ridges(3, 4, 0.3), [start_ridge(4, 0.3) for _ in range(3)]
    for _ in range(100):
        index, x, y = int(rng.integers(3)), rng.normal(size=4), float(rng.normal())
        observe(python_of(ridge_at)(stack, index), x, y, 0.7)
        observe(single[index], x, y, 0.7)
    for index in range(3):
        for stacked, alone in zip(stack[:5], single[index][:5], strict=True):
            assert np.array_equal(stacked[index], alone)


def test_reset_ridges_equals_a_fresh_start():
    stack = start_ridges(2, 3, 0.5)
    observe(python_of(ridge_at)(stack, 1), np.ones(3), 2.0, 1.0)
    reset_ridges(stack)
    for found, fresh in zip(stack[:5], start_ridges(2, 3, 0.5)[:5], strict=True):
        assert np.array_equal(found, fresh)


def test_a_negative_leverage_rebuilds_the_inverse():
    ridge = fed(*data(3, 10, seed=4))
    ridge.inverse[:] = -np.eye(3)  # no data can do this
    x = np.array([0.5, 0.1, 0.2])
    observe(ridge, x, 0.3, 1.0)
    np.testing.assert_allclose(ridge.inverse @ ridge.gram, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(ridge.theta, np.linalg.solve(ridge.gram, ridge.moment), rtol=1e-10)


def test_rebuild_of_an_indefinite_gram_keeps_the_inverse():
    ridge = fed(*data(2, 10, seed=5))
    before = ridge.inverse.copy()
    ridge.gram[:] = [[1.0, 2.0], [2.0, 1.0]]
    rebuild(ridge)
    assert np.array_equal(ridge.inverse, before)


@needs_speed
@pytest.mark.slow
@pytest.mark.parametrize(("dim", "count"), [(10, 1_000_000), (100, 100_000)])
def test_the_inverse_stays_exact_after_many_fresh_contexts(dim, count):
    contexts, rewards = data(dim, count, seed=6)
    ridge = fed(contexts, rewards)
    gram = 0.1 * np.eye(dim) + contexts.T @ contexts
    assert relative_error(ridge.inverse, np.linalg.inv(gram)) < 1e-9
    sums = contexts.T @ rewards
    np.testing.assert_allclose(ridge.theta, np.linalg.solve(gram, sums), rtol=1e-8)
    log_det = np.linalg.slogdet(gram)[1] - dim * np.log(0.1)
    assert ridge.tally[LOG_DET] == pytest.approx(log_det, rel=1e-9)


def catalogue(dim=10, seed=0):
    contexts = np.random.default_rng(seed).standard_normal((20, dim))
    return contexts / np.linalg.norm(contexts, axis=1, keepdims=True)


def concentrated(count, others):
    """Play one arm, after a few plays of each other arm; the condition number is count / 0.1."""
    order = np.zeros(count, dtype=np.int64)
    for arm in range(1, 20):
        order[(arm - 1) * others : arm * others] = arm
    contexts = catalogue()
    ridge = start_ridge(10, 0.1)
    feed_cycle(ridge, contexts, order)
    truth = exact_inverse(contexts, np.bincount(order, minlength=20), 0.1)
    return ridge, truth


@needs_speed
@pytest.mark.parametrize(
    ("count", "others", "condition"),
    [
        (1000, 0, 1e4),
        (100_000, 0, 1e6),
        (1_000_000, 1, 1e6),
        (1_000_000, 0, 1e7),
    ],
)
def test_the_inverse_stays_exact_after_many_plays_of_one_context(count, others, condition):
    ridge, truth = concentrated(count, others)
    assert np.linalg.eigvalsh(ridge.inverse).min() > 0
    assert relative_error(ridge.inverse, truth) < 1e-9
    assert np.linalg.cond(ridge.gram) > 0.3 * condition
    if count == 1_000_000:
        # The inverse is not rebuilt regularly, because the sums round the same way each time.
        assert relative_error(np.linalg.inv(ridge.gram), truth) > 1e-6


@needs_speed
@pytest.mark.parametrize(("penalty", "count"), [(1e-3, 100_000), (1e-6, 10_000)])
def test_the_inverse_stays_exact_with_a_small_penalty(penalty, count):
    contexts = catalogue()[:1]
    ridge = start_ridge(10, penalty)
    feed_cycle(ridge, contexts, np.zeros(count, dtype=np.int64))
    x = contexts[0].astype(np.longdouble)
    truth = (np.eye(10) - np.outer(x, x) * count / (penalty + count * (x @ x))) / penalty
    assert relative_error(ridge.inverse, truth) < 1e-5


@needs_speed
def test_the_width_of_an_arm_that_is_played_often_is_corrected():
    """Without a correction it is 0.02 % too large or too small after 300,000 plays."""
    x = np.array([[0.6, 0.7, 0.1]])
    penalty, count = 1e-3, 300_000
    ridge = start_ridge(3, penalty)
    feed_cycle(ridge, x, np.zeros(count, dtype=np.int64))
    square = float(x[0] @ x[0])
    assert x[0] @ ridge.inverse @ x[0] == pytest.approx(square / (penalty + count * square), 1e-6)
    assert np.array_equal(ridge.inverse, ridge.inverse.T)


def test_the_width_of_an_arm_that_is_no_longer_played_is_corrected():
    arms = np.array([[0.6, 0.7, 0.1], [0.7, 0.5, 0.3]])
    exact, ridge = start_ridge(3, 0.0025), start_ridge(3, 0.0025)
    for regression in (exact, ridge):
        for x in arms:
            observe(regression, x, 0.5, 5e5)
    direction = ridge.inverse @ arms[0]
    ridge.inverse[:] += 1e-5 * np.outer(direction, direction) / (arms[0] @ direction)
    for regression in (exact, ridge):
        observe(regression, arms[1], 0.5, 1.0)
    for x in arms:
        assert x @ ridge.inverse @ x == pytest.approx(x @ exact.inverse @ x, rel=1e-7)
    assert np.array_equal(ridge.inverse, ridge.inverse.T)
