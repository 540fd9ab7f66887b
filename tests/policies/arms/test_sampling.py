"""EXP3 and Tsallis-INF: probabilities, unbiased estimates, regret against an adversary."""

import copy
import math

import numpy as np
import pytest

import robustbandits as rb
from reference.playing_arms import arms_of, hire, rewards_of
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.policies import EXP3, TsallisINF
from robustbandits.policies.arms._sampling import tsallis_probabilities

compiles = pytest.mark.slow if jit_is_on else lambda test: test

LOTTERIES = [EXP3(), TsallisINF()]


def by_name(recipe):
    return recipe.name


@compiles
@pytest.mark.parametrize("recipe", LOTTERIES, ids=by_name)
def test_probabilities_sum_to_one_in_every_round(recipe):
    agent = hire(recipe, arms=6, rounds=500)

    def watch(t):
        assert agent._state.chances.sum() == pytest.approx(1.0, abs=1e-12)
        assert np.all(agent._state.chances > 0)

    arms_of(agent, rewards_of(500, 6, noise=0.5), watch)


@compiles
def test_exp3_keeps_its_share_of_uniform_play_and_small_steps():
    agent = hire(EXP3(alpha=0.1), arms=5, rounds=300)
    state, before = agent._state, [np.zeros(5)]

    def watch(t):
        assert np.all(state.chances >= 0.1 / 5 * (1 - 1e-12))
        steps = state.totals - before[0]
        assert np.all((steps >= 0) & (steps <= 1 + 1e-12))
        before[0] = state.totals.copy()

    arms_of(agent, rewards_of(300, 5, noise=3.0), watch)


@compiles
def test_exp3_all_exploration_is_uniform():
    agent = hire(EXP3(alpha=1.0), arms=4, rounds=100)
    arms_of(agent, rewards_of(100, 4))
    assert agent._state.chances == pytest.approx(np.full(4, 0.25))


@compiles
@pytest.mark.parametrize("recipe", LOTTERIES, ids=by_name)
def test_estimates_are_unbiased(recipe):
    # Every arm that might be drawn next, weighed by its chance.
    agent = hire(recipe, arms=4, rounds=200)
    arms_of(agent, rewards_of(100, 4))
    rewards, state = np.array([0.1, 0.9, 0.4, 0.6]), agent._state
    scale = 1.0 if recipe.name == "TsallisINF" else state.alpha / 4
    wanted = 1 - rewards if recipe.name == "TsallisINF" else rewards
    average = np.zeros(4)
    for arm, chance in enumerate(state.chances):
        after = copy.deepcopy(state)
        memo = np.array([chance, 0.0, 0.0, 0.0])
        after.learn(arm, np.zeros(1), rewards[arm], memo, np.random.default_rng(0))
        average += chance * (after.totals - state.totals) / scale
    assert average == pytest.approx(wanted)


@compiles
def test_rewards_outside_the_unit_interval_count_as_its_ends():
    for recipe in LOTTERIES:
        rewards = rewards_of(200, 3, noise=2.0)
        one, other = hire(recipe, arms=3, rounds=200), hire(recipe, arms=3, rounds=200)
        assert arms_of(one, rewards) == arms_of(other, np.clip(rewards, 0.0, 1.0))


@compiles
def test_tsallis_equal_losses_are_uniform():
    out = np.empty(7)
    tsallis_probabilities(np.full(7, 12.5), 0.3, 1.0, out)
    assert out == pytest.approx(np.full(7, 1 / 7), rel=1e-10)


@compiles
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


def test_exp3_alpha_is_the_corollarys():
    state = EXP3().start(Problem(arms=20, dim=1, rounds=10**5))
    assert state.alpha == pytest.approx(math.sqrt(20 * math.log(20) / ((math.e - 1) * 10**5)))
    assert EXP3(alpha=0.2).start(Problem(arms=20, dim=1)).alpha == 0.2


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="plays many rounds")
@pytest.mark.parametrize("recipe", LOTTERIES, ids=by_name)
def test_regret_against_a_turncoat_stays_within_the_bound(recipe):
    # Arm 0 pays in the first 40 %, then arm 1: fixed beforehand, so the bounds hold on average.
    rounds, arms, seeds = 4000, 4, 12
    rewards = np.full((rounds, arms), 0.3)
    rewards[: int(0.4 * rounds), 0] = 0.9
    rewards[int(0.4 * rounds) :, 1] = 0.9
    gains = []
    for seed in range(seeds):
        chosen = arms_of(hire(recipe, arms=arms, rounds=rounds, seed=seed), rewards)
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
    place = rb.environments.Simulation(arms=5, dim=3, contexts="fixed")
    for seed in range(3):
        ours, theirs = (
            rb.simulate(environment=place, policy=recipe, rounds=30_000, seed=seed).final_regret
            for recipe in (TsallisINF(), EXP3())
        )
        assert ours < theirs


def test_exp3_weights_follow_their_logarithms_past_every_anchor():
    state = EXP3(alpha=0.5).start(Problem(arms=3, dim=1, rounds=1000))
    rng = np.random.default_rng(0)
    contexts, memo = np.zeros((1, 3)), np.zeros(4)
    for _ in range(900):
        arm = state.choose(contexts, rng, memo)
        state.learn(arm, contexts[:, arm].copy(), 0.9 if arm == 1 else 0.2, memo, rng)
        scaled = np.exp(state.totals - state.totals.max())
        due = 0.5 * scaled / scaled.sum() + 0.5 / 3
        np.testing.assert_allclose(state.chances, due, rtol=1e-12)
    assert state.totals.max() > 60.0
