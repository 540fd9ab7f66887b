"""A broken contract is reported in a sentence that says what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

from robustbandits.attacks._base import AttackRecipe
from robustbandits.checks import BrokenContract, check_attack, check_environment, check_policy
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import PolicyFacts, policy_facts
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import Recipe
from robustbandits.game.rounds import deal


class State(NamedTuple):
    """A policy without any mistake, which always plays the first arm."""

    log: Any

    def choose(self, contexts, rng, memo):
        return 0

    def learn(self, arm, context, reward, memo, rng):
        self.log[0] += 1.0

    def score(self, contexts, memo, means, bonuses):
        means[:] = 0.0
        bonuses[:] = 0.0


def policy_of(state: type, fields: Any = np.zeros) -> Any:
    """Return a recipe without facts that starts this state."""

    @dataclass(frozen=True, kw_only=True)
    class Policy(Recipe):
        def start(self, problem: Problem):
            return state(fields(1))

    return Policy()


def test_a_policy_without_facts_keeps_its_contract():
    policy = policy_of(State)
    assert policy_facts(policy) == PolicyFacts() == policy_facts(type(policy))
    check_policy(policy)


def test_the_default_facts_of_a_policy_with_fixed_arms_say_so():
    class Policy(Recipe):
        fixed_arms: ClassVar[bool] = True

    assert policy_facts(Policy).setting == "fixed arms"


class ReturnsFloat(State):
    def choose(self, contexts, rng, memo):
        return 1.5


class ReturnsNone(State):
    def choose(self, contexts, rng, memo):
        pass


class ReturnsBool(State):
    def choose(self, contexts, rng, memo):
        return True


class ReturnsNoSuchArm(State):
    @kernel
    def choose(self, contexts, rng, memo):
        return contexts.shape[1]


class ReturnsNegative(State):
    def choose(self, contexts, rng, memo):
        return -1


class WithoutLearn(NamedTuple):
    log: Any

    choose = State.choose
    score = State.score


class OtherArguments(State):
    def learn(self, arm, reward):
        pass


class OtherProbabilityArguments(State):
    def probability(self, contexts, out):
        pass


class ChangesState(State):
    def choose(self, contexts, rng, memo):
        self.log[0] += 1
        return 0


class IsNotRepeatable(State):
    def choose(self, contexts, rng, memo):
        return int(np.random.randint(5))  # noqa: NPY002


class LearnsNaN(State):
    def learn(self, arm, context, reward, memo, rng):
        self.log[0] = np.nan


class ScoresNothing(State):
    def score(self, contexts, memo, means, bonuses):
        pass


class WrongProbabilities(State):
    def probability(self, contexts, memo, out):
        out[:] = 1.0


class WritesBeyondMemo(State):
    @property
    def memo_size(self):
        return 7

    @kernel
    def choose(self, contexts, rng, memo):
        memo[6] = 1.0
        return 0


POLICIES = {
    ReturnsFloat: "choose must return the index of an arm, an int; got 1.5 of type float",
    ReturnsNone: "choose must return the index of an arm, an int; got None of type NoneType",
    ReturnsBool: "choose must return the index of an arm, an int; got True of type bool",
    ReturnsNoSuchArm: "choose must return an arm from 0 to 4; got 5",
    ReturnsNegative: "choose must return an arm from 0 to 4; got -1",
    WithoutLearn: "state has no kernel 'learn': define it",
    OtherArguments: "learn must take .*'context'.* it takes ",
    OtherProbabilityArguments: "probability must take .*'memo'.* it takes ",
    ChangesState: "choose changed the state",
    IsNotRepeatable: "is not repeatable",
    LearnsNaN: "state is not finite after 1 rewards",
    ScoresNothing: "score must write a finite mean and bonus for every arm",
    WrongProbabilities: "probabilities must sum to 1; their sum is 5",
    WritesBeyondMemo: "writes beyond the end of its memo",
}


@pytest.mark.parametrize("state", POLICIES)
def test_a_policy_that_breaks_its_contract_is_reported(state):
    with pytest.raises(BrokenContract, match=POLICIES[state]):
        check_policy(policy_of(state))


def test_a_state_that_is_not_a_named_tuple_is_reported():
    for state in (list, lambda array: (array,), lambda array: {"log": array}):
        with pytest.raises(BrokenContract, match=r"Policy.start must return a NamedTuple, got "):
            check_policy(policy_of(state))


def test_states_that_share_memory_are_reported():
    shared = np.zeros(1)
    with pytest.raises(BrokenContract, match="two states of Policy share memory"):
        check_policy(policy_of(State, lambda size: shared))


class NotFrozen:
    name = "NotFrozen"

    def start(self, problem):
        return State(np.zeros(1))


def test_a_recipe_that_is_not_a_dataclass_is_reported():
    with pytest.raises(BrokenContract, match="NotFrozen is not a dataclass: add @dataclass"):
        check_policy(NotFrozen())


# ----------------------------------------------------------------------------------------- attacks


class ReadsPolicy(NamedTuple):
    level: float

    def propose_reward(self, policy, scene, arm, reward, rng):
        return reward - self.level * policy.log[0]


class ProposesNaN(NamedTuple):
    level: float

    def propose_reward(self, policy, scene, arm, reward, rng):
        return np.nan


class OtherAttackArguments(NamedTuple):
    level: float

    def propose_reward(self, scene, reward):
        return reward


class ChangesRounds(NamedTuple):
    level: float

    def propose_contexts(self, policy, scene, wanted, rng):
        scene.contexts[0, 0] = 0.5


def attack_of(state: type, declared: bool = False) -> Any:
    """Return a recipe that starts this state."""

    @dataclass(frozen=True)
    class Attack(AttackRecipe):
        reads_policy: ClassVar[bool] = declared

        def start(self, problem: Problem):
            return state(1.0)

    return Attack(1.0)


def test_an_attack_that_reads_the_policy_must_declare_it():
    with pytest.raises(BrokenContract, match=r"declare it.*reads_policy = True"):
        check_attack(attack_of(ReadsPolicy), policy=policy_of(State))
    check_attack(attack_of(ReadsPolicy, declared=True), policy=policy_of(State))


ATTACKS = {
    ProposesNaN: "proposed values that are not finite",
    OtherAttackArguments: "propose_reward must take .*'policy'.* it takes",
    ChangesRounds: "changed nature's rounds",
}


@pytest.mark.parametrize("state", ATTACKS)
@pytest.mark.filterwarnings("ignore:Attack proposed 200 values that are not finite")
def test_an_attack_that_breaks_its_contract_is_reported(state):
    with pytest.raises(BrokenContract, match=ATTACKS[state]):
        check_attack(attack_of(state))


# ------------------------------------------------------------------------------------ environments


@dataclass(frozen=True, kw_only=True)
class TooLong(Recipe):
    """An environment whose contexts are longer than its problem says."""

    def start(self, rounds, seed):
        return TooLongNature(rounds, np.random.default_rng(seed))


class TooLongNature:
    def __init__(self, rounds, rng):
        self.problem = Problem(arms=2, dim=2, rounds=rounds)
        self.rng = rng

    def draw(self, count):
        noise = self.rng.standard_normal(count)
        return deal(np.ones((count, 2, 2)), np.zeros((count, 2)), noise)


def test_contexts_beyond_the_bound_are_reported():
    with pytest.raises(BrokenContract, match=r"must not be longer than context_bound=1; got 1.41"):
        check_environment(TooLong())
