"""Policies for a parameter that changes, and for contexts with errors."""

from dataclasses import dataclass

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import Recipe
from robustbandits.game.rounds import make_rounds
from robustbandits.policies import BOB, LinUCB, MaxMinUCB, MinWD, SlidingWindowLinUCB

pytestmark = [
    pytest.mark.statistical,
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="many rounds"),
]

ROUNDS = 4000


@dataclass(frozen=True, kw_only=True)
class Turning(Recipe):
    """Theta changes its sign after every ``turn`` rounds; contexts are shown with an error."""

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
        errors = self.rng.normal(size=contexts.shape)
        errors *= self.recipe.error / np.linalg.norm(errors, axis=1, keepdims=True)
        noise = 0.1 * self.rng.standard_normal(count)
        return make_rounds(contexts + errors, means, noise)


def regret(policy, environment):
    ledgers = [
        rb.simulate(environment=environment, policy=policy, rounds=ROUNDS, seed=seed)
        for seed in range(3)
    ]
    return sum(ledger.regret[-1] for ledger in ledgers)


def test_windows_adapt_to_a_parameter_that_changes_its_sign():
    environment = Turning(turn=1000)
    linucb = regret(LinUCB(), environment)
    assert regret(SlidingWindowLinUCB(window=150), environment) < 0.4 * linucb
    assert regret(SlidingWindowLinUCB(variation=6.0), environment) < 0.7 * linucb
    assert regret(BOB(), environment) < 0.7 * linucb


@pytest.mark.parametrize("policy", [MaxMinUCB(error=0.1), MinWD(error=0.1)])
def test_policy_learns_although_contexts_have_small_errors(policy):
    environment = Turning(turn=ROUNDS, error=0.1)
    # A random arm loses about 1 a round here; the errors alone cost every policy a little.
    assert regret(policy, environment) < 0.05 * 3 * ROUNDS
    assert regret(policy, environment) < 1.5 * regret(LinUCB(), environment)
