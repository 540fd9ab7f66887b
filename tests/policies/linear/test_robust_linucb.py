"""RobustLinUCB: LinUCB whose radius covers a known attack budget."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import robustbandits as rb
from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import ENERGY
from robustbandits.policies import LinUCB, RobustLinUCB
from robustbandits.policies.linear._linear import corruption_bonus

levels = st.just(0.0) | st.floats(1e-6, 1e6)


@pytest.mark.parametrize("radius", ["trace", "det"])
@pytest.mark.parametrize("bonus", ["paper", "l1", "l2"])
def test_robust_linucb_without_a_budget_is_linucb_bit_for_bit(bonus, radius):
    block = block_of(600, arms=8, dim=4)
    robust = agent_for(RobustLinUCB(0.0, bonus=bonus, radius=radius), block)
    plain = agent_for(LinUCB(radius=radius), block)
    assert play(robust, block) == play(plain, block)
    assert same_bits(robust._state, plain._state)


def test_robust_linucb_with_a_budget_is_not_linucb():
    block = block_of(600, arms=8, dim=4)
    plain = play(agent_for(LinUCB(), block), block)
    for bonus in ("paper", "l1", "l2"):
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
    recipe = RobustLinUCB(9.0, bonus=bonus, max_corruption=0.25)
    agent = agent_for(recipe, block)
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


@settings(deadline=None)
@given(levels, levels, st.floats(1e-3, 1e3))
def test_corruption_bonus_grows_with_the_level_and_l2_never_exceeds_l1(one, other, largest):
    low, high = sorted((one, other))
    problem = Problem(arms=2, dim=2)

    def kappa(bonus, level):
        recipe = RobustLinUCB(level, bonus=bonus, max_corruption=largest)
        return corruption_bonus(recipe.start(problem).optimist, level)

    for bonus in ("paper", "l1", "l2"):
        assert kappa(bonus, low) <= kappa(bonus, high)
    assert kappa("l2", high) <= kappa("l1", high) == high
    # Below the largest single corruption all may be spent at once.
    expected = high if high <= largest else math.sqrt(high * largest)
    assert kappa("l2", high) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("bonus", ["paper", "l1", "l2"])
def test_robust_linucb_rewards_in_other_units_same_arms(bonus):
    block = block_of(300, arms=6, dim=3)
    scaled = block._replace(means=2 * block.means, noise=2 * block.noise)
    plain = agent_for(RobustLinUCB(3.0, bonus=bonus), block)
    recipe = RobustLinUCB(6.0, bonus=bonus, max_corruption=2.0, sigma=0.2)
    other = agent_for(recipe, block, theta_bound=2.0)
    assert play(plain, block) == play(other, scaled)


def test_robust_linucb_budget_may_be_given_by_position():
    assert RobustLinUCB(3) == RobustLinUCB(budget=3.0)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"budget": -1.0}, ValueError, "budget must be >= 0, got -1.0"),
        ({"budget": "all"}, TypeError, "budget must be a number, got 'all'"),
        ({"budget": float("inf")}, ValueError, "budget must be finite, got inf"),
        ({"budget": 1, "bonus": "l3"}, ValueError, "bonus must be one of .*; got 'l3'"),
        ({"budget": 1, "max_corruption": 0}, ValueError, "max_corruption must be > 0, got 0"),
        ({"budget": 1, "sigma": -1}, ValueError, "sigma must be >= 0, got -1"),
        ({}, TypeError, "budget"),
    ],
)
def test_robust_linucb_bad_parameter_is_named(parameters, error, words):
    with pytest.raises(error, match=words):
        RobustLinUCB(**parameters)
