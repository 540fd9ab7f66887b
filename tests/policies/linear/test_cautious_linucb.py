"""CautiousLinUCB: LinUCB without tolerance, and the budgets that it withstands."""

import math

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import assert_same_play, block_of
from robustbandits.attacks import Garcelon
from robustbandits.compiled.jit import jit_is_on
from robustbandits.policies import CautiousLinUCB, LinUCB

TOLERANCE = 100.0


def statistical(test):
    needs_speed = pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")
    return pytest.mark.slow(pytest.mark.statistical(needs_speed(test)))


def test_cautious_without_tolerance_is_linucb():
    block = block_of(1500, contexts="fixed")
    assert_same_play(block, CautiousLinUCB(tolerance=0.0), LinUCB())


def regrets(budgets, *, top, rounds, seeds, sigma=0.1):
    """Return mean regrets on a catalogue when rewards are corrupted with these budgets."""
    results = rb.compare(
        environments=[rb.environments.Simulation(contexts="fixed", noise=sigma)],
        attacks={str(budget): Garcelon(budget, top=top) for budget in budgets},
        policies=[CautiousLinUCB(tolerance=TOLERANCE, sigma=sigma)],
        rounds=rounds,
        seeds=seeds,
    )
    mean = {row.attack: row.regret for row in results.summary().rows}
    return [mean[str(budget)] for budget in budgets]


def last_radius(policy, problem):
    """Return β in the last round, for contexts no longer than 1."""
    growth = (1 + problem.rounds / policy.ridge) / policy.delta
    noise = policy.sigma * math.sqrt(problem.dim * math.log(growth))
    return noise + math.sqrt(policy.ridge) * problem.theta_bound


@statistical
def test_cautious_withstands_its_tolerance_but_not_five_times_that_on_most_arms():
    budgets = (0.0, TOLERANCE, 5 * TOLERANCE)
    clean, tolerated, too_much = regrets(budgets, top="all-but-worst", rounds=30_000, seeds=20)
    assert tolerated < 1.5 * clean
    assert too_much > 5 * clean


@statistical
def test_cautious_withstands_a_third_of_its_tolerance_on_the_best_arm_but_not_all_of_it():
    clean, third, whole = regrets((0.0, 33.0, TOLERANCE), top="best", rounds=100_000, seeds=20)
    assert third < 1.2 * clean
    assert whole > 2.5 * clean


@statistical
@pytest.mark.parametrize("sigma", [0.01, 0.1, 0.3])
def test_cautious_withstands_more_with_a_larger_radius(sigma):
    environment = rb.environments.Simulation(contexts="fixed", noise=sigma)
    problem = environment.start(100_000, np.random.SeedSequence(0)).problem
    policy = CautiousLinUCB(tolerance=TOLERANCE, sigma=sigma)
    expected = TOLERANCE * last_radius(policy, problem) / math.sqrt(problem.dim)
    budgets = (0.0, 0.5 * expected, 1.5 * expected)
    clean, less, more = regrets(budgets, top="best", rounds=100_000, seeds=10, sigma=sigma)
    assert less < 1.2 * clean
    assert more > 1.5 * clean


@statistical
@pytest.mark.parametrize("seed", range(6))
def test_cautious_withstands_with_two_arms_what_the_documents_derive(seed):
    rounds, policy = 100_000, CautiousLinUCB(tolerance=TOLERANCE)
    place = rb.environments.Simulation(arms=2, dim=2, contexts="one-hot", intercept=False)

    def played(budget):
        return rb.simulate(
            environment=place,
            attack=Garcelon(budget),
            policy=policy,
            rounds=rounds,
            seed=seed,
        )

    clean = played(0.0)
    gap = clean.final_regret / clean.pulls.min()
    best = (clean.reward[-1] + clean.final_regret) / rounds
    radius = last_radius(policy, place.start(rounds, np.random.SeedSequence(0)).problem)
    expected = radius / (best - gap) - math.sqrt(policy.ridge)
    expected *= TOLERANCE * best / math.sqrt(2)
    assert played(0.7 * expected).final_regret < 0.5 * gap * rounds
    assert played(1.4 * expected).final_regret > 0.8 * gap * rounds
