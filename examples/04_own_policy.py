"""A policy of your own: a recipe, a state, three kernels. It plays compiled, and live."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import robustbandits as rb
from robustbandits import kernel
from robustbandits.checks import check_policy
from robustbandits.game.recipe import Recipe
from robustbandits.kernels.linalg import products
from robustbandits.kernels.ridge import Ridge, observe, start_ridge
from robustbandits.kernels.sampling import largest


class EpsilonGreedyState(NamedTuple):
    """What epsilon-greedy remembers."""

    ridge: Ridge
    epsilon: float

    @kernel
    def choose(self, contexts, rng, memo):
        """Explore now and then; otherwise play the best estimate."""
        scores = np.empty(contexts.shape[1])
        if rng.random() < self.epsilon:
            return int(rng.random() * scores.shape[0])
        products(self.ridge.theta, contexts, scores)
        return largest(scores, rng, False)

    @kernel
    def learn(self, arm, context, reward, memo, rng):
        """Add one observation to the regression."""
        observe(self.ridge, context, reward, 1.0)

    @kernel
    def score(self, contexts, memo, means, bonuses):
        """Write each arm's estimated mean; there is no bonus."""
        products(self.ridge.theta, contexts, means)
        bonuses[:] = 0.0


@dataclass(frozen=True, kw_only=True)
class EpsilonGreedy(Recipe):
    """Explore with probability epsilon."""

    epsilon: float = 0.05

    def start(self, problem):
        """Return a fresh state."""
        return EpsilonGreedyState(start_ridge(problem.dim, 0.1), float(self.epsilon))


if __name__ == "__main__":
    check_policy(EpsilonGreedy())
    print("the contract holds")
    ledger = rb.simulate(
        environment=rb.environments.Simulation(),
        attack=rb.attacks.Garcelon(100.0),
        policy=EpsilonGreedy(),
        rounds=20_000,
    )
    print(f"regret under attack: {ledger.final_regret:.0f}")
