"""RobustLinUCB: LinUCB whose radius covers a known attack budget."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from reference.playing import agent_for, assert_same_play, block_of, play, ridge_of
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import ENERGY
from robustbandits.policies import LinUCB, RobustLinUCB
from robustbandits.policies.linear._linear import BONUSES, corruption_bonus

levels = st.just(0.0) | st.floats(1e-6, 1e6)


@pytest.mark.parametrize("radius", ["trace", "det"])
@pytest.mark.parametrize("bonus", BONUSES)
def test_robust_linucb_without_a_budget_is_linucb_bit_for_bit(bonus, radius):
    block = block_of(600, arms=8, dim=4)
    assert_same_play(block, RobustLinUCB(0.0, bonus=bonus, radius=radius), LinUCB(radius=radius))


def test_robust_linucb_with_a_budget_is_not_linucb():
    block = block_of(600, arms=8, dim=4)
    plain = play(agent_for(LinUCB(), block), block)
    for bonus in BONUSES:
        assert play(agent_for(RobustLinUCB(5.0, bonus=bonus), block), block) != plain


@pytest.mark.parametrize(
    ("bonus", "kappa"),
    [
        ("paper", lambda ridge: 9.0 * math.sqrt(ridge.tally[ENERGY])),
        ("l1", lambda ridge: 9.0),
        ("l2", lambda ridge: math.sqrt(9.0 * 0.25)),
    ],
)
def test_robust_linucb_bonus_is_added_to_the_radius(bonus, kappa):
    block = block_of(100, arms=8, dim=4)
    agent = agent_for(RobustLinUCB(9.0, bonus=bonus, max_corruption=0.25), block)
    play(agent, block)
    ridge, contexts = ridge_of(agent), block.contexts[0].T
    widths = np.sqrt(np.diag(contexts @ np.linalg.inv(ridge.gram) @ contexts.T))
    beta = 0.1 * math.sqrt(5 * math.log((1 + 101 / 0.1) / 0.01)) + math.sqrt(0.1)
    expected = (beta + kappa(ridge)) * widths
    np.testing.assert_allclose(agent.scores(contexts).bonuses, expected, rtol=1e-9)


def test_robust_linucb_paper_bonus_starts_at_zero():
    contexts = np.eye(3) * 0.5
    robust = rb.Agent(RobustLinUCB(50.0, bonus="paper"), arms=3, dim=3).scores(contexts)
    plain = rb.Agent(LinUCB(), arms=3, dim=3).scores(contexts)
    assert np.array_equal(robust.bonuses, plain.bonuses)


@given(levels, levels, st.floats(1e-3, 1e3))
def test_corruption_bonus_grows_with_the_level_and_l2_never_exceeds_l1(level, other, largest):
    low, high = sorted((level, other))
    problem = Problem(arms=2, dim=2)

    def kappa(bonus, level):
        recipe = RobustLinUCB(level, bonus=bonus, max_corruption=largest)
        return corruption_bonus(recipe.start(problem).optimist, level)

    for bonus in BONUSES:
        assert kappa(bonus, low) <= kappa(bonus, high)
    assert kappa("l2", high) <= kappa("l1", high) == high
    # Below the largest single corruption everything may be spent at once.
    expected = high if high <= largest else math.sqrt(high * largest)
    assert kappa("l2", high) == pytest.approx(expected, rel=1e-12)


def test_robust_linucb_budget_may_be_given_by_position():
    assert RobustLinUCB(3) == RobustLinUCB(budget=3.0)
