"""The verdict on a reading, with chosen numbers."""

import math

import numpy as np
import pytest
from scipy import stats

import robustbandits as rb
from reports.sample_experiments import experiment_with_finals
from robustbandits.reproduction.published import plain_name, published_regrets
from robustbandits.reproduction.verdict import judge

PUBLISHED = {
    ("simulation", "garcelon", "LinUCB"): 100.0,
    ("simulation", "garcelon", "BOB-No-Restart"): 20.0,
    ("simulation", "garcelon", "LinTS"): 60.0,
}
GARCELON = {"Garcelon": rb.attacks.Garcelon(100.0)}


def around(mean, spread=4.0, seeds=12):
    """Return final regrets with this mean and standard deviation."""
    scores = np.linspace(-1.0, 1.0, seeds)
    return list(mean + spread * scores / scores.std(ddof=1))


def verdict(published=PUBLISHED, **finals):
    games = {("Garcelon", name): values for name, values in finals.items()}
    return judge(experiment_with_finals(games, attacks=GARCELON), published)


def words(figure):
    return [number.outcome for number in figure.numbers]


def test_published_numbers_near_our_means_are_inside_and_consistent():
    figure = verdict(LinUCB=around(102), BOBNoRestart=around(19), LinTS=around(60))
    assert [number.published for number in figure.numbers] == [100.0, 20.0, 60.0]
    assert words(figure) == ["inside"] * 3
    assert figure.consistent
    assert figure.numbers[2].quantile == pytest.approx(0.5, abs=0.01)
    assert figure.numbers[0].quantile < 0.5 < figure.numbers[1].quantile


def test_range_is_that_of_a_mean_of_ten_runs_and_not_of_our_mean():
    # With 400 seeds our mean is known to 0.4, but a mean of 10 runs varies by 2.5.
    figure = verdict({next(iter(PUBLISHED)): 102.0}, LinUCB=around(100, seeds=400))
    (number,) = figure.numbers
    spread = math.sqrt(16 / 10 + 16 / 400 + 1.02**2 / 3)
    assert (number.ours.high - number.ours.low) / 2 == pytest.approx(1.96 * spread, rel=0.02)
    assert number.outcome == "inside"


def test_reading_error_is_one_percent_of_the_largest_published_number():
    same = [21.0, 21.0, 21.0]
    alone = verdict({("simulation", "garcelon", "LinTS"): 20.0}, LinTS=same)
    assert alone.numbers[0].ours == pytest.approx((21.0, 20.81, 21.19), abs=0.01)
    beside = verdict(LinUCB=around(100), BOBNoRestart=same)
    assert beside.numbers[1].ours == pytest.approx((21.0, 20.05, 21.95), abs=0.01)


def test_number_beyond_the_correction_differs():
    figure = verdict(LinUCB=around(130), BOBNoRestart=around(20), LinTS=around(60))
    assert words(figure) == ["differs", "inside", "inside"]
    assert figure.consistent is False
    first = figure.numbers[0]
    assert first.quantile < 0.001
    assert first.adjusted == figure.smallest_adjusted == pytest.approx(3 * first.p_value)


def test_number_outside_its_range_is_excused_by_many_comparisons():
    # The published number is at the 98.6 % quantile: p = 0.028, and 3 * 0.028 > 0.05.
    mean = 60.0 - stats.t.ppf(0.986, 11) * 4.0 * math.sqrt(1 / 10 + 1 / 12)
    tiny = {**PUBLISHED, ("simulation", "garcelon", "LinUCB"): 60.0}  # a small reading error
    figure = verdict(tiny, LinUCB=around(60), BOBNoRestart=around(20), LinTS=around(mean))
    assert words(figure) == ["inside", "inside", "outside"]
    assert figure.numbers[2].p_value == pytest.approx(0.03, abs=0.01)
    assert figure.consistent
    alone = verdict({("simulation", "garcelon", "LinTS"): 60.0}, LinTS=around(mean))
    assert words(alone) == ["differs"]


def test_single_seed_is_not_compared():
    figure = verdict(LinUCB=[10.0], BOBNoRestart=[30.0], LinTS=[20.0])
    assert words(figure) == [None] * 3
    assert figure.consistent is None
    assert math.isnan(figure.smallest_adjusted)
    assert not figure.numbers[0].ours.has_interval


def test_policy_that_was_not_published_has_a_range_but_no_verdict():
    figure = verdict(LinUCB=around(100), mine=around(5))
    mine = figure.numbers[1]
    assert (mine.published, mine.quantile, mine.outcome) == (None, None, None)
    assert mine.ours.has_interval
    assert len(figure.outcomes) == 1


def test_range_does_not_go_below_zero():
    low, high = verdict(LinUCB=[1.0, 50.0]).numbers[0].ours[1:]
    assert low == 0.0
    assert high > 50.0


def test_games_of_other_lengths_are_not_compared():
    games = {("Garcelon", "LinUCB"): [1.0, 2.0]}
    short = judge(experiment_with_finals(games, attacks=GARCELON, rounds=10))
    assert short.consistent is None
    assert not short.orders
    full = judge(experiment_with_finals(games, attacks=GARCELON, rounds=1_000_000))
    assert full.numbers[0].published == published_regrets()["simulation", "garcelon", "LinUCB"]


def test_attack_with_another_label_is_recognized_by_its_recipe():
    attacks = {"g": rb.attacks.Garcelon(100.0)}
    games = experiment_with_finals({("g", "BOB no restart"): [1.0]}, attacks=attacks)
    assert judge(games, PUBLISHED).numbers[0].published == 20.0


def test_stand_in_is_not_compared():
    label = "simulation (synthetic stand-in)"
    games = {("Garcelon", "LinUCB"): around(1)}
    figure = judge(
        experiment_with_finals(games, attacks=GARCELON, environments=(label,)), PUBLISHED
    )
    assert figure.numbers[0].published is None
    assert figure.consistent is None


def test_spellings_of_a_name_are_equal():
    assert plain_name("BOB-No-Restart") == plain_name("BOBNoRestart")
    assert plain_name("Netflix (synthetic stand-in)") == "netflix"
