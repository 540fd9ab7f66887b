"""A policy by address plays like the policy itself."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on, kernel
from robustbandits.compiled.state_pointer import lease_state
from robustbandits.game.dispatch import IN_GAME, LIVE, Handle, hold, looks_inside
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import choose

PROBLEM = Problem(arms=3, dim=2, rounds=10)


class OddState(NamedTuple):
    """A state that cannot be leased: a plain tuple is in it."""

    pair: tuple[int, float]

    def choose(self, contexts, rng, memo):
        return self.pair[0]

    def learn(self, arm, context, reward, memo, rng):
        pass

    def score(self, contexts, memo, means, bonuses):
        means[:] = 0.0
        bonuses[:] = 0.0


class ClumsyState(NamedTuple):
    """A state that fails when it learns its fifth reward."""

    log: Any

    def choose(self, contexts, rng, memo):
        return 1

    def learn(self, arm, context, reward, memo, rng):
        if self.log[0] == 4.0:
            raise ZeroDivisionError("the fifth reward")
        self.log[0] += 1.0

    def score(self, contexts, memo, means, bonuses):
        pass


class HalfState(NamedTuple):
    log: Any

    def choose(self, contexts, rng, memo):
        return 0.5

    def learn(self, arm, context, reward, memo, rng):
        pass

    def score(self, contexts, memo, means, bonuses):
        pass


class Recipe(NamedTuple):
    state: Any
    name: str = "recipe"

    def start(self, problem):
        return self.state


class CuriousState(NamedTuple):
    level: float

    @kernel
    def propose_reward(self, policy, scene, arm, reward, rng):
        return reward - policy.level


class PassingState(NamedTuple):
    level: float

    def propose_reward(self, policy, scene, arm, reward, rng):
        return level_of(policy)


class BothState(NamedTuple):
    level: float

    def propose_contexts(self, policy, scene, wanted, rng):
        arm = choose(policy, wanted, rng, wanted[0])
        wanted[0, arm] = policy.level


def level_of(policy):
    return policy.level


def test_no_attack_of_ours_looks_inside():
    problem = Problem(arms=3, dim=2, rounds=10, noise=0.1)
    for name in ("Garcelon", "Oracle", "FlipTheta", "ContextDilation"):
        attack = getattr(rb.attacks, name)(1.0)
        assert not looks_inside(attack.start(problem)), name
    assert not looks_inside(rb.attacks.NoAttack().start(problem))


@pytest.mark.parametrize("state", [CuriousState(1.0), PassingState(1.0), BothState(1.0)])
def test_an_attack_that_looks_inside_gets_to_see_it(state):
    assert looks_inside(state)


def test_by_address_the_same_game_is_played():
    """As with the state itself in the loop, leased and not, to the last bit."""
    environment = rb.environments.Simulation(arms=5, dim=3)
    nature = environment.start(400, stream(3, NATURE))
    block = nature.draw(400)
    found = []
    for way in ("handle", "lease", "state"):
        game = Game(rb.policies.OracleLinUCB(), rb.attacks.Garcelon(5.0), nature.problem, 3, 10)
        if way != "handle":
            game._player = lease_state(game.policy) if way == "lease" else game.policy
        game.advance(block)
        found.append(game.close("here", 3))
    for other in found[1:]:
        np.testing.assert_array_equal(found[0].regret, other.regret)
        np.testing.assert_array_equal(found[0].pulls, other.pulls)


@pytest.mark.skipif(not jit_is_on, reason="handles are for compiled code")
def test_a_handle_has_the_verbs_that_were_asked_for():
    state = rb.policies.LinUCB().start(PROBLEM)
    handle, _ = hold(state, IN_GAME)
    assert isinstance(handle, Handle)
    assert [address != 0 for address in handle[1:]] == [True, True, False, False, False]
    handle, _ = hold(state, LIVE)
    assert [address != 0 for address in handle[1:]] == [True, True, False, True, True]
    hears, _ = hold(rb.policies.OracleLinUCB().start(PROBLEM), IN_GAME)
    assert hears.at_overhear != 0


def test_a_state_that_cannot_be_leased_is_played_all_the_same():
    policy = Recipe(OddState((2, 0.0)))
    ledger = rb.simulate(
        environment=rb.environments.Simulation(arms=3, dim=2), policy=policy, rounds=9
    )
    assert ledger.pulls.tolist() == [0, 0, 9]
    agent = rb.Agent(policy, arms=3, dim=2)
    assert agent.choose(np.zeros((3, 2))).arm == 2


def test_without_probabilities_there_are_none():
    agent = rb.Agent(Recipe(ClumsyState(np.zeros(1))), arms=3, dim=2)
    assert agent.choose(np.zeros((3, 2))).probabilities is None


def test_an_error_inside_a_policy_comes_out():
    log = np.zeros(1)
    with pytest.raises(ZeroDivisionError, match="the fifth reward"):
        rb.simulate(
            environment=rb.environments.Simulation(arms=3, dim=2),
            policy=Recipe(ClumsyState(log)),
            rounds=9,
        )
    assert log[0] == 4.0


@pytest.mark.skipif(not jit_is_on, reason="plain Python finds out later")
def test_a_verb_of_the_wrong_type_is_refused():
    with pytest.raises(TypeError, match=r"HalfState.choose must return int64; it returns float64"):
        rb.simulate(
            environment=rb.environments.Simulation(arms=3, dim=2),
            policy=Recipe(HalfState(np.zeros(1))),
            rounds=9,
        )


class LevelState(NamedTuple):
    """A policy with something to see inside."""

    level: float
    log: Any

    def choose(self, contexts, rng, memo):
        return 0

    def learn(self, arm, context, reward, memo, rng):
        self.log[0] += reward

    def score(self, contexts, memo, means, bonuses):
        pass


class Spy(NamedTuple):
    """An attack that takes from each reward what the policy has written inside."""

    budget: float = 1.0
    purse: str = "truncate"
    name: str = "spy"

    def start(self, problem):
        return CuriousState(0.0)


def test_what_an_attack_sees_inside_is_what_is_there():
    environment = rb.environments.Simulation(arms=3, dim=2, noise=0.0)
    seen = []
    for level in (0.0, 0.0625):
        log = np.zeros(1)
        policy = Recipe(LevelState(level, log))
        ledger = rb.simulate(environment=environment, policy=policy, attack=Spy(), rounds=10)
        assert ledger.spent == 10 * level
        seen.append(log[0])
    assert seen[0] - seen[1] == pytest.approx(0.625)
