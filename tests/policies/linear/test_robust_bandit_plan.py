"""RobustBandit: the constants of a run, worked out from the problem."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustbandits.game.problem import Problem
from robustbandits.policies import RobustBandit

PAPER = Problem(arms=20, dim=10, rounds=10**6)


def test_plan_as_written_golden_constants():
    plan = RobustBandit.as_written().plan(PAPER)
    beta, gamma = 1.7557855, 16.6225820
    exact = beta * gamma * math.sqrt(10**6) / math.sqrt(math.e - 1)
    assert gamma == pytest.approx(math.sqrt(20 * math.log(1 + 10**6)), abs=5e-8)
    assert len(plan.levels) == 28
    assert exact == pytest.approx(22265.0028, abs=2e-3)
    assert plan.epoch == 22266  # rounded up; the paper says only 22265.0028
    assert plan.epoch - 1 < exact <= plan.epoch
    assert plan.epochs == 45 == math.ceil(10**6 / plan.epoch)
    assert plan.alpha == 1.0  # 1.0985 before the cut: EXP3 can learn nothing
    assert plan.delta == 0.01


def test_plan_theorem_three_counts_rounds():
    plan = RobustBandit.as_written(exp3_horizon="rounds").plan(PAPER)
    assert plan.alpha == pytest.approx(0.0073688, abs=5e-8)
    assert plan.alpha < RobustBandit.as_written().plan(PAPER).alpha


def test_plan_with_the_codes_noise_golden_constants():
    plan = RobustBandit.as_written(sigma=0.01).plan(PAPER)
    assert (plan.epoch, plan.epochs) == (5836, 172)
    assert plan.alpha == pytest.approx(0.562, abs=5e-4)


def test_plan_as_coded_golden_constants():
    plan = RobustBandit.as_coded().plan(PAPER)
    assert len(plan.levels) == 19
    assert plan.levels[-1] == 131072
    assert plan.epoch == math.inf  # the code's H is not whole, so its restart never comes
    assert plan.epochs == 1
    exact = 5835.5577
    assert RobustBandit.as_coded(epoch="paper").plan(PAPER).epoch == math.ceil(exact)
    assert not any(t % exact == 0 for t in range(1, 10**5))
    assert plan.levels[-1] <= 2 * 20 * exact < 2 * plan.levels[-1]


@pytest.mark.parametrize(
    ("recipe", "dim", "size", "epoch", "epochs", "alpha"),
    [
        (RobustBandit(candidates="2KT"), 10, 28, 2306, 434, 0.3537),
        (RobustBandit(candidates="2KT", sigma=0.01), 10, 28, 605, 1653, 0.1812),
        (RobustBandit(), 11, 12, 4433, 226, 0.277),
    ],
)
def test_plan_balanced_golden_constants(recipe, dim, size, epoch, epochs, alpha):
    plan = recipe.plan(Problem(arms=20, dim=dim, rounds=10**6))
    assert (len(plan.levels), plan.epoch, plan.epochs) == (size, epoch, epochs)
    assert plan.alpha == pytest.approx(alpha, abs=5e-4)
    # Balanced is the paper's epoch divided by √(N ln N), rounded up.
    paper = RobustBandit(**{**recipe.changes(), "epoch": "paper"})
    longest = paper.plan(Problem(arms=20, dim=dim, rounds=10**6)).epoch
    root = math.sqrt(size * math.log(size))
    assert (longest - 1) / root <= plan.epoch <= longest / root + 1
    assert plan.delta == pytest.approx(0.01 / epochs)


@given(
    st.integers(1, 100),
    st.integers(1, 50),
    st.integers(1, 10**7),
    st.sampled_from(["balanced", "paper", "never", 1, 100]),
    st.sampled_from(["sqrtT", "T", "2KT", "2KT-floor", "2KH-floor", (0.0,), (0.0, 3.0)]),
)
def test_plan_any_problem_has_whole_epochs_that_cover_the_game(
    arms, dim, rounds, epoch, candidates
):
    plan = RobustBandit(epoch=epoch, candidates=candidates).plan(
        Problem(arms=arms, dim=dim, rounds=rounds)
    )
    assert plan.epoch >= 1
    assert plan.epoch == math.inf or plan.epoch == int(plan.epoch)
    assert (plan.epochs - 1) * min(plan.epoch, rounds) < rounds <= plan.epochs * plan.epoch
    assert 0.0 <= plan.alpha <= 1.0
    assert 0.0 < plan.delta <= 0.01
    assert plan.delta * plan.epochs == pytest.approx(0.01)
    assert plan.levels[0] == 0.0


def test_plan_given_alpha_is_kept():
    assert RobustBandit(alpha=0.125).plan(PAPER).alpha == 0.125
