"""Policies and attacks written in ways that addresses do not suit are played all the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game import dispatch
from robustbandits.game.dispatch import IN_GAME, Handle, hold, looks_inside
from robustbandits.game.verbs import choose

PLACE = rb.environments.Simulation(arms=3, dim=2, noise=0.0)


class Recipe(NamedTuple):
    state: Any
    name: str = "recipe"

    def start(self, problem):
        return self.state


class Raid(NamedTuple):
    state: Any
    budget: float = 1.0
    purse: str = "truncate"
    name: str = "raid"

    def start(self, problem):
        return self.state


class Base(NamedTuple):
    log: Any
    arm: int

    def learn(self, arm, context, reward, memo, rng):
        self.log[0] += 1.0

    def score(self, contexts, memo, means, bonuses):
        means[:] = 0.0
        bonuses[:] = 0.0


class Plain(Base):
    def choose(self, contexts, rng, memo):
        return self.arm


class Indexed(Base):
    def choose(self, contexts, rng, memo):
        return self[1]


class Unpacked(Base):
    def choose(self, contexts, rng, memo):
        _, arm = self
        return arm


class Small(Base):
    def choose(self, contexts, rng, memo):
        return np.int32(self.arm)


class Talkative(Base):
    def choose(self, contexts, rng, memo):
        return self.arm

    def learn(self, arm, context, reward, memo, rng):
        self.log[0] += 1.0
        return reward


class Mute(NamedTuple):
    log: Any

    def choose(self, contexts, rng, memo):
        return 0


class Scoreless(Mute):
    def learn(self, arm, context, reward, memo, rng):
        pass


@pytest.mark.parametrize("kind", [Plain, Indexed, Unpacked, Small, Talkative])
def test_a_state_may_be_used_as_the_tuple_that_it_is(kind):
    log = np.zeros(1)
    ledger = rb.simulate(environment=PLACE, policy=Recipe(kind(log, 2)), rounds=9)
    assert ledger.pulls.tolist() == [0, 0, 9]
    assert log[0] == 9.0
    agent = rb.Agent(Recipe(kind(log, 1)), arms=3, dim=2)
    agent.learn(agent.choose(np.zeros((3, 2))), 0.5)
    assert log[0] == 10.0


def test_without_a_kernel_that_it_needs_a_policy_is_refused():
    """It used to be called at address 0."""
    with pytest.raises(TypeError, match="Mute has no kernel 'learn'"):
        rb.simulate(environment=PLACE, policy=Recipe(Mute(np.zeros(1))), rounds=9)
    with pytest.raises(TypeError, match="Scoreless has no kernel 'score'"):
        rb.Agent(Recipe(Scoreless(np.zeros(1))), arms=3, dim=2)
    # A game asks for no scores.
    rb.simulate(environment=PLACE, policy=Recipe(Scoreless(np.zeros(1))), rounds=9)


def define(first: str, second: str) -> Any:
    """Define a class once more, with its fields in another order, as an edited cell does."""

    class State(NamedTuple(first, [(first, Any), (second, Any)])):  # type: ignore[misc]
        def choose(self, contexts, rng, memo):
            return int(self.mine[0])

        def learn(self, arm, context, reward, memo, rng):
            pass

    return State


def test_two_classes_of_one_name_are_two():
    for order in (("mine", "yours"), ("yours", "mine")):
        state = define(*order)(mine=np.array([1.0]), yours=np.array([2.0]))
        ledger = rb.simulate(environment=PLACE, policy=Recipe(state), rounds=9)
        assert ledger.pulls.tolist() == [0, 9, 0], order


class Peeks(NamedTuple):
    """Asks with a matrix that is not contiguous, which a handle does not take."""

    level: float

    def propose_reward(self, policy, scene, arm, reward, rng):
        wide = np.zeros((2, 6))
        asked = choose(policy, wide[:, ::2], rng, np.zeros(4))
        return reward - self.level * asked


class Opens(NamedTuple):
    level: float

    def propose_reward(self, policy, scene, arm, reward, rng):
        _, asked = policy
        return reward - self.level * asked


class Encloses(NamedTuple):
    level: float

    def propose_reward(self, policy, scene, arm, reward, rng):
        return reward - sum([self.level * policy.arm for _ in range(1)])


class Gathers(NamedTuple):
    level: float

    def propose_reward(*given):
        return given[4] - given[0].level * given[1].arm


@pytest.mark.parametrize("kind", [Peeks, Opens, Encloses, Gathers])
def test_an_attack_may_do_with_a_policy_what_it_likes(kind):
    policy, attack = Recipe(Plain(np.zeros(1), 2)), Raid(kind(0.03125))
    ledger = rb.simulate(environment=PLACE, policy=policy, attack=attack, rounds=10)
    assert ledger.spent == pytest.approx(0.625)


def test_an_attack_that_cannot_be_compiled_says_so():
    class Broken(NamedTuple):
        level: float

        def propose_reward(self, policy, scene, arm, reward, rng):
            return reward - self.nothing

    with pytest.raises(Exception, match="nothing"):
        rb.simulate(
            environment=PLACE,
            policy=Recipe(Plain(np.zeros(1), 2)),
            attack=Raid(Broken(1.0)),
            rounds=10,
        )


class Step(NamedTuple):
    opname: str
    argval: Any


@pytest.mark.parametrize(
    ("steps", "looks"),
    [
        ([("LOAD_GLOBAL", "choose"), ("LOAD_FAST", "policy")], False),
        ([("LOAD_GLOBAL", "choose"), ("LOAD_FAST_LOAD_FAST", ("policy", "scene"))], False),
        ([("LOAD_GLOBAL", "choose"), ("LOAD_FAST_BORROW", "policy")], False),
        ([("LOAD_CONST", 1), ("STORE_FAST_LOAD_FAST", ("x", "policy"))], True),
        ([("LOAD_GLOBAL", "choose"), ("STORE_FAST_LOAD_FAST", ("x", "policy"))], True),
        ([("RESUME", 0), ("LOAD_FAST_LOAD_FAST", ("self", "policy"))], True),
        ([("RESUME", 0), ("LOAD_FAST_CHECK", "policy")], True),
        ([("RESUME", 0), ("LOAD_FAST", "reward")], False),
    ],
)
def test_every_python_reads_its_arguments_in_its_own_way(monkeypatch, steps, looks):
    """3.13 loads two names at once, or stores one and loads another; 3.14 borrows."""
    found = [Step(*step) for step in steps]
    monkeypatch.setattr(dispatch.dis, "get_instructions", lambda verb: iter(found))
    assert looks_inside(Peeks(0.0)) is looks


@pytest.mark.skipif(not jit_is_on, reason="handles are for compiled code")
def test_what_an_address_suits_has_one():
    assert isinstance(hold(Plain(np.zeros(1), 2), IN_GAME)[0], Handle)
    state = Unpacked(np.zeros(1), 2)
    assert hold(state, IN_GAME)[0] is state
