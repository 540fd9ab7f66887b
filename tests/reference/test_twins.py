"""The compiled policies choose what their slow NumPy twins choose, round after round."""

import numpy as np
import pytest

import robustbandits as rb
from reference import twins
from reference.playing import agent_for, block_of, ridge_of
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.match import POLICY, stream

#: name: recipe, and the twin with its options spelled out again from the paper's text.
VARIANTS = {
    "linucb": (rb.policies.LinUCB(), twins.LinUCB, {}),
    "linucb-det": (rb.policies.LinUCB(radius="det"), twins.LinUCB, {"radius": "det"}),
    "linucb-parameters": (
        rb.policies.LinUCB(ridge=2.0, delta=0.2, sigma=0.03),
        twins.LinUCB,
        {"ridge": 2.0, "delta": 0.2, "sigma": 0.03},
    ),
    "cautious": (rb.policies.CautiousLinUCB(), twins.CautiousLinUCB, {}),
    "cautious-parameters": (
        rb.policies.CautiousLinUCB(tolerance=3.0, ridge=2.0, radius="det"),
        twins.CautiousLinUCB,
        {"tolerance": 3.0, "ridge": 2.0, "radius": "det"},
    ),
    "cw-oful": (rb.policies.CWOFUL(), twins.CWOFUL, {}),
    "cw-oful-budget": (rb.policies.CWOFUL(budget=20.0), twins.CWOFUL, {"budget": 20.0}),
    "cw-oful-parameters": (
        rb.policies.CWOFUL(budget=3.0, ridge=0.5, sigma=0.2, delta=0.1),
        twins.CWOFUL,
        {"budget": 3.0, "ridge": 0.5, "sigma": 0.2, "delta": 0.1},
    ),
    "lints": (rb.policies.LinTS(), twins.LinTS, {}),
    "lints-scaled-det": (
        rb.policies.LinTS(scale=0.3, radius="det"),
        twins.LinTS,
        {"scale": 0.3, "radius": "det"},
    ),
    "greedy": (rb.policies.Greedy(), twins.Greedy, {}),
    "robust-linucb-paper": (
        rb.policies.RobustLinUCB(0.5, bonus="paper"),
        twins.RobustLinUCB,
        {"budget": 0.5, "bonus": "paper"},
    ),
    "robust-linucb-l1": (
        rb.policies.RobustLinUCB(3.0, bonus="l1"),
        twins.RobustLinUCB,
        {"budget": 3.0, "bonus": "l1"},
    ),
    "robust-linucb-l2": (
        rb.policies.RobustLinUCB(40.0, max_corruption=0.5),
        twins.RobustLinUCB,
        {"budget": 40.0, "bonus": "l2", "max_corruption": 0.5},
    ),
    "bob": (rb.policies.BOBNoRestart(), twins.BOBNoRestart, {}),
    "bob-as-written": (
        rb.policies.BOBNoRestart.as_written(),
        twins.BOBNoRestart,
        {"candidates": "2KT", "bonus": "paper", "clip": False},
    ),
    "bob-as-coded": (
        rb.policies.BOBNoRestart.as_coded(),
        twins.BOBNoRestart,
        {
            "sigma": 0.01,
            "candidates": "2KT-floor",
            "bonus": "paper",
            "clip": False,
            "ties": "first",
        },
    ),
    "bob-learning": (
        rb.policies.BOBNoRestart(candidates=[0, 0.5, 8, 200], alpha=0.2, bonus="l1"),
        twins.BOBNoRestart,
        {"candidates": [0, 0.5, 8, 200], "alpha": 0.2, "bonus": "l1"},
    ),
    "robust-bandit": (rb.policies.RobustBandit(), twins.RobustBandit, {}),
    "robust-bandit-as-written": (
        rb.policies.RobustBandit.as_written(),
        twins.RobustBandit,
        {
            "candidates": "2KT",
            "epoch": "paper",
            "reward_scale": "none",
            "bonus": "paper",
            "delta_split": False,
        },
    ),
    "robust-bandit-as-coded": (
        rb.policies.RobustBandit.as_coded(),
        twins.RobustBandit,
        {
            "sigma": 0.01,
            "candidates": "2KH-floor",
            "epoch": "never",
            "restart": False,
            "reward_scale": "none",
            "bonus": "paper",
            "index": "global",
            "delta_split": False,
            "ties": "first",
        },
    ),
    "robust-bandit-short-epochs": (
        rb.policies.RobustBandit(epoch=7, candidates=[0, 1, 16], alpha=0.3, radius="det"),
        twins.RobustBandit,
        {"epoch": 7, "candidates": [0, 1, 16], "alpha": 0.3, "radius": "det"},
    ),
    "robust-bandit-raw-sums": (
        rb.policies.RobustBandit(epoch=31, reward_scale="none", exp3_horizon="rounds"),
        twins.RobustBandit,
        {"epoch": 31, "reward_scale": "none", "exp3_horizon": "rounds"},
    ),
    "robust-bandit-unclipped": (
        rb.policies.RobustBandit(epoch=5, clip=False, sigma=0.5, candidates="T"),
        twins.RobustBandit,
        {"epoch": 5, "clip": False, "sigma": 0.5, "candidates": "T"},
    ),
    "robust-bandit-global": (
        rb.policies.RobustBandit(epoch=40, index="global", delta_split=False),
        twins.RobustBandit,
        {"epoch": 40, "index": "global", "delta_split": False},
    ),
    "robust-bandit-no-restart-global": (
        rb.policies.RobustBandit(epoch=40, index="global", restart=False),
        twins.RobustBandit,
        {"epoch": 40, "index": "global", "restart": False},
    ),
}

#: Dimension, arms, rounds. Without compiled code a glance is enough: its bits are the same, and
#: tests/parity says so.
SMALL = [(1, 2, 1000), (2, 1, 300), (2, 20, 2000), (10, 20, 1500)] if jit_is_on else [(2, 5, 200)]
LARGE = [(1, 500, 200), (10, 500, 150), (40, 2, 400), (40, 500, 60)] if jit_is_on else []
#: Long enough for rounding errors of the inverse, and of LinTS's factor, to show.
LONG = [(10, 20, 4500)] if jit_is_on else []
LONG_VARIANTS = ["linucb", "lints", "greedy", "robust-linucb-paper", "bob", "robust-bandit"]


def arms_of_both(recipe, twin_class, options, dim, arms, rounds, seed=0, bounds=(1.0, 1.0)):
    """Let the agent and its twin meet the same rounds; return both sequences of arms."""
    block = block_of(rounds, arms=arms, dim=dim, seed=seed, intercept=False)
    scale, theta_bound = bounds
    agent = agent_for(recipe, block, seed=seed, context_bound=scale, theta_bound=theta_bound)
    rng = np.random.Generator(np.random.PCG64(stream(seed, POLICY)))
    twin = twin_class(twins.Bounds(arms, dim, rounds, scale, theta_bound), rng, **options)
    chosen = np.empty((2, rounds), dtype=int)
    for t in range(rounds):
        contexts = scale * block.contexts[t].T
        decision = agent.choose(contexts)
        chosen[0, t] = decision.arm
        chosen[1, t] = twin.choose(contexts)
        reward = block.means[t, decision.arm] + block.noise[t]
        agent.learn(decision, reward)
        twin.learn(contexts[chosen[1, t]], reward)
    return chosen, agent, twin


def assert_twins(recipe, twin_class, options, *shape, **more):
    (ours, theirs), agent, twin = arms_of_both(recipe, twin_class, options, *shape, **more)
    apart = np.flatnonzero(ours != theirs)
    assert len(apart) == 0, f"first apart in round {apart[0]}"
    ridge = ridge_of(agent)
    np.testing.assert_allclose(ridge.theta, twin.ridge.theta(), rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(ridge.gram, twin.ridge.V, rtol=1e-10)
    if hasattr(twin, "exp3"):
        np.testing.assert_allclose(
            agent._state.exp3.log_weights, twin.exp3.log_weights, rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize(("dim", "arms", "rounds"), SMALL)
@pytest.mark.parametrize("variant", VARIANTS)
def test_policy_small_problem_plays_like_its_twin(variant, dim, arms, rounds):
    assert_twins(*VARIANTS[variant], dim, arms, rounds)


@pytest.mark.parametrize(("dim", "arms", "rounds"), LARGE)
@pytest.mark.parametrize("variant", VARIANTS)
def test_policy_large_problem_plays_like_its_twin(variant, dim, arms, rounds):
    assert_twins(*VARIANTS[variant], dim, arms, rounds, seed=1)


@pytest.mark.parametrize(("dim", "arms", "rounds"), LONG)
@pytest.mark.parametrize("variant", LONG_VARIANTS)
def test_policy_past_a_refresh_plays_like_its_twin(variant, dim, arms, rounds):
    assert_twins(*VARIANTS[variant], dim, arms, rounds, seed=2)


@pytest.mark.parametrize("variant", ["linucb", "lints", "bob", "robust-bandit-short-epochs"])
def test_policy_other_bounds_plays_like_its_twin(variant):
    assert_twins(*VARIANTS[variant], 5, 7, 500, bounds=(3.0, 0.4))


def test_robust_bandit_local_index_without_restart_plays_like_its_twin():
    recipe = rb.policies.RobustBandit(epoch=40, restart=False, delta_split=False)
    options = {"epoch": 40, "restart": False, "delta_split": False}
    assert_twins(recipe, twins.RobustBandit, options, 2, 20, 1000)


@pytest.mark.parametrize("variant", VARIANTS)
def test_policy_exact_ties_break_like_its_twin(variant):
    # Every arm thrice, along the axes: equal arms get equal scores to the last bit in any code.
    recipe, twin_class, options = VARIANTS[variant]
    dim, rounds, seed = 3, 400, 5
    contexts = np.repeat(np.eye(dim), 3, axis=0)
    agent = rb.Agent(recipe, arms=9, dim=dim, rounds=rounds, seed=seed, reward_range=(-9.0, 9.0))
    rng = np.random.Generator(np.random.PCG64(stream(seed, POLICY)))
    twin = twin_class(twins.Bounds(9, dim, rounds), rng, **options)
    luck = np.random.default_rng(0).normal(0.0, 0.3, rounds)
    for t in range(rounds):
        decision = agent.choose(contexts)
        assert decision.arm == twin.choose(contexts), f"apart in round {t}"
        agent.learn(decision, luck[t])
        twin.learn(contexts[decision.arm], luck[t])


@pytest.mark.parametrize("variant", ["robust-bandit", "robust-bandit-as-written"])
def test_robust_bandit_small_problem_has_several_epochs(variant):
    # The comparison above is only worth something if the twins do restart.
    _, twin_class, options = VARIANTS[variant]
    dim, arms, rounds = 2, 20, 2000
    twin = twin_class(twins.Bounds(arms, dim, rounds), np.random.default_rng(0), **options)
    assert twin.epoch < rounds / 3


@pytest.mark.parametrize("variant", ["linucb", "bob", "robust-bandit"])
def test_simulate_pulls_the_arms_of_the_twin(variant):
    recipe, twin_class, options = VARIANTS[variant]
    dim, arms, rounds, seed = 4, 6, 500, 3
    environment = rb.environments.Simulation(arms=arms, dim=dim, intercept=False)
    ledger = rb.simulate(environment=environment, policy=recipe, rounds=rounds, seed=seed)
    (_, theirs), _, _ = arms_of_both(recipe, twin_class, options, dim, arms, rounds, seed=seed)
    assert ledger.pulls.tolist() == np.bincount(theirs, minlength=arms).tolist()
