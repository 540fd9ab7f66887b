"""The compiled policies choose what their slow NumPy twins choose, round after round."""

import numpy as np
import pytest

import robustbandits as rb
from catalogue import compile_few
from reference import twins_contextual
from reference.playing import (
    assert_twins,
    block_of,
    ridge_of,
    state_of,
    turning_block,
    twin_for,
)
from reference.variants import ARMS, CONTEXTUAL, CORE, PHASES, PROCESSES
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.rounds import Rounds

#: Compiling these policies takes seconds each.
compiles = [pytest.mark.slow] if jit_is_on else []


#: Dimension, arms, rounds, seed. Without compiled code one shape is enough: tests/parity shows that
#: the bits are the same.
SHAPES = [
    (1, 2, 1000, 0),
    (2, 1, 300, 0),
    (2, 20, 2000, 0),
    (10, 20, 1500, 0),
    (1, 500, 200, 1),
    (10, 500, 150, 1),
    (40, 2, 400, 1),
    (40, 500, 60, 1),
]
#: Variants that quick tests compile; the others share most of their code.
QUICK = ("linucb", "linucb-det", "cautious", "cw-oful", "lints", "greedy", "robust-linucb-paper")
QUICK += ("robust-linucb-tight", "bob-no-restart", "bob-no-restart-as-coded")
#: Long enough for rounding errors of the inverse, and of LinTS's factor, to show.
LONG = ["linucb", "lints", "greedy", "robust-linucb-paper", "bob-no-restart", "robust-bandit"]


#: Policies that are compared in tests/policies: these need more than contexts and rewards.
COMPARED_ELSEWHERE = {"OracleLinUCB", "MaxMinUCB", "MinWD"}


def test_every_policy_has_a_twin():
    pairs = [*{**CORE, **CONTEXTUAL, **ARMS, **PROCESSES}.values()]
    pairs += [pair for pair, _, _ in PHASES.values()]
    with_twin = {type(recipe).__name__ for recipe, _, _ in pairs}
    assert with_twin | COMPARED_ELSEWHERE == set(rb.policies.__all__)


def assert_alike(agent, twin):
    """Check that the regressions and the weights of an agent and its twin are nearly equal."""
    state = state_of(agent)
    if isinstance(twin, twins_contextual.HuberOFUL):
        np.testing.assert_allclose(state.ridge.theta, twin.theta, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(state.ridge.gram, twin.V, rtol=1e-6)
        return
    if isinstance(twin, twins_contextual.COBE):
        assert state.bases.lowest + int(state.stage[0]) == twin.k
        pairs = [(i - state.bases.lowest, base) for i, base in twin.bases.items()]
    elif isinstance(twin, twins_contextual.WeightedOFUL):
        pairs = list(enumerate([twin.ridge, *twin.own]))
    else:
        pairs = [(None, twin.ridge)]
    ridges = state.ridges if hasattr(state, "ridges") else ridge_of(agent)
    for level, theirs in pairs:
        gram, theta = (
            part if level is None else part[level] for part in (ridges.gram, ridges.theta)
        )
        np.testing.assert_allclose(gram, theirs.V, rtol=1e-10)
        np.testing.assert_allclose(theta, theirs.theta(), rtol=1e-8, atol=1e-11)
    for ours, theirs in (("exp3", getattr(twin, "exp3", None)), ("exp4", twin)):
        if hasattr(state, ours) and hasattr(theirs, "log_weights"):
            weights = getattr(state, ours).log_weights
            np.testing.assert_allclose(weights, theirs.log_weights, rtol=1e-9, atol=1e-12)


def shape_block(dim, arms, rounds, seed=0):
    return block_of(rounds, arms=arms, dim=dim, seed=seed, intercept=False)


@pytest.mark.parametrize("shape", SHAPES if jit_is_on else [(2, 5, 200, 0)])
@pytest.mark.parametrize("variant", compile_few(CORE, QUICK))
def test_core_policy_plays_like_its_twin(variant, shape):
    assert_alike(*assert_twins(*CORE[variant], shape_block(*shape), seed=shape[3]))


TIGHT = [name for name in CORE if name.endswith("tight")]


@pytest.mark.parametrize("variant", compile_few(TIGHT, QUICK))
def test_policy_with_the_tight_bonus_plays_like_its_twin_on_a_catalogue(variant):
    block = block_of(590 if jit_is_on else 190, arms=7, dim=4, contexts="fixed", seed=3)
    agent, twin = assert_twins(*CORE[variant], block, seed=3)
    assert twin.ridge.seen.ball is None
    assert len(twin.ridge.seen.by_arm) > 1  # the game does not end with a restart
    assert_alike(agent, twin)


@pytest.mark.skipif(not jit_is_on, reason="4,500 rounds")
@pytest.mark.parametrize("variant", LONG)
def test_core_policy_plays_like_its_twin_in_a_long_game(variant):
    assert_alike(*assert_twins(*CORE[variant], shape_block(10, 20, 4500, 2), seed=2))


@pytest.mark.parametrize("shape", [(1, 2, 200), (3, 5, 500), (6, 9, 300)])
@pytest.mark.parametrize("variant", [pytest.param(name, marks=compiles) for name in CONTEXTUAL])
def test_contextual_policy_plays_like_its_twin(variant, shape):
    assert_alike(*assert_twins(*CONTEXTUAL[variant], shape_block(*shape)))


@pytest.mark.parametrize(
    "variant",
    [
        "linucb",
        "lints",
        "bob-no-restart",
        "robust-bandit-short-epochs",
        *(
            pytest.param(name, marks=compiles)
            for name in ("weighted", "cobe", "shared-grid", "huber-practical", "regression")
        ),
    ],
)
def test_policy_plays_like_its_twin_with_other_bounds(variant):
    block = shape_block(5, 7, 400, 1)
    found = assert_twins(*{**CORE, **CONTEXTUAL}[variant], block, seed=1, bounds=(3.0, 0.4))
    assert_alike(*found)


@pytest.mark.parametrize("variant", CORE)
def test_core_policy_breaks_exact_ties_like_its_twin(variant):
    # Every arm three times, along the axes: equal arms get equal scores to the last bit.
    contexts = np.ascontiguousarray(np.repeat(np.eye(3), 3, axis=0).T)
    luck = np.random.default_rng(0).normal(0.0, 0.3, 400)
    block = Rounds(np.tile(contexts, (400, 1, 1)), np.zeros((400, 9)), np.zeros(400), luck)
    assert_twins(*CORE[variant], block, seed=5)


@pytest.mark.parametrize(("arms", "rounds", "turn"), [(2, 150, 0.5), (6, 300, 0.1), (25, 200, 0.3)])
@pytest.mark.parametrize("variant", [pytest.param(name, marks=compiles) for name in ARMS])
def test_arms_policy_plays_like_its_twin(variant, arms, rounds, turn):
    assert_twins(*ARMS[variant], turning_block(rounds, arms, turn=turn))


@pytest.mark.parametrize("variant", [pytest.param(name, marks=compiles) for name in PROCESSES])
def test_process_policy_plays_like_its_twin(variant):
    assert_twins(
        *PROCESSES[variant], block_of(100, arms=6, dim=2, contexts="fixed", seed=1), seed=1
    )


@pytest.mark.parametrize("variant", [pytest.param(name, marks=compiles) for name in PHASES])
def test_phased_policy_plays_like_its_twin(variant):
    pair, arms, dim = PHASES[variant]
    block = block_of(4000, arms=arms, dim=dim, contexts="fixed", seed=1)
    agent, twin = assert_twins(*pair, block, seed=1)
    state = state_of(agent)
    assert twin.phase > 2
    np.testing.assert_allclose(state.means, twin.means, rtol=1e-9, atol=1e-12)
    assert (state.active > 0).tolist() == twin.active.tolist()
    if variant.startswith("basis"):  # one that exploits, one that does not
        assert (twin.measured < twin.length) == (variant == "basis-exploiting")
    elif variant != "paper-unknown":  # or the comparison would be worth little
        assert twin.active.sum() < arms


@pytest.mark.parametrize("variant", ["linucb", "bob-no-restart", "robust-bandit"])
def test_simulate_pulls_the_arms_of_the_twin(variant):
    recipe, twin_class, options = CORE[variant]
    environment = rb.environments.Simulation(arms=6, dim=4, intercept=False)
    ledger = rb.simulate(environment=environment, policy=recipe, rounds=500, seed=3)
    block = shape_block(4, 6, 500, 3)
    twin, pulls = twin_for(twin_class, options, block, seed=3), np.zeros(6, dtype=int)
    for t in range(500):
        arm = twin.choose(block.contexts[t].T)
        twin.learn(block.contexts[t][:, arm], block.means[t, arm] + block.noise[t])
        pulls[arm] += 1
    assert ledger.pulls.tolist() == pulls.tolist()


# The comparisons above cover rare events only if these happen in the twins' games.


@pytest.mark.parametrize("variant", ["robust-bandit", "robust-bandit-as-written"])
def test_robust_bandit_twin_has_several_epochs(variant):
    _, twin_class, options = CORE[variant]
    assert twin_for(twin_class, options, shape_block(2, 20, 2000)).epoch < 2000 / 3


@pytest.mark.parametrize("variant", [pytest.param("huber-heavy", marks=compiles)])
def test_huber_twin_clips_and_projects(variant):
    block = shape_block(3, 5, 500)
    _, twin = assert_twins(*CONTEXTUAL[variant], block, bounds=(1.0, 0.2))
    assert twin.bends > 0
    assert twin.projections > 0


@pytest.mark.parametrize("variant", [pytest.param("regression-small-memory", marks=compiles)])
def test_regression_twin_leaves_rewards_out(variant):
    _, twin = assert_twins(*CONTEXTUAL[variant], shape_block(3, 5, 500))
    assert twin.left_out > 50


@pytest.mark.parametrize("variant", [pytest.param("cobe-testing", marks=compiles)])
def test_cobe_twin_drops_guesses(variant):
    _, twin = assert_twins(*CONTEXTUAL[variant], shape_block(3, 5, 500))
    assert twin.k > twin.k_first


@pytest.mark.parametrize(
    "variant",
    [
        pytest.param(name, marks=compiles)
        for name in ("fast-slow-narrow", "mlaer-narrow", "barbar-short", "barbat-short")
    ],
)
def test_arms_twins_eliminate_borrow_and_change_epochs(variant):
    _, twin = assert_twins(*ARMS[variant], turning_block(300, 6, turn=0.1))
    if "bar" in variant:
        assert twin.epoch > 2
    else:
        assert len(twin.active[0]) < 6
        assert twin.borrowed > 5


@pytest.mark.parametrize(
    "variant",
    [pytest.param(f"fast-slow-switching-{name}", marks=compiles) for name in ("linear", "rbf")],
)
def test_fast_slow_twin_switches_in_the_middle_of_a_game(variant):
    block = block_of(100, arms=6, dim=2, contexts="fixed", seed=1)
    agent, twin = assert_twins(*PROCESSES[variant], block, seed=1)
    assert 5 < twin.switched < 80
    assert state_of(agent).valid[0] == 0.0


@pytest.mark.parametrize(
    "variant", [pytest.param(f"multi-empty-{name}", marks=compiles) for name in ("linear", "rbf")]
)
def test_multi_layer_twin_empties_sets_and_borrows(variant):
    block = block_of(100, arms=6, dim=2, contexts="fixed", seed=1)
    agent, twin = assert_twins(*PROCESSES[variant], block, seed=1)
    assert not twin.sets[0]
    assert twin.borrowed > 5
    listed = [set(np.flatnonzero(row)) for row in state_of(agent).listed]
    assert listed == twin.sets
