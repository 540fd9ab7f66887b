"""Budgets in games: never exceeded, recorded exactly, and without one nothing happens."""

import math

import numpy as np
import pytest

import robustbandits as rb
from catalogue import compile_few
from property.laws import (
    ATTACKERS,
    BUDGETS,
    EAGER,
    FEW,
    PLANNERS,
    POLICIES,
    WILD,
    Scripted,
    attack_of,
    bits_of,
    deal_rounds,
    first_above,
    game_bits,
    make_attack,
    pairs,
    played,
    quick,
    same_bits,
    trace,
    trace_rounds,
)
from robustbandits.game.ledger import COSTS, close_book
from robustbandits.game.purse import EMPTY, ON_CONTEXTS, SPENT

ROUNDS = 120
LINUCB = POLICIES["LinUCB"]
RULES = pytest.mark.parametrize("purse", ["truncate", "skip", "stop"])


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("form", quick(ATTACKERS))
def test_the_budget_is_never_exceeded(form, budget):
    spent = trace(attack_of(form, budget)).spent
    assert (spent <= budget).all()
    assert (np.diff(spent, prepend=0.0) >= 0.0).all()


@RULES
@pytest.mark.parametrize("form", quick(ATTACKERS))
def test_the_ledger_records_what_was_spent_and_changed(form, purse):
    game = trace(attack_of(form, 7.3, purse))
    prices = game.context_prices + game.reward_prices
    np.testing.assert_allclose(game.spent, np.cumsum(prices), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(game.purse.account[ON_CONTEXTS], game.context_prices.sum())
    changed = (game.shown != game.dealt).any(axis=(1, 2)) | (game.seen != game.earned)
    assert game.touched.tolist() == np.cumsum(changed).tolist()


@pytest.mark.parametrize("form", quick(ATTACKERS))
def test_every_cost_is_what_the_rounds_show(form):
    game = trace(attack_of(form, 7.3))
    costs = dict(close_book(game.book, game.purse, ("", "", ""), 0).costs)
    committed = costs.pop("committed_change")
    moves = np.sqrt(((game.shown - game.dealt) ** 2).sum(axis=1))
    expected = {
        "change": game.spent[-1],
        "reward_change": game.reward_prices.sum(),
        "context_change": moves.sum(),
        "longest_context_change": moves.max(axis=1).sum(),
        "l2_reward_change": math.sqrt((game.reward_prices**2).sum()),
        "rounds": game.touched[-1],
        **{"swaps": 0.0, "swap_regret": 0.0, "records": 0.0},
    }
    assert costs == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert committed >= costs["reward_change"] - 1e-12
    if not hasattr(attack_of(form, 7.3).start(deal_rounds(WILD, 9)[0]), "propose_shifts"):
        assert committed == costs["reward_change"]


@pytest.mark.parametrize("name", compile_few(["WeakVector"], FEW))
def test_committed_changes_count_for_arms_that_are_not_chosen(name):
    """All of the better half is lowered by 0.4, in every round and whichever arm is chosen."""
    game = trace(make_attack(name, math.inf, size=0.4), rounds=ROUNDS)
    costs = close_book(game.book, game.purse, ("", "", ""), 0).costs
    assert costs["committed_change"] == pytest.approx(0.4 * ROUNDS)
    assert costs["reward_change"] < 0.4 * ROUNDS


def test_the_enforced_cost_is_named_and_described():
    ledger = rb.simulate(
        environment=WILD, policy=LINUCB, attack=rb.attacks.Garcelon(2.0), rounds=ROUNDS
    )
    assert list(ledger.costs) == list(COSTS)
    assert ledger.costs[ledger.enforced_cost] == ledger.spent == 2.0


@pytest.mark.parametrize("budget", [0.0, 1e-12])
@pytest.mark.parametrize(("attack", "policy"), pairs())
def test_without_a_budget_the_game_is_the_unattacked_one(attack, policy, budget):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = played(problem, block, make_attack(attack, budget), POLICIES[policy])
    clean = played(problem, block, rb.attacks.NoAttack(), POLICIES[policy])
    assert game_bits(game) == game_bits(clean)
    assert game.purse.account[SPENT] == 0.0


@pytest.mark.parametrize("form", EAGER)
def test_with_a_budget_the_game_differs_from_the_unattacked_one(form):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = played(problem, block, attack_of(form, 100.0), LINUCB)
    clean = played(problem, block, rb.attacks.NoAttack(), LINUCB)
    assert bits_of(game.policy) != bits_of(clean.policy)


WITHOUT_EFFECT = {
    "Garcelon on no arm": rb.attacks.Garcelon(budget=math.inf, top=0.0),
    "Oracle on no arm": rb.attacks.Oracle(budget=math.inf, top=0.0),
    "FlipTheta in no round": rb.attacks.FlipTheta(budget=math.inf, rounds=0),
    "ContextDilation on no arm": rb.attacks.ContextDilation(budget=math.inf, top=0.0),
    "ContextDilation by one": rb.attacks.ContextDilation(budget=math.inf, top=1.0, factor=1.0),
}


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_an_attack_that_changes_nothing_gives_the_unattacked_game(name):
    problem, block = deal_rounds(WILD, ROUNDS)
    game = played(problem, block, WITHOUT_EFFECT[name], LINUCB)
    clean = played(problem, block, rb.attacks.NoAttack(), LINUCB)
    assert game_bits(game) == game_bits(clean)
    assert not game.purse.account.any()


@RULES
@pytest.mark.parametrize("form", quick(ATTACKERS))
def test_nothing_changes_after_the_budget_is_spent(form, purse):
    game = trace(attack_of(form, 0.3, purse))
    last = first_above(game.spent, 0.3 - 2 * EMPTY) + 1
    assert same_bits(game.seen[last:], game.earned[last:])
    assert same_bits(game.shown[last:], game.dealt[last:])
    assert (game.spent[last:] == game.spent[-1]).all()


@pytest.mark.parametrize("form", EAGER)
def test_truncate_spends_its_budget_exactly(form):
    assert trace(attack_of(form, 0.3)).spent[-1] == 0.3


@RULES
@pytest.mark.parametrize(("less", "more"), [(0.3, 7.3), (2.5, 100.0), (7.3, math.inf)])
@pytest.mark.parametrize("form", quick([form for form in ATTACKERS if form not in PLANNERS]))
def test_a_larger_budget_changes_nothing_before_the_smaller_is_spent(form, less, more, purse):
    smaller, larger = (trace(attack_of(form, budget, purse)) for budget in (less, more))
    until = first_above(larger.spent, less - 2 * EMPTY)
    for name in ("arms", "seen", "shown", "spent"):
        assert same_bits(getattr(smaller, name)[:until], getattr(larger, name)[:until])


def test_contexts_are_paid_before_the_reward_and_the_rest_goes_to_the_reward():
    problem, block = deal_rounds(WILD, 10)
    contexts = block.contexts.copy()
    contexts[0, 0, 0] = 0.0
    price = abs(block.contexts[0, 0, 0])
    for budget, rest in ((price / 2, 0.0), (price + 0.125, 0.125)):
        attack = Scripted(budget, contexts=contexts, rewards=np.zeros(10))
        game = trace_rounds(problem, block, attack, LINUCB)
        assert game.purse.account[ON_CONTEXTS] == pytest.approx(min(budget, price))
        assert game.earned[0] - game.seen[0] == pytest.approx(rest)
        assert game.spent[0] == budget


def test_stop_after_contexts_also_stops_the_reward_of_the_same_round():
    problem, block = deal_rounds(WILD, 10)
    attack = Scripted(0.9, contexts=-block.contexts, rewards=np.full(10, 0.4), purse="stop")
    game = trace_rounds(problem, block, attack, LINUCB)
    assert game.context_prices[0] == 0.0  # too expensive: the attack is over
    assert game.spent[-1] == 0.0


@pytest.mark.parametrize("form", EAGER)
def test_the_reference_purse_exceeds_its_budget_by_at_most_one_attack(form):
    game = trace(attack_of(form, 1.5, "reference"))
    prices = np.diff(game.spent, prepend=0.0)
    assert 1.5 < game.spent[-1] <= 1.5 + prices.max()
    without = trace(attack_of(form, 0.0, "reference"))
    assert without.touched[-1] == 1.0
    assert without.spent[-1] > 0.0
