"""An attack that reads the policy's state declares it; otherwise it may only ask it to choose."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import robustbandits as rb
from game.players import AttackRecipe, ConstantState, PolicyRecipe, simulate
from property.laws import make_attack
from robustbandits.compiled.fallback import PerformanceWarning
from robustbandits.compiled.jit import jit_is_on, kernel
from robustbandits.experiments.registry import kinds
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import choose, reads_policy

#: Each attack below lowers the reward by this number times the policy's arm, which is 2.
LEVEL = 0.03125


class Asks(NamedTuple):
    level: float

    def propose_reward(self, policy, scene, arm, reward, rng):
        asked = choose(policy, np.zeros((2, 3)), rng, np.zeros(4))
        return reward - self.level * asked


class ReadsField(NamedTuple):
    level: float

    @kernel
    def propose_reward(self, policy, scene, arm, reward, rng):
        return reward - self.level * policy.arm


class PassesOn(NamedTuple):
    level: float

    def propose_reward(self, policy, scene, arm, reward, rng):
        return reward - self.level * arm_of(policy)


@kernel
def arm_of(policy):
    return policy.arm


class Indexes(NamedTuple):
    level: float

    def propose_reward(self, policy, scene, arm, reward, rng):
        return reward - self.level * policy[1]


class AsksWithoutContiguousContexts(NamedTuple):
    level: float

    def propose_reward(self, policy, scene, arm, reward, rng):
        asked = choose(policy, np.zeros((2, 6))[:, ::2], rng, np.zeros(4))
        return reward - self.level * asked


READERS = [ReadsField, PassesOn, Indexes, AsksWithoutContiguousContexts]


def declared(kind: type) -> Any:
    """Return a class like this one that declares that it reads the policy."""
    return type(f"Declared{kind.__name__}", (kind,), {"reads_policy": True, "__slots__": ()})


def spent(attack: Any) -> float:
    return simulate(ConstantState(np.zeros(1), 2), attack, rounds=10).spent


def test_an_attack_may_ask_the_policy_to_choose_without_a_declaration():
    assert spent(Asks(LEVEL)) == pytest.approx(0.625)


@pytest.mark.skipif(not jit_is_on, reason="plain Python needs no declaration")
@pytest.mark.parametrize("kind", READERS)
def test_reading_the_policy_without_a_declaration_is_an_error_that_names_the_remedy(kind):
    message = rf"{kind.__name__} cannot be compiled.* declare it: reads_policy = True"
    with pytest.raises(TypeError, match=message):
        spent(kind(LEVEL))


@pytest.mark.parametrize(
    "kind",
    [
        ReadsField,
        *(
            pytest.param(k, marks=pytest.mark.slow)
            for k in (Asks, PassesOn, AsksWithoutContiguousContexts)
        ),
    ],
)
def test_an_attack_that_declares_it_reads_the_policy(kind):
    assert spent(declared(kind)(LEVEL)) == pytest.approx(0.625)


@pytest.mark.slow
@pytest.mark.filterwarnings("default::robustbandits.compiled.fallback.PerformanceWarning")
def test_an_attack_that_uses_the_policy_as_a_tuple_gets_it_by_value_with_one_warning(recwarn):
    attack = declared(Indexes)
    for _ in range(2):
        assert spent(attack(LEVEL)) == pytest.approx(0.625)
    found = [str(warning.message) for warning in recwarn if warning.category is PerformanceWarning]
    assert len(found) == (1 if jit_is_on else 0)
    expected = f"{attack.__name__} cannot be compiled for a pointer to the state of Con"
    assert all(text.startswith(expected) for text in found)


def test_the_declaration_may_be_on_the_recipe_or_on_the_state():
    class Recipe(AttackRecipe):
        reads_policy = True

    state = ReadsField(LEVEL)
    assert reads_policy(Recipe(state), state)
    assert reads_policy(AttackRecipe(state), declared(ReadsField)(LEVEL))
    assert not reads_policy(AttackRecipe(state), state)
    ledger = rb.simulate(
        environment=rb.environments.Simulation(arms=3, dim=2, noise=0.0),
        policy=PolicyRecipe(ConstantState(np.zeros(1), 2)),
        attack=Recipe(state),
        rounds=10,
    )
    assert ledger.spent == pytest.approx(0.625)


@pytest.mark.parametrize("name", kinds("attacks"))
def test_our_own_attacks_do_not_read_the_policy(name):
    attack = make_attack(name, 1.0)
    assert not reads_policy(
        attack, attack.start(Problem(arms=3, dim=2, rounds=10, noise=0.1, fixed_arms=True))
    )


class Broken(NamedTuple):
    level: float

    def propose_reward(self, policy, scene, arm, reward, rng):
        return reward - self.nothing


def test_an_attack_with_a_mistake_is_an_error_that_says_where():
    with pytest.raises((TypeError, AttributeError)) as caught:
        spent(Broken(LEVEL))
    assert "nothing" in str(caught.value.__cause__ if jit_is_on else caught.value)
