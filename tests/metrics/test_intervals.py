"""Intervals over seeds."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from robustbandits.metrics import Estimate, estimate_mean, estimate_means
from robustbandits.metrics.intervals import estimate_statistics, half_width

values = st.floats(-1e6, 1e6, allow_nan=False)
rows = st.lists(values, min_size=1, max_size=6).map(np.array)


def test_interval_of_two_seeds_is_their_range():
    # Resampled means of (0, 1): 0, 1/2, 1/2, 1, each a quarter; 2.5 % of each tail is 0 and 1.
    assert estimate_mean([0.0, 1.0]) == pytest.approx((0.5, 0.0, 1.0))


def test_percentile_interval_agrees_with_all_resamples_of_three_seeds():
    sample = np.array([1.0, 2.0, 6.0])
    means = [np.mean(draw) for draw in itertools.product(sample, repeat=3)]
    # 27 equally likely resamples: the smallest, (1, 1, 1), has probability 3.7 % > 2.5 %.
    expected = (3.0, min(means), max(means))
    assert estimate_statistics([[sample]], np.mean)[0] == pytest.approx(expected)


def test_mean_has_scipys_bca_interval():
    sample = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0])
    theirs = stats.bootstrap(
        (sample,), np.mean, n_resamples=20_000, random_state=np.random.default_rng(1)
    ).confidence_interval
    ours = estimate_mean(sample)
    assert ours.value == pytest.approx(3.9)
    assert ours.low == pytest.approx(theirs.low, abs=0.15)
    assert ours.high == pytest.approx(theirs.high, abs=0.15)


def test_one_seed_has_no_interval():
    estimate = estimate_mean([2.0])
    assert estimate.value == 2.0
    assert not estimate.has_interval
    assert not estimate.covers(2.0)


def test_nan_is_unknown_and_does_not_affect_other_rows():
    bad, good = estimate_means([np.array([1.0, math.nan]), np.array([0.0, 1.0])])
    assert math.isnan(bad.value)
    assert not bad.has_interval
    assert good == pytest.approx((0.5, 0.0, 1.0))


@pytest.mark.parametrize("size", [1e-200, 1e-9, 1.0, 1e12])
def test_interval_scales_with_the_values(size):
    plain = estimate_mean([1.0, 2.0, 4.0])
    assert estimate_mean(np.array([1.0, 2.0, 4.0]) * size) == pytest.approx(
        tuple(size * end for end in plain), rel=1e-6
    )


@settings(max_examples=50)
@given(st.lists(rows, min_size=1, max_size=5))
def test_rows_have_the_same_intervals_together_and_alone(table):
    for together, row in zip(estimate_means(table), table, strict=True):
        assert together == pytest.approx(tuple(estimate_mean(row)), nan_ok=True, abs=1e-6)


@settings(max_examples=50)
@given(rows)
def test_interval_lies_within_the_values_and_around_the_mean(row):
    estimate = estimate_mean(row)
    assert estimate.value == pytest.approx(np.mean(row))
    if len(row) > 1:
        slip = 1e-9 * (1 + np.abs(row).max())
        assert row.min() - slip <= estimate.low <= estimate.value + slip
        assert estimate.value - slip <= estimate.high <= row.max() + slip


def test_margin_widens_an_interval():
    estimate = Estimate(2.0, 1.0, 3.0)
    assert estimate.covers(1.0)
    assert not estimate.covers(0.9)
    assert estimate.covers(0.9, margin=0.1)


def test_half_width_is_students():
    sample = np.array([1.0, 2.0, 4.0, 8.0])
    low, high = stats.t.interval(0.95, 3, loc=sample.mean(), scale=stats.sem(sample))
    assert half_width(sample) == pytest.approx((high - low) / 2)


def test_half_width_of_one_seed_is_unknown():
    assert math.isnan(half_width(np.array([1.0])))
