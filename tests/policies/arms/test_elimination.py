"""Races: layers are nested, the best arm stays, and known policies are special cases."""

import math

import numpy as np
import pytest

import robustbandits as rb
from reference.playing_arms import arms_of, hire, rewards_of
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.policies import MLAER, FastSlowElimination, SuccessiveElimination
from robustbandits.policies.arms._elimination import HUGE

compiles = pytest.mark.slow if jit_is_on else lambda test: test

RACES = [
    FastSlowElimination(budget=4.0, width_scale=0.05),
    MLAER(width_scale=0.05),
    SuccessiveElimination(budget=3.0, width_scale=0.05),
]


@compiles
@pytest.mark.parametrize("recipe", RACES, ids=lambda recipe: recipe.name)
def test_layers_stay_nested_and_shrink(recipe):
    agent = hire(recipe, arms=5, rounds=400)
    state = agent._state
    before = [np.full(state.turns.shape, True)]

    def watch(t):
        active = state.turns < HUGE
        assert np.all(active <= before[0])  # what is dropped stays dropped
        assert np.all(active[:-1] <= active[1:])
        assert active[-1].any()
        assert np.array_equal(state.turns[active], state.counts[active])
        # Bounds that spare work must never hide an elimination.
        assert np.all(state.lows.max(axis=1) <= state.tally[:, 0])
        assert np.all(state.highs.min(axis=1) >= state.tally[:, 1])
        assert np.all(state.highs.min(axis=1) >= state.lows.max(axis=1))
        state.check(np.zeros((1, 4)))
        before[0] = active

    arms_of(agent, rewards_of(400, 5, turn=0.1), watch)
    assert not before[0][0].all()


@compiles
def test_active_arms_take_turns():
    agent = hire(SuccessiveElimination(budget=1.0), arms=7, rounds=700)
    arms_of(agent, rewards_of(20 * 7, 7))
    assert agent._state.counts.tolist() == [[20.0] * 7]


def assert_same_widths(one, other):
    # Games this short drop no arm: that the same are played is not enough.
    assert one._state.noise == pytest.approx(other._state.noise, rel=1e-12)
    assert one._state.harm == pytest.approx(other._state.harm, rel=1e-12)


@compiles
def test_slow_layer_alone_is_elimination_with_a_wider_radius():
    # ln(8KT/δ) = ln(2KT/(δ/4)), and a budget of 2Λ gives the slow layer's 2Λ/n.
    arms, rounds, delta = 5, 300, 0.2
    doubt = math.log(8 * arms * rounds / delta)
    rewards = rewards_of(rounds, arms)
    one = hire(FastSlowElimination(budget=1.0, delta=delta), arms=arms, rounds=rounds)
    other = hire(SuccessiveElimination(budget=2 * doubt, delta=delta / 4), arms=arms, rounds=rounds)
    assert_same_widths(one, other)
    assert arms_of(one, rewards) == arms_of(other, rewards)


@compiles
def test_one_layer_of_mlaer_is_elimination_with_a_wider_radius():
    arms, delta = 4, 0.1
    doubt = math.log(4 * arms * 2 / delta)
    rewards = rewards_of(250, arms)
    one = hire(MLAER(delta=delta), arms=arms, rounds=2)
    other = hire(SuccessiveElimination(budget=doubt, delta=delta / 2), arms=arms, rounds=2)
    assert_same_widths(one, other)
    assert arms_of(one, rewards) == arms_of(other, rewards)


@pytest.mark.parametrize(("rounds", "layers"), [(1, 1), (2, 1), (3, 2), (1000, 10), (10**6, 20)])
def test_mlaer_has_a_layer_for_each_doubling(rounds, layers):
    state = MLAER().start(Problem(arms=3, dim=1, rounds=rounds))
    assert len(state.chances) == layers
    assert state.chances.sum() == 1.0
    assert state.chances[1:].tolist() == [2.0**-k for k in range(2, layers + 1)]


def test_mlaer_width_at_the_base_point():
    state = MLAER().start(Problem(arms=20, dim=1, rounds=10**6))
    assert state.harm == pytest.approx(25.43, abs=0.01)
    assert state.noise**2 == pytest.approx(25.43, abs=0.01)


def test_fast_slow_shares_and_widths_at_the_base_point():
    state = FastSlowElimination(budget=100.0).start(Problem(arms=20, dim=1, rounds=10**6))
    assert state.chances.tolist() == [0.99, 0.01]
    assert state.noise**2 == pytest.approx(23.5, abs=0.01)
    assert state.harm == pytest.approx([0.0, 47.0], abs=0.01)


def test_elimination_width_at_the_base_point():
    state = SuccessiveElimination(budget=100.0).start(Problem(arms=20, dim=1, rounds=10**6))
    assert state.noise**2 == pytest.approx(math.log(2 * 20 * 10**6 / 0.01), rel=1e-12)
    assert state.harm.tolist() == [100.0]


def test_width_scale_leaves_the_budget_of_elimination_alone():
    problem = Problem(arms=20, dim=1, rounds=10**4)
    one = SuccessiveElimination(budget=9.0).start(problem)
    other = SuccessiveElimination(budget=9.0, width_scale=0.1).start(problem)
    assert one.harm.tolist() == other.harm.tolist() == [9.0]
    assert other.noise == pytest.approx(0.1 * one.noise)


@compiles
def test_reward_of_an_arm_dropped_meanwhile_changes_nothing():
    agent = hire(SuccessiveElimination(budget=0.0, width_scale=0.05), arms=3, rounds=300)
    contexts = np.zeros((3, 1))
    late = agent.choose(contexts)
    while agent._state.turns[0, late.arm] < HUGE:
        decision = agent.choose(contexts)
        agent.learn(decision, 0.0 if decision.arm == late.arm else 1.0)
    counts = agent._state.counts.copy()
    agent.learn(late, 1.0)
    assert np.array_equal(agent._state.counts, counts)


# ----------------------------------------------------------------------------------- statistical


def final(policy, attack, seed, **settings):
    place = rb.environments.Simulation(arms=5, dim=3, contexts="fixed", **settings)
    return rb.simulate(environment=place, policy=policy, attack=attack, rounds=30_000, seed=seed)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("recipe", RACES, ids=lambda recipe: recipe.name)
def test_best_arm_survives_when_nobody_attacks(recipe):
    # δ = 1e-7 and widths that cover the noise: in each of the games it fails less often than that.
    policy = type(recipe)(**{**recipe.changes(), "width_scale": 0.15, "delta": 1e-7})
    for seed in range(5):
        nature = rb.environments.Simulation(arms=5, dim=3, contexts="fixed").start(
            2000, np.random.SeedSequence(seed)
        )
        block = nature.draw(2000)
        agent = hire(policy, arms=5, rounds=2000, seed=seed)
        arms_of(agent, block.means + block.noise[:, None])
        assert np.all(agent._state.turns[:, block.means[0].argmax()] < HUGE)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="plays 30,000 rounds")
def test_elimination_that_knows_the_budget_shrugs_an_attack_off():
    attack = rb.attacks.Garcelon(100.0)
    for seed in range(3):
        naive = final(SuccessiveElimination.practical(0.0), attack, seed)
        wise = final(SuccessiveElimination.practical(100.0), attack, seed)
        clean = final(SuccessiveElimination.practical(100.0), None, seed)
        # C/n makes up for the attack: K·C more rounds of exploration at most, not a lost arm.
        assert wise.final_regret <= clean.final_regret + 2 * 5 * 100
        assert wise.final_regret < naive.final_regret


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="plays 10⁵ rounds")
@pytest.mark.parametrize(("arms", "times"), [(10, 1.5), (5, 3.0)])
def test_fast_slow_with_half_its_widths_falls_where_there_are_fewer_arms(arms, times):
    # Why it has no preset (docs/presets.md).
    place = rb.environments.Simulation(arms=arms, contexts="fixed")
    attack = rb.attacks.Garcelon(100.0, top="best")
    fast = FastSlowElimination(100.0, width_scale=0.5)
    careful = SuccessiveElimination.practical(100.0)
    totals = [
        sum(
            rb.simulate(
                environment=place, attack=attack, policy=policy, rounds=100_000, seed=seed
            ).final_regret
            for seed in range(5)
        )
        for policy in (fast, careful)
    ]
    assert totals[0] > times * totals[1]
