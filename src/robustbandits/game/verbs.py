"""What a policy and an attack must be able to do: the reference for everyone who writes one.

A policy or an attack is a *recipe* (parameters; :class:`Policy`, :class:`Attack`) that starts a
*state* (:class:`PolicyState`, :class:`AttackState`). A state is a ``typing.NamedTuple`` of
C-contiguous arrays, numbers and further named tuples. Its kernels are methods with the decorator
``kernel``; they change the state by writing into its arrays. To write your own, import all of this
from :mod:`robustbandits.extend`, which has a guide with examples.

The loop calls kernels through the functions below, which Numba resolves by the *type* of the state.
This way the loop can play policies from anywhere, and Numba's disk cache still works, which it does
not for functions passed as arguments.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numba.extending import overload

from robustbandits.compiled.calls import calls_kernel
from robustbandits.game.problem import Problem
from robustbandits.game.purse import Purse, settle_contexts
from robustbandits.kernels.linalg import Floats

#: How many numbers a memo has: what `choose` may note about a decision for `learn`.
MEMO = 4


class Scene(NamedTuple):
    """What an attack may know of a round: NaN for what its level (`knowledge`) does not allow.

    It must not write into the arrays.
    """

    round: int  # number of the round, counted from 0
    contexts: Floats  # (dim, arms) clean contexts
    means: Floats  # (arms,) clean mean rewards
    spent: float  # what the attack has spent so far
    budget: float  # what it may spend in all


# ---------------------------------------------------------------------------------- the policy


class Policy(Protocol):
    """What a policy's recipe must have; :class:`Recipe` provides the name."""

    @property
    def name(self) -> str:
        """Name for tables and figures."""
        ...

    def start(self, problem: Problem) -> Any:
        """Return a new state (see PolicyState) for a problem.

        Two states must not share memory. Raise ValueError for a problem that the policy cannot
        play, and get the horizon from ``problem.horizon(self.name)``.
        """
        ...


class PolicyState(Protocol):
    """What a policy remembers, and the kernels that every policy must have.

    The optional kernels are in OptionalPolicyKernels.
    """

    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Return the index of the arm to play.

        It must change nothing but ``memo`` and the position of ``rng``, so that an attack can call
        it, with a stream of its own, to see what the policy would choose.

        Parameters
        ----------
        contexts
            (dim, arms): column ``a`` is the context of arm ``a``.
        rng
            The only source of randomness; break ties with it.
        memo
            A few numbers (`MEMO`), all 0, for notes about this decision. ``learn`` gets them back
            together with the reward.
        """
        ...

    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Learn the reward of a decision.

        In a game this follows ``choose`` at once. In an agent, other decisions may come in between,
        rewards may come in any order, and some never come.

        Parameters
        ----------
        arm, context, memo
            The arm that was chosen, its context (dim,) and the notes that ``choose`` made.
        reward
            The reward that the policy sees: an attack may have changed it.
        rng
            The policy's random stream.
        """
        ...

    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean reward and exploration bonus, without randomness.

        An agent shows them; a game does not call this. ``memo`` is that of the decision to
        describe; without a decision, all its numbers are -1. It must change nothing but ``means``
        and ``bonuses``, both of shape (arms,).
        """
        ...


class OptionalPolicyKernels(Protocol):
    """Kernels that a policy's state may have."""

    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability with which ``choose`` returns each arm, given the state.

        Without it, an agent's decisions have no probabilities. ``memo`` is as in ``score``.
        """
        ...

    def choose_by_scores(
        self, means: Floats, bonuses: Floats, rng: np.random.Generator, out: Floats
    ) -> int:
        """Return what ``choose`` returns, and write what ``probability`` writes into ``out``.

        For a policy whose choice depends on nothing but what ``score`` writes, whatever the memo
        is, and whose score of an arm does not depend on the other arms. An agent then scores every
        arm once instead of three times, many arms in blocks and on all cores. It must draw the same
        random numbers as ``choose``, and change nothing but ``out``.
        """
        ...

    def overhear(self, spent: float, over: bool) -> None:
        """Take note of what the attack has spent so far, and whether it can spend no more.

        Only for reference policies, which are told what no real policy can know. In a game it is
        called in each round before ``learn``; an agent never calls it.
        """
        ...

    def check(self, memos: Floats) -> None:
        """Raise ValueError if the state or a memo holds a number that cannot be right.

        Called when an agent is loaded from a file, with one row for each pending decision. A state
        whose kernels use numbers of its arrays or of a memo as indices must have it, because
        compiled code does not check indices. It is a plain method, not a kernel.
        """
        ...


@calls_kernel("choose")
def choose(self: Any, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
    """Return the arm that a policy would choose; an attack's kernel may call it.

    It changes only ``memo`` and ``rng``: pass ``np.zeros(MEMO)`` and the attack's own stream.
    """
    arm: int = self.choose(contexts, rng, memo)
    return arm


@calls_kernel("learn")
def learn(
    self: Any, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
) -> None:
    """Call a policy's `learn`."""
    self.learn(arm, context, reward, memo, rng)


@calls_kernel("score")
def score(self: Any, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
    """Call a policy's `score`."""
    self.score(contexts, memo, means, bonuses)


def _write_nan(self: Any, contexts: Floats, memo: Floats, out: Floats) -> None:
    for a in range(out.shape[0]):
        out[a] = np.nan


@calls_kernel("probability", missing=_write_nan)
def probability(self: Any, contexts: Floats, memo: Floats, out: Floats) -> None:
    """Call a policy's `probability`; write NaN if it has none."""
    getattr(type(self), "probability", _write_nan)(self, contexts, memo, out)


def _no_choice(self: Any, means: Floats, bonuses: Floats, rng: Any, out: Floats) -> int:
    return -1


@calls_kernel("choose_by_scores", missing=_no_choice)
def choose_by_scores(
    self: Any, means: Floats, bonuses: Floats, rng: np.random.Generator, out: Floats
) -> int:
    """Call a policy's `choose_by_scores`; return -1 if it has none."""
    choose = getattr(type(self), "choose_by_scores", _no_choice)
    arm: int = choose(self, means, bonuses, rng, out)
    return arm


def _ignore_spending(self: Any, spent: float, over: bool) -> None:
    pass


@calls_kernel("overhear", missing=_ignore_spending)
def overhear(self: Any, spent: float, over: bool) -> None:
    """Call a policy's `overhear`, if it has one."""
    getattr(type(self), "overhear", _ignore_spending)(self, spent, over)


# ---------------------------------------------------------------------------------- the attack


class Attack(Protocol):
    """What an attack's recipe must have; :class:`AttackRecipe` has all of it but ``start``.

    An attack whose kernels do more with their argument ``policy`` than call ``choose(policy,
    ...)`` must declare it: with the class attribute ``reads_policy = True`` on the recipe or on the
    state. Its loop is then compiled for each policy, which takes longer. An omniscient attack may
    have a method ``prepare(state, contexts, means)``, plain Python, which is called once with the
    contexts (dim, arms) and mean rewards of the first round.
    """

    @property
    def budget(self) -> float:
        """What it may spend."""
        ...

    @property
    def purse(self) -> str:
        """What happens to a proposal that costs more than is left: a rule of `purse.RULES`."""
        ...

    @property
    def name(self) -> str:
        """Name for tables and figures."""
        ...

    def start(self, problem: Problem) -> Any:
        """Return a new state (see AttackState) for a problem."""
        ...


class AttackState(Protocol):
    """What an attack remembers, and its kernels.

    Every kernel is optional: these two, and those of ``CommittedAttackState``,
    ``SwappingAttackState`` and ``InjectingAttackState`` (:mod:`robustbandits.extend`). They are not
    called once the budget is spent. These two get the attack's own random stream as ``rng``. They
    may call ``choose(policy, contexts, rng, memo)`` to see what the policy would choose: with a
    copy of the contexts, this ``rng`` and ``memo = np.zeros(MEMO)``.
    """

    def propose_contexts(
        self, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
    ) -> None:
        """Write the contexts that the policy should see into ``wanted``, (dim, arms).

        ``wanted`` is a copy of the clean contexts. The purse then limits the change to what is
        legal and what the budget can pay.
        """
        ...

    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        """Return the reward that the policy should see for its choice, instead of ``reward``.

        Return ``reward`` to change nothing. The purse then limits the change to what is legal and
        what the budget can pay.
        """
        ...


def reads_policy(recipe: Any, state: Any) -> bool:
    """Whether an attack declares that it reads the policy's state."""
    return any(getattr(part, "reads_policy", False) for part in (recipe, state))


@calls_kernel("propose_contexts")
def propose_contexts(
    self: Any, policy: Any, scene: Scene, wanted: Floats, rng: np.random.Generator
) -> None:
    """Call an attack's `propose_contexts`."""
    self.propose_contexts(policy, scene, wanted, rng)


def attack_contexts(
    self: Any, policy: Any, scene: Scene, clean: Floats, shown: Floats, purse: Purse, rng: Any
) -> bool:
    """Let an attack change the contexts as far as its purse allows; True if any context changed.

    For attacks without `propose_contexts` none of this is compiled.
    """
    if not hasattr(self, "propose_contexts"):
        return False
    return _attack_contexts(self, policy, scene, clean, shown, purse, rng)


def _attack_contexts(
    self: Any, policy: Any, scene: Scene, clean: Floats, shown: Floats, purse: Purse, rng: Any
) -> bool:
    propose_contexts(self, policy, scene, shown, rng)
    return settle_contexts(purse, clean, shown)


def _keep_contexts(
    self: Any, policy: Any, scene: Scene, clean: Floats, shown: Floats, purse: Purse, rng: Any
) -> bool:
    return False


@overload(attack_contexts, strict=False)
def _attack_contexts_compiled(self: Any, *arguments: Any) -> Any:
    return _attack_contexts if hasattr(self.instance_class, "propose_contexts") else _keep_contexts


def _keep_reward(self: Any, policy: Any, scene: Any, arm: int, reward: float, rng: Any) -> float:
    return reward


@calls_kernel("propose_reward", missing=_keep_reward)
def propose_reward(
    self: Any, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Call an attack's `propose_reward`; return ``reward`` if it has none."""
    propose = getattr(type(self), "propose_reward", _keep_reward)
    wanted: float = propose(self, policy, scene, arm, reward, rng)
    return wanted
