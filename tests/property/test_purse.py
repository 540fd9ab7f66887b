"""The purse: whatever is proposed, it clips, prices and truncates, and never overspends."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from property.laws import BUDGETS, law
from robustbandits.game.problem import Problem
from robustbandits.game.purse import (
    BAD,
    CLIPPED,
    CLOSED,
    EMPTY,
    ON_CONTEXTS,
    SPENT,
    has_money,
    open_purse,
    pay,
    settle_contexts,
    settle_reward,
)

LEGAL_RULES = ("truncate", "skip", "stop")
PROBLEM = Problem(arms=3, dim=3, intercept=True)

rules = st.sampled_from(LEGAL_RULES)
budgets = st.sampled_from(BUDGETS) | st.floats(0.0, 20.0)
prices = st.floats(0.0, 5.0) | st.sampled_from([1e-300, 1e-13, 1e-12, 1.0, 1e6, 1e300])
rewards = st.floats(-2.0, 3.0) | st.sampled_from([0.0, -0.0, 1.0, 5e-324])
extremes = st.sampled_from([1e300, -1e300, 1.7e308, 1e154, 1e-200, -0.0, 0.0, 1.0, -1.0])
finite = rewards | extremes
anything = finite | st.sampled_from([math.nan, math.inf, -math.inf])
steps = st.integers(-192, 192).map(lambda number: number / 64)  # far from any underflow


def purse_of(budget: float, rule: str = "truncate") -> Any:
    return open_purse(budget, rule, PROBLEM)


def spent(purse: Any) -> float:
    return float(purse.account[SPENT])


def matrix(entries: Any) -> st.SearchStrategy[np.ndarray]:
    """Contexts of three arms in three dimensions."""
    return st.lists(entries, min_size=9, max_size=9).map(
        lambda values: np.array(values, dtype=float).reshape(3, 3)
    )


def inside(contexts: np.ndarray) -> np.ndarray:
    """Scale columns into the unit ball, with a constant last coordinate."""
    contexts = contexts.copy()
    contexts[-1] = math.sqrt(0.5)
    lengths = np.sqrt((contexts[:-1] ** 2).sum(axis=0))
    contexts[:-1] *= np.minimum(1.0, math.sqrt(0.5) / np.maximum(lengths, 1.0 / 64))
    return contexts


clean_contexts = matrix(steps).map(inside)


def settled(purse: Any, clean: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, bool]:
    shown = wanted.copy()
    with np.errstate(over="ignore"):  # plain Python warns that the square of 1e300 overflows
        changed = settle_contexts(purse, clean, shown)
    return shown, bool(changed)


def price_of(clean: np.ndarray, shown: np.ndarray) -> float:
    return np.sqrt(((shown - clean) ** 2).sum(axis=0)).sum()


# --------------------------------------------------------------------------------------- paying


@law
@given(budget=budgets, rule=rules, prices=st.lists(prices, max_size=20))
def test_spent_never_exceeds_the_budget_and_never_falls(budget, rule, prices):
    purse = purse_of(budget, rule)
    for price in prices:
        before = spent(purse)
        pay(purse, price)
        assert before <= spent(purse) <= budget


@law
@given(budget=budgets, rule=rules, price=prices, earlier=st.floats(0.0, 1.0))
def test_an_affordable_price_is_paid_in_full(budget, rule, price, earlier):
    purse = purse_of(budget, rule)
    purse.account[SPENT] = before = min(budget, earlier)
    assume(before + price <= budget)
    assert pay(purse, price) == 1.0
    assert spent(purse) == before + price


@law
@given(budget=st.floats(1e-6, 10.0), earlier=st.floats(0.0, 10.0), price=st.floats(1e-9, 1e9))
def test_truncate_spends_exactly_what_is_left(budget, earlier, price):
    purse = purse_of(budget)
    purse.account[SPENT] = before = min(earlier, budget)
    left = budget - before
    assume(before + price > budget)
    assume(left > EMPTY)
    share = pay(purse, price)
    assert spent(purse) == budget
    assert 0.0 < share <= 1.0
    assert share * price == pytest.approx(left, rel=1e-9)


@law
@given(budget=st.floats(0.0, 10.0), rule=st.sampled_from(["skip", "stop"]), price=prices)
def test_skip_and_stop_spend_nothing_on_what_they_cannot_pay(budget, rule, price):
    purse = purse_of(budget, rule)
    assume(price > budget)
    assert pay(purse, price) == 0.0
    assert spent(purse) == 0.0


def test_skip_pays_again_after_a_price_that_was_too_high():
    purse = purse_of(1.0, "skip")
    assert [pay(purse, price) for price in (5.0, 0.5, 0.75, 0.5)] == [0.0, 1.0, 0.0, 1.0]
    assert spent(purse) == 1.0


def test_stop_pays_nothing_after_a_price_that_was_too_high():
    purse = purse_of(1.0, "stop")
    assert pay(purse, 0.5) == 1.0
    assert has_money(purse)
    assert pay(purse, 5.0) == 0.0
    assert purse.account[CLOSED] == 1.0
    assert not has_money(purse)
    assert pay(purse, 0.25) == 0.0
    assert spent(purse) == 0.5


@pytest.mark.parametrize("rule", LEGAL_RULES)
def test_a_purse_has_no_money_if_almost_nothing_is_left(rule):
    assert not has_money(purse_of(0.0, rule))
    assert not has_money(purse_of(1e-12, rule))
    purse = purse_of(0.75, rule)
    assert has_money(purse)
    pay(purse, 0.75)
    assert not has_money(purse)


def test_the_reference_purse_exceeds_its_budget_once():
    purse = purse_of(1.0, "reference")
    assert pay(purse, 0.75) == 1.0
    assert has_money(purse)
    assert pay(purse, 0.75) == 1.0
    assert spent(purse) == 1.5
    assert not has_money(purse)


# -------------------------------------------------------------------------------------- rewards


@law
@given(budget=budgets, rule=rules, reward=rewards, wanted=anything)
def test_a_reward_stays_legal_and_costs_the_size_of_its_change(budget, rule, reward, wanted):
    purse = purse_of(budget, rule)
    seen = settle_reward(purse, reward, wanted)
    assert spent(purse) <= budget
    assert abs(seen - reward) == pytest.approx(spent(purse), rel=1e-9, abs=1e-14)
    assert min(0.0, reward) <= seen <= max(1.0, reward)


@law
@given(reward=st.floats(0.0, 1.0), wanted=finite)
def test_with_enough_money_the_wanted_reward_is_seen_clipped(reward, wanted):
    seen = settle_reward(purse_of(math.inf), reward, wanted)
    assert seen == pytest.approx(min(1.0, max(0.0, wanted)), rel=0, abs=1e-150)


@law
@given(budget=st.floats(1e-6, 1.0), reward=st.floats(0.0, 1.0), wanted=st.floats(0.0, 1.0))
def test_a_truncated_reward_lies_between_the_clean_and_the_wanted_one(budget, reward, wanted):
    seen = settle_reward(purse_of(budget), reward, wanted)
    assert min(reward, wanted) - 1e-15 <= seen <= max(reward, wanted) + 1e-15


@law
@given(budget=st.floats(0.0, 1.0), rule=st.sampled_from(["skip", "stop"]), reward=rewards)
def test_skip_and_stop_change_a_reward_completely_or_not_at_all(budget, rule, reward):
    purse = purse_of(budget, rule)
    seen = settle_reward(purse, reward, 0.25)
    assert seen in (reward, 0.25)
    assert spent(purse) == abs(seen - reward)


@law
@given(budget=budgets, rule=rules, reward=rewards)
def test_an_unchanged_reward_costs_nothing(budget, rule, reward):
    purse = purse_of(budget, rule)
    assert settle_reward(purse, reward, reward) == reward  # outside [0, 1], too
    assert not purse.account.any()


@law
@given(reward=rewards, bad=st.sampled_from([math.nan, math.inf, -math.inf]), rule=rules)
def test_a_reward_that_is_not_finite_is_ignored_and_counted(reward, bad, rule):
    purse = purse_of(math.inf, rule)
    assert settle_reward(purse, reward, bad) == reward
    assert purse.account[BAD] == 1.0
    assert spent(purse) == 0.0


@pytest.mark.parametrize(("wanted", "count"), [(1e300, 1), (-1e300, 1), (1.0, 0), (0.0, 0)])
def test_a_clipped_reward_is_counted(wanted, count):
    purse = purse_of(math.inf)
    settle_reward(purse, 0.5, wanted)
    assert purse.account[CLIPPED] == count


@pytest.mark.parametrize(("reward", "wanted"), [(-0.05, -0.1), (1.05, 1.2)])
def test_a_reward_never_moves_away_from_the_wanted_one(reward, wanted):
    purse = purse_of(math.inf)
    assert settle_reward(purse, reward, wanted) == reward
    assert spent(purse) == 0.0


# ------------------------------------------------------------------------------------- contexts


@law
@given(clean=clean_contexts, wanted=matrix(anything), budget=budgets, rule=rules)
def test_contexts_stay_legal_and_cost_the_length_of_their_change(clean, wanted, budget, rule):
    purse = purse_of(budget, rule)
    shown, changed = settled(purse, clean, wanted)
    assert spent(purse) <= budget
    assert price_of(clean, shown) == pytest.approx(spent(purse), rel=1e-9, abs=1e-14)
    assert purse.account[ON_CONTEXTS] == spent(purse)
    assert changed == (spent(purse) > 0.0)
    assert np.isfinite(shown).all()
    assert np.sqrt((shown**2).sum(axis=0)).max() <= 1.0 + 1e-12
    assert shown[-1].tobytes() == clean[-1].tobytes()  # the intercept


@law
@given(clean=clean_contexts, wanted=matrix(steps), budget=st.floats(1e-6, 1.0))
def test_truncate_moves_every_context_by_the_same_share(clean, wanted, budget):
    unlimited = purse_of(math.inf)
    target, _ = settled(unlimited, clean, wanted)
    assume(spent(unlimited) > budget)
    purse = purse_of(budget)
    shown, changed = settled(purse, clean, wanted)
    share = budget / spent(unlimited)
    assert changed
    assert spent(purse) == budget
    np.testing.assert_allclose(shown, clean + share * (target - clean), rtol=0, atol=1e-12)


@law
@given(clean=clean_contexts, arm=st.integers(0, 2), size=st.sampled_from([2.0, 1e10, 1e300]))
def test_a_context_that_is_too_long_keeps_its_direction(clean, arm, size):
    wanted = clean.copy()
    wanted[:-1, arm] = [3.0 * size, -4.0 * size]
    shown, _ = settled(purse_of(math.inf), clean, wanted)
    expected = math.sqrt(0.5) * np.array([0.6, -0.8])
    np.testing.assert_allclose(shown[:-1, arm], expected, atol=1e-12)


@law
@given(clean=clean_contexts, rule=rules, bad=st.sampled_from([math.nan, math.inf, -math.inf]))
def test_only_the_context_that_is_not_finite_is_ignored(clean, rule, bad):
    purse = purse_of(math.inf, rule)
    wanted = clean.copy()
    wanted[0, 1] = bad
    wanted[:-1, 2] = [0.1, 0.2]
    shown, _ = settled(purse, clean, wanted)
    assert shown[:, 1].tobytes() == clean[:, 1].tobytes()
    assert shown[:-1, 2].tolist() == [0.1, 0.2]
    assert purse.account[BAD] == 1.0


@law
@given(clean=clean_contexts, rule=rules, budget=budgets)
def test_unchanged_contexts_cost_nothing(clean, rule, budget):
    purse = purse_of(budget, rule)
    shown, changed = settled(purse, clean, clean)
    assert not changed
    assert shown.tobytes() == clean.tobytes()
    assert not purse.account.any()


@pytest.mark.parametrize("tiny", [1e-200, -0.0])
def test_a_change_that_is_too_small_to_have_a_price_is_not_made(tiny):
    clean = np.zeros((3, 3))
    wanted = clean.copy()
    wanted[0, 0] = tiny
    purse = purse_of(math.inf)
    shown, changed = settled(purse, clean, wanted)
    assert spent(purse) == 0.0
    assert not changed
    assert shown.tobytes() == clean.tobytes()


@law
@given(
    budget=st.floats(0.0, 5.0),
    rule=rules,
    clean=clean_contexts,
    proposals=st.lists(st.tuples(matrix(anything), rewards, anything), max_size=6),
)
def test_contexts_and_rewards_are_paid_from_one_purse(budget, rule, clean, proposals):
    purse = purse_of(budget, rule)
    total = 0.0
    for contexts, reward, wanted in proposals:
        if not has_money(purse):
            break
        shown, _ = settled(purse, clean, contexts)
        seen = settle_reward(purse, reward, wanted)
        total += price_of(clean, shown) + abs(seen - reward)
        assert spent(purse) <= budget
        assert purse.account[ON_CONTEXTS] <= spent(purse)
    assert total == pytest.approx(spent(purse), rel=1e-9, abs=1e-12)
