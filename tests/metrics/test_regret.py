"""Metrics of one group: each number by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.sample_ledgers import sample_ledger, with_finals
from robustbandits import environments, metrics
from robustbandits.metrics.regret import mean_of_worst


def test_tail_is_the_worst_tenth():
    # Twenty seeds: the two worst, 19 and 18.
    assert metrics.tail_regret(with_finals(*range(20))).value == pytest.approx(18.5)
    # Fifteen: 1.5 seeds, so 14 in full and 13 by half.
    assert metrics.tail_regret(with_finals(*range(15))).value == pytest.approx((14 + 13 / 2) / 1.5)
    # Five: half a seed, which is the worst one.
    assert metrics.tail_regret(with_finals(*range(5))).value == 4.0
    assert math.isnan(metrics.tail_regret([]).value)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_tail_is_the_minimum_that_defines_it(values):
    sample = np.array(values)
    objective = [z + np.maximum(sample - z, 0.0).mean() / 0.1 for z in sample]
    assert float(mean_of_worst(sample)) == pytest.approx(min(objective), abs=1e-3)


def test_area_of_random_play_is_a_half():
    curve = 0.2 * np.arange(1, 1001)
    area = metrics.area_under_regret([sample_ledger(curve)], gap=0.2).value
    assert area == pytest.approx(0.5 + 1 / 2000)
    assert math.isnan(metrics.area_under_regret([]).value)


def test_area_is_exact_if_regret_is_linear_between_records():
    by_seed = metrics.area_under_regret.by_seed
    every_round = sample_ledger(np.minimum(np.arange(1, 101), 40.0))
    two_records = sample_ledger([40.0, 40.0], rounds=[40, 100])
    assert by_seed([two_records]) == pytest.approx(by_seed([every_round]))


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
def test_area_is_the_sum_over_rounds(losses):
    curve = np.cumsum(losses)
    expected = curve.sum() / len(curve) ** 2
    assert metrics.area_under_regret.by_seed([sample_ledger(curve)]) == pytest.approx([expected])


def test_late_rate_is_the_slope_at_the_end():
    curve = np.concatenate([np.arange(1.0, 91.0), 90 + 0.5 * np.arange(1, 11)])
    assert metrics.late_rate([sample_ledger(curve)]).value == pytest.approx(0.5)
    assert metrics.late_rate([sample_ledger([6.0], rounds=[12])]).value == pytest.approx(0.5)


def test_random_gap_is_the_regret_of_uniform_play():
    environment = environments.Simulation(arms=2, dim=1, contexts="fixed", noise=0.0)
    gap = metrics.random_gap(environment, rounds=50, seed=3)
    nature = environment.start(50, np.random.SeedSequence(entropy=3, spawn_key=(0,)))
    means = nature.draw(1).means[0]
    assert gap == pytest.approx(abs(means[0] - means[1]) / 2)


@settings(max_examples=20)
@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=5))
def test_final_regret_is_the_mean_of_the_last_records(regrets):
    assert metrics.final_regret(with_finals(*regrets)).value == pytest.approx(np.mean(regrets))


def test_tail_refuses_another_axis():
    with pytest.raises(ValueError, match="axis must be the last"):
        mean_of_worst(np.zeros((2, 3)), axis=0)
