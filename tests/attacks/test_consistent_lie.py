"""ConsistentLie shows the rewards of another theta, in which its target is the best arm."""

import dataclasses
import math

import numpy as np
import pytest

import robustbandits as rb
from property.laws import BUDGETS, deal_rounds, game_bits, played, trace
from robustbandits.attacks import ConsistentLie
from robustbandits.attacks.consistent_lie import cheapest_lie
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem, UnsupportedProblem

CATALOGUE = rb.environments.Simulation(contexts="fixed")
SMALL = rb.environments.Simulation(arms=5, dim=2, contexts="fixed")


def catalogue(seed=0):
    _, block = deal_rounds(CATALOGUE, 1, seed)
    return block.contexts[0], block.means[0]


@pytest.mark.parametrize("seed", range(4))
def test_the_lie_fits_a_linear_model_and_makes_the_target_the_best_arm(seed):
    contexts, means = catalogue(seed)
    found = 0
    for target in range(len(means)):
        lie = cheapest_lie(contexts, means, target, 0.05, 5)
        if lie is None:
            continue
        found += 1
        faked = means + lie.shifts
        residual = np.linalg.lstsq(contexts.T, faked, rcond=None)[1]
        assert residual == pytest.approx(0.0, abs=1e-12)
        assert lie.shifts[target] == 0.0
        others = np.arange(len(means)) != target
        assert (faked[others] <= means[target] - 0.05 + 1e-9).all()
        assert (faked >= -1e-9).all()
    assert found >= 2


def test_the_lie_about_two_orthogonal_arms_is_the_only_one_possible():
    lie = cheapest_lie(np.eye(2), np.array([0.9, 0.6]), 1, 0.05, 3)
    assert lie is not None
    assert lie.shifts == pytest.approx([-0.35, 0.0])
    assert lie.price == pytest.approx(0.35 / 0.05**2)


def test_no_lie_is_cheaper_in_two_dimensions():
    """Try all directions z with x_target·z = 0 on a fine grid, with the same weights."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        contexts = rng.uniform(-1, 1, (2, 4)) / 2
        means = rng.uniform(0.3, 0.7, 4)
        lie = cheapest_lie(contexts, means, 0, 0.05, 1)  # one iteration: all weights are 1
        x, y = contexts[:, 0]
        steps = np.linspace(-20, 20, 400_001)[:, np.newaxis] * (np.array([-y, x]) @ contexts)
        faked = means + steps
        fits = (faked >= 0).all(axis=1) & (faked[:, 1:] <= means[0] - 0.05).all(axis=1)
        assert (lie is not None) == fits.any()
        if lie is not None:
            cheapest = np.abs(steps[fits]).sum(axis=1).min()
            assert np.abs(lie.shifts).sum() == pytest.approx(cheapest, abs=1e-3)


def test_an_impossible_lie_is_not_told():
    contexts = np.array([[1.0, 1.0]])  # the same arm twice
    assert cheapest_lie(contexts, np.array([0.5, 0.5]), 0, 0.05, 5) is None
    ledger = rb.simulate(
        environment=rb.environments.Simulation(arms=1, dim=2, contexts="fixed"),
        attack=ConsistentLie(10.0),
        policy=rb.policies.LinUCB(),
        rounds=50,
    )
    assert ledger.spent == 0.0


@pytest.mark.skipif(not jit_is_on, reason="plays 100,000 rounds, too many for plain Python")
def test_linucb_is_hijacked_and_the_target_costs_nothing():
    ledger = rb.simulate(
        environment=CATALOGUE,
        attack=ConsistentLie(300.0),
        policy=rb.policies.LinUCB(),
        rounds=100_000,
        seed=0,
    )
    assert ledger.spent < 200.0  # 137 when this was written
    assert ledger.attacked_rounds < 5_000
    assert ledger.pulls.max() > 90_000
    assert ledger.final_regret > 3_000


def test_contexts_that_change_are_refused():
    with pytest.raises(UnsupportedProblem, match="needs the same arms in every round"):
        ConsistentLie(1.0).start(Problem(arms=3, dim=2, fixed_arms=False))


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_budget_is_never_exceeded(budget):
    game = trace(ConsistentLie(budget), environment=SMALL)
    assert (game.spent <= budget).all()
    assert game.spent[-1] > 0.0 or budget < 1e-6
    np.testing.assert_allclose(game.spent, np.cumsum(game.reward_prices), atol=1e-12)


def test_without_a_budget_the_game_is_the_unattacked_one():
    problem, block = deal_rounds(SMALL, 100)
    games = [
        played(problem, block, attack, rb.policies.LinUCB())
        for attack in (ConsistentLie(0.0), rb.attacks.NoAttack())
    ]
    assert game_bits(games[0]) == game_bits(games[1])


def test_the_shown_means_are_those_of_the_lie():
    game = trace(dataclasses.replace(ConsistentLie(math.inf), target=0), environment=SMALL, seed=3)
    lie = cheapest_lie(game.dealt[0], game.means[0], 0, 0.05, 5)
    assert lie is not None
    expected = np.clip(game.earned + lie.shifts[game.arms], 0.0, 1.0)
    changed = game.seen != game.earned
    assert changed.any()
    np.testing.assert_allclose(game.seen[changed], expected[changed], atol=1e-12)
