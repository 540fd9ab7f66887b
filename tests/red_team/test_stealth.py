"""How well an attack hides."""

import numpy as np
import pytest

import robustbandits as rb
from game.plain_policies import PlainLinUCB
from robustbandits.red_team._stealth import residuals

CATALOGUE = rb.environments.Simulation(arms=6, dim=3, contexts="fixed")
SMALL = {"environment": CATALOGUE, "rounds": 600, "seeds": 2, "yardsticks": []}


def attacked(attack, target="LinUCB", **changes):
    return rb.redteam(target, attacks=[attack], budgets=[20.0], **{**SMALL, **changes})


def test_residuals_are_those_of_a_ridge_regression_on_the_rounds_before():
    rng = np.random.default_rng(0)
    contexts, rewards = rng.standard_normal((20, 3)), rng.standard_normal(20)
    found = residuals(contexts, rewards)
    for i in range(20):
        gram = 0.1 * np.eye(3) + contexts[:i].T @ contexts[:i]
        theta = np.linalg.solve(gram, contexts[:i].T @ rewards[:i])
        spread = np.sqrt(1.0 + contexts[i] @ np.linalg.solve(gram, contexts[i]))
        assert found[i] == pytest.approx(abs(rewards[i] - contexts[i] @ theta) / spread)


@pytest.mark.parametrize("target", ["LinUCB", PlainLinUCB])
def test_the_largest_change_is_that_of_the_game(target):
    clicks = rb.environments.Simulation(arms=6, dim=3, contexts="fixed", rewards="clicks")
    report = attacked("Garcelon", target, environment=clicks)
    assert report.stealth.largest_change == 1.0
    assert 0.0 < attacked("RandomControl", target).stealth.largest_change <= 0.5


def test_large_changes_stand_out_and_small_ones_do_not():
    large = attacked(rb.attacks.RandomControl(1.0, size=20.0)).stealth.detection
    small = attacked(rb.attacks.RandomControl(1.0, size=0.05)).stealth.detection
    assert large > 0.8
    assert 0.4 < small < 0.65


def test_an_attack_that_changes_nothing_has_no_numbers():
    report = attacked(rb.attacks.RandomControl(1.0, probability=0.0))
    assert np.isnan(report.stealth.largest_change)
    assert "nothing was changed" in str(report)
    assert "nan" not in str(report)


def test_with_infinitely_many_arms_only_the_largest_change_is_known():
    report = attacked("FlipTheta", environment=rb.environments.UnitBall(dim=3))
    assert report.stealth.largest_change > 0.0
    assert np.isnan(report.stealth.detection)
    assert "nan" not in str(report)


@pytest.mark.slow
def test_a_late_attack_is_found_too():
    late = rb.attacks.Burst(rb.attacks.RandomControl(1.0, probability=1.0), start_at=0.9)
    report = rb.redteam("LinUCB", attacks=[late], budgets=[20.0], **{**SMALL, "rounds": 12_000})
    assert report.stealth.largest_change > 0.3
    assert report.stealth.detection > 0.6


@pytest.mark.slow
def test_a_detector_of_rewards_is_not_measured_if_contexts_are_changed():
    report = attacked("ContextDilation")
    assert report.stealth.largest_change > 0.0
    assert np.isnan(report.stealth.detection)
    assert report.to_dict()["stealth"]["detection"] is None
    assert "AUC" not in str(report)
