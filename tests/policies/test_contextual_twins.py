"""The contextual linear policies play what their slow twins play, round after round."""

import numpy as np
import pytest

from reference import twins_contextual as twins
from reference.test_twins import arms_of_both
from reference.twins import Bounds
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.policies import (
    COBE,
    HuberOFUL,
    MultiLevelWeightedOFUL,
    RobustRegressionUCB,
    SharedGrid,
    WeightedOFUL,
)
from robustbandits.policies.linear.cobe import EARNED, PULLS, guess_refuted

pytestmark = [pytest.mark.slow] if jit_is_on else []


def variant(kind, twin, **options):
    return kind(**options), twin, options


VARIANTS = {
    "weighted": variant(WeightedOFUL, twins.WeightedOFUL, budget=5.0),
    "weighted-practical": variant(
        WeightedOFUL, twins.WeightedOFUL, budget=3.0, radius_scale=0.003, ridge=0.2, sigma=2.0
    ),
    "multi-level": variant(MultiLevelWeightedOFUL, twins.WeightedOFUL),
    "multi-level-practical": variant(
        MultiLevelWeightedOFUL, twins.WeightedOFUL, levels=3, radius_scale=0.01, noise_bound=0.0
    ),
    "cobe": variant(COBE, twins.COBE),
    "cobe-testing": variant(COBE, twins.COBE, test_scale=1e-4, sigma=0.05),
    "shared-grid": variant(SharedGrid, twins.SharedGrid),
    "shared-grid-own": variant(
        SharedGrid, twins.SharedGrid, candidates=(8.0, 0.0, 0.5, 300.0), floor=0.04
    ),
    "shared-grid-experts-only": variant(SharedGrid, twins.SharedGrid, uniform=False),
    "huber": variant(HuberOFUL, twins.HuberOFUL),
    "huber-practical": variant(HuberOFUL, twins.HuberOFUL, radius_scale=0.001),
    "huber-heavy": variant(
        HuberOFUL, twins.HuberOFUL, radius_scale=0.0001, moment=1.4, ridge=0.5, sigma=0.02
    ),
    "huber-corrupted": variant(HuberOFUL, twins.HuberOFUL, budget=None, radius_scale=0.001),
    "regression": variant(RobustRegressionUCB, twins.RobustRegressionUCB),
    "regression-small-memory": variant(
        RobustRegressionUCB, twins.RobustRegressionUCB, memory=50, fraction=0.2, passes=3
    ),
}

SHAPES = [(1, 2, 200), (3, 5, 500), (6, 9, 300)]


def assert_alike(agent, twin):
    state = agent._state
    if isinstance(twin, twins.HuberOFUL):
        np.testing.assert_allclose(state.ridge.theta, twin.theta, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(state.ridge.gram, twin.V, rtol=1e-6)
    elif isinstance(twin, twins.COBE):
        assert state.bases.lowest + int(state.stage[0]) == twin.k
        for i, base in twin.bases.items():
            place = i - state.bases.lowest
            np.testing.assert_allclose(state.ridges.gram[place], base.V, rtol=1e-8)
            np.testing.assert_allclose(state.ridges.theta[place], base.theta(), atol=1e-9)
    elif isinstance(twin, twins.WeightedOFUL):
        for place, ridge in enumerate([twin.ridge, *twin.own]):
            np.testing.assert_allclose(state.ridges.gram[place], ridge.V, rtol=1e-9)
            np.testing.assert_allclose(state.ridges.theta[place], ridge.theta(), atol=1e-9)
    else:
        np.testing.assert_allclose(state.optimist.ridge.gram, twin.ridge.V, rtol=1e-9)
        np.testing.assert_allclose(state.optimist.ridge.theta, twin.ridge.theta(), atol=1e-9)
    if isinstance(twin, twins.SharedGrid):
        np.testing.assert_allclose(state.exp4.log_weights, twin.log_weights, rtol=1e-9)


@pytest.mark.parametrize(("dim", "arms", "rounds"), SHAPES)
@pytest.mark.parametrize("name", VARIANTS)
def test_policy_plays_like_its_twin(name, dim, arms, rounds):
    (ours, theirs), agent, twin = arms_of_both(*VARIANTS[name], dim, arms, rounds)
    apart = np.flatnonzero(ours != theirs)
    assert len(apart) == 0, f"first apart in round {apart[0]}"
    assert_alike(agent, twin)


@pytest.mark.parametrize(
    "name", ["weighted", "cobe", "shared-grid", "huber-practical", "regression"]
)
def test_policy_other_bounds_plays_like_its_twin(name):
    chosen, agent, twin = arms_of_both(*VARIANTS[name], 4, 6, 300, seed=1, bounds=(3.0, 0.4))
    assert chosen[0].tolist() == chosen[1].tolist()
    assert_alike(agent, twin)


@pytest.mark.parametrize("seed", range(60))
def test_cobe_finds_out_what_the_papers_test_finds_out(seed):
    # Random accounts, but for what the smallest guess earned: that is just enough, or just not.
    rng = np.random.default_rng(seed)
    rounds = int(10 ** rng.uniform(3, 7))
    recipe = COBE(test_scale=10.0 ** rng.uniform(-3, 0))
    state = recipe.start(Problem(arms=4, dim=3, rounds=rounds))
    twin = twins.COBE(Bounds(4, 3, rounds), rng, test_scale=recipe.test_scale)
    lowest, count = state.bases.lowest, state.accounts.shape[0]
    stage = int(rng.integers(0, count - 1))
    twin.begin(lowest + stage)
    first, *larger = twin.bases
    for i in twin.bases:
        twin.bases[i].count = state.accounts[i - lowest, PULLS] = int(rounds * rng.random() ** 3)
        twin.earned[i] = rng.random() * twin.alpha[i] * rounds
    for _ in larger:  # none of the others is to be found out
        for i in larger:
            short = max(map(twin.sure, larger)) - twin.deserved(i)
            twin.earned[i] += twin.alpha[i] * max(0.0, 1.01 * short)
    border = max(map(twin.sure, larger)) - twin.deserved(first)
    for share, expected in ((1 + 1e-9, False), (1 - 1e-9, True)):
        trial = twin.earned[first] + twin.alpha[first] * border
        edge = twin.earned.copy()
        twin.earned[first] = trial + (share - 1) * abs(trial)
        assert twin.fails() == expected
        for i in twin.bases:
            state.accounts[i - lowest, EARNED] = twin.earned[i]
        assert guess_refuted(state, stage) == expected
        twin.earned = edge


def test_comparisons_reach_what_is_seldom_run():
    # A twin that never bends, projects, leaves out or fails its test would prove little.
    _, _, heavy = arms_of_both(*VARIANTS["huber-heavy"], 3, 5, 500, bounds=(1.0, 0.2))
    assert heavy.bends > 0
    assert heavy.projections > 0
    _, _, fit = arms_of_both(*VARIANTS["regression-small-memory"], 3, 5, 500)
    assert fit.left_out > 50
    _, _, cobe = arms_of_both(*VARIANTS["cobe-testing"], 3, 5, 500)
    assert cobe.k > cobe.k_first
