"""What windows are for, and imperfect contexts: a parameter that moves, contexts that lie."""

from dataclasses import dataclass

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import Recipe
from robustbandits.game.rounds import deal
from robustbandits.policies import BOB, LinUCB, MaxMinUCB, MinWD, SlidingWindowLinUCB

pytestmark = [
    pytest.mark.statistical,
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="many rounds"),
]

ROUNDS = 4000


@dataclass(frozen=True, kw_only=True)
class Turning(Recipe):
    """Theta turns around after every ``turn`` rounds; the contexts shown are off by ``error``."""

    turn: int
    error: float = 0.0

    def start(self, rounds, seed):
        return TurningNature(self, rounds, np.random.default_rng(seed))


class TurningNature:
    def __init__(self, recipe, rounds, rng):
        self.recipe, self.rng, self.played = recipe, rng, 0
        self.problem = Problem(arms=6, dim=3, rounds=rounds)
        theta = rng.normal(size=3)
        self.theta = theta / np.linalg.norm(theta)

    def draw(self, count):
        contexts = self.rng.normal(size=(count, 3, 6))
        contexts *= 0.8 / np.linalg.norm(contexts, axis=1, keepdims=True)
        rounds = self.played + np.arange(count)
        self.played += count
        signs = np.where(rounds // self.recipe.turn % 2, -1.0, 1.0)
        means = np.einsum("i,tia->ta", self.theta, contexts) * signs[:, None]
        lies = self.rng.normal(size=contexts.shape)
        lies *= self.recipe.error / np.linalg.norm(lies, axis=1, keepdims=True)
        noise = 0.1 * self.rng.standard_normal(count)
        return deal(np.ascontiguousarray(contexts + lies), np.ascontiguousarray(means), noise)


def regret(policy, place):
    ledgers = [
        rb.simulate(environment=place, policy=policy, rounds=ROUNDS, seed=seed) for seed in range(3)
    ]
    return sum(ledger.regret[-1] for ledger in ledgers)


def test_windows_follow_a_parameter_that_turns_around():
    place = Turning(turn=1000)
    never = regret(LinUCB(), place)
    assert regret(SlidingWindowLinUCB(window=150), place) < 0.4 * never
    assert regret(SlidingWindowLinUCB(variation=6.0), place) < 0.7 * never
    assert regret(BOB(), place) < 0.7 * never


@pytest.mark.parametrize("policy", [MaxMinUCB(error=0.1), MinWD(error=0.1)])
def test_contexts_that_lie_a_little_do_not_stop_it_from_learning(policy):
    place = Turning(turn=ROUNDS, error=0.1)
    # A random arm loses about 1 a round here; the lies alone cost every learner a little.
    assert regret(policy, place) < 0.05 * 3 * ROUNDS
    assert regret(policy, place) < 1.5 * regret(LinUCB(), place)
