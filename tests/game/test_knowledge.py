"""An attack is given only what its level of knowledge allows, and NaN for the rest."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import robustbandits as rb
from catalogue import compile_few
from property.laws import (
    FOR_FIXED_ARMS,
    FORMS,
    OTHER_SURFACES,
    WILD,
    attack_of,
    deal_rounds,
    make_attack,
    played,
)
from robustbandits.compiled.jit import kernel
from robustbandits.game.knowledge import LEVELS, knowledge_of, knows
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO, choose

PROBLEM = Problem(arms=5, dim=3, noise=0.1, rounds=100)


def make_spy(level):
    """Return an attack of this level that notes what it is shown."""

    @knows(level)
    class SpyState(NamedTuple):
        notes: np.ndarray  # (2,) finite contexts and means that it was shown

        @kernel
        def propose_reward(self, policy, scene, arm, reward, rng):
            if np.isfinite(scene.contexts[0, 0]):
                self.notes[0] += 1.0
            if np.isfinite(scene.means[0]):
                self.notes[1] += 1.0
            return reward

    SpyState.__name__ += level.replace("-", "")  # Numba tells named tuples apart by their names
    return SpyState


class Spy(rb.attacks.Garcelon):
    """Starts a given state."""

    def start(self, problem):
        return make_spy(self.top)(np.zeros(2))

    def __post_init__(self):
        pass


@pytest.mark.parametrize("level", compile_few(LEVELS, ["black-box"]))
def test_contexts_and_means_are_shown_from_their_level_on(level):
    problem, block = deal_rounds(WILD, 7)
    notes = played(problem, block, Spy(1.0, top=level), rb.policies.LinUCB()).attack.notes
    assert notes.tolist() == [0.0 if level == "oblivious" else 7.0, 7.0 * (level == "omniscient")]


class AsksState(NamedTuple):
    """An attack that asks the policy."""

    nothing: float

    @kernel
    def propose_reward(self, policy, scene, arm, reward, rng):
        return float(choose(policy, scene.contexts.copy(), rng, np.zeros(MEMO)))


@knows("black-box")
class AsksWithoutPermissionState(AsksState):
    """The same, declared as black-box."""


class Asks(rb.attacks.Garcelon):
    def start(self, problem):
        return AsksState(0.0)


class AsksWithoutPermission(rb.attacks.Garcelon):
    def start(self, problem):
        return AsksWithoutPermissionState(0.0)


def test_only_an_attack_of_a_high_level_may_ask_the_policy():
    problem, block = deal_rounds(WILD, 3)
    assert played(problem, block, Asks(9.0), rb.policies.LinUCB()).purse.account[0] > 0.0
    with pytest.raises(AttributeError, match=r"'NoPolicy' .*has no attribute 'choose'"):
        played(problem, block, AsksWithoutPermission(9.0), rb.policies.LinUCB())


@pytest.mark.parametrize("form", FORMS)
def test_the_facts_name_the_level_of_the_state(form):
    attack = attack_of(form, 1.0)
    level = knowledge_of(attack.start(PROBLEM))
    raised = {"FlipTheta mean": "omniscient", "RandomControl contexts": "weak"}
    if hasattr(attack, "attack") and form != "Shadow":
        raised[form] = attack.attack.facts.knowledge  # omniscient: as high as a level can be
    assert level == raised.get(form, attack.facts.knowledge)


@pytest.mark.parametrize("name", OTHER_SURFACES)
def test_the_facts_of_attacks_on_other_surfaces_name_their_level(name):
    attack = make_attack(name, 1.0)
    assert knowledge_of(attack.start(PROBLEM)) == attack.facts.knowledge


def test_every_attack_states_all_facts():
    for name in (*FORMS, *FOR_FIXED_ARMS, *OTHER_SURFACES):
        facts = getattr(rb.attacks, FORMS.get(name, (name,))[0]).facts
        assert "not stated" not in facts, name
        assert facts.knowledge in (*LEVELS, "as the wrapped attack", "at least black-box"), name


class Inner(NamedTuple):
    inner: Any


def test_an_attack_around_another_has_the_higher_level():
    weak, omniscient = (make_spy(level)(np.zeros(2)) for level in ("weak", "omniscient"))
    assert knowledge_of(weak) == "weak"
    around = knows("black-box")(type("Around", (Inner,), {}))
    assert knowledge_of(around(weak)) == "black-box"
    assert knowledge_of(around(omniscient)) == "omniscient"
    assert knowledge_of(Inner(weak)) == "omniscient"  # declares nothing
