"""The GP-UCB policies for a catalogue: reductions, layers, and the attacks that they withstand."""

import math

import numpy as np
import pytest

import robustbandits as rb
from catalogue import slow_if_compiled
from reference.playing import agent_for, answer, block_of, play, ridge_of, state_of
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.policies import EnlargedGPUCB, FastSlowGPUCB, MultiLayerGPUCB, RobustLinUCB


def catalogue(rounds, *, arms=6, dim=2):
    return block_of(rounds, arms=arms, dim=dim, contexts="fixed")


def assert_same_arms(block, recipe, other):
    ours, theirs = (play(agent_for(policy, block), block) for policy in (recipe, other))
    assert ours == theirs


@slow_if_compiled
@pytest.mark.parametrize(("dim", "arms", "budget"), [(1, 3, 0.0), (3, 8, 2.5), (6, 20, 40.0)])
def test_enlarged_gp_ucb_linear_is_robust_linucb_arm_for_arm(dim, arms, budget):
    block = catalogue(300, arms=arms, dim=dim)
    process = agent_for(EnlargedGPUCB(budget), block)
    linear = agent_for(RobustLinUCB(budget, bonus="l1", radius="det"), block)
    assert play(process, block) == play(linear, block)
    assert np.array_equal(state_of(process).theta[0], ridge_of(linear).theta)
    assert np.array_equal(state_of(process).gram[0], ridge_of(linear).gram)


@slow_if_compiled
@pytest.mark.parametrize("alpha", [1.0, 2.0])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "matern"])
def test_multi_layer_gp_ucb_of_one_layer_is_enlarged_gp_ucb(kernel, alpha):
    delta = 0.01 / (4 * (1 + 8))  # 8 is log2 of 256
    single = MultiLayerGPUCB(layers=1, max_corruption=0.3, kernel=kernel, alpha=alpha)
    constant = 3 + 0.3 * math.log(1 / delta)
    assert_same_arms(catalogue(256), single, enlarged(constant, delta, kernel, alpha))


@slow_if_compiled
@pytest.mark.parametrize("alpha", [1.0, 2.0])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("budget", [0.0, 1.0])
def test_fast_slow_gp_ucb_with_a_small_budget_is_the_slow_process_alone(kernel, budget, alpha):
    slow = FastSlowGPUCB(budget, kernel=kernel, alpha=alpha)
    known = enlarged(3 + math.log(500.0), 0.002, kernel, alpha)
    assert_same_arms(catalogue(200), slow, known)


def enlarged(budget, delta, kernel, alpha):
    """EnlargedGPUCB with all parts of its bonus multiplied by alpha."""
    parts = {"sigma": alpha * 0.1, "norm_bound": alpha}
    return EnlargedGPUCB(alpha * budget, delta=delta, kernel=kernel, **parts)


@slow_if_compiled
def test_enlarged_gp_ucb_with_a_scaled_bonus_is_one_with_a_smaller_budget():
    block = catalogue(300, dim=3)
    assert_same_arms(block, EnlargedGPUCB(80.0, bonus_scale=0.05), EnlargedGPUCB(4.0))


@slow_if_compiled
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_only_the_layer_that_was_drawn_learns(kernel):
    block = catalogue(400, arms=5)
    agent = agent_for(MultiLayerGPUCB(kernel=kernel), block)
    state = state_of(agent).posteriors
    tally = state.tally[:, 0 if kernel == "linear" else 1]
    assert len(tally) == 9
    drawn = np.zeros(9)
    for t in range(400):
        before = tally.copy()
        answer(agent, block, t)
        (layer,) = np.flatnonzero(tally != before)
        drawn[layer] += 1
    # A bit more than half of the rounds; a quarter; an eighth. Five standard deviations.
    for layer, chance in enumerate(state.layering.chances[:3]):
        assert abs(drawn[layer] - 400 * chance) < 5 * math.sqrt(400 * chance * (1 - chance))
    assert abs(state.layering.chances.sum() - 1) < 1e-12


@slow_if_compiled
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_stored_estimates_of_known_arms_are_those_of_unknown_arms(kernel):
    # The same scores from stored estimates, and computed as for arms without rewards.
    block = catalogue(150)
    agent = agent_for(FastSlowGPUCB(3.0, kernel=kernel), block)
    play(agent, block)
    contexts = np.ascontiguousarray(block.contexts[0].T)
    known = state_of(agent).posteriors.known
    stored = agent.scores(contexts)
    assert known.any()
    known[:] = 0.0
    computed = agent.scores(contexts)
    if kernel == "linear":  # to the last bit
        assert np.array_equal(stored.means, computed.means)
        assert np.array_equal(stored.bonuses, computed.bonuses)
    np.testing.assert_allclose(stored.means, computed.means, atol=1e-10)
    np.testing.assert_allclose(stored.bonuses, computed.bonuses, rtol=1e-6)


@pytest.mark.parametrize(("kernel", "size"), [("linear", 3), ("rbf", 7)])
def test_gp_ucb_state_has_a_matrix_of_fixed_size(kernel, size):
    state = EnlargedGPUCB(1.0, kernel=kernel).start(Problem(arms=7, dim=3, rounds=1000))
    assert state[0].shape == (1, size, size)


@pytest.mark.parametrize("kernel", ["rbf", "matern"])
@pytest.mark.parametrize(
    ("rounds", "refused", "accepted"), [(100, 1e-7, 1e-6), (10**5, 9e-4, 1e-3), (None, 0.009, 0.01)]
)
def test_gp_ucb_refuses_a_ridge_too_small_for_its_kernel(kernel, rounds, refused, accepted):
    problem = Problem(arms=3, dim=2, rounds=rounds)
    message = f"ridge must be at least {accepted:g} for .* rounds and kernel='{kernel}', got"
    with pytest.raises(ValueError, match=message):
        EnlargedGPUCB(1.0, kernel=kernel, ridge=refused).start(problem)
    EnlargedGPUCB(1.0, kernel=kernel, ridge=accepted).start(problem)


def regrets(recipe, budget):
    """Final regrets on four catalogues, where LinUCB's is 5 to 15, or thousands under attack."""
    game = {
        "environment": rb.environments.Simulation(arms=6, dim=2, contexts="fixed"),
        "attack": rb.attacks.Garcelon(budget=budget),
        "policy": recipe,
    }
    ledgers = [rb.simulate(**game, rounds=20_000, seed=seed) for seed in range(4)]
    return np.array([ledger.final_regret for ledger in ledgers])


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="too long without compiled code")
def test_gp_ucb_withstands_the_attack_that_misleads_linucb():
    linucb = rb.policies.LinUCB()
    assert np.all(regrets(linucb, 30.0) > 50 * regrets(linucb, 0.0))
    enlarged = EnlargedGPUCB(30.0)
    clean = regrets(enlarged, 0.0)
    assert np.all(np.abs(regrets(enlarged, 30.0) - clean) < 0.1 * clean)
    for practical in (
        EnlargedGPUCB.practical(30.0),
        EnlargedGPUCB.practical(30.0, kernel="rbf", lengthscale=0.5),
        MultiLayerGPUCB.practical(),
    ):
        assert regrets(practical, 30.0).max() < 0.5 * clean.min()  # measured: at most 0.38
    # The fast process makes the known budget cheap without an attack.
    assert regrets(FastSlowGPUCB(30.0), 0.0).max() < 0.1 * clean.min()
