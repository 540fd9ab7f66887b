"""Causality: nobody sees the future, a peek leaves no trace, and nature cannot be overwritten."""

from __future__ import annotations

import math

import numpy as np
import pytest

import robustbandits as rb
from property.laws import (
    ATTACKERS,
    WILD,
    Scribbler,
    attack_of,
    bits_of,
    copy_rounds,
    deal_rounds,
    enter,
    game_bits,
    make_attack,
    pairs,
    played,
    same_bits,
    trace_rounds,
)
from property.laws import POLICIES as PLAYERS
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.rounds import Rounds, deal
from robustbandits.game.verbs import MEMO, choose

ROUNDS = 80
LINUCB = rb.policies.LinUCB()


def with_another_future(block: Rounds, first: int) -> Rounds:
    """Change contexts, means and noise from round ``first`` on."""
    other = copy_rounds(block)
    other.contexts[first:, :-1] *= -0.5
    other.means[first:] = 1.0 - other.means[first:]
    other.noise[first:] += 0.3
    return deal(other.contexts, other.means, other.noise)


@pytest.mark.parametrize("first", [1, 40, 79])
@pytest.mark.parametrize("form", ["NoAttack", *ATTACKERS])
def test_the_future_changes_no_earlier_round(form, first):
    problem, block = deal_rounds(WILD, ROUNDS)
    other = with_another_future(block, first)
    one, two = (trace_rounds(problem, b, attack_of(form, 7.3), LINUCB) for b in (block, other))
    for name in ("arms", "shown", "seen", "taught", "spent"):
        assert same_bits(getattr(one, name)[:first], getattr(two, name)[:first])
    assert not same_bits(one.seen, two.seen)


@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_the_future_changes_no_earlier_line_of_the_book(attack, policy):
    problem, block = deal_rounds(WILD, ROUNDS)
    other = with_another_future(block, 40)
    one, two = (
        played(problem, b, make_attack(attack, 7.3), PLAYERS[policy]) for b in (block, other)
    )
    assert same_bits(one.book.columns[:40], two.book.columns[:40])
    assert not same_bits(one.book.columns, two.book.columns)


# --------------------------------------------------------------------------------------- peeking


@pytest.mark.parametrize("policy", PLAYERS)
def test_choosing_changes_nothing_but_the_memo(policy):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = played(problem, block, rb.attacks.NoAttack(), PLAYERS[policy])
    state, stream = bits_of(game.policy), game.policy_rng.bit_generator.state
    contexts, dice = block.contexts[7].copy(), np.random.default_rng(5)
    for _ in range(20):
        choose(game.policy, contexts, dice, np.zeros(MEMO))
    assert bits_of(game.policy) == state
    assert game.policy_rng.bit_generator.state == stream
    assert same_bits(contexts, block.contexts[7])


@pytest.mark.parametrize("policy", PLAYERS)
def test_a_fresh_policy_can_be_peeked_at_too(policy):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = enter(problem, rb.attacks.NoAttack(), PLAYERS[policy])
    before = bits_of(game.policy)
    choose(game.policy, block.contexts[0].copy(), np.random.default_rng(5), np.zeros(MEMO))
    assert bits_of(game.policy) == before


@pytest.mark.parametrize("policy", ["LinUCB", "Greedy", "RobustLinUCB"])
def test_a_peek_at_a_deterministic_policy_tells_its_choice(policy):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = played(problem, block, rb.attacks.NoAttack(), PLAYERS[policy])
    for contexts in block.contexts[:20]:
        arms = {
            choose(game.policy, contexts.copy(), np.random.default_rng(seed), np.zeros(MEMO))
            for seed in range(5)
        }
        assert len(arms) == 1


# Peeks at every round but never changes anything.
VOYEUR = rb.attacks.ContextDilation(budget=math.inf, top=1.0, factor=1.0)


@pytest.mark.parametrize("policy", ["LinUCB", "LinTS"] if jit_is_on else PLAYERS)
def test_peeking_in_every_round_leaves_the_game_as_it_was(policy):
    problem, block = deal_rounds(WILD, ROUNDS)
    watched = played(problem, block, VOYEUR, PLAYERS[policy])
    alone = played(problem, block, rb.attacks.NoAttack(), PLAYERS[policy])
    assert game_bits(watched) == game_bits(alone)
    if policy == "LinTS":  # it rolls dice to choose, so the attacker's dice did roll
        assert watched.attack_rng.bit_generator.state != alone.attack_rng.bit_generator.state


# ------------------------------------------------------------------------------ nature's property


@pytest.mark.parametrize(
    "attack",
    [
        rb.attacks.NoAttack(),
        rb.attacks.Garcelon(budget=100.0),
        rb.attacks.ContextDilation(budget=100.0),  # peeks
        rb.attacks.ContextDilation(budget=100.0, which="every"),
    ],
    ids=lambda attack: attack.label,
)
def test_a_policy_that_scribbles_cannot_overwrite_nature(attack):
    problem, block = deal_rounds(WILD, ROUNDS)
    before = copy_rounds(block)
    played(problem, block, attack, Scribbler())
    for ours, theirs in zip(before, block, strict=True):
        assert same_bits(ours, theirs)


@pytest.mark.parametrize("form", ATTACKERS)
def test_an_attack_never_overwrites_nature(form):
    problem, block = deal_rounds(WILD, ROUNDS)
    before = copy_rounds(block)
    played(problem, block, attack_of(form, 100.0), LINUCB)
    for ours, theirs in zip(before, block, strict=True):
        assert same_bits(ours, theirs)


@pytest.mark.parametrize("form", ["NoAttack", *ATTACKERS])
def test_a_policy_learns_the_context_that_it_was_shown(form):
    problem, block = deal_rounds(WILD, ROUNDS)
    seen = trace_rounds(problem, block, attack_of(form, 7.3), LINUCB)
    shown = seen.shown[np.arange(ROUNDS), :, seen.arms]
    assert same_bits(seen.taught, np.ascontiguousarray(shown))
