"""A broken contract is reported in a sentence that says what is wrong."""

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
from robustbandits.game.rounds import make_rounds


class State(NamedTuple):
    """A correct policy that always plays the first arm."""

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


def write_beyond(self, contexts, rng, memo):
    memo[6] = 1.0
    return 0


def count_choice(self, contexts, rng, memo):
    self.log[0] += 1
    return 0


def learn_nan(self, arm, context, reward, memo, rng):
    self.log[0] = np.nan


def write_ones(self, contexts, memo, out):
    out[:] = 1.0


def ignore(self, contexts, memo, means, bonuses):
    pass


INDEX = "choose must return the index of an arm, an int; got"

#: Methods that replace those of the correct state, and the error that is reported.
BROKEN_STATES = {
    "float": ({"choose": lambda self, contexts, rng, memo: 1.5}, f"{INDEX} 1.5 of type float"),
    "None": ({"choose": lambda self, contexts, rng, memo: None}, f"{INDEX} None of type NoneType"),
    "bool": ({"choose": lambda self, contexts, rng, memo: True}, f"{INDEX} True of type bool"),
    "no such arm": (
        {"choose": kernel(lambda self, contexts, rng, memo: contexts.shape[1])},
        "choose must return an arm from 0 to 4; got 5",
    ),
    "negative": (
        {"choose": lambda self, contexts, rng, memo: -1},
        "choose must return an arm from 0 to 4; got -1",
    ),
    "arguments": ({"learn": lambda self, arm: None}, "learn must take .*'context'.* it takes "),
    "optional arguments": (
        {"probability": lambda self, out: None},
        "probability must take .*'memo'.* it takes ",
    ),
    "state changed": ({"choose": count_choice}, "choose changed the state"),
    "random": (
        {"choose": lambda self, contexts, rng, memo: int(np.random.randint(5))},  # noqa: NPY002
        "is not repeatable",
    ),
    "nan": ({"learn": learn_nan}, "state is not finite after 1 rewards"),
    "no scores": ({"score": ignore}, "score must write a finite mean and bonus for every arm"),
    "probabilities": ({"probability": write_ones}, "probabilities must sum to 1; their sum is 5"),
    "choice by scores": (
        {"choose_by_scores": lambda self, means, bonuses, rng, out: -1},
        "choose_by_scores must return [0-4], as choose; got -1",
    ),
    "memo": (
        {"choose": kernel(write_beyond)},
        "writes beyond the end of its memo",
    ),
}


@pytest.mark.parametrize("case", BROKEN_STATES)
def test_a_policy_that_breaks_its_contract_is_reported(case):
    changes, message = BROKEN_STATES[case]
    state = type("State", (State,), {"__slots__": (), **changes})
    with pytest.raises(BrokenContract, match=message):
        check_policy(policy_of(state))


class WithoutLearn(NamedTuple):
    log: Any

    choose = State.choose
    score = State.score


def test_a_missing_kernel_is_reported():
    with pytest.raises(BrokenContract, match="state has no kernel 'learn': define it"):
        check_policy(policy_of(WithoutLearn))


def test_a_kernel_that_cannot_be_compiled_is_reported():
    state = type("State", (State,), {"choose": lambda self, contexts, rng, memo: self.nothing})
    with pytest.raises((BrokenContract, AttributeError), match="nothing"):
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
    ChangesRounds: "changed the rounds",
}


@pytest.mark.parametrize("state", ATTACKS)
@pytest.mark.filterwarnings("ignore:Attack made 200 proposals that are not finite")
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
        return make_rounds(np.ones((count, 2, 2)), np.zeros((count, 2)), noise)


def test_contexts_beyond_the_bound_are_reported():
    with pytest.raises(BrokenContract, match=r"must not be longer than context_bound=1; got 1.41"):
        check_environment(TooLong())
