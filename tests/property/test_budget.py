"""The budget in real games: never exceeded, honestly booked, and without it nothing happens."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from property.laws import (
    ATTACKERS,
    BUDGETS,
    EAGER,
    WILD,
    Scripted,
    attack_of,
    bits_of,
    deal_rounds,
    first_above,
    game_bits,
    law,
    make_attack,
    pairs,
    played,
    same_bits,
    trace,
    trace_rounds,
)
from property.laws import POLICIES as PLAYERS
from robustbandits.game.purse import EMPTY, ON_CONTEXTS, SPENT

ROUNDS = 120


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("form", ATTACKERS)
def test_budget_is_never_exceeded_at_any_round(form, budget):
    spent = trace(attack_of(form, budget)).spent
    assert (spent <= budget).all()
    assert (np.diff(spent, prepend=0.0) >= 0.0).all()


@pytest.mark.parametrize("budget", [0.3, 7.3])
@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_budget_is_never_exceeded_whoever_plays(attack, policy, budget):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = played(problem, block, make_attack(attack, budget), PLAYERS[policy])
    assert (game.book.columns[:, 2] <= budget).all()
    assert game.purse.account[SPENT] <= budget


@pytest.mark.parametrize("purse", ["truncate", "skip", "stop"])
@pytest.mark.parametrize("form", ATTACKERS)
def test_what_was_spent_can_be_worked_out_from_the_rounds(form, purse):
    seen = trace(attack_of(form, 7.3, purse))
    prices = seen.context_prices + seen.reward_prices
    np.testing.assert_allclose(seen.spent, np.cumsum(prices), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(seen.purse.account[ON_CONTEXTS], seen.context_prices.sum())


@pytest.mark.parametrize("form", ATTACKERS)
def test_attacked_rounds_are_those_where_something_changed(form):
    seen = trace(attack_of(form, 7.3))
    changed = (seen.shown != seen.dealt).any(axis=(1, 2)) | (seen.seen != seen.earned)
    assert seen.touched.tolist() == np.cumsum(changed).tolist()


@pytest.mark.parametrize("budget", [0.0, 1e-12])
@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_without_a_budget_the_game_is_the_unattacked_one(attack, policy, budget):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = played(problem, block, make_attack(attack, budget), PLAYERS[policy])
    clean = played(problem, block, rb.attacks.NoAttack(), PLAYERS[policy])
    assert game_bits(game) == game_bits(clean)
    assert game.purse.account[SPENT] == 0.0


@pytest.mark.parametrize("form", EAGER)
def test_with_a_budget_the_game_is_another_one(form):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = played(problem, block, attack_of(form, 100.0), PLAYERS["LinUCB"])
    clean = played(problem, block, rb.attacks.NoAttack(), PLAYERS["LinUCB"])
    assert bits_of(game.policy) != bits_of(clean.policy)


IDLERS = {
    "Garcelon nobody": rb.attacks.Garcelon(budget=math.inf, top=0.0),
    "Oracle nobody": rb.attacks.Oracle(budget=math.inf, top=0.0),
    "FlipTheta never": rb.attacks.FlipTheta(budget=math.inf, rounds=0),
    "ContextDilation nobody": rb.attacks.ContextDilation(budget=math.inf, top=0.0),
    "ContextDilation by one": rb.attacks.ContextDilation(budget=math.inf, top=1.0, factor=1.0),
}


@pytest.mark.parametrize("idler", IDLERS)
def test_an_attack_that_changes_nothing_leaves_the_unattacked_game(idler):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = played(problem, block, IDLERS[idler], PLAYERS["LinUCB"])
    clean = played(problem, block, rb.attacks.NoAttack(), PLAYERS["LinUCB"])
    assert game_bits(game) == game_bits(clean)
    assert not game.purse.account.any()


def test_a_script_that_proposes_what_is_there_leaves_the_unattacked_game():
    problem, block = deal_rounds(WILD, ROUNDS)
    policy = PLAYERS["LinUCB"]
    game = trace_rounds(problem, block, Scripted(math.inf, contexts=block.contexts), policy)
    clean = played(problem, block, rb.attacks.NoAttack(), policy)
    assert bits_of(game.inner) == bits_of(clean.policy)
    assert not game.purse.account.any()


@pytest.mark.parametrize("purse", ["truncate", "skip", "stop"])
@pytest.mark.parametrize("form", ATTACKERS)
def test_after_exhaustion_nothing_changes(form, purse):
    seen = trace(attack_of(form, 0.3, purse))
    last = first_above(seen.spent, 0.3 - 2 * EMPTY) + 1
    assert same_bits(seen.seen[last:], seen.earned[last:])
    assert same_bits(seen.shown[last:], seen.dealt[last:])
    assert (seen.spent[last:] == seen.spent[-1]).all()


@pytest.mark.parametrize("form", EAGER)
def test_truncate_spends_its_budget_to_the_last_bit(form):
    seen = trace(attack_of(form, 0.3))
    assert seen.spent[-1] == 0.3


@pytest.mark.parametrize("form", EAGER)
def test_skip_books_whole_proposals_only(form):
    rich = trace(attack_of(form, math.inf))
    seen = trace(attack_of(form, 0.9, "skip"))
    first = first_above(rich.spent, 0.9)
    assert same_bits(seen.seen[:first], rich.seen[:first])
    assert same_bits(seen.shown[:first], rich.shown[:first])
    assert same_bits(seen.seen[first : first + 1], seen.earned[first : first + 1])
    assert same_bits(seen.shown[first], seen.dealt[first])
    assert seen.spent[first] == seen.spent[first - 1] if first else seen.spent[0] == 0.0


@pytest.mark.parametrize("form", EAGER)
def test_stop_ends_the_attack_at_the_first_thing_it_cannot_pay(form):
    rich = trace(attack_of(form, math.inf))
    seen = trace(attack_of(form, 0.9, "stop"))
    first = first_above(rich.spent, 0.9)
    assert same_bits(seen.seen[first:], seen.earned[first:])
    assert same_bits(seen.shown[first:], seen.dealt[first:])
    assert (seen.spent[first:] == (rich.spent[first - 1] if first else 0.0)).all()


@pytest.mark.parametrize("purse", ["truncate", "skip", "stop"])
@pytest.mark.parametrize(("less", "more"), [(0.3, 7.3), (2.5, 100.0), (7.3, math.inf)])
@pytest.mark.parametrize("form", ATTACKERS)
def test_a_larger_budget_changes_nothing_before_the_smaller_binds(form, less, more, purse):
    poor, rich = (trace(attack_of(form, budget, purse)) for budget in (less, more))
    until = first_above(rich.spent, less - 2 * EMPTY)
    assert poor.arms[:until].tolist() == rich.arms[:until].tolist()
    for name in ("seen", "shown", "spent"):
        assert same_bits(getattr(poor, name)[:until], getattr(rich, name)[:until])


# ---------------------------------------------------------- two surfaces, any proposal, one purse

numbers = st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.25, 0.6, 1.0, 2.0])


@st.composite
def scripts(draw, rounds=12):
    """A game of both surfaces: contexts and rewards are wanted anywhere."""
    seed = draw(st.integers(0, 50))
    problem, block = deal_rounds(WILD, rounds, seed)
    size = block.contexts.size
    contexts = draw(st.lists(numbers, min_size=size, max_size=size))
    rewards = draw(st.lists(numbers, min_size=rounds, max_size=rounds))
    return problem, block, np.reshape(contexts, block.contexts.shape), np.array(rewards)


@law
@given(script=scripts(), budget=st.sampled_from(BUDGETS) | st.floats(0.0, 30.0))
def test_both_surfaces_share_one_purse(script, budget):
    problem, block, contexts, rewards = script
    attack = Scripted(budget, contexts=contexts, rewards=rewards)
    seen = trace_rounds(problem, block, attack, PLAYERS["LinUCB"])
    assert (seen.spent <= budget).all()
    prices = seen.context_prices + seen.reward_prices
    np.testing.assert_allclose(seen.spent, np.cumsum(prices), rtol=1e-9, atol=1e-12)
    assert seen.purse.account[ON_CONTEXTS] == pytest.approx(seen.context_prices.sum(), rel=1e-9)


def test_contexts_are_paid_before_the_reward_of_the_same_round():
    problem, block = deal_rounds(WILD, 10)
    attack = Scripted(0.01, contexts=-block.contexts, rewards=np.zeros(10))
    seen = trace_rounds(problem, block, attack, PLAYERS["LinUCB"])
    assert seen.purse.account[ON_CONTEXTS] == 0.01
    assert same_bits(seen.seen, seen.earned)


def test_what_contexts_leave_over_goes_to_the_reward():
    problem, block = deal_rounds(WILD, 10)
    contexts = block.contexts.copy()
    contexts[0, 0, 0] = 0.0
    price = abs(block.contexts[0, 0, 0])
    attack = Scripted(price + 0.125, contexts=contexts, rewards=np.zeros(10))
    seen = trace_rounds(problem, block, attack, PLAYERS["LinUCB"])
    assert seen.purse.account[ON_CONTEXTS] == pytest.approx(price)
    assert seen.earned[0] - seen.seen[0] == pytest.approx(0.125)
    assert seen.spent[0] == price + 0.125


def test_stop_on_one_surface_stops_the_other_in_the_same_round():
    problem, block = deal_rounds(WILD, 10)
    attack = Scripted(0.9, contexts=-block.contexts, rewards=np.full(10, 0.4), purse="stop")
    seen = trace_rounds(problem, block, attack, PLAYERS["LinUCB"])
    assert seen.context_prices[0] == 0.0  # too dear: the attack is over
    assert seen.spent[-1] == 0.0


@pytest.mark.parametrize("form", EAGER)
def test_the_reference_purse_overdraws_by_one_attack_at_most(form):
    seen = trace(attack_of(form, 1.5, "reference"))
    prices = np.diff(seen.spent, prepend=0.0)
    assert 1.5 < seen.spent[-1] <= 1.5 + prices.max()


@pytest.mark.parametrize("form", EAGER)
def test_the_reference_purse_attacks_once_without_any_budget(form):
    seen = trace(attack_of(form, 0.0, "reference"))
    assert seen.touched[-1] == 1.0
    assert seen.spent[-1] > 0.0
