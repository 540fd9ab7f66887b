"""simulate: one game from its arguments to its ledger."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import robustbandits as rb
from property.laws import WILD, same_bits

LINUCB = rb.policies.LinUCB()


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("rounds", 0),
        ("rounds", -5),
        ("rounds", 10.0),
        ("rounds", 1e6),
        ("rounds", "10"),
        ("rounds", None),
        ("rounds", True),
        ("seed", -1),
        ("seed", 0.5),
        ("seed", None),
        ("points", 0),
        ("points", 2.5),
    ],
)
def test_a_bad_number_is_refused_by_name(argument, value):
    values = {"environment": WILD, "policy": LINUCB, "rounds": 10, argument: value}
    with pytest.raises((ValueError, TypeError), match=f"^{argument} must be .*{value}"):
        rb.simulate(**values)


def test_players_are_given_by_name():
    with pytest.raises(TypeError):
        rb.simulate(WILD, LINUCB)


def test_without_an_attack_nobody_attacks():
    default = rb.simulate(environment=WILD, policy=LINUCB, rounds=50)
    named = rb.simulate(environment=WILD, policy=LINUCB, attack=rb.attacks.NoAttack(), rounds=50)
    assert default.attack == "NoAttack"
    assert same_bits(default.regret, named.regret)


def test_numpy_numbers_are_numbers():
    plain = rb.simulate(environment=WILD, policy=LINUCB, rounds=50, seed=2)
    numpy = rb.simulate(environment=WILD, policy=LINUCB, rounds=np.int64(50), seed=np.uint8(2))
    assert same_bits(plain.regret, numpy.regret)


def test_a_recipe_is_not_used_up():
    attack = rb.attacks.Garcelon(5.0)
    one, other = (
        rb.simulate(environment=WILD, policy=LINUCB, attack=attack, rounds=100) for _ in range(2)
    )
    assert same_bits(one.regret, other.regret)
    assert one.spent == other.spent == 5.0


def test_global_random_state_is_neither_used_nor_changed():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    one = rb.simulate(environment=WILD, policy=rb.policies.LinTS(), rounds=50)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    other = rb.simulate(environment=WILD, policy=rb.policies.LinTS(), rounds=50)
    assert same_bits(one.regret, other.regret)


def test_a_misfit_of_attack_and_environment_is_told_before_play():
    class Mute:
        """An environment that does not tell its noise."""

        name = "Mute"

        def start(self, rounds, seed):
            nature = WILD.start(rounds, seed)
            nature.problem = replace(nature.problem, noise=None)
            return nature

    with pytest.raises(ValueError, match="Garcelon needs noise="):
        rb.simulate(environment=Mute(), policy=LINUCB, attack=rb.attacks.Garcelon(1.0), rounds=5)


@pytest.mark.parametrize("argument", ["environment", "policy", "attack"])
@pytest.mark.parametrize("value", [rb.policies.LinUCB, "LinUCB", 3])
def test_what_is_no_recipe_is_refused_by_name(argument, value):
    settings = {"environment": rb.environments.Simulation(), "policy": rb.policies.LinUCB()}
    with pytest.raises(TypeError, match=f"{argument} must be a recipe"):
        rb.simulate(**{**settings, argument: value}, rounds=1)


PLAYERS = {
    "environment": rb.environments.Simulation(arms=3, dim=2),
    "attack": rb.attacks.Oracle(1.0),
    "policy": rb.policies.RobustLinUCB(budget=1.0),  # has a budget too, and is no attack
}


@pytest.mark.parametrize("argument", PLAYERS)
@pytest.mark.parametrize("other", PLAYERS)
def test_players_in_each_others_place_are_refused_by_name(argument, other):
    if argument == other:
        return
    one_each = {**PLAYERS, argument: PLAYERS[other]}
    with pytest.raises(
        TypeError, match=f"^{argument} must be an? {argument}, .* that is an? {other}"
    ):
        rb.simulate(**one_each, rounds=5)
    plurals = {"environment": "environments", "attack": "attacks", "policy": "policies"}
    many = {plurals[role]: [player] for role, player in one_each.items()}
    with pytest.raises(TypeError, match=f"{plurals[argument]} must be an? {argument}, "):
        rb.compare(**many, rounds=5, seeds=1)
