"""The verbs of the game: what the loop asks of a policy and of an attack.

Each verb exists twice: as the plain Python function below, and as an overload that Numba picks by
the *type* of the state. That keeps the loop open to policies it has never heard of, and keeps
Numba's disk cache hitting, which function arguments and closures do not.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numba.extending import overload

from robustbandits.compiled.jit import python_of
from robustbandits.game.problem import Problem
from robustbandits.game.purse import Purse, settle_contexts
from robustbandits.kernels.linalg import Floats

#: How many numbers a memo has: what `choose` may note about a decision for `learn`.
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
    each arm. Without it a policy's probabilities count as undefined. A state whose kernels use
    numbers of its arrays or memos as indices must have a plain method ``check(memos)``, which
    raises ValueError when a file holds ones that are out of range. The state of a reference, which
    may know what no policy knows, has ``overhear(spent, over)``: in a game it is told, before it
    learns a reward, what the attacker has spent so far, and whether that is all that he will
    spend. Nobody tells it in an agent.
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
        """Write each arm's estimated mean and bonus, without randomness.

        The memo is that of the decision described, or -1 throughout when there is none.
        """
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

    @property
    def budget(self) -> float:
        """What it may spend."""
        ...

    @property
    def purse(self) -> str:
        """What happens when the money runs short."""
        ...

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


def overhear(self: Any, spent: float, over: bool) -> None:
    """Tell a policy that may know it what the attacker has spent, and whether that is all."""
    if hasattr(self, "overhear"):
        self.overhear(spent, over)


def _hear_nothing(self: Any, spent: float, over: bool) -> None:
    pass


@overload(overhear, strict=False)
def _overhear(self: Any, spent: Any, over: Any) -> Any:
    return python_of(getattr(self.instance_class, "overhear", _hear_nothing))


@overload(choose, strict=False)
def _choose(self: Any, contexts: Any, rng: Any, memo: Any) -> Any:
    return python_of(self.instance_class.choose)


@overload(learn, strict=False)
def _learn(self: Any, arm: Any, context: Any, reward: Any, memo: Any, rng: Any) -> Any:
    return python_of(self.instance_class.learn)


@overload(score, strict=False)
def _score(self: Any, contexts: Any, memo: Any, means: Any, bonuses: Any) -> Any:
    return python_of(self.instance_class.score)


@overload(probability, strict=False)
def _probability(self: Any, contexts: Any, memo: Any, out: Any) -> Any:
    return python_of(getattr(self.instance_class, "probability", undefined_probability))


# ------------------------------------------------------------------------------------- the attack


def propose_contexts(
    self: Any, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
) -> None:
    """Let an attack overwrite ``wanted``, which starts as a copy of the clean contexts."""
    self.propose_contexts(policy, scene, wanted, rng)


def tamper(
    self: Any, policy: Any, scene: Scene, shown: Floats, purse: Purse, rng: np.random.Generator
) -> bool:
    """Let an attack propose contexts and the purse settle them; True if any context changed.

    A verb of its own so that attacks on rewards alone do not even compile it.
    """
    if not hasattr(self, "propose_contexts"):
        return False
    return _tamper(self, policy, scene, shown, purse, rng)


def _tamper(
    self: Any, policy: Any, scene: Scene, shown: Floats, purse: Purse, rng: np.random.Generator
) -> bool:
    propose_contexts(self, policy, scene, shown, rng)
    return settle_contexts(purse, scene.contexts, shown)


def _do_not_tamper(
    self: Any, policy: Any, scene: Scene, shown: Floats, purse: Purse, rng: np.random.Generator
) -> bool:
    return False


def propose_reward(
    self: Any, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Reward that an attack wants the policy to see."""
    if not hasattr(self, "propose_reward"):
        return reward
    wanted: float = self.propose_reward(policy, scene, arm, reward, rng)
    return wanted


def _keep_reward(self: Any, policy: Any, scene: Any, arm: int, reward: float, rng: Any) -> float:
    return reward


@overload(propose_contexts, strict=False)
def _propose_contexts(self: Any, policy: Any, scene: Any, wanted: Any, rng: Any) -> Any:
    return python_of(self.instance_class.propose_contexts)


@overload(tamper, strict=False)
def _tamper_compiled(self: Any, policy: Any, scene: Any, shown: Any, purse: Any, rng: Any) -> Any:
    return _tamper if hasattr(self.instance_class, "propose_contexts") else _do_not_tamper


@overload(propose_reward, strict=False)
def _propose_reward(self: Any, policy: Any, scene: Any, arm: Any, reward: Any, rng: Any) -> Any:
    return python_of(getattr(self.instance_class, "propose_reward", _keep_reward))
