"""Policies are called by address; those that cannot be are passed by value, with a warning."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import robustbandits as rb
from catalogue import compile_few
from game.players import ConstantState, PolicyRecipe, simulate
from robustbandits.compiled.fallback import PerformanceWarning
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.dispatch import AGENT_KERNELS, GAME_KERNELS, PolicyByAddress, by_address
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.problem import Problem

PROBLEM = Problem(arms=3, dim=2, rounds=10)
NEEDS_JIT = pytest.mark.skipif(not jit_is_on, reason="addresses are for compiled code")


class Declared(rb.attacks.Garcelon):
    """Garcelon, which reads nothing, but declares that it reads the policy."""

    reads_policy = True


def test_a_game_has_the_same_bits_by_address_by_pointer_and_in_python():
    nature = rb.environments.Simulation(arms=5, dim=3).start(400, stream(3, NATURE))
    block = nature.draw(400)
    ledgers = []
    for attack in (rb.attacks.Garcelon(5.0), Declared(5.0), rb.attacks.Garcelon(5.0)):
        game = Game(rb.policies.OracleLinUCB(), attack, nature.problem, 3, 10)
        if len(ledgers) == 2:
            game.play_in_python()
        game.advance(block)
        ledgers.append(game.close("here", 3))
    for ledger in ledgers[1:]:
        np.testing.assert_array_equal(ledgers[0].regret, ledger.regret)
        np.testing.assert_array_equal(ledgers[0].pulls, ledger.pulls)


def addresses(policy: rb.policies.LinUCB, kernels: tuple[str, ...]) -> list[str]:
    """Return the kernels of a policy that have an address."""
    state = by_address(policy.start(PROBLEM), kernels).state
    assert isinstance(state, PolicyByAddress)
    return [name.removesuffix("_address") for name, at in state._asdict().items() if at][1:]


@NEEDS_JIT
def test_the_kernels_that_are_needed_have_addresses():
    assert addresses(rb.policies.LinUCB(), GAME_KERNELS) == ["choose", "learn"]
    assert addresses(rb.policies.OracleLinUCB(), GAME_KERNELS) == ["choose", "learn", "overhear"]
    assert addresses(rb.policies.LinUCB(), AGENT_KERNELS) == list(AGENT_KERNELS)


class WithoutLearn(NamedTuple):
    log: Any

    def choose(self, contexts, rng, memo):
        return 0


class WithoutScore(WithoutLearn):
    def learn(self, arm, context, reward, memo, rng):
        pass


def test_a_policy_without_a_kernel_that_is_needed_is_refused():
    with pytest.raises(TypeError, match="WithoutLearn has no kernel 'learn': define it"):
        simulate(WithoutLearn(np.zeros(1)))
    with pytest.raises(TypeError, match="WithoutScore has no kernel 'score': define it"):
        rb.Agent(PolicyRecipe(WithoutScore(np.zeros(1))), arms=3, dim=2)
    simulate(WithoutScore(np.zeros(1)))  # a game needs no scores


def test_an_agent_has_no_probabilities_if_the_policy_has_none():
    agent = rb.Agent(PolicyRecipe(ConstantState(np.zeros(1), 1)), arms=3, dim=2)
    assert agent.choose(np.zeros((3, 2))).probabilities is None


class FailingState(ConstantState):
    def learn(self, arm, context, reward, memo, rng):
        if self.log[0] == 4.0:
            raise ZeroDivisionError("the fifth reward")
        self.log[0] += 1.0


def test_an_error_inside_a_kernel_reaches_the_caller():
    log = np.zeros(1)
    with pytest.raises(ZeroDivisionError, match="the fifth reward"):
        simulate(FailingState(log, 1))
    assert log[0] == 4.0


class HalfState(ConstantState):
    def choose(self, contexts, rng, memo):
        return 0.5


@NEEDS_JIT
def test_a_policy_whose_choose_returns_a_float_is_refused():
    with pytest.raises(TypeError, match=r"HalfState.choose must return int64, got float64"):
        simulate(HalfState(np.zeros(1), 0))


class Indexed(ConstantState):
    def choose(self, contexts, rng, memo):
        return self[1]


class SmallInteger(ConstantState):
    def choose(self, contexts, rng, memo):
        return np.int32(self.arm)


class WithTuple(NamedTuple):
    log: Any
    arms: tuple[int, float]

    def choose(self, contexts, rng, memo):
        return self.arms[0]

    learn = ConstantState.learn
    score = ConstantState.score


REASONS = {
    Indexed: "compiled for a pointer",
    SmallInteger: "SmallInteger.choose must return int64, got int32",
    WithTuple: "its field arms",
}


@pytest.mark.filterwarnings("default::robustbandits.compiled.fallback.PerformanceWarning")
@pytest.mark.parametrize("kind", compile_few(REASONS, [WithTuple]))
def test_a_state_that_is_used_as_a_tuple_is_played_with_one_warning(kind, recwarn):
    log = np.zeros(1)
    last = (lambda arm: (arm, 0.0)) if kind is WithTuple else int
    for _ in range(2):
        assert simulate(kind(log, last(2))).pulls.tolist() == [0, 0, 9]
    assert log[0] == 18.0
    agent = rb.Agent(PolicyRecipe(kind(log, last(1))), arms=3, dim=2)
    agent.learn(agent.choose(np.zeros((3, 2))), 0.5)
    assert log[0] == 19.0
    found = [str(warning.message) for warning in recwarn if warning.category is PerformanceWarning]
    assert len(found) == (1 if jit_is_on else 0)
    assert all(kind.__name__ in text and REASONS[kind] in text for text in found)


def define(first: str, second: str) -> Any:
    """Define a class of one name again, with its fields in another order."""

    class State(NamedTuple(first, [(first, Any), (second, Any)])):  # type: ignore[misc]
        def choose(self, contexts, rng, memo):
            return int(self.mine[0])

        def learn(self, arm, context, reward, memo, rng):
            pass

    return State


def test_two_classes_of_one_name_are_told_apart():
    for order in (("mine", "other"), ("other", "mine")):
        state = define(*order)(mine=np.array([1.0]), other=np.array([2.0]))
        assert simulate(state).pulls.tolist() == [0, 9, 0], order
