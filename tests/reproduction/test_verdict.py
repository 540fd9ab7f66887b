"""The verdict on a reproduction, by hand."""

import math

import pytest

import robustbandits as rb
from reports.sample_experiments import experiment_with_finals
from robustbandits.reproduction.published import plain_name, published_regrets
from robustbandits.reproduction.verdict import judge, order_sentence, verdict_table

PUBLISHED = {
    ("simulation", "garcelon", "LinUCB"): 100.0,
    ("simulation", "garcelon", "BOB-No-Restart"): 20.0,
    ("simulation", "garcelon", "LinTS"): 60.0,
}
GARCELON = {"Garcelon": rb.attacks.Garcelon(100.0)}


def verdict(published=PUBLISHED, **finals):
    games = {("Garcelon", name): values for name, values in finals.items()}
    (panel,) = judge(experiment_with_finals(games, attacks=GARCELON), published)
    return panel


def test_same_order_within_the_intervals_agrees():
    panel = verdict(LinUCB=[95.0, 105.0], BOBNoRestart=[18.0, 22.0], LinTS=[55.0, 66.0])
    assert [row.published for row in panel.rows] == [100.0, 20.0, 60.0]
    assert all(row.inside for row in panel.rows)
    assert panel.order_agrees
    assert panel.tau == pytest.approx(1.0)
    assert not panel.swaps
    assert order_sentence(panel) == "The order of the policies agrees."


def test_reading_error_is_one_percent_of_the_largest_number():
    inside = verdict(LinUCB=[95.0, 99.1], BOBNoRestart=[18.0, 19.1], LinTS=[55.0, 58.9])
    assert [row.inside for row in inside.rows] == [True, True, False]
    assert inside.rows[0].ratio == pytest.approx(0.9705)


def test_certain_swap_is_one_beyond_its_paired_interval():
    # Here LinTS is worse than LinUCB with each seed, though their ranges overlap.
    panel = verdict(LinUCB=[80.0, 120.0], BOBNoRestart=[18.0, 22.0], LinTS=[85.0, 126.0])
    (swap,) = panel.swaps
    assert (swap.better, swap.worse) == ("LinTS", "LinUCB")
    assert swap.difference == pytest.approx((5.5, 5.0, 6.0))
    assert swap.certain
    assert not panel.order_agrees
    # Three pairs: two agree, one is swapped.
    assert panel.tau == pytest.approx(1 / 3)
    assert "differs" in order_sentence(panel)
    assert "LinUCB beats LinTS here" in order_sentence(panel)


def test_order_agrees_despite_a_swap_within_the_noise():
    panel = verdict(LinUCB=[80.0, 120.0], BOBNoRestart=[18.0, 22.0], LinTS=[130.0, 75.0])
    (swap,) = panel.swaps
    assert not swap.certain
    assert panel.order_agrees
    assert "within the noise" in order_sentence(panel)


def test_swap_of_published_numbers_within_the_reading_error_is_not_certain():
    close = {**PUBLISHED, ("simulation", "garcelon", "LinTS"): 98.5}
    panel = verdict(close, LinUCB=[10.0, 10.0], BOBNoRestart=[1.0, 1.0], LinTS=[20.0, 20.0])
    assert [swap.certain for swap in panel.swaps] == [False]


def test_single_seed_can_neither_confirm_nor_refute():
    panel = verdict(LinUCB=[10.0], BOBNoRestart=[30.0], LinTS=[20.0])
    assert [row.inside for row in panel.rows] == [None] * 3
    assert len(panel.swaps) == 3
    assert panel.order_agrees
    assert panel.tau == pytest.approx(-1.0)


def test_policy_that_was_not_published_is_not_judged():
    panel = verdict(LinUCB=[95.0, 105.0], mine=[1.0, 2.0])
    assert panel.rows[1].published is None
    assert panel.rows[1].inside is None
    assert panel.rows[1].ratio is None
    assert math.isnan(panel.tau)


def test_games_of_other_lengths_are_not_compared():
    games = {("Garcelon", "LinUCB"): [1.0, 2.0]}
    (short,) = judge(experiment_with_finals(games, attacks=GARCELON, rounds=10))
    assert not short.compared
    assert not short.order_agrees
    assert order_sentence(short) == "Nothing was published to compare with."
    (full,) = judge(experiment_with_finals(games, attacks=GARCELON, rounds=1_000_000))
    assert full.rows[0].published == published_regrets()["simulation", "garcelon", "LinUCB"]


def test_attack_with_another_label_is_recognised_by_its_recipe():
    attacks = {"g": rb.attacks.Garcelon(100.0)}
    (panel,) = judge(
        experiment_with_finals({("g", "BOB no restart"): [1.0]}, attacks=attacks), PUBLISHED
    )
    assert panel.rows[0].published == 20.0


def test_stand_in_is_marked_and_not_compared():
    label = "simulation (synthetic stand-in)"
    games = experiment_with_finals(
        {("Garcelon", "LinUCB"): [1.0]}, attacks=GARCELON, environments=(label,)
    )
    (panel,) = judge(games, PUBLISHED)
    assert panel.stand_in
    assert panel.rows[0].published is None
    assert not panel.compared


def test_spellings_of_a_name_are_equal():
    assert plain_name("BOB-No-Restart") == plain_name("BOBNoRestart")
    assert plain_name("Netflix (synthetic stand-in)") == "netflix"


def test_table_has_a_row_for_each_policy_of_each_panel():
    panel = verdict(LinUCB=[95.0, 105.0], BOBNoRestart=[1.0, 2.0])
    table = verdict_table([panel, panel])
    assert len(table) == 4
    assert table.rows[0][-1] == "yes"
    assert table.rows[1][-1] == "no"
    assert "100 (95 to 105)" in table.to_markdown()
