"""What an attack may change, how regret is counted, and that random streams are independent."""

import copy

import numpy as np
import pytest

from property.laws import (
    ATTACKERS,
    EAGER,
    POLICIES,
    WILD,
    attack_of,
    deal_rounds,
    enter,
    game_bits,
    make_attack,
    pairs,
    played,
    quick,
    same_bits,
    trace,
)
from robustbandits.game.match import ATTACK, NATURE, POLICY, stream
from robustbandits.game.rounds import Rounds

ROUNDS = 90


@pytest.mark.parametrize("form", quick(ATTACKERS))
def test_an_attack_changes_only_what_it_has_a_kernel_for(form):
    problem, _ = deal_rounds(WILD, 1)
    state = attack_of(form, 1.0).start(problem)
    game = trace(attack_of(form, 100.0))
    assert hasattr(state, "propose_contexts") or same_bits(game.shown, game.dealt)
    changes_rewards = hasattr(state, "propose_reward") or hasattr(state, "propose_shifts")
    assert changes_rewards or same_bits(game.seen, game.earned)
    if form in EAGER:  # the paper's attacks change either contexts or rewards
        assert hasattr(state, "propose_contexts") == form.startswith("ContextDilation")
        assert hasattr(state, "propose_reward") != hasattr(state, "propose_contexts")


@pytest.mark.parametrize("form", quick(["NoAttack", *ATTACKERS]))
def test_regret_is_counted_with_clean_means(form):
    game = trace(attack_of(form, 7.3))
    lost = game.means.max(axis=1) - game.means[np.arange(len(game.arms)), game.arms]
    assert same_bits(game.book.columns[:, 0].copy(), np.cumsum(lost))
    assert same_bits(game.book.columns[:, 1].copy(), np.cumsum(game.earned))
    assert game.book.pulls.tolist() == np.bincount(game.arms, minlength=5).tolist()
    assert game.book.sums[2] == np.cumsum(game.seen)[-1]


def cut(block: Rounds, start: int, stop: int) -> Rounds:
    return Rounds(*(part[start:stop] for part in block))


@pytest.mark.parametrize("size", [1, 7, 64])
@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_a_game_does_not_depend_on_how_rounds_are_divided_into_blocks(attack, policy, size):
    problem, block = deal_rounds(WILD, ROUNDS)
    whole = played(problem, block, make_attack(attack, 7.3), POLICIES[policy])
    parts = enter(problem, make_attack(attack, 7.3), POLICIES[policy])
    for start in range(0, ROUNDS, size):
        parts.advance(cut(block, start, start + size))
    assert game_bits(parts) == game_bits(whole)
    assert same_bits(parts.book.columns, whole.book.columns)
    assert same_bits(parts.purse.account, whole.purse.account)


@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_a_copy_of_a_game_continues_with_the_same_bits(attack, policy):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = enter(problem, make_attack(attack, 7.3), POLICIES[policy])
    game.advance(cut(block, 0, 45))
    twin = copy.deepcopy(game)
    for copied in (game, twin):
        copied.advance(cut(block, 45, ROUNDS))
    assert game_bits(game) == game_bits(twin)
    assert same_bits(game.book.columns, twin.book.columns)


def test_the_three_streams_of_a_match_differ():
    states = [tuple(stream(0, whose).generate_state(8)) for whose in (NATURE, POLICY, ATTACK)]
    assert len(set(states)) == 3


@pytest.mark.parametrize("form", quick(ATTACKERS))
def test_an_attack_does_not_draw_from_the_policys_stream(form):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = enter(problem, attack_of(form, 50.0), POLICIES["LinUCB"])
    before = game.policy_rng.bit_generator.state
    game.advance(block)
    # No two arms are equal here, so LinUCB itself draws nothing.
    assert game.policy_rng.bit_generator.state == before
