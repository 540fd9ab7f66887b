"""simulate: arguments, and the game that is played."""

from dataclasses import replace

import numpy as np
import pytest

import robustbandits as rb
from property.laws import WILD, same_bits

LINUCB = rb.policies.LinUCB()


@pytest.mark.parametrize(
    ("argument", "value"),
    [("rounds", 0), ("rounds", 1e6), ("rounds", None), ("seed", -1), ("seed", 0.5), ("points", 0)],
)
def test_a_bad_number_is_an_error_with_its_name(argument, value):
    values = {"environment": WILD, "policy": LINUCB, "rounds": 10, argument: value}
    with pytest.raises((ValueError, TypeError), match=f"^{argument} must be .*{value}"):
        rb.simulate(**values)


def test_the_default_attack_is_none():
    default = rb.simulate(environment=WILD, policy=LINUCB, rounds=50)
    named = rb.simulate(environment=WILD, policy=LINUCB, attack=rb.attacks.NoAttack(), rounds=50)
    assert default.attack == "NoAttack"
    assert same_bits(default.regret, named.regret)


def test_numpy_numbers_are_accepted():
    plain = rb.simulate(environment=WILD, policy=LINUCB, rounds=50, seed=2)
    numpy = rb.simulate(environment=WILD, policy=LINUCB, rounds=np.int64(50), seed=np.uint8(2))
    assert same_bits(plain.regret, numpy.regret)


def test_the_global_random_state_is_neither_used_nor_changed():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = rb.simulate(environment=WILD, policy=rb.policies.LinTS(), rounds=50)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    second = rb.simulate(environment=WILD, policy=rb.policies.LinTS(), rounds=50)
    assert same_bits(first.regret, second.regret)


def test_an_attack_that_does_not_fit_the_environment_is_an_error_before_play():
    class WithoutNoise:
        """An environment that does not give its noise."""

        name = "WithoutNoise"

        def start(self, rounds, seed):
            nature = WILD.start(rounds, seed)
            nature.problem = replace(nature.problem, noise=None)
            return nature

    attack = rb.attacks.Garcelon(1.0)
    with pytest.raises(ValueError, match="Garcelon needs noise="):
        rb.simulate(environment=WithoutNoise(), policy=LINUCB, attack=attack, rounds=5)


@pytest.mark.parametrize("argument", ["environment", "policy", "attack"])
@pytest.mark.parametrize("value", [rb.policies.LinUCB, "LinUCB", 3])
def test_an_argument_that_is_no_recipe_is_an_error_with_its_name(argument, value):
    settings = {"environment": WILD, "policy": LINUCB}
    with pytest.raises(TypeError, match=f"{argument} must be a recipe"):
        rb.simulate(**{**settings, argument: value}, rounds=1)


ROLES = {
    "environment": rb.environments.Simulation(arms=3, dim=2),
    "attack": rb.attacks.Oracle(1.0),
    "policy": rb.policies.RobustLinUCB(budget=1.0),  # has a budget, too, but is no attack
}
PLURALS = {"environment": "environments", "attack": "attacks", "policy": "policies"}


@pytest.mark.parametrize(
    ("argument", "other"), [(a, b) for a in ROLES for b in ROLES if a != b], ids=str
)
def test_a_recipe_of_another_role_is_an_error_with_both_roles(argument, other):
    recipes = {**ROLES, argument: ROLES[other]}
    with pytest.raises(TypeError, match=f"^{argument} must be an? {argument}, .* got an? {other}"):
        rb.simulate(**recipes, rounds=5)
    lists = {PLURALS[role]: [recipe] for role, recipe in recipes.items()}
    with pytest.raises(TypeError, match=f"{PLURALS[argument]} must be an? {argument}, "):
        rb.compare(**lists, rounds=5, seeds=1)
