"""A match: all games play the same rounds, and no game changes another."""

import numpy as np
import pytest

import robustbandits as rb
from property.laws import (
    PLAIN,
    WILD,
    Noter,
    deal_rounds,
    played,
    same_bits,
)
from robustbandits.game import match
from robustbandits.game.match import NATURE, play_match, stream
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


@pytest.mark.parametrize("attack", [rb.attacks.Garcelon(5.0), rb.attacks.ContextDilation(5.0)])
def test_a_catalogue_that_is_stored_once_gives_the_same_game(attack):
    nature = rb.environments.Simulation(contexts="fixed").start(ROUNDS, stream(0, NATURE))
    block = nature.draw(ROUNDS)
    copied = make_rounds(*(np.ascontiguousarray(array) for array in (block[0], block[1], block[3])))
    assert block.contexts.strides[0] == 0
    assert copied.contexts.strides[0] > 0
    first, second = (played(nature.problem, rounds, attack, LINUCB) for rounds in (block, copied))
    assert same_ledger(first.close("fixed", 0), second.close("fixed", 0))
