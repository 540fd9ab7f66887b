"""Surfaces, regret and streams: what an attack may not touch, and what order may not change."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import robustbandits as rb
from property.laws import (
    ATTACKERS,
    EAGER,
    WILD,
    attack_of,
    deal_rounds,
    enter,
    game_bits,
    make_attack,
    pairs,
    played,
    same_bits,
    trace,
)
from property.laws import POLICIES as PLAYERS
from robustbandits.game.match import ATTACK, NATURE, POLICY, stream
from robustbandits.game.rounds import Rounds

ROUNDS = 90


@pytest.mark.parametrize("form", ATTACKERS)
def test_an_attack_changes_only_the_surfaces_that_it_proposes(form):
    problem, _ = deal_rounds(WILD, 1)
    state = attack_of(form, 1.0).start(problem)
    seen = trace(attack_of(form, 100.0))
    if not hasattr(state, "propose_contexts"):
        assert same_bits(seen.shown, seen.dealt)
    if not hasattr(state, "propose_reward"):
        assert same_bits(seen.seen, seen.earned)


def test_the_papers_attacks_have_one_surface_each():
    problem, _ = deal_rounds(WILD, 1)
    for form in EAGER:
        state = attack_of(form, 1.0).start(problem)
        assert hasattr(state, "propose_contexts") == form.startswith("ContextDilation")
        assert hasattr(state, "propose_reward") != hasattr(state, "propose_contexts")


@pytest.mark.parametrize("form", ["NoAttack", *ATTACKERS])
def test_regret_is_counted_on_clean_means(form):
    seen = trace(attack_of(form, 7.3))
    index = np.arange(len(seen.arms))
    lost = seen.means.max(axis=1) - seen.means[index, seen.arms]
    assert same_bits(seen.book.columns[:, 0].copy(), np.cumsum(lost))
    assert same_bits(seen.book.columns[:, 1].copy(), np.cumsum(seen.earned))
    assert seen.book.pulls.tolist() == np.bincount(seen.arms, minlength=5).tolist()
    assert seen.book.sums[2] == np.cumsum(seen.seen)[-1]


def cut(block: Rounds, start: int, stop: int) -> Rounds:
    return Rounds(*(part[start:stop] for part in block))


@pytest.mark.parametrize("size", [1, 7, 64])
@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_a_game_does_not_depend_on_how_rounds_are_cut_into_blocks(attack, policy, size):
    problem, block = deal_rounds(WILD, ROUNDS)
    whole = played(problem, block, make_attack(attack, 7.3), PLAYERS[policy])
    parts = enter(problem, make_attack(attack, 7.3), PLAYERS[policy])
    for start in range(0, ROUNDS, size):
        parts.advance(cut(block, start, start + size))
    assert game_bits(parts) == game_bits(whole)
    assert same_bits(parts.book.columns, whole.book.columns)
    assert same_bits(parts.purse.account, whole.purse.account)


@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_a_game_copied_midway_goes_on_identically(attack, policy):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = enter(problem, make_attack(attack, 7.3), PLAYERS[policy])
    game.advance(cut(block, 0, 45))
    twin = copy.deepcopy(game)
    for one in (game, twin):
        one.advance(cut(block, 45, ROUNDS))
    assert game_bits(game) == game_bits(twin)
    assert same_bits(game.book.columns, twin.book.columns)


def test_the_three_streams_of_a_match_are_disjoint():
    states = [tuple(stream(0, whose).generate_state(8)) for whose in (NATURE, POLICY, ATTACK)]
    assert len(set(states)) == 3


@pytest.mark.parametrize("form", ATTACKERS)
def test_an_attack_rolls_its_own_dice(form):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = enter(problem, attack_of(form, 50.0), PLAYERS["LinUCB"])
    before = game.policy_rng.bit_generator.state
    game.advance(block)
    # No two arms are equal here, so LinUCB itself never rolls any.
    assert game.policy_rng.bit_generator.state == before


def test_an_attack_with_dice_leaves_the_policys_stream_where_it_was():
    problem, block = deal_rounds(WILD, ROUNDS)
    policy = rb.policies.LinTS()
    attacked = played(problem, block, rb.attacks.Garcelon(budget=50.0), policy)
    alone = played(problem, block, rb.attacks.NoAttack(), policy)
    # LinTS draws the same numbers each round, whatever it learned.
    assert attacked.attack_rng.bit_generator.state != alone.attack_rng.bit_generator.state
    assert attacked.policy_rng.bit_generator.state == alone.policy_rng.bit_generator.state
