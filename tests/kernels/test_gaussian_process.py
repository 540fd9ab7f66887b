"""Gaussian processes on a few points: the posterior of the whole history, in bounded memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import twins_fixed
from robustbandits.compiled.jit import jit_is_on, python_of
from robustbandits.kernels.gaussian_process import (
    COUNT,
    KERNELS,
    LOG_DET,
    Posterior,
    measure,
    predict_new,
)
from robustbandits.kernels.gaussian_process import predict_measured as predict_measured_kernel
from robustbandits.kernels.gaussian_process import similarity as similarity_kernel

similarity = python_of(similarity_kernel)
predict_measured = python_of(predict_measured_kernel)
pytestmark = [pytest.mark.slow] if jit_is_on else []

FUNCTIONS = {
    "rbf": twins_fixed.rbf,
    "matern-1/2": lambda x, y, length: twins_fixed.matern(x, y, 0.5, length),
    "matern-3/2": lambda x, y, length: twins_fixed.matern(x, y, 1.5, length),
    "matern-5/2": lambda x, y, length: twins_fixed.matern(x, y, 2.5, length),
}


def fresh(points, penalty=0.1):
    matrix, vectors = np.zeros((points, points)), np.zeros((3, points))
    return Posterior(matrix, vectors[0], vectors[1], vectors[2], np.zeros(2), penalty)


def prior_of(columns, kind, length=1.0):
    count = columns.shape[1]
    return np.array(
        [
            [similarity(KERNELS.index(kind), length, columns, a, columns, b) for b in range(count)]
            for a in range(count)
        ]
    )


def predictions(post, prior):
    means, widths = np.empty((2, len(prior)))
    for a in np.flatnonzero(post.counts):
        predict_measured(post, a, means, widths)
    new = post.counts == 0
    found = np.empty((2, new.sum()))
    predict_new(post, np.ascontiguousarray(prior[:, new]), found[0], found[1])
    means[new], widths[new] = found
    return means, widths**2 * post.penalty


@pytest.mark.parametrize("kind", KERNELS)
def test_similarity_is_the_kernel(kind):
    columns = np.random.default_rng(0).standard_normal((3, 5))
    expected = [[FUNCTIONS[kind](x, y, 0.7) for y in columns.T] for x in columns.T]
    np.testing.assert_allclose(prior_of(columns, kind, 0.7), expected, rtol=1e-12)
    assert prior_of(columns, kind, 0.7)[2, 2] == 1.0


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 1000),
    st.sampled_from(KERNELS),
    st.lists(st.integers(0, 4), max_size=30),
    st.floats(0.01, 10.0),
)
def test_posterior_is_that_of_the_whole_history(seed, kind, history, penalty):
    rng = np.random.default_rng(seed)
    columns = rng.standard_normal((2, 6))  # the last point is never measured
    prior = prior_of(columns, kind)
    post, process = (
        fresh(6, penalty),
        twins_fixed.Process(lambda x, y: FUNCTIONS[kind](x, y, 1.0), penalty),
    )
    for a in history:
        y = rng.standard_normal()
        measure(post, prior, a, y)
        process.add(columns[:, a], y)
    means, variances = predictions(post, prior)
    expected_means, expected_variances = process.posterior(columns.T)
    np.testing.assert_allclose(means, expected_means, atol=1e-8)
    np.testing.assert_allclose(variances, expected_variances, atol=1e-9)
    assert abs(post.tally[LOG_DET] - 2 * process.information()) < 1e-8
    assert post.tally[COUNT] == len(history)


@pytest.mark.parametrize("length", [0.3, 1.0, 10.0])
def test_posterior_stays_exact_for_many_measurements(length):
    # Nearly singular kernels (a unit cube is 0.1 length scales wide); most measurements are of one
    # point, as by a policy that has settled on it; two points are equal.
    rounds = 20_000 if jit_is_on else 2_000
    rng = np.random.default_rng(2)
    columns = rng.random((3, 8))
    columns[:, 7] = columns[:, 6]
    prior, post = prior_of(columns, "rbf", length), fresh(8)
    for t in range(rounds):
        a = int(rng.integers(0, 8)) if t % 50 == 0 or t < 40 else 3
        measure(post, prior, a, float(columns[0, a]) + 0.1 * rng.standard_normal())
    noise = np.diag(0.1 / post.counts)
    averages = post.sums / post.counts
    gain = np.linalg.solve(prior + noise, prior).T
    means, variances = predictions(post, prior)
    np.testing.assert_allclose(means, gain @ averages, atol=1e-7)
    np.testing.assert_allclose(variances, np.diag(prior - gain @ prior), atol=1e-8)
    assert np.all(variances > 0)
