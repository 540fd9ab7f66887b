"""A policy of your own: a recipe, a state and three kernels, which are compiled for games."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import robustbandits as rb
from robustbandits import extend
from robustbandits.extend import kernel


class EpsilonGreedyState(NamedTuple):
    """What epsilon-greedy remembers."""

    ridge: extend.Ridge
    epsilon: float

    @kernel
    def choose(self, contexts, rng, memo):
        """Explore now and then; otherwise play the best estimate."""
        scores = np.empty(contexts.shape[1])
        if rng.random() < self.epsilon:
            return int(rng.random() * scores.shape[0])
        extend.products(self.ridge.theta, contexts, scores)
        return extend.largest(scores, rng, False)

    @kernel
    def learn(self, arm, context, reward, memo, rng):
        """Add one observation to the regression."""
        extend.observe(self.ridge, context, reward, 1.0)

    @kernel
    def score(self, contexts, memo, means, bonuses):
        """Write each arm's estimated mean; there is no bonus."""
        extend.products(self.ridge.theta, contexts, means)
        bonuses[:] = 0.0


@dataclass(frozen=True, kw_only=True)
class EpsilonGreedy(extend.CheckedRecipe):
    """Explore with probability epsilon."""

    epsilon: extend.Share = 0.05

    def start(self, problem):
        return EpsilonGreedyState(extend.start_ridge(problem.dim, 0.1), self.epsilon)


if __name__ == "__main__":
    extend.check_policy(EpsilonGreedy())
    print("the contract holds")
    regret = {}
    for epsilon in (0.05, 1.0):  # 1: play at random
        ledger = rb.simulate(
            environment=rb.environments.Simulation(),
            attack=rb.attacks.Garcelon(100.0),
            policy=EpsilonGreedy(epsilon=epsilon),
            rounds=20_000,
        )
        regret[epsilon] = ledger.final_regret
        print(f"regret under attack with epsilon {epsilon}: {ledger.final_regret:.0f}")
    assert regret[0.05] < regret[1.0] / 2
