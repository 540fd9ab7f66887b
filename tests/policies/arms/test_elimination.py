"""Elimination in layers: nested layers, a best arm that stays, and policies as special cases."""

import math

import numpy as np
import pytest

import robustbandits as rb
from catalogue import slow_if_compiled
from reference.playing import agent_for, block_of, play, state_of, turning_block
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.policies import MLAER, FastSlowElimination, SuccessiveElimination
from robustbandits.policies.arms._elimination import BEST, HUGE, WORST

RECIPES = pytest.mark.parametrize(
    "recipe",
    [
        FastSlowElimination(budget=4.0, width_scale=0.05),
        MLAER(width_scale=0.05),
        SuccessiveElimination(budget=3.0, width_scale=0.05),
    ],
    ids=lambda recipe: recipe.name,
)


@slow_if_compiled
@RECIPES
def test_layers_stay_nested_and_shrink(recipe):
    block = turning_block(400, 5, turn=0.1)
    agent = agent_for(recipe, block)
    state = state_of(agent)
    before = [np.full(state.turns.shape, True)]

    def watch(t):
        active = state.turns < HUGE
        assert np.all(active <= before[0])  # what is dropped stays dropped
        assert np.all(active[:-1] <= active[1:])
        assert active[-1].any()
        assert np.array_equal(state.turns[active], state.counts[active])
        # The bounds in the tally save work; they must never hide an elimination.
        assert np.all(state.lows.max(axis=1) <= state.tally[:, BEST])
        assert np.all(state.highs.min(axis=1) >= state.tally[:, WORST])
        assert np.all(state.highs.min(axis=1) >= state.lows.max(axis=1))
        state.check(np.zeros((1, 4)))
        before[0] = active

    play(agent, block, watch)
    assert not before[0][0].all()


@slow_if_compiled
def test_active_arms_take_turns():
    agent = agent_for(SuccessiveElimination(budget=1.0), turning_block(700, 7))
    play(agent, turning_block(20 * 7, 7))
    assert state_of(agent).counts.tolist() == [[20.0] * 7]


def assert_same_elimination(block, recipe, other, **options):
    agents = [agent_for(policy, block, **options) for policy in (recipe, other)]
    assert play(agents[0], block) == play(agents[1], block)
    # Games this short drop no arm: equal choices alone would not show that widths are equal.
    ours, theirs = map(state_of, agents)
    assert ours.noise == pytest.approx(theirs.noise, rel=1e-12)
    assert ours.harm == pytest.approx(theirs.harm, rel=1e-12)


@slow_if_compiled
def test_slow_layer_alone_is_successive_elimination_with_a_wider_radius():
    # ln(8KT/δ) = ln(2KT/(δ/4)), and a budget of 2Λ gives the slow layer's 2Λ/n.
    log_term = math.log(8 * 5 * 300 / 0.2)
    wider = SuccessiveElimination(budget=2 * log_term, delta=0.2 / 4)
    assert_same_elimination(turning_block(300, 5), FastSlowElimination(1.0, delta=0.2), wider)


@slow_if_compiled
def test_one_layer_of_mlaer_is_successive_elimination_with_a_wider_radius():
    wider = SuccessiveElimination(budget=math.log(4 * 4 * 2 / 0.1), delta=0.1 / 2)
    assert_same_elimination(turning_block(250, 4), MLAER(delta=0.1), wider, rounds=2)


@pytest.mark.parametrize(("rounds", "layers"), [(1, 1), (2, 1), (3, 2), (1000, 10), (10**6, 20)])
def test_mlaer_has_a_layer_for_each_doubling(rounds, layers):
    state = MLAER().start(Problem(arms=3, dim=1, rounds=rounds))
    assert len(state.chances) == layers
    assert state.chances.sum() == 1.0
    assert state.chances[1:].tolist() == [2.0**-k for k in range(2, layers + 1)]


def test_widths_have_the_known_values():
    problem = Problem(arms=20, dim=1, rounds=10**6)
    mlaer = MLAER().start(problem)
    assert mlaer.harm == pytest.approx(25.43, abs=0.01)
    assert mlaer.noise**2 == pytest.approx(25.43, abs=0.01)
    fast_slow = FastSlowElimination(budget=100.0).start(problem)
    assert fast_slow.chances.tolist() == [0.99, 0.01]
    assert fast_slow.noise**2 == pytest.approx(23.5, abs=0.01)
    assert fast_slow.harm == pytest.approx([0.0, 47.0], abs=0.01)
    single = SuccessiveElimination(budget=100.0).start(problem)
    assert single.noise**2 == pytest.approx(math.log(2 * 20 * 10**6 / 0.01), rel=1e-12)
    assert single.harm.tolist() == [100.0]


def test_width_scale_leaves_the_budget_of_successive_elimination_alone():
    problem = Problem(arms=20, dim=1, rounds=10**4)
    plain = SuccessiveElimination(budget=9.0).start(problem)
    scaled = SuccessiveElimination(budget=9.0, width_scale=0.1).start(problem)
    assert plain.harm.tolist() == scaled.harm.tolist() == [9.0]
    assert scaled.noise == pytest.approx(0.1 * plain.noise)


@slow_if_compiled
def test_reward_of_an_arm_that_was_dropped_meanwhile_is_not_used():
    recipe = SuccessiveElimination(budget=0.0, width_scale=0.05)
    agent = agent_for(recipe, turning_block(300, 3))
    contexts, state = np.zeros((3, 1)), state_of(agent)
    late = agent.choose(contexts)
    while state.turns[0, late.arm] < HUGE:
        decision = agent.choose(contexts)
        agent.learn(decision, 0.0 if decision.arm == late.arm else 1.0)
    counts = state.counts.copy()
    agent.learn(late, 1.0)
    assert np.array_equal(state.counts, counts)


@pytest.mark.slow
@pytest.mark.statistical
@RECIPES
def test_best_arm_survives_without_an_attack(recipe):
    # δ = 1e-7 and widths that cover the noise: a game fails less often than that.
    policy = type(recipe)(**{**recipe.changes(), "width_scale": 0.15, "delta": 1e-7})
    for seed in range(5):
        block = block_of(2000, arms=5, dim=3, contexts="fixed", seed=seed)
        agent = agent_for(policy, block, seed=seed)
        play(agent, block)
        assert np.all(state_of(agent).turns[:, block.means[0].argmax()] < HUGE)


def regret(policy, attack, seed, *, arms=5, dim=3, rounds=30_000):
    environment = rb.environments.Simulation(arms=arms, dim=dim, contexts="fixed")
    game = {"environment": environment, "policy": policy, "attack": attack}
    return rb.simulate(**game, rounds=rounds, seed=seed).final_regret


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="plays 30,000 rounds")
def test_elimination_with_the_right_budget_withstands_an_attack():
    attack = rb.attacks.Garcelon(100.0)
    for seed in range(3):
        naive = regret(SuccessiveElimination.practical(0.0), attack, seed)
        robust = regret(SuccessiveElimination.practical(100.0), attack, seed)
        clean = regret(SuccessiveElimination.practical(100.0), None, seed)
        # The attack costs at most K·C more rounds of exploration, not the best arm.
        assert robust <= clean + 2 * 5 * 100
        assert robust < naive


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="plays 10⁵ rounds")
@pytest.mark.parametrize(("arms", "times"), [(10, 1.5), (5, 3.0)])
def test_fast_slow_with_half_its_widths_fails_with_few_arms(arms, times):
    # Why it has no practical preset (docs/presets.md).
    attack = rb.attacks.Garcelon(100.0, top="best")
    fast, single = (
        sum(regret(policy, attack, s, arms=arms, dim=10, rounds=100_000) for s in range(5))
        for policy in (
            FastSlowElimination(100.0, width_scale=0.5),
            SuccessiveElimination.practical(100.0),
        )
    )
    assert fast > times * single
