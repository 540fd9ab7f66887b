"""Small policies and attacks for tests of how the loop calls them."""

from typing import Any, NamedTuple

import robustbandits as rb

SIMULATION = rb.environments.Simulation(arms=3, dim=2, noise=0.0)


class PolicyRecipe(NamedTuple):
    """A recipe that always starts the same state."""

    state: Any
    name: str = "policy"

    def start(self, problem):
        return self.state


class AttackRecipe(NamedTuple):
    """A recipe that always starts the same state."""

    state: Any
    budget: float = 1.0
    purse: str = "truncate"
    name: str = "attack"

    def start(self, problem):
        return self.state


class ConstantState(NamedTuple):
    """A policy that always plays one arm, and counts its rewards."""

    log: Any
    arm: int

    def choose(self, contexts, rng, memo):
        return self.arm

    def learn(self, arm, context, reward, memo, rng):
        self.log[0] += 1.0

    def score(self, contexts, memo, means, bonuses):
        means[:] = 0.0
        bonuses[:] = 0.0


def simulate(state: Any, attack: Any = None, rounds: int = 9) -> rb.Ledger:
    """Play a short game with this state of a policy, and of an attack."""
    return rb.simulate(
        environment=SIMULATION,
        policy=PolicyRecipe(state),
        attack=None if attack is None else AttackRecipe(attack),
        rounds=rounds,
    )
