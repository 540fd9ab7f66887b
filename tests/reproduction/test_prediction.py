"""What a mean of a few runs could be, against known distributions; Holm's correction by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from robustbandits.reproduction.prediction import (
    DRAWS,
    ENOUGH_FOR_BOOTSTRAP,
    central_range,
    holm,
    predict_means,
    quantile_of,
    two_sided,
)

RUNS = 10
#: Distributions of single runs, and of the mean of ten of them.
NORMAL = stats.norm(), stats.norm(scale=1 / math.sqrt(RUNS))
EXPONENTIAL = stats.expon(), stats.gamma(RUNS, scale=1 / RUNS)


def normal_runs(count, seed=0):
    return np.random.default_rng(seed).normal(100.0, 5.0, count)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("distributions", "count", "samples"),
    [
        (NORMAL, 5, 300),
        (NORMAL, 10, 200),
        (NORMAL, 30, 60),
        (EXPONENTIAL, 30, 60),
        (EXPONENTIAL, 60, 60),
    ],
)
def test_central_range_holds_95_percent_of_the_true_means_of_ten_runs(
    distributions, count, samples
):
    of_runs, of_means = distributions
    rng = np.random.default_rng(count)
    covered = []
    for _ in range(samples):
        low, high = central_range(predict_means(of_runs.rvs(count, random_state=rng), RUNS))
        covered.append(of_means.cdf(high) - of_means.cdf(low))
    noise = np.std(covered) / math.sqrt(samples)
    assert noise < 0.012
    assert np.mean(covered) == pytest.approx(0.95, abs=0.005 + 3 * noise)


@pytest.mark.statistical
def test_quantiles_of_true_means_are_uniform():
    rng = np.random.default_rng(3)
    quantiles = [
        quantile_of(rng.normal(size=RUNS).mean(), predict_means(rng.normal(size=12), RUNS))
        for _ in range(300)
    ]
    assert stats.kstest(quantiles, "uniform").pvalue > 1e-3


def test_few_runs_give_students_t():
    values = normal_runs(12)
    half = stats.t.ppf(0.975, 11) * values.std(ddof=1) * math.sqrt(1 / RUNS + 1 / 12)
    expected = (values.mean() - half, values.mean() + half)
    sample = predict_means(values, RUNS)
    assert central_range(sample) == pytest.approx(expected, rel=1e-4)
    assert quantile_of(values.mean(), sample) == pytest.approx(0.5, abs=1e-4)
    assert quantile_of(expected[1], sample) == pytest.approx(0.975, abs=1e-4)


@pytest.mark.parametrize("count", [ENOUGH_FOR_BOOTSTRAP, 200])
def test_bootstrap_agrees_with_students_t_for_normal_runs(count):
    # Values at equally spaced quantiles are as normal as so few values can be.
    values = stats.norm(100.0, 5.0).ppf((np.arange(count) + 0.5) / count)
    half = stats.t.ppf(0.975, count - 1) * values.std(ddof=1) * math.sqrt(1 / RUNS + 1 / count)
    low, high = central_range(predict_means(values, RUNS))
    assert (low - 100.0, high - 100.0) == pytest.approx((-half, half), rel=0.05)


def test_bootstrap_follows_the_skew_of_the_runs():
    values = stats.expon().ppf((np.arange(50) + 0.5) / 50)
    low, high = central_range(predict_means(values, RUNS))
    assert high - values.mean() > 1.3 * (values.mean() - low)


def test_reading_error_is_added_as_a_uniform_one():
    same = np.full(40, 7.0)
    assert central_range(predict_means(same, RUNS)) == (7.0, 7.0)
    assert central_range(predict_means(same, RUNS, 2.0)) == pytest.approx((5.1, 8.9), abs=0.05)
    values = normal_runs(25)
    plain, read = predict_means(values, RUNS), predict_means(values, RUNS, 3.0)
    assert read.var() == pytest.approx(plain.var() + 3.0**2 / 3, rel=0.02)
    assert read.mean() == pytest.approx(plain.mean(), abs=0.05)


@settings(max_examples=20)
@given(count=st.sampled_from([2, 29, 30]), shift=st.floats(-1e6, 1e6), scale=st.floats(1e-3, 1e6))
def test_prediction_moves_and_scales_with_the_runs(count, shift, scale):
    values = normal_runs(count)
    expected = shift + scale * predict_means(values, RUNS, 1.0)
    got = predict_means(shift + scale * values, RUNS, scale)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6 * (abs(shift) + scale))


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=50), st.data())
def test_quantile_rises_with_the_number_and_stays_within_0_and_1(sample, data):
    sample = np.sort(sample)
    numbers = sorted(data.draw(st.lists(st.floats(-2e3, 2e3), min_size=2, max_size=5)))
    quantiles = [quantile_of(number, sample) for number in numbers]
    assert quantiles == sorted(quantiles)
    assert all(0 < quantile < 1 for quantile in quantiles)


def test_quantile_counts_ties_half():
    sample = np.array([1.0, 2.0, 2.0, 3.0])
    assert quantile_of(2.0, sample) == 0.5
    assert quantile_of(0.0, sample) == pytest.approx(0.1)
    assert quantile_of(9.0, sample) == pytest.approx(0.9)
    assert [two_sided(0.975), two_sided(0.025), two_sided(0.5)] == pytest.approx([0.05, 0.05, 1.0])


def test_equal_runs_give_equal_predictions():
    values = normal_runs(50)
    first, second = predict_means(values, RUNS, 1.0), predict_means(values.copy(), RUNS, 1.0)
    assert len(first) == DRAWS
    assert np.array_equal(first, second)


def test_runs_that_are_nearly_all_equal_give_finite_predictions():
    values = np.append(np.full(49, 10.0), 20.0)
    assert np.isfinite(predict_means(values, RUNS)).all()


def test_single_run_is_refused():
    with pytest.raises(ValueError, match="at least 2 runs to show their spread, got 1"):
        predict_means(np.ones(1), RUNS)


def test_holm_by_hand():
    # Sorted: 0.005 * 4, 0.01 * 3, 0.03 * 2, then 0.04 * 1, which is raised to its predecessor.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.5]) == [1.0, 1.0]
    assert holm([0.02, 0.02]) == [0.04, 0.04]
    assert holm([0.3]) == [0.3]
    assert holm([]) == []


@pytest.mark.parametrize("shared", [0.0, 0.9, 1.0])
def test_holm_rarely_finds_a_difference_where_there_is_none(shared):
    rng = np.random.default_rng(11)
    common, own = rng.normal(size=(4000, 1)), rng.normal(size=(4000, 20))
    scores = math.sqrt(shared) * common + math.sqrt(1 - shared) * own
    found = [min(holm(row)) < 0.05 for row in 2 * stats.norm.sf(np.abs(scores))]
    assert np.mean(found) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 4000)
