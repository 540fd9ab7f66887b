"""Policies withstand the attacks that they are made for, and learn without an attack."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.attacks import Garcelon, NoAttack
from robustbandits.attacks._base import AttackRecipe
from robustbandits.compiled.jit import jit_is_on, kernel
from robustbandits.game.match import play_match
from robustbandits.policies import (
    BARBAR,
    BARBAT,
    MLAER,
    BOBNoRestart,
    FastSlowElimination,
    Greedy,
    LinTS,
    LinUCB,
    OracleLinUCB,
    RobustBandit,
    RobustLinUCB,
    RobustRegressionUCB,
    SuccessiveElimination,
)

pytestmark = [
    pytest.mark.statistical,
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="many rounds"),
]

FRESH = rb.environments.Simulation()
FIXED = rb.environments.Simulation(arms=6, dim=2, contexts="fixed")
FEW = rb.environments.Simulation(arms=5, dim=3, contexts="fixed")


class LastingCorruptionState(NamedTuple):
    share: float

    @kernel
    def propose_reward(self, policy, scene, arm, reward, rng):
        corrupt = rng.random() < self.share and scene.means[arm] == scene.means.max()
        return reward - 2.0 if corrupt else reward


@dataclass(frozen=True)
class LastingCorruption(AttackRecipe):
    """Lowers a share of the best arm's rewards by 2, for the whole game."""

    share: float = 0.1

    def start(self, problem):
        return LastingCorruptionState(self.share)


def curves(environment, policy, attack, rounds=20_000, seeds=4):
    """Return the regret over time, summed over seeds."""
    games = [play_match(environment, [(attack, policy)], rounds, seed)[0] for seed in range(seeds)]
    return np.sum([game.regret for game in games], axis=0)


def harm(environment, policy, attack, **options):
    """Return the regret under attack as a multiple of that without."""
    clean = curves(environment, policy, NoAttack(), **options)[-1]
    return curves(environment, policy, attack, **options)[-1] / clean


def late_share(curve):
    """Return the share of the regret that the second half of the game adds."""
    return 1.0 - curve[len(curve) // 2] / curve[-1]


@pytest.mark.parametrize("environment", [FRESH, FIXED], ids=["fresh", "fixed"])
def test_lints_learns(environment):
    # Measured: 0.33 and 0.20. A policy that does not learn has 0.5.
    assert late_share(curves(environment, LinTS(), NoAttack())) < 0.42


def test_greedy_recovers_when_contexts_are_diverse_and_not_on_a_catalogue():
    # Measured: 0.02 and 0.50.
    assert late_share(curves(FRESH, Greedy(), Garcelon(100.0))) < 0.15
    assert late_share(curves(FIXED, Greedy(), Garcelon(100.0))) > 0.4


def test_burst_misleads_linucb():
    assert harm(FIXED, LinUCB(), Garcelon(30.0)) > 50.0  # measured: 363


@pytest.mark.parametrize(
    "policy",
    [RobustLinUCB(30.0), RobustLinUCB(30.0, bonus="l1"), RobustBandit(), BOBNoRestart()],
    ids=lambda policy: policy.label,
)
def test_burst_does_not_harm_policies_that_explore_more_for_it(policy):
    assert 0.7 < harm(FIXED, policy, Garcelon(30.0)) < 1.3  # measured: 1.00, 1.00, 1.01, 1.03


def test_oracle_explores_more_only_while_the_attack_lasts():
    attack = Garcelon(30.0)
    robust = curves(FIXED, RobustLinUCB(30.0, bonus="l2"), attack)[-1]
    assert curves(FIXED, OracleLinUCB(), attack)[-1] < 0.3 * robust  # measured: 0.21
    assert curves(FIXED, OracleLinUCB(), NoAttack())[-1] < 0.2 * robust  # measured: 0.04


def test_robust_regression_withstands_corruption_that_never_ends():
    attack = LastingCorruption(math.inf)
    assert harm(FIXED, LinUCB(), attack, seeds=8) > 3.5  # measured: 7.1
    assert harm(FIXED, RobustRegressionUCB(fraction=0.2), attack, seeds=8) < 2.5  # measured: 1.5


def test_burst_misleads_elimination_without_a_budget():
    # Measured: 628.
    assert harm(FEW, SuccessiveElimination.practical(0.0), Garcelon(50.0), rounds=100_000) > 30.0


@pytest.mark.parametrize(
    "policy",
    [
        FastSlowElimination(budget=50.0),
        MLAER.practical(),
        BARBAR.practical(),
        BARBAT.practical(),
    ],
    ids=lambda policy: policy.name,
)
def test_burst_does_little_harm_to_elimination_in_layers_and_to_epochs(policy):
    # Measured: 1.10, 1.19, 1.06, 1.06.
    assert harm(FEW, policy, Garcelon(50.0), rounds=100_000) < 2.0
