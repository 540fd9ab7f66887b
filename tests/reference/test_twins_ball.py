"""Slow NumPy twins find no better vector of a ball than the policies choose."""

import pytest

import robustbandits as rb
from catalogue import compile_few
from reference import twins_ball
from reference.playing import assert_twins_on_ball
from reference.test_twins import assert_alike, compiles
from reference.variants import same

P = rb.policies
UP_TO_T = {"candidates": "T"}
BALL = {
    "linucb": same(P.LinUCB, twins_ball.LinUCB),
    "linucb-det": same(P.LinUCB, twins_ball.LinUCB, radius="det"),
    "linucb-certain": same(P.LinUCB, twins_ball.LinUCB, sigma=0.0, ridge=1e-6),
    "robust-linucb": same(P.RobustLinUCB, twins_ball.LinUCB, budget=30.0),
    "oracle-linucb": same(P.OracleLinUCB, twins_ball.LinUCB),
    "lints": same(P.LinTS, twins_ball.LinTS),
    "lints-without-spread": same(P.LinTS, twins_ball.LinTS, scale=0.0),
    "greedy": same(P.Greedy, twins_ball.Greedy),
    "cautious": same(P.CautiousLinUCB, twins_ball.CautiousLinUCB),
    "cw-oful": same(P.CWOFUL, twins_ball.CWOFUL, budget=20.0),
    "bob-no-restart": (P.BOBNoRestart(), twins_ball.BOBNoRestart, UP_TO_T),
    "bob-no-restart-learning": same(
        P.BOBNoRestart, twins_ball.BOBNoRestart, candidates=[0, 0.5, 8], alpha=0.2
    ),
    "robust-bandit": (P.RobustBandit(), twins_ball.RobustBandit, UP_TO_T),
    "robust-bandit-short-epochs": same(
        P.RobustBandit, twins_ball.RobustBandit, epoch=7, candidates=[0, 1, 16], alpha=0.3
    ),
}
MORE = {
    "huber": same(P.HuberOFUL, twins_ball.HuberOFUL, radius_scale=0.001),
    "regression": same(P.RobustRegressionUCB, twins_ball.RobustRegressionUCB),
    "window": same(P.SlidingWindowLinUCB, twins_ball.SlidingWindow, window=40),
}


def test_every_policy_for_infinitely_many_arms_has_a_twin():
    with_twin = {type(recipe).__name__ for recipe, _, _ in (BALL | MORE).values()}
    able = {name for name in P.__all__ if getattr(P, name).facts.infinite_arms}
    assert with_twin == able


@pytest.mark.filterwarnings("ignore:OracleLinUCB is a reference:UserWarning")
@pytest.mark.parametrize("dim", [1, 2, 6])
@pytest.mark.parametrize("variant", compile_few(BALL, ["linucb", "cautious", "greedy"]))
def test_policy_plays_a_ball_like_its_twin(variant, dim):
    assert_alike(*assert_twins_on_ball(*BALL[variant], dim=dim, seed=dim))


@pytest.mark.parametrize("variant", [pytest.param(name, marks=compiles) for name in MORE])
def test_other_policy_plays_a_ball_like_its_twin(variant):
    assert_alike(*assert_twins_on_ball(*MORE[variant]))
