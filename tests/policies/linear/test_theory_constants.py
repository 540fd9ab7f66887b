"""The contextual linear policies: parameters, constants and presets. Nothing is compiled here."""

import math

import numpy as np
import pytest

from robustbandits.game.problem import Problem
from robustbandits.policies import (
    COBE,
    CWOFUL,
    HuberOFUL,
    MultiLevelWeightedOFUL,
    RobustRegressionUCB,
    SharedGrid,
    WeightedOFUL,
)
from robustbandits.policies.linear._levels import level_chances

PAPER = Problem(arms=20, dim=10, rounds=10**6)
NO_HORIZON = Problem(arms=3, dim=2)


@pytest.mark.parametrize(
    ("kind", "parameters", "error", "words"),
    [
        (WeightedOFUL, {"budget": -1.0}, ValueError, r"budget must be >= 0, got -1\.0"),
        (WeightedOFUL, {"budget": "5"}, TypeError, "budget must be a number, got '5'"),
        (WeightedOFUL, {"budget": 1, "ridge": 0}, ValueError, "ridge must be > 0, got 0"),
        (WeightedOFUL, {"budget": 1, "noise_bound": -2}, ValueError, "noise_bound must be >= 0"),
        (WeightedOFUL, {"budget": 1, "radius_scale": 0}, ValueError, "radius_scale must be > 0"),
        (MultiLevelWeightedOFUL, {"levels": 0}, ValueError, "levels must be >= 1, got 0"),
        (MultiLevelWeightedOFUL, {"levels": 2.0}, TypeError, "levels must be a whole number"),
        (MultiLevelWeightedOFUL, {"levels": 41}, ValueError, "levels must be <= 40, got 41"),
        (COBE, {"test_scale": 0.0}, ValueError, r"test_scale must be > 0, got 0\.0"),
        (COBE, {"max_corruption": -1}, ValueError, "max_corruption must be > 0, got -1"),
        (COBE, {"sigma": 0.0}, ValueError, "sigma must be > 0"),
        (SharedGrid, {"floor": 0.6}, ValueError, r"floor must be between 0 and 0\.5, got 0\.6"),
        (SharedGrid, {"uniform": 1}, TypeError, "uniform must be True or False, got 1"),
        (SharedGrid, {"candidates": "2KH-floor"}, ValueError, "needs epochs"),
        (SharedGrid, {"candidates": range(51)}, ValueError, "candidates must be at most 50"),
        (SharedGrid, {"bonus": "L2"}, ValueError, "bonus must be one of"),
        (HuberOFUL, {"moment": 1.0}, ValueError, r"moment must be above 1, got 1\.0"),
        (HuberOFUL, {"moment": 2.5}, ValueError, "moment must be between 1 and 2"),
        (HuberOFUL, {"budget": -3}, ValueError, "budget must be >= 0, got -3"),
        (HuberOFUL, {"radius_scale": -1}, ValueError, "radius_scale must be > 0"),
        (RobustRegressionUCB, {"fraction": 0.5}, ValueError, r"fraction must be below 0\.5"),
        (RobustRegressionUCB, {"fraction": -0.1}, ValueError, "fraction must be between 0"),
        (RobustRegressionUCB, {"memory": 9}, ValueError, "memory must be >= 10, got 9"),
        (RobustRegressionUCB, {"growth": 0}, ValueError, "growth must be > 0, got 0"),
        (RobustRegressionUCB, {"passes": 0}, ValueError, "passes must be >= 1, got 0"),
    ],
)
def test_bad_parameter_is_named(kind, parameters, error, words):
    with pytest.raises(error, match=words):
        kind(**parameters)


@pytest.mark.parametrize("kind", [MultiLevelWeightedOFUL, COBE, SharedGrid, HuberOFUL])
def test_without_a_horizon_it_says_so_in_one_sentence(kind):
    with pytest.raises(ValueError, match=f"{kind.__name__} needs to know the horizon") as caught:
        kind().start(NO_HORIZON)
    assert "\n" not in str(caught.value)


def test_what_needs_no_horizon_starts_without_one():
    assert WeightedOFUL(3.0).start(NO_HORIZON).levels == 0
    assert MultiLevelWeightedOFUL(levels=2).start(NO_HORIZON).levels == 2
    assert RobustRegressionUCB().start(NO_HORIZON).fraction == 0.1


@pytest.mark.parametrize(
    "recipe", [WeightedOFUL(1.0, ridge=1e-13), HuberOFUL(ridge=1e-13), COBE(ridge=1e-13)]
)
def test_penalty_that_floats_cannot_hold_is_refused(recipe):
    with pytest.raises(ValueError, match="ridge must be at least context_bound²"):
        recipe.start(PAPER)


def test_weighted_oful_theory_constants_at_the_papers_point():
    state = WeightedOFUL(100.0).start(PAPER)
    assert state.ridges.penalty == 1.0
    assert state.weight == pytest.approx(10 / 4)  # σ̄ = (R + 1)/√d = 2/√10
    assert state.band.reach == pytest.approx(1 / 4)
    assert len(state.ridges.theta) == 1
    assert WeightedOFUL(100.0, sigma=5.0).start(PAPER).weight == pytest.approx(1 / 25)


def test_multi_level_has_a_level_for_each_doubling_of_the_horizon():
    state = MultiLevelWeightedOFUL().start(PAPER)
    assert state.levels == math.ceil(math.log2(2 * 10**6)) == 21
    assert state.ridges.inverse.shape == (22, 10, 10)
    assert len(state.chances) == 21


@pytest.mark.parametrize("levels", [1, 2, 3, 21, 40])
def test_multi_level_chances_halve_and_sum_to_one(levels):
    chances = level_chances(levels)
    assert chances.sum() == 1.0
    assert chances[1:].tolist() == [2.0**-level for level in range(2, levels + 1)]
    assert chances[0] >= 0.5


def test_cobe_constants_are_those_of_cw_oful():
    state = COBE().start(PAPER)
    known = CWOFUL(budget=7.0).start(PAPER)
    assert state.bases.radius == known.constant
    assert state.bases.scale / 7.0 == known.caution
    assert state.ridges.penalty == known.optimist.ridge.penalty
    # β₁, β₂ and β₃ of the bound on a base's regret, spelled out again.
    iota = 10 * math.log(1 + 10**6 / (10 * 0.01))
    beta = max(1.0, known.constant)
    assert state.bases.root**2 == pytest.approx(8 * beta**2 * iota)
    assert state.bases.slope == pytest.approx(4 * beta * iota / state.bases.scale)
    assert state.bases.offset == pytest.approx(4 * beta * iota)
    highest = state.bases.lowest + len(state.accounts) - 1
    assert highest == math.ceil(math.log2(10**6))
    price = state.bases.root * 1000 + state.bases.slope + state.bases.offset
    assert 2**state.bases.lowest >= price / state.bases.slope > 2 ** (state.bases.lowest - 1)


def test_shared_grid_golden_constants_at_the_papers_point():
    state = SharedGrid().start(PAPER)
    assert state.levels.tolist() == [0.0, *(2.0**j for j in range(11))]
    assert state.exp4.floor == pytest.approx(math.sqrt(math.log(13) / (20 * 10**6)))
    assert state.exp4.floor == pytest.approx(3.6e-4, rel=0.01)
    assert state.exp4.trust == pytest.approx(math.sqrt(math.log(3900) / (20 * 10**6)))
    assert not state.exp4.log_weights.any()
    assert SharedGrid(candidates=[4, 0, 1]).start(PAPER).levels.tolist() == [0.0, 1.0, 4.0]


def test_shared_grid_short_game_keeps_half_of_the_play_for_the_experts():
    state = SharedGrid().start(Problem(arms=20, dim=3, rounds=5))
    assert state.exp4.floor == 1 / 40


def test_huber_theory_constants_at_the_papers_point():
    huber = HuberOFUL().start(PAPER).huber
    kappa = 10 * math.log(1 + 10**12 / (4 * 10 * 10))
    tail = math.log(2e12 / 0.01)
    assert huber.bend == pytest.approx(math.sqrt(2 * kappa / tail))
    assert huber.slope == pytest.approx(107 * tail * huber.bend)
    assert huber.base == pytest.approx(math.sqrt(60))
    assert (huber.power, huber.caution, huber.least) == (0.0, 0.0, 1e-3)
    floored = HuberOFUL(budget=None).start(PAPER).huber
    assert floored.caution == pytest.approx(math.sqrt(1000 / math.sqrt(kappa)))
    assert floored.base == pytest.approx(math.sqrt(60) + math.sqrt(kappa))
    assert HuberOFUL(moment=1.5).start(PAPER).huber.power == pytest.approx(1 / 6)


def test_practical_presets_change_one_constant_and_take_others():
    assert WeightedOFUL.practical(5.0).changes().keys() == {"budget", "radius_scale"}
    assert MultiLevelWeightedOFUL.practical().changes().keys() == {"radius_scale"}
    assert COBE.practical().changes().keys() == {"test_scale"}
    assert HuberOFUL.practical().changes().keys() == {"radius_scale"}
    assert COBE.practical(sigma=0.3).sigma == 0.3
    assert HuberOFUL.practical(radius_scale=0.5).radius_scale == 0.5


# ------------------------------------------------- what a stranger's file may hold


@pytest.mark.parametrize(
    ("recipe", "memo"),
    [
        (WeightedOFUL(1.0), [1, 0, 0, 0]),
        (WeightedOFUL(1.0), [-1, 0, 0, 0]),
        (MultiLevelWeightedOFUL(levels=3), [0, 0, 0, 0]),
        (MultiLevelWeightedOFUL(levels=3), [4, 0, 0, 0]),
        (MultiLevelWeightedOFUL(levels=3), [1.5, 0, 0, 0]),
        (COBE(), [0, -1, 0, 0]),
        (COBE(), [0, 99, 0, 0]),
        (COBE(), [99, 0, 0, 0]),
        (SharedGrid(candidates=[0, 1]), [2, 0, 0.5, 3]),
        (SharedGrid(candidates=[0, 1]), [0, 2, 0.5, 3]),
        (SharedGrid(candidates=[0, 1]), [0, 0, 0.0, 3]),
        (SharedGrid(candidates=[0, 1]), [0, 0, 1e-300, 3]),
        (SharedGrid(candidates=[0, 1]), [0, 0, 0.5, 0]),
        (SharedGrid(candidates=[0, 1]), [0.5, 0, 0.5, 3]),
    ],
)
def test_impossible_memo_is_refused(recipe, memo):
    state = recipe.start(Problem(arms=3, dim=2, rounds=1000))
    with pytest.raises(ValueError, match="must"):
        state.check(np.array([memo], dtype=float))


def test_possible_memos_are_taken():
    problem = Problem(arms=3, dim=2, rounds=1000)
    WeightedOFUL(1.0).start(problem).check(np.zeros((2, 4)))
    MultiLevelWeightedOFUL(levels=3).start(problem).check(np.array([[3.0, 0, 0, 0]]))
    COBE().start(problem).check(np.array([[0.0, 1, 0, 0]]))
    SharedGrid(candidates=[0, 1]).start(problem).check(np.array([[1.0, -1, 0.1, 3]]))
    RobustRegressionUCB().start(problem).check(np.zeros((1, 4)))


def test_cobe_impossible_stage_is_refused():
    state = COBE().start(PAPER)
    state.stage[0] = 1e6
    with pytest.raises(ValueError, match="stage must be"):
        state.check(np.zeros((0, 4)))


@pytest.mark.parametrize("learned", [-1.0, 0.5, 2.0**60])
def test_robust_regression_impossible_clock_is_refused(learned):
    state = RobustRegressionUCB().start(PAPER)
    state.memory.clock[0] = learned
    with pytest.raises(ValueError, match="rewards learned"):
        state.check(np.zeros((0, 4)))
