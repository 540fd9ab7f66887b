"""A third-party policy, with numbers of every kind in its state."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import Recipe


class RotaState(NamedTuple):
    """What Rota remembers."""

    pulls: Any  # (arms,) whole numbers
    best: Any  # (arms,) largest reward so far, -inf before the first
    sums: Any  # (2,) of rewards, and of random numbers
    step: int

    @kernel
    def choose(self, contexts, rng, memo):
        arm = 0
        for a in range(contexts.shape[1]):
            if self.pulls[a] < self.pulls[arm]:
                arm = a
        memo[memo.shape[0] - 1] = arm
        return arm

    @kernel
    def learn(self, arm, context, reward, memo, rng):
        named = int(memo[memo.shape[0] - 1])
        self.pulls[named] += self.step
        self.best[named] = max(self.best[named], reward)
        self.sums[0] += reward
        self.sums[1] += rng.random()

    @kernel
    def score(self, contexts, memo, means, bonuses):
        for a in range(contexts.shape[1]):
            means[a] = -self.pulls[a]
            bonuses[a] = 0.0

    def check(self, memos):
        if not np.isin(memos[:, -1], np.arange(len(self.pulls))).all():
            raise ValueError("memo names no arm")


@dataclass(frozen=True, kw_only=True)
class Rota(Recipe):
    """Play the arm that was played least."""

    step: int = 1
    fixed_arms: ClassVar[bool] = True

    def start(self, problem: Problem) -> RotaState:
        return RotaState(
            pulls=np.zeros(problem.arms, dtype=np.int64),
            best=np.full(problem.arms, -np.inf),
            sums=np.zeros(2),
            step=self.step,
        )


@dataclass(frozen=True, kw_only=True)
class CatalogueRota(Rota):
    """The same for arms whose contexts never change."""

    fixed_contexts: ClassVar[bool] = True
