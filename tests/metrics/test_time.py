"""Measures of the whole curve: areas, rates, recovery; each number by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.calm import calm
from metrics.made import made
from robustbandits import environments, metrics
from robustbandits.metrics.area import areas_by_seed
from robustbandits.metrics.recover import Recovery
from robustbandits.metrics.timing import attack_began


def test_area_is_the_mean_of_cumulative_regret():
    # Rounds 1..4: (1 + 1 + 3 + 3) / 4 = 2, over T = 4.
    assert metrics.area_under_regret([made([1.0, 1.0, 3.0, 3.0])]).value == pytest.approx(0.5)
    assert metrics.area_under_regret([]) == pytest.approx((math.nan,) * 3, nan_ok=True)


def test_area_of_random_play_is_a_half():
    curve = 0.2 * np.arange(1, 1001)
    area = metrics.area_under_regret([made(curve)], gap=0.2).value
    assert area == pytest.approx(0.5 + 1 / 2000)


def test_area_needs_no_more_records_than_kinks():
    rounds = np.arange(1, 101)
    curve = np.minimum(rounds, 40.0)
    all_records, few = made(curve), made([40.0, 40.0], rounds=[40, 100])
    assert areas_by_seed([few]) == pytest.approx(areas_by_seed([all_records]))


@calm
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
def test_area_is_the_sum_over_rounds(losses):
    curve = np.cumsum(losses)
    expected = curve.sum() / len(curve) ** 2
    assert areas_by_seed([made(curve)]) == pytest.approx([expected])


def test_late_rate_is_the_slope_at_the_end():
    curve = np.concatenate([np.arange(1.0, 91.0), 90 + 0.5 * np.arange(1, 11)])
    assert metrics.late_rate([made(curve)]).value == pytest.approx(0.5)
    assert metrics.late_rate([made([6.0], rounds=[12])]).value == pytest.approx(0.5)


def struck(seed, heals_at, rounds=100, last_attack=10):
    """Return a game that loses 1 a round until it heals."""
    losses = (np.arange(1, rounds + 1) <= heals_at).astype(float)
    return made(np.cumsum(losses), seed=seed, last_attack=last_attack, spent=1.0)


def clean(seed, rounds=100):
    return made(np.zeros(rounds), seed=seed)


def heal(games, **options):
    others = [clean(one.seed) for one in games]
    return metrics.recovery(games, others, window=5, tolerance=0.0, **options)


def test_recovery_is_the_time_from_the_last_attack_to_the_clean_rate():
    outcome = heal([struck(0, heals_at=30), struck(1, heals_at=10), struck(2, heals_at=50)])
    assert outcome.durations.tolist() == [20.0, 0.0, 40.0]
    assert outcome.recovered.all()
    assert outcome.median == 20.0
    assert outcome.restricted_mean == pytest.approx(20.0)
    assert outcome.share_estimate() == (1.0, 1.0, 1.0)


def test_game_that_never_heals_is_censored_at_the_last_window():
    outcome = heal([struck(0, heals_at=100), struck(1, heals_at=30)])
    # The last window of five rounds starts after round 95.
    assert outcome.durations.tolist() == [85.0, 20.0]
    assert outcome.recovered.tolist() == [False, True]
    assert outcome.share == 0.5
    # Kaplan-Meier: one of two heals at 20; the other is still ill at 85.
    assert outcome.median == 20.0
    assert outcome.restricted_mean == pytest.approx(20 + 0.5 * 65)


def test_median_is_infinite_when_most_never_heal():
    assert heal([struck(i, heals_at=100) for i in range(3)]).median == math.inf


def test_censored_before_others_heal_raises_the_rest():
    # n = 4: one heals at 1 (S = 3/4), one is lost from sight at 2, one heals at 3 (S = 3/8).
    outcome = Recovery(np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, True, False]))
    times, left = outcome.survival()
    assert dict(zip(times.tolist(), left.tolist(), strict=True)) == pytest.approx(
        {1.0: 0.75, 2.0: 0.75, 3.0: 0.375, 4.0: 0.375}
    )
    assert outcome.median == 3.0
    assert outcome.restricted_mean == pytest.approx(1 + 0.75 * 2 + 0.375)


@calm
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=12))
def test_survival_is_scipys(games):
    durations = np.array([float(time) for time, _ in games])
    recovered = np.array([healed for _, healed in games])
    theirs = stats.ecdf(stats.CensoredData.right_censored(durations, ~recovered)).sf
    times, left = Recovery(durations, recovered).survival()
    assert times.tolist() == theirs.quantiles.tolist()
    assert left == pytest.approx(theirs.probabilities)


def test_slack_and_tolerance_widen_what_counts_as_healed():
    slow = made(0.1 * np.arange(1, 101), seed=0, last_attack=10)
    bar = made(0.08 * np.arange(1, 101), seed=0)
    settings = {"window": 5}
    assert metrics.recovery([slow], [bar], slack=0.5, tolerance=0.0, **settings).share == 1.0
    assert metrics.recovery([slow], [bar], slack=0.0, tolerance=0.0, **settings).share == 0.0
    assert metrics.recovery([slow], [bar], slack=0.0, tolerance=0.03, **settings).share == 1.0


def test_attack_to_the_very_end_leaves_nothing_to_see():
    outcome = heal([struck(0, heals_at=100, last_attack=100)])
    assert outcome.durations.tolist() == [0.0]
    assert not outcome.recovered.any()


def test_game_shorter_than_a_window_is_censored():
    outcome = metrics.recovery([struck(0, heals_at=10)], [clean(0)], window=1000)
    assert outcome.durations.tolist() == [0.0]
    assert outcome.share == 0.0


def test_game_never_attacked_has_nothing_to_recover_from():
    outcome = heal([clean(0), clean(1)])
    assert not len(outcome.durations)
    assert math.isnan(outcome.share)
    assert math.isnan(outcome.median)
    assert math.isnan(outcome.restricted_mean)


def test_games_recorded_at_different_rounds_are_refused():
    with pytest.raises(ValueError, match="recorded at different rounds"):
        metrics.recovery([struck(0, heals_at=10)], [made([0.0], rounds=[100], seed=0)])


def test_residual_damage_counts_only_rounds_after_the_attack():
    games = [struck(0, heals_at=30), struck(1, heals_at=5)]
    # 20 rounds lost after round 10; the second game healed before the attack ended.
    estimate = metrics.residual_damage(games, [clean(0), clean(1)])
    assert estimate == pytest.approx((10.0, 0.0, 20.0))
    assert metrics.residual_damage([clean(0)], [clean(0)]).value == 0.0
    assert math.isnan(metrics.residual_damage([], []).value)


def test_residual_damage_between_records_is_interpolated():
    attacked = made([0.0, 10.0], rounds=[10, 20], last_attack=15)
    assert metrics.residual_damage([attacked], [made([0.0, 0.0], rounds=[10, 20])]).value == 5.0


def test_end_of_the_attack_is_averaged_over_attacked_games():
    games = [struck(0, heals_at=30), struck(1, heals_at=30, last_attack=20), clean(2)]
    assert metrics.attack_ended(games).value == 15.0
    assert attack_began(games[1]) == 20
    assert attack_began(games[2]) == 0


def test_gap_is_the_regret_of_random_play():
    place = environments.Simulation(arms=2, dim=1, contexts="fixed", noise=0.0)
    nature_gap = metrics.random_gap(place, rounds=50, seed=3)
    means = place.start(50, np.random.SeedSequence(entropy=3, spawn_key=(0,))).draw(1).means[0]
    assert nature_gap == pytest.approx(abs(means[0] - means[1]) / 2)
