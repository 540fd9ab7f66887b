"""EXP3 and Tsallis-INF: probabilities, unbiased estimates, regret against an adversary."""

import copy
import math

import numpy as np
import pytest

import robustbandits as rb
from catalogue import slow_if_compiled
from reference.playing import agent_for, block_of_means, play, state_of, turning_block
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.policies import EXP3, TsallisINF
from robustbandits.policies.arms._sampling import tsallis_probabilities

RECIPES = pytest.mark.parametrize("recipe", [EXP3(), TsallisINF()], ids=lambda recipe: recipe.name)


@slow_if_compiled
@RECIPES
def test_probabilities_sum_to_one_in_every_round(recipe):
    block = turning_block(500, 6, noise=0.5)
    agent = agent_for(recipe, block)
    state = state_of(agent)

    def watch(t):
        assert state.chances.sum() == pytest.approx(1.0, abs=1e-12)
        assert np.all(state.chances > 0)

    play(agent, block, watch)


@slow_if_compiled
def test_exp3_keeps_its_share_of_uniform_play_and_small_steps():
    block = turning_block(300, 5, noise=3.0)
    agent = agent_for(EXP3(alpha=0.1), block)
    state, before = state_of(agent), [np.zeros(5)]

    def watch(t):
        assert np.all(state.chances >= 0.1 / 5 * (1 - 1e-12))
        steps = state.totals - before[0]
        assert np.all((steps >= 0) & (steps <= 1 + 1e-12))
        before[0] = state.totals.copy()

    play(agent, block, watch)


@slow_if_compiled
def test_exp3_with_all_exploration_is_uniform():
    block = turning_block(100, 4)
    agent = agent_for(EXP3(alpha=1.0), block)
    play(agent, block)
    assert state_of(agent).chances == pytest.approx(np.full(4, 0.25))


@slow_if_compiled
@RECIPES
def test_estimates_are_unbiased(recipe):
    # Every arm that might be drawn next, weighted by its probability.
    block = turning_block(100, 4)
    agent = agent_for(recipe, block, rounds=200)
    play(agent, block)
    rewards, state = np.array([0.1, 0.9, 0.4, 0.6]), state_of(agent)
    scale, expected = (1.0, 1 - rewards) if state.tsallis else (state.alpha / 4, rewards)
    average = np.zeros(4)
    for arm, chance in enumerate(state.chances):
        after = copy.deepcopy(state)
        memo = np.array([chance, 0.0, 0.0, 0.0])
        after.learn(arm, np.zeros(1), rewards[arm], memo, np.random.default_rng(0))
        average += chance * (after.totals - state.totals) / scale
    assert average == pytest.approx(expected)


@slow_if_compiled
@RECIPES
def test_rewards_outside_the_unit_interval_count_as_its_ends(recipe):
    rewards = np.random.default_rng(0).normal(0.5, 2.0, (200, 3))
    blocks = [block_of_means(rewards), block_of_means(np.clip(rewards, 0.0, 1.0))]
    raw, clipped = (play(agent_for(recipe, block), block) for block in blocks)
    assert raw == clipped


@slow_if_compiled
def test_tsallis_equal_losses_are_uniform():
    out = np.empty(7)
    tsallis_probabilities(np.full(7, 12.5), 0.3, 1.0, out)
    assert out == pytest.approx(np.full(7, 1 / 7), rel=1e-10)


@slow_if_compiled
@pytest.mark.parametrize("guess", [0.0, 1.0, 3.0, 1e6])
@pytest.mark.parametrize("rate", [2.0, 0.02, 2e-5])
@pytest.mark.parametrize("spread", [0.0, 1e-3, 1.0, 1e3, 1e9])
def test_tsallis_solves_its_equation_from_any_guess(guess, rate, spread):
    losses = 1e6 + spread * np.random.default_rng(3).random(20)
    out = np.empty(20)
    root = tsallis_probabilities(losses, rate, guess, out)
    assert out.sum() == pytest.approx(1.0, abs=1e-12)
    assert root >= 1.0
    # 2/√p_i = η (L_i - x): differences of losses do not depend on x.
    apart = 2 / np.sqrt(out) - 2 / math.sqrt(out.max())
    assert apart == pytest.approx(rate * (losses - losses.min()), rel=1e-8, abs=1e-8)


def test_exp3_alpha_is_that_of_the_corollary():
    state = EXP3().start(Problem(arms=20, dim=1, rounds=10**5))
    assert state.alpha == pytest.approx(math.sqrt(20 * math.log(20) / ((math.e - 1) * 10**5)))
    assert EXP3(alpha=0.2).start(Problem(arms=20, dim=1)).alpha == 0.2


def test_exp3_weights_agree_with_their_logarithms_when_the_anchor_moves():
    state = EXP3(alpha=0.5).start(Problem(arms=3, dim=1, rounds=1000))
    rng = np.random.default_rng(0)
    contexts, memo = np.zeros((1, 3)), np.zeros(4)
    for _ in range(900):
        arm = state.choose(contexts, rng, memo)
        state.learn(arm, contexts[:, arm].copy(), 0.9 if arm == 1 else 0.2, memo, rng)
        scaled = np.exp(state.totals - state.totals.max())
        expected = 0.5 * scaled / scaled.sum() + 0.5 / 3
        np.testing.assert_allclose(state.chances, expected, rtol=1e-12)
    assert state.totals.max() > 60.0


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="plays many rounds")
@RECIPES
def test_regret_stays_within_the_bound_when_the_best_arm_changes(recipe):
    # Arm 0 pays in the first 40 %, then arm 1: fixed beforehand, so the bounds hold on average.
    rounds, arms, seeds = 4000, 4, 12
    rewards = np.full((rounds, arms), 0.3)
    rewards[: int(0.4 * rounds), 0] = 0.9
    rewards[int(0.4 * rounds) :, 1] = 0.9
    block, gains = block_of_means(rewards), []
    for seed in range(seeds):
        chosen = play(agent_for(recipe, block, seed=seed), block)
        gains.append(rewards[np.arange(rounds), chosen].sum())
    best = rewards.sum(axis=0).max()
    bound = 2.63 * math.sqrt(rounds * arms * math.log(arms))
    if recipe.name == "TsallisINF":
        bound = 4 * math.sqrt(arms * rounds) + 1
    slack = 6 * np.std(gains, ddof=1) / math.sqrt(seeds)
    assert best - np.mean(gains) <= bound + slack


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="plays many rounds")
def test_tsallis_beats_exp3_on_stochastic_rewards():
    environment = rb.environments.Simulation(arms=5, dim=3, contexts="fixed")
    for seed in range(3):
        tsallis, exp3 = (
            rb.simulate(environment=environment, policy=recipe, rounds=30_000, seed=seed)
            for recipe in (TsallisINF(), EXP3())
        )
        assert tsallis.final_regret < exp3.final_regret
