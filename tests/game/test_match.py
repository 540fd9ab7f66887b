"""A match: all games play the same rounds, and no game changes another."""

from __future__ import annotations

import numpy as np
import pytest

import robustbandits as rb
from property.laws import (
    PLAIN,
    WILD,
    Noter,
    Recorder,
    attack_of,
    deal_rounds,
    played,
    same_bits,
)
from robustbandits.game import match
from robustbandits.game.match import play_match
from robustbandits.game.rounds import make_rounds

CLEAN = rb.attacks.NoAttack()
LINUCB = rb.policies.LinUCB()
PAIRS = [
    (CLEAN, LINUCB),
    (rb.attacks.Garcelon(5.0), LINUCB),
    (rb.attacks.ContextDilation(5.0), LINUCB),
    (CLEAN, rb.policies.LinTS()),
    (rb.attacks.Garcelon(5.0), rb.policies.RobustBandit(epoch=30)),
]
ROUNDS = 150


def same_ledger(first: rb.Ledger, second: rb.Ledger) -> bool:
    arrays = ("rounds", "regret", "reward", "spent_so_far", "attacked_so_far", "pulls")
    values = ("policy", "attack", "spent", "spent_on_contexts", "seen_reward", "last_attack")
    return all(same_bits(getattr(first, name), getattr(second, name)) for name in arrays) and all(
        getattr(first, name) == getattr(second, name) for name in values
    )


def same_ledgers(first: list[rb.Ledger], second: list[rb.Ledger]) -> bool:
    return all(same_ledger(*ledgers) for ledgers in zip(first, second, strict=True))


@pytest.mark.parametrize("environment", [WILD, PLAIN], ids=["intercept", "no intercept"])
def test_a_game_of_a_match_is_the_same_played_alone(environment):
    together = play_match(environment, PAIRS, ROUNDS, seed=3)
    alone = [
        rb.simulate(environment=environment, attack=attack, policy=policy, rounds=ROUNDS, seed=3)
        for attack, policy in PAIRS
    ]
    assert same_ledgers(together, alone)


def test_the_order_of_games_changes_nothing():
    forwards = play_match(WILD, PAIRS, ROUNDS, seed=3)
    backwards = play_match(WILD, PAIRS[::-1], ROUNDS, seed=3)
    assert same_ledgers(forwards, backwards[::-1])


@pytest.mark.parametrize("form", ["Garcelon", "Oracle", "FlipTheta", "ContextDilation"])
def test_another_game_in_the_match_changes_nothing(form):
    before = play_match(WILD, PAIRS, ROUNDS, seed=3)
    more = play_match(WILD, [(attack_of(form, 50.0), LINUCB), *PAIRS], ROUNDS, seed=3)
    assert same_ledgers(before, more[1:])


def test_a_game_that_is_in_a_match_twice_gives_two_equal_ledgers():
    first, second = play_match(WILD, [PAIRS[1], PAIRS[1]], ROUNDS, seed=0)
    assert same_ledger(first, second)


def test_all_games_play_the_same_rounds():
    pairs = [(attack, Recorder(policy)) for attack, policy in PAIRS if attack is CLEAN]
    problem, block = deal_rounds(WILD, ROUNDS)
    games = [played(problem, block, attack, policy) for attack, policy in pairs]
    assert len(games) == 2
    assert all(same_bits(game.policy.shown, block.contexts) for game in games)


def test_equal_seeds_give_equal_games_and_others_do_not():
    (zero,), (again,), (one,) = (play_match(WILD, PAIRS[:1], ROUNDS, seed) for seed in (0, 0, 1))
    assert same_ledger(zero, again)
    assert not same_bits(zero.regret, one.regret)


@pytest.mark.parametrize("numbers", [1, 100, 1000])
def test_the_size_of_blocks_changes_nothing_and_progress_adds_up(monkeypatch, numbers):
    expected = play_match(WILD, PAIRS, ROUNDS, seed=3)
    monkeypatch.setattr(match, "BLOCK_NUMBERS", numbers)
    steps: list[int] = []
    ledgers = play_match(WILD, PAIRS, ROUNDS, seed=3, on_block=steps.append)
    assert len(steps) > len(PAIRS)
    assert sum(steps) == ROUNDS * len(PAIRS)
    assert same_ledgers(expected, ledgers)


def test_a_memo_is_zero_at_the_start_of_every_round():
    problem, block = deal_rounds(WILD, ROUNDS)
    contexts = block.contexts.copy()
    contexts[:, 0, 0] = -0.1
    contexts[::10, 0, 0] = 0.1
    game = played(problem, make_rounds(contexts, block.means, block.noise), CLEAN, Noter())
    assert game.policy.counts.tolist() == [ROUNDS, ROUNDS / 10]


def test_a_recorded_game_is_the_game_without_a_recorder():
    attack = PAIRS[1][0]
    alone, recorded = (
        rb.simulate(environment=WILD, policy=policy, attack=attack, rounds=ROUNDS)
        for policy in (LINUCB, Recorder(LINUCB))
    )
    assert same_bits(alone.regret, recorded.regret)
    assert alone.spent == recorded.spent
    assert np.array_equal(alone.pulls, recorded.pulls)
