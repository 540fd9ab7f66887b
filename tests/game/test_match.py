"""A match: all games meet the same rounds, and no game changes another."""

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
from robustbandits.game.match import Game, play_match
from robustbandits.game.rounds import deal

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


def same_ledger(one: rb.Ledger, other: rb.Ledger) -> bool:
    arrays = ("rounds", "regret", "reward", "spent_so_far", "attacked_so_far", "pulls")
    values = ("policy", "attack", "spent", "spent_on_contexts", "seen_reward", "last_attack")
    return all(same_bits(getattr(one, name), getattr(other, name)) for name in arrays) and all(
        getattr(one, name) == getattr(other, name) for name in values
    )


@pytest.mark.parametrize("environment", [WILD, PLAIN], ids=["intercept", "no intercept"])
def test_every_game_of_a_match_is_the_game_played_alone(environment):
    together = play_match(environment, PAIRS, ROUNDS, seed=3)
    for ledger, (attack, policy) in zip(together, PAIRS, strict=True):
        alone = rb.simulate(
            environment=environment, attack=attack, policy=policy, rounds=ROUNDS, seed=3
        )
        assert same_ledger(ledger, alone)


def test_the_order_of_games_changes_nothing():
    forwards = play_match(WILD, PAIRS, ROUNDS, seed=3)
    backwards = play_match(WILD, PAIRS[::-1], ROUNDS, seed=3)
    for one, other in zip(forwards, backwards[::-1], strict=True):
        assert same_ledger(one, other)


@pytest.mark.parametrize("form", ["Garcelon", "Oracle", "FlipTheta", "ContextDilation"])
def test_adding_an_attack_changes_no_other_game(form):
    before = play_match(WILD, PAIRS, ROUNDS, seed=3)
    more = play_match(WILD, [(attack_of(form, 50.0), LINUCB), *PAIRS], ROUNDS, seed=3)
    for one, other in zip(before, more[1:], strict=True):
        assert same_ledger(one, other)


def test_playing_a_game_twice_in_one_match_gives_it_twice():
    one, other = play_match(WILD, [PAIRS[1], PAIRS[1]], ROUNDS, seed=0)
    assert same_ledger(one, other)


def test_all_games_see_the_same_rounds(monkeypatch):
    seen: list[list[bytes]] = []

    class Watched(Game):
        def __init__(self, *values):
            super().__init__(*values)
            self.met: list[bytes] = []
            seen.append(self.met)

        def advance(self, rounds):
            self.met.append(b"".join(part.tobytes() for part in rounds))
            super().advance(rounds)

    monkeypatch.setattr(match, "Game", Watched)
    monkeypatch.setattr(match, "BLOCK_NUMBERS", 700)
    play_match(WILD, PAIRS, ROUNDS, seed=0)
    assert len(seen) == len(PAIRS)
    assert len(set(seen[0])) == len(seen[0]) > 1
    assert all(met == seen[0] for met in seen)


def test_seeds_matter_and_equal_seeds_repeat():
    (zero,), (again,), (one,) = (play_match(WILD, PAIRS[:1], ROUNDS, seed) for seed in (0, 0, 1))
    assert same_ledger(zero, again)
    assert not same_bits(zero.regret, one.regret)


@pytest.mark.parametrize("numbers", [1, 100, 1000])
def test_the_size_of_blocks_changes_nothing(monkeypatch, numbers):
    expected = play_match(WILD, PAIRS, ROUNDS, seed=3)
    monkeypatch.setattr(match, "BLOCK_NUMBERS", numbers)
    steps: list[int] = []
    ledgers = play_match(WILD, PAIRS, ROUNDS, seed=3, on_block=steps.append)
    assert len(steps) > len(PAIRS)
    for one, other in zip(expected, ledgers, strict=True):
        assert same_ledger(one, other)


def test_progress_adds_up_to_all_rounds_of_all_games(monkeypatch):
    monkeypatch.setattr(match, "BLOCK_NUMBERS", 700)
    steps: list[int] = []
    play_match(WILD, PAIRS, ROUNDS, seed=0, on_block=steps.append)
    assert sum(steps) == ROUNDS * len(PAIRS)


def test_a_memo_starts_empty_in_every_round():
    problem, block = deal_rounds(WILD, ROUNDS)
    contexts = block.contexts.copy()
    contexts[:, 0, 0] = -0.1
    contexts[::10, 0, 0] = 0.1
    game = played(problem, deal(contexts, block.means, block.noise), CLEAN, Noter())
    assert game.policy.counts.tolist() == [ROUNDS, ROUNDS / 10]


def test_a_recorder_does_not_disturb_the_game():
    alone = rb.simulate(environment=WILD, policy=LINUCB, attack=PAIRS[1][0], rounds=ROUNDS)
    watched = rb.simulate(
        environment=WILD, policy=Recorder(LINUCB), attack=PAIRS[1][0], rounds=ROUNDS
    )
    assert same_bits(alone.regret, watched.regret)
    assert alone.spent == watched.spent
    assert np.array_equal(alone.pulls, watched.pulls)
