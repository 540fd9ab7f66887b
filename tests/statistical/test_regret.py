"""Regret without an attack: small if the model is right, linear if it lacks an intercept."""

import pytest

import robustbandits as rb

pytestmark = [pytest.mark.statistical, pytest.mark.slow]

ROUNDS = 100_000


def ledger(intercept, seed):
    environment = rb.environments.Simulation(intercept=intercept)
    return rb.simulate(
        environment=environment, policy=rb.policies.LinUCB(), rounds=ROUNDS, seed=seed
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_linucb_regret_with_an_intercept_is_small_and_without_it_linear(seed):
    right, wrong = ledger(True, seed), ledger(False, seed)
    assert right.final_regret < 1e3
    assert wrong.final_regret >= 10 * right.final_regret
    # With the wrong model the second half costs as much as the first, with the right one far less.
    middle = len(right.regret) // 2
    assert wrong.final_regret > 1.7 * wrong.regret[middle]
    assert right.final_regret < 1.4 * right.regret[middle]
