"""When attacks end and policies recover: each number by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.sample_ledgers import sample_ledger
from robustbandits import metrics
from robustbandits.metrics import Recovery


def attacked(seed, recovers_at, rounds=100, last_attack=10):
    """Return a game that loses 1 in every round until it recovers."""
    losses = (np.arange(1, rounds + 1) <= recovers_at).astype(float)
    return sample_ledger(np.cumsum(losses), seed=seed, last_attack=last_attack, spent=1.0)


def clean(seed, rounds=100):
    return sample_ledger(np.zeros(rounds), seed=seed)


def recovery(games):
    others = [clean(game.seed) for game in games]
    return metrics.recovery(games, others, window=5, tolerance=0.0)


def test_recovery_is_the_time_from_the_last_attack_to_the_clean_rate():
    outcome = recovery([attacked(0, 30), attacked(1, 10), attacked(2, 50)])
    assert outcome.durations.tolist() == [20.0, 0.0, 40.0]
    assert outcome.recovered.all()
    assert outcome.median == 20.0
    assert outcome.restricted_mean == pytest.approx(20.0)


def test_game_that_never_recovers_is_censored_at_the_last_window():
    outcome = recovery([attacked(0, 100), attacked(1, 30)])
    # The last window of five rounds starts after round 95.
    assert outcome.durations.tolist() == [85.0, 20.0]
    assert outcome.recovered.tolist() == [False, True]
    # Kaplan-Meier: one of two recovers at 20; the other has not at 85.
    assert outcome.median == 20.0
    assert outcome.restricted_mean == pytest.approx(20 + 0.5 * 65)


def test_censored_games_leave_the_share_at_risk():
    # n = 4: one recovers at 1 (S = 3/4), one is censored at 2, one recovers at 3 (S = 3/8).
    outcome = Recovery(np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, True, False]))
    times, left = outcome.survival()
    assert dict(zip(times.tolist(), left.tolist(), strict=True)) == pytest.approx(
        {1.0: 0.75, 2.0: 0.75, 3.0: 0.375, 4.0: 0.375}
    )
    assert outcome.median == 3.0
    assert outcome.restricted_mean == pytest.approx(1 + 0.75 * 2 + 0.375)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=12))
def test_survival_is_scipys(games):
    durations = np.array([float(time) for time, _ in games])
    recovered = np.array([ended for _, ended in games])
    theirs = stats.ecdf(stats.CensoredData.right_censored(durations, ~recovered)).sf
    times, left = Recovery(durations, recovered).survival()
    assert times.tolist() == theirs.quantiles.tolist()
    assert left == pytest.approx(theirs.probabilities)


@pytest.mark.parametrize(
    ("slack", "tolerance", "recovers"), [(0.5, 0.0, True), (0.0, 0.0, False), (0.0, 0.03, True)]
)
def test_slack_and_tolerance_widen_what_counts_as_recovered(slack, tolerance, recovers):
    slow = sample_ledger(0.1 * np.arange(1, 101), seed=0, last_attack=10)
    base = sample_ledger(0.08 * np.arange(1, 101), seed=0)
    outcome = metrics.recovery([slow], [base], window=5, slack=slack, tolerance=tolerance)
    assert outcome.recovered.tolist() == [recovers]


@pytest.mark.parametrize("options", [{"last_attack": 100}, {"rounds": 3, "last_attack": 3}])
def test_game_without_a_window_after_the_attack_is_censored(options):
    game = attacked(0, 100, **options)
    outcome = metrics.recovery([game], [clean(0, len(game.rounds))], window=5)
    assert outcome.durations.tolist() == [0.0]
    assert not outcome.recovered.any()


def test_game_never_attacked_is_left_out():
    outcome = recovery([clean(0), clean(1)])
    assert not len(outcome.durations)
    assert math.isnan(outcome.median)
    assert math.isnan(outcome.restricted_mean)


def test_games_recorded_at_different_rounds_are_refused():
    with pytest.raises(ValueError, match="recorded at the same rounds"):
        metrics.recovery([attacked(0, 10)], [sample_ledger([0.0], rounds=[100], seed=0)])


def test_residual_damage_counts_only_rounds_after_the_attack():
    games = [attacked(0, 30), attacked(1, 5)]
    # 20 rounds lost after round 10; the second game recovered before the attack ended.
    damage = metrics.residual_damage(games, [clean(0), clean(1)])
    assert damage == pytest.approx((10.0, 0.0, 20.0))
    assert metrics.residual_damage([clean(0)], [clean(0)]).value == 0.0
    assert math.isnan(metrics.residual_damage([], []).value)


def test_end_of_the_attack_is_averaged_over_attacked_games():
    games = [attacked(0, 30), attacked(1, 30, last_attack=20), clean(2)]
    assert metrics.attack_ended(games).value == 15.0


def test_median_is_infinite_if_most_never_recover():
    assert recovery([attacked(seed, 100) for seed in range(3)]).median == math.inf


def test_residual_damage_is_interpolated_between_records():
    game = sample_ledger([0.0, 10.0], rounds=[10, 20], last_attack=15)
    other = sample_ledger([0.0, 0.0], rounds=[10, 20])
    assert metrics.residual_damage([game], [other]).value == 5.0
