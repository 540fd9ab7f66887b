"""The inequalities that the theory uses hold for the sums that the kernels keep."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import ENERGY, LOG_DET, observe, start_ridge
from robustbandits.policies import RobustLinUCB
from robustbandits.policies.linear._linear import corruption_bonus

#: Rounding of sums of a hundred terms.
SLACK = 1 + 1e-9


def random_design(kind, dim, count, seed):
    """Return contexts no longer than 1: diverse, along the axes, or nearly all alike."""
    rng = np.random.default_rng(seed)
    if kind == "axes":
        return np.eye(dim)[rng.integers(0, dim, count)]
    design = rng.standard_normal((count, dim))
    if kind == "alike":
        design = rng.standard_normal(dim) + 0.01 * design
    design /= np.linalg.norm(design, axis=1, keepdims=True)
    return design * rng.uniform(0.2, 1.0, (count, 1)) if kind == "diverse" else design


kinds = st.sampled_from(["diverse", "axes", "alike"])
designs = st.builds(
    random_design, kinds, st.integers(1, 10), st.integers(1, 80), st.integers(0, 2**32 - 1)
)


def regression(design, penalty, rewards=None):
    """Return the kernel's regression on a design, and the leverage of each context."""
    ridge = start_ridge(design.shape[1], penalty)
    leverages = []
    for t, x in enumerate(design):
        before = ridge.tally[ENERGY]
        observe(ridge, x, 0.0 if rewards is None else rewards[t], 1.0)
        leverages.append(ridge.tally[ENERGY] - before)
    return ridge, np.array(leverages)


@settings(deadline=None, max_examples=60)
@given(designs, st.floats(0.01, 10.0))
def test_elliptical_potential_holds_for_any_penalty(design, penalty):
    count, dim = design.shape
    ridge, leverages = regression(design, penalty)
    log_det = ridge.tally[LOG_DET]
    assert np.minimum(1.0, leverages).sum() <= 2 * log_det * SLACK
    assert log_det <= dim * math.log(1 + count / (dim * penalty)) * SLACK


def test_elliptical_potential_paper_constant_fails_at_the_papers_penalty():
    # γ² = Σq <= 2d log(1 + n/(dλ)) is what the paper's epoch length rests on, with λ = 0.1.
    ridge, leverages = regression(np.eye(10), 0.1)
    bound = 20 * math.log(1 + 10 / (10 * 0.1))
    assert bound == pytest.approx(48, abs=0.1)
    assert ridge.tally[ENERGY] == pytest.approx(100)
    assert ridge.tally[ENERGY] > 2 * bound
    # After a single round already, against twice the log determinant.
    one, _ = regression(np.eye(10)[:1], 0.1)
    assert one.tally[ENERGY] == leverages[0] == pytest.approx(10)
    assert one.tally[ENERGY] > 2 * one.tally[LOG_DET] == pytest.approx(4.8, abs=0.01)


def worst_corruption(design, penalty):
    """Return the unit vector of corruptions that moves the estimate most: a singular vector."""
    gram = penalty * np.eye(design.shape[1]) + design.T @ design
    root = np.linalg.cholesky(np.linalg.inv(gram))
    return np.linalg.svd(design @ root)[0][:, 0]


def corruption(design, penalty, kind, seed):
    rng = np.random.default_rng(seed)
    count = len(design)
    if kind == "worst":
        return rng.uniform(0.1, 10.0) * worst_corruption(design, penalty)
    if kind == "burst":
        return np.where(np.arange(count) < max(1, count // 4), -1.0, 0.0)
    if kind == "one":
        return np.where(np.arange(count) == rng.integers(count), 5.0, 0.0)
    return rng.standard_normal(count)


def harm_and_bonuses(design, penalty, change, rewards):
    """Return how far corruptions move the estimate, and what each bonus allows for them."""
    clean, _ = regression(design, penalty, rewards)
    corrupt, _ = regression(design, penalty, rewards + change)
    moved = corrupt.theta - clean.theta
    harm = math.sqrt(max(0.0, moved @ clean.gram @ moved))
    level, largest = np.abs(change).sum(), np.abs(change).max()
    bonuses = {}
    for bonus in ("paper", "l1", "l2"):
        recipe = RobustLinUCB(level, bonus=bonus, max_corruption=largest, ridge=penalty)
        state = recipe.start(Problem(arms=1, dim=design.shape[1]))
        bonuses[bonus] = corruption_bonus(state.optimist._replace(ridge=corrupt), level)
    return harm, bonuses


@settings(deadline=None, max_examples=100)
@given(
    designs,
    st.floats(0.01, 10.0),
    st.sampled_from(["worst", "burst", "one", "random"]),
    st.integers(0, 2**32 - 1),
)
def test_corrupted_rewards_move_the_estimate_by_no_more_than_any_bonus(design, penalty, kind, seed):
    change = corruption(design, penalty, kind, seed)
    rewards = np.random.default_rng(seed).random(len(design))
    harm, bonuses = harm_and_bonuses(design, penalty, change, rewards)
    ridge, _ = regression(design, penalty)
    inner = design.T @ change
    direct = math.sqrt(inner @ np.linalg.solve(ridge.gram, inner))
    assert harm == pytest.approx(direct, rel=1e-6, abs=1e-9)
    assert harm <= np.linalg.norm(change) * SLACK + 1e-9
    assert harm <= math.sqrt(ridge.tally[ENERGY]) * np.linalg.norm(change) * SLACK + 1e-9
    for bonus in bonuses.values():
        assert harm <= bonus * SLACK + 1e-9


@pytest.mark.parametrize("count", [1, 10, 1000])
def test_corruption_bonus_l2_is_reached_by_corrupting_one_arm_repeatedly(count):
    # n corruptions of 1 on one arm: harm n/√(λ + n), bonus √n. No smaller bonus would do.
    design = np.tile([0.6, 0.8], (count, 1))
    harm, bonuses = harm_and_bonuses(design, 0.01, np.ones(count), np.zeros(count))
    assert harm == pytest.approx(count / math.sqrt(0.01 + count), rel=1e-9)
    assert bonuses["l2"] == pytest.approx(math.sqrt(count))
    assert 0.99 * bonuses["l2"] < harm <= bonuses["l2"] <= bonuses["l1"]
