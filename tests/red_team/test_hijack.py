"""What counts as hijacked, and the search for the smallest budget."""

import math

import numpy as np
import pytest

from metrics.sample_ledgers import sample_ledger
from robustbandits.red_team._hijack import hijacked, is_hijack, search_budget, smallest_budget

ROUNDS = np.arange(10, 1001, 10)


def game(seed, *, late, early=0.0):
    """Return a game with these regrets per round in its last tenth and before."""
    return sample_ledger(
        early * ROUNDS + (late - early) * np.maximum(ROUNDS - 900, 0), seed=seed, rounds=ROUNDS
    )


def test_a_game_is_hijacked_if_its_last_tenth_loses_half_of_what_random_play_loses():
    clean = [game(seed, late=0.0) for seed in range(3)]
    attacked = [game(0, late=0.049), game(1, late=0.051), game(2, late=0.051)]
    assert hijacked(attacked, clean, {0: 0.1, 1: 0.1, 2: 0.2}).tolist() == [False, True, False]


def test_early_damage_alone_is_not_a_hijack():
    clean = [game(0, late=0.0)]
    assert hijacked([game(0, late=0.0, early=0.3)], clean, {0: 0.1}).tolist() == [False]


def test_a_policy_that_is_as_bad_without_attack_is_not_hijacked():
    bad = [game(0, late=0.1, early=0.1)]
    assert hijacked(bad, bad, {0: 0.1}).tolist() == [False]


def test_four_of_five_games_make_a_hijack():
    assert is_hijack(np.array([True, True, True, True, False]))
    assert not is_hijack(np.array([True, True, True, False, False]))
    assert not is_hijack(np.array([], dtype=bool))


@pytest.mark.parametrize("true_budget", [0.31, 3.0, 17.0, 99.0])
def test_bisection_finds_the_budget_up_to_ten_per_cent(true_budget):
    tried = []

    def hijacks(budget):
        tried.append(budget)
        return budget >= true_budget

    found = smallest_budget(0.1, 100.0, hijacks)
    assert true_budget <= found <= 1.11 * true_budget
    assert len(tried) <= 8  # log2(log(1000) / log(1.1)), and one more


def test_the_cheapest_attack_is_found_and_hopeless_searches_are_left_out():
    needs = {"strong": 12.0, "close": 11.5, "weak": 80.0, "harmless": math.inf}
    grid = {name: {b: b >= least for b in (10.0, 100.0)} for name, least in needs.items()}
    tried = []

    def hijacks(attack, budget):
        tried.append(attack)
        return budget >= needs[attack]

    budget, attack = search_budget(grid, hijacks)
    assert 11.5 <= budget <= 12.0 * 1.11
    assert attack in ("strong", "close")
    assert tried.count("weak") == 1
    assert "harmless" not in tried


def test_a_hijack_by_the_smallest_budget_is_searched_below_it():
    budget, attack = search_budget({"A": {10.0: True}}, lambda _, budget: budget >= 2.0)
    assert 2.0 <= budget <= 2.22
    assert attack == "A"


def test_without_a_hijack_the_budget_is_infinite():
    assert search_budget({"A": {10.0: False}}, lambda *_: True) == (math.inf, None)
