"""The verbs of the game: what the loop asks of a policy and of an attack.

Each verb exists twice: as the plain Python function below, and as an overload that Numba picks by
the *type* of the state. That keeps the loop open to policies it has never heard of, and keeps
Numba's disk cache hitting, which function arguments and closures do not.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numba.extending import overload

from robustbandits._jit import python_of
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats

#: Room for what `choose` wants `learn` to know about a decision.
MEMO = 4


class Scene(NamedTuple):
    """What an all-seeing attacker knows of the round at hand. Read only."""

    round: int  # counted from 0
    contexts: Floats  # (dim, arms) as nature dealt them
    means: Floats  # (arms,) clean mean rewards
    spent: float
    budget: float


class PolicyState(Protocol):
    """What a policy remembers, and the kernels that use it.

    A state may also have ``probability(contexts, memo, out)``, which writes the probability of
    each arm. Without it a policy's probabilities count as undefined.
    """

    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Return an arm for contexts (dim, arms); change nothing but ``memo``."""
        ...

    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Take in the reward of a decision made now or long ago."""
        ...

    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean and bonus, without randomness."""
        ...


class Policy(Protocol):
    """A recipe that starts a policy's state."""

    @property
    def name(self) -> str:
        """Name for tables and figures."""
        ...

    def start(self, problem: Problem) -> Any:
        """Return a fresh state."""
        ...


class Attack(Protocol):
    """A recipe that starts an attack's state.

    The state has ``propose_contexts`` or ``propose_reward`` or both; a missing one proposes
    nothing.
    """

    budget: float
    purse: str

    @property
    def name(self) -> str:
        """Name for tables and figures."""
        ...

    def start(self, problem: Problem) -> Any:
        """Return a fresh state."""
        ...


# ------------------------------------------------------------------------------------- the policy


def choose(self: Any, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
    """Arm that a policy plays when shown ``contexts``."""
    arm: int = self.choose(contexts, rng, memo)
    return arm


def learn(
    self: Any, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
) -> None:
    """Tell a policy the reward of a decision."""
    self.learn(arm, context, reward, memo, rng)


def score(self: Any, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
    """Ask a policy for each arm's estimated mean and bonus."""
    self.score(contexts, memo, means, bonuses)


def probability(self: Any, contexts: Floats, memo: Floats, out: Floats) -> None:
    """Ask a policy for the probability of each arm: NaN where it is undefined."""
    if hasattr(self, "probability"):
        self.probability(contexts, memo, out)
    else:
        undefined_probability(self, contexts, memo, out)


def undefined_probability(self: Any, contexts: Floats, memo: Floats, out: Floats) -> None:
    """Answer for a policy that cannot tell its probabilities."""
    for a in range(out.shape[0]):
        out[a] = np.nan


@overload(choose)
def _choose(self: Any, contexts: Any, rng: Any, memo: Any) -> Any:
    return python_of(self.instance_class.choose)


@overload(learn)
def _learn(self: Any, arm: Any, context: Any, reward: Any, memo: Any, rng: Any) -> Any:
    return python_of(self.instance_class.learn)


@overload(score)
def _score(self: Any, contexts: Any, memo: Any, means: Any, bonuses: Any) -> Any:
    return python_of(self.instance_class.score)


@overload(probability)
def _probability(self: Any, contexts: Any, memo: Any, out: Any) -> Any:
    return python_of(getattr(self.instance_class, "probability", undefined_probability))


# ------------------------------------------------------------------------------------- the attack


def edits_contexts(self: Any) -> bool:
    """Whether an attack proposes contexts at all."""
    return hasattr(self, "propose_contexts")


def propose_contexts(
    self: Any, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
) -> None:
    """Let an attack overwrite ``wanted``, which starts as a copy of the clean contexts."""
    if hasattr(self, "propose_contexts"):
        self.propose_contexts(policy, scene, wanted, rng)


def propose_reward(
    self: Any, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Reward that an attack wants the policy to see."""
    if not hasattr(self, "propose_reward"):
        return reward
    wanted: float = self.propose_reward(policy, scene, arm, reward, rng)
    return wanted


def _yes(self: Any) -> bool:
    return True


def _no(self: Any) -> bool:
    return False


def _keep_contexts(self: Any, policy: Any, scene: Any, wanted: Any, rng: Any) -> None:
    pass


def _keep_reward(self: Any, policy: Any, scene: Any, arm: int, reward: float, rng: Any) -> float:
    return reward


@overload(edits_contexts)
def _edits_contexts(self: Any) -> Any:
    return _yes if hasattr(self.instance_class, "propose_contexts") else _no


@overload(propose_contexts)
def _propose_contexts(self: Any, policy: Any, scene: Any, wanted: Any, rng: Any) -> Any:
    return python_of(getattr(self.instance_class, "propose_contexts", _keep_contexts))


@overload(propose_reward)
def _propose_reward(self: Any, policy: Any, scene: Any, arm: Any, reward: Any, rng: Any) -> Any:
    return python_of(getattr(self.instance_class, "propose_reward", _keep_reward))
