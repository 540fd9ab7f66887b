"""CW-OFUL: its reduction to LinUCB, its constants, and what its weights guarantee."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import robustbandits as rb
from reference.playing import agent_for, block_of, ridge_of, same_bits, state_of, tell
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import observe, observe_cautiously, start_ridge
from robustbandits.policies import COBE, CWOFUL, LinUCB


def test_cw_oful_without_budget_is_linucb_with_a_constant_radius():
    block = block_of(800)
    agent, linucb = (
        agent_for(recipe, block) for recipe in (CWOFUL(budget=0.0, ridge=0.1), LinUCB())
    )
    ridge, constant = ridge_of(linucb), state_of(agent).constant
    for t, contexts in enumerate(block.contexts):
        decision = agent.choose(contexts.T)
        widths = np.sqrt(np.einsum("ia,ij,ja->a", contexts, ridge.inverse, contexts))
        if t > 0:  # in the first round arms of the same length are equal
            assert decision.arm == np.argmax(ridge.theta @ contexts + constant * widths)
        reward = block.means[t, decision.arm] + block.noise[t]
        agent.learn(decision, reward)
        tell(linucb, np.ascontiguousarray(contexts[:, decision.arm]), reward)
    assert same_bits(ridge_of(agent), ridge)


def test_cw_oful_without_budget_has_the_radius_of_its_theory():
    problem = Problem(arms=20, dim=10, rounds=1000)
    state = CWOFUL(budget=0.0, sigma=0.2).start(problem)
    noise = 0.2 * math.sqrt(10 * math.log((1 + 1000 / 0.04) / 0.01))  # λ = σ², because S is 1
    assert state.constant == pytest.approx(noise + 0.2, rel=1e-12)
    assert state.caution == math.inf


def test_cw_oful_has_the_papers_constants():
    # T = 10⁶, d = 10, C = 100, λ = σ² = 0.01
    problem = Problem(arms=20, dim=10, rounds=1_000_000)
    known = CWOFUL(budget=100.0).start(problem)
    unknown = CWOFUL().start(problem)
    assert known.caution == pytest.approx(4.16e-3, rel=1e-3)
    assert known.constant == pytest.approx(2.03, rel=2e-3)
    assert unknown.caution == pytest.approx(4.16e-4, rel=1e-3)
    assert unknown.constant == pytest.approx(3.24, rel=2e-3)


@pytest.mark.parametrize("kind", [CWOFUL, COBE])
def test_sigma_must_be_positive_if_it_sets_the_penalty(kind):
    with pytest.raises(ValueError, match="sigma must be > 0"):
        kind(sigma=0.0)


@settings(max_examples=60)
@given(
    caution=st.floats(1e-3, 2.0),
    seed=st.integers(0, 1000),
    corruptions=st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=30),
)
def test_corruptions_move_the_estimate_by_at_most_caution_times_their_sum(
    caution, seed, corruptions
):
    rng = np.random.default_rng(seed)
    clean, dirty = start_ridge(3, 0.1), start_ridge(3, 0.1)
    for corruption in corruptions:
        x, y = rng.uniform(-0.5, 0.5, 3), rng.uniform()
        width = math.sqrt(x @ clean.inverse @ x)
        before = clean.gram.copy()
        observe_cautiously(clean, x, y, caution)
        observe_cautiously(dirty, x, y + corruption, caution)
        weight = np.trace(clean.gram - before) / (x @ x)
        assert weight == pytest.approx(min(1.0, caution / width), rel=1e-6)
    assert np.array_equal(clean.gram, dirty.gram)  # weights do not depend on rewards
    error = dirty.theta - clean.theta
    moved = math.sqrt(error @ clean.gram @ error)
    assert moved <= caution * sum(map(abs, corruptions)) * (1 + 1e-9) + 1e-12


@settings(max_examples=30)
@given(ridge=st.floats(0.01, 0.5), share=st.floats(0.01, 1.0), seed=st.integers(0, 1000))
def test_widths_of_rewards_with_reduced_weight_have_a_small_sum(ridge, share, seed):
    # Each adds log(1 + αw) to log det V, and αw <= 1 as long as α times the length is below √λ.
    rng = np.random.default_rng(seed)
    caution, regression, total = share * math.sqrt(ridge), start_ridge(3, ridge), 0.0
    for _ in range(200):
        x = rng.normal(size=3)
        x /= np.linalg.norm(x)
        width = math.sqrt(x @ regression.inverse @ x)
        total += width if width > caution else 0.0
        observe_cautiously(regression, x, rng.uniform(), caution)
    log_det = np.linalg.slogdet(regression.gram / ridge)[1]
    assert 0.0 < total <= 2.0 / caution * log_det * (1 + 1e-9)


def test_infinite_caution_gives_every_observation_its_full_weight():
    rng = np.random.default_rng(0)
    plain, cautious = start_ridge(4, 0.1), start_ridge(4, 0.1)
    for _ in range(50):
        x, y = rng.uniform(-0.5, 0.5, 4), rng.uniform()
        observe(plain, x, y, 1.0)
        observe_cautiously(cautious, x, y, math.inf)
    assert same_bits(plain, cautious)


def test_smaller_caution_never_gives_an_observation_more_weight():
    # On one sequence of arms: with less caution the widths are larger, and the weights smaller.
    rng = np.random.default_rng(1)
    ridges = [start_ridge(3, 0.1) for _ in range(3)]
    for _ in range(200):
        x = rng.uniform(-0.5, 0.5, 3)
        traces = [np.trace(ridge.gram) for ridge in ridges]
        for ridge, tolerance in zip(ridges, (1.0, 10.0, 100.0), strict=True):
            observe_cautiously(ridge, x, 0.5, 2 * math.sqrt(3) / tolerance)
        gains = [np.trace(r.gram) - t for r, t in zip(ridges, traces, strict=True)]
        assert gains[0] >= gains[1] - 1e-12
        assert gains[1] >= gains[2] - 1e-12


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")
def test_cw_oful_withstands_the_burst_that_misleads_linucb():
    results = rb.compare(
        environments=[rb.environments.Simulation(contexts="fixed")],
        attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(100.0, top="all-but-worst")],
        policies={"LinUCB": LinUCB(), "CWOFUL": CWOFUL(budget=100.0)},
        rounds=100_000,
        seeds=10,
    )
    mean = {(row.attack, row.policy): row.regret for row in results.summary().rows}
    assert mean["Garcelon", "CWOFUL"] < 1.1 * mean["NoAttack", "CWOFUL"]
    assert mean["Garcelon", "LinUCB"] > 20 * mean["NoAttack", "LinUCB"]
