"""The policies for a catalogue choose what their slow NumPy twins choose, round after round."""

import math

import numpy as np
import pytest

from reference import twins_fixed
from reference.playing import agent_for, block_of
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.match import POLICY, stream
from robustbandits.policies import (
    EnlargedGPUCB,
    FastSlowGPUCB,
    MultiLayerGPUCB,
    RobustPhasedElimination,
    SupportBasisExploration,
)

pytestmark = [pytest.mark.slow] if jit_is_on else []

KERNELS = {
    "linear": ({}, twins_fixed.linear),
    "rbf": ({"kernel": "rbf"}, twins_fixed.rbf),
    "rbf-short": (
        {"kernel": "rbf", "lengthscale": 0.3},
        lambda x, y: twins_fixed.rbf(x, y, 0.3),
    ),
    "matern-1/2": (
        {"kernel": "matern", "smoothness": 0.5},
        lambda x, y: twins_fixed.matern(x, y, 0.5),
    ),
    "matern-3/2": (
        {"kernel": "matern", "smoothness": 1.5, "lengthscale": 2.0},
        lambda x, y: twins_fixed.matern(x, y, 1.5, 2.0),
    ),
    "matern-5/2": ({"kernel": "matern"}, lambda x, y: twins_fixed.matern(x, y, 2.5)),
}


def compare(recipe, make_twin, *, arms, dim, rounds, seed=0):
    """Let the agent and its twin meet the same rounds, and stop at the first difference."""
    block = block_of(rounds, arms=arms, dim=dim, seed=seed, contexts="fixed")
    agent = agent_for(recipe, block, seed=seed)
    twin = make_twin(np.random.Generator(np.random.PCG64(stream(seed, POLICY))))
    for t in range(rounds):
        contexts = np.ascontiguousarray(block.contexts[t].T)
        decision = agent.choose(contexts)
        assert decision.arm == twin.choose(contexts), f"apart in round {t}"
        reward = block.means[t, decision.arm] + block.noise[t]
        agent.learn(decision, reward)
        twin.learn(decision.arm, contexts[decision.arm], reward)
    return agent, twin


@pytest.mark.parametrize("kernel", KERNELS)
def test_enlarged_gp_ucb_plays_like_its_twin(kernel):
    options, function = KERNELS[kernel]
    compare(
        EnlargedGPUCB(3.0, **options),
        lambda rng: twins_fixed.LayeredGP(function, [1.0], [3.0], rng, delta=0.01),
        arms=7,
        dim=3,
        rounds=90,
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf", "matern-3/2"])
def test_fast_slow_gp_ucb_plays_like_its_twin(kernel):
    options, function = KERNELS[kernel]
    compare(
        FastSlowGPUCB(4.0, max_corruption=0.5, bonus_scale=0.2, **options),
        lambda rng: twins_fixed.LayeredGP(
            function, [0.75, 0.25], [0.0, 0.2 * (3 + 0.5 * math.log(500))], rng, delta=0.002
        ),
        arms=6,
        dim=2,
        rounds=100,
        seed=1,
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf-short", "matern-5/2"])
def test_multi_layer_gp_ucb_plays_like_its_twin(kernel):
    options, function = KERNELS[kernel]
    rounds = 120  # seven layers
    logs = math.log2(rounds)
    extra = 0.01 * (3 + math.log(4 * (1 + logs) / 0.01))
    chances = [1 - sum(0.5**i for i in range(2, 8)), *(0.5**i for i in range(2, 8))]
    compare(
        MultiLayerGPUCB(bonus_scale=0.01, sigma=0.02, **options),
        lambda rng: twins_fixed.LayeredGP(
            function,
            chances,
            [extra] * 7,
            rng,
            delta=0.01 / (4 * (1 + logs)),
            shortlist=True,
            sigma=0.02,
        ),
        arms=6,
        dim=2,
        rounds=rounds,
        seed=2,
    )


ELIMINATIONS = {
    "paper-unknown": (RobustPhasedElimination(), {}),
    "paper-known": (
        RobustPhasedElimination(budget=0.001, sigma=0.01),
        {"budget": 0.001, "sigma": 0.01},
    ),
    "paper-least-weight": (
        RobustPhasedElimination(budget=0.001, first_phase=4),
        {"budget": 0.001, "first": 4},
    ),
    "tight-unknown": (
        RobustPhasedElimination(threshold="tight", first_phase=53),
        {"threshold": "tight", "first": 53},
    ),
    "tight-known": (
        RobustPhasedElimination(budget=2.0, threshold="tight", first_phase=31, delta=0.2),
        {"budget": 2.0, "threshold": "tight", "first": 31, "delta": 0.2},
    ),
    "tight-small-lies": (
        RobustPhasedElimination(
            budget=40.0, threshold="tight", first_phase=31, max_corruption=0.01
        ),
        {"budget": 40.0, "threshold": "tight", "first": 31, "max_corruption": 0.01},
    ),
}


@pytest.mark.parametrize("variant", ELIMINATIONS)
def test_phased_elimination_plays_like_its_twin(variant):
    recipe, options = ELIMINATIONS[variant]
    rounds, arms = 3000, 9
    agent, twin = compare(
        recipe,
        lambda rng: twins_fixed.PhasedElimination(arms, 4, rounds, rng, **options),
        arms=arms,
        dim=3,
        rounds=rounds,
    )
    assert twin.phase > 2
    np.testing.assert_allclose(agent._state.means, twin.means, rtol=1e-9, atol=1e-12)
    assert (agent._state.active > 0).tolist() == twin.active.tolist()
    if variant != "paper-unknown":
        assert twin.active.sum() < arms  # or the comparison would be worth little


@pytest.mark.parametrize(("arms", "dim", "scale"), [(6, 2, 1.0), (3, 1, 0.2)])
def test_support_basis_exploration_plays_like_its_twin(arms, dim, scale):
    rounds = 4000
    agent, twin = compare(
        SupportBasisExploration(scale=scale),
        lambda rng: twins_fixed.SupportBasis(arms, dim + 1, rounds, rng, scale=scale),
        arms=arms,
        dim=dim,
        rounds=rounds,
        seed=1,
    )
    assert twin.phase > 2
    assert (twin.measured < twin.length) == (arms == 3)  # one that exploits, one that does not
    np.testing.assert_allclose(agent._state.means, twin.means, rtol=1e-9, atol=1e-12)
