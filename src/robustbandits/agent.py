"""Agent: a live policy. It chooses, and learns when the reward arrives, now or much later."""

from __future__ import annotations

import importlib
import math
import os
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from robustbandits._jit import compiled_for, entry_point
from robustbandits.game import require
from robustbandits.game.live import (
    BONUSES,
    MEANS,
    NOT_FINITE,
    PROBABILITIES,
    TOO_LONG,
    absorb,
    decide,
    describe,
)
from robustbandits.game.match import POLICY, stream
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO, Policy
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.streams import lease
from robustbandits.snapshot import SnapshotError, read_snapshot, write_snapshot

#: Contexts may exceed their bound by this much, to forgive rounding.
SLACK = 1 + 1e-9
#: Noise this many sigmas outside [0, 1] is taken for an error, unless `reward_range` says more.
SIGMAS = 6.0
#: A file may ask for this many bytes of state beyond its own size, no more.
MAX_LOAD = 256 * 1024 * 1024


class Scores:
    """What an agent thinks of a set of contexts.

    Attributes
    ----------
    means, bonuses
        Estimated mean reward of each arm, and what is added for exploring it. Deterministic: for a
        randomised policy they are what a choice is drawn from.
    scores
        Their sum.
    probabilities
        Probability of each arm given what the agent knows; None where it has no closed form.
    """

    __slots__ = ("_table",)

    def __init__(self, table: Floats):
        self._table = table

    @property
    def means(self) -> Floats:
        """Estimated mean reward of each arm."""
        return self._table[MEANS]

    @property
    def bonuses(self) -> Floats:
        """Exploration bonus of each arm."""
        return self._table[BONUSES]

    @property
    def scores(self) -> Floats:
        """Mean plus bonus of each arm."""
        total: Floats = self._table[MEANS] + self._table[BONUSES]
        return total

    @property
    def probabilities(self) -> Floats | None:
        """Probability of each arm, or None."""
        row = self._table[PROBABILITIES]
        return None if math.isnan(row[0]) else row


class Decision(Scores):
    """What an agent chose, and why.

    Attributes
    ----------
    id
        Number of the decision, by which its reward can be reported.
    arm
        Index of the chosen arm.
    score, probability
        The chosen arm's entries of ``scores`` and ``probabilities``.
    """

    __slots__ = ("arm", "id")

    def __init__(self, number: int, arm: int, table: Floats):
        self.id = number
        self.arm = arm
        self._table = table

    @property
    def score(self) -> float:
        """Mean plus bonus of the chosen arm."""
        return float(self._table[MEANS, self.arm] + self._table[BONUSES, self.arm])

    @property
    def probability(self) -> float | None:
        """Probability of the chosen arm, or None: what off-policy evaluation calls propensity."""
        chance = float(self._table[PROBABILITIES, self.arm])
        return None if math.isnan(chance) else chance

    def __repr__(self) -> str:
        return f"Decision(id={self.id}, arm={self.arm}, score={self.score:.6g})"


class Agent:
    """A live policy: recipe, state and random stream.

    Parameters
    ----------
    policy
        Recipe of the policy.
    arms, dim
        Usual number of arms, and length of each context. Policies with one shared theta take any
        number of arms in each call; then ``arms`` only sets constants that depend on it.
    rounds
        How many rounds you expect to play; some policies need it.
    seed
        Seed of the policy's random stream. An agent that meets the rounds of a simulated game with
        the same seed makes the same choices. None takes fresh entropy.
    context_bound, theta_bound
        Longest possible context and parameter. Longer contexts are refused.
    reward_range
        Smallest and largest possible reward; others are refused. By default means lie in [0, 1]
        and noise may reach six of the policy's sigmas beyond.
    pending
        How many decisions without a reward are remembered; the oldest are forgotten first.

    Notes
    -----
    An agent is not thread-safe: put a lock around it, or give each thread its own.

    Examples
    --------
    >>> import robustbandits as rb
    >>> agent = rb.Agent(rb.policies.BOBNoRestart(), arms=3, dim=2, rounds=1000, seed=0)
    >>> decision = agent.choose([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]])
    >>> agent.learn(decision.id, 0.5)
    """

    def __init__(
        self,
        policy: Policy,
        *,
        arms: int,
        dim: int,
        rounds: int | None = None,
        seed: int | None = 0,
        context_bound: float = 1.0,
        theta_bound: float = 1.0,
        reward_range: tuple[float, float] | None = None,
        pending: int = 100_000,
    ):
        problem = Problem(
            arms=arms,
            dim=dim,
            rounds=rounds,
            context_bound=context_bound,
            theta_bound=theta_bound,
        )
        if seed is None:
            entropy = np.random.SeedSequence()
        else:
            entropy = stream(require.count("seed", seed, low=0), POLICY)
        self._open(policy, problem, reward_range, pending)
        self._set_stream(np.random.Generator(np.random.PCG64(entropy)))

    def _open(
        self,
        policy: Policy,
        problem: Problem,
        reward_range: tuple[float, float] | None,
        pending: int,
    ) -> None:
        self.policy = policy
        self.problem = problem
        self.reward_range = _check_range(reward_range)
        self._capacity = require.count("pending", pending)
        self._low, self._high = self.reward_range or _default_range(policy)
        self._bound = problem.context_bound * SLACK
        self._fixed_arms = bool(getattr(policy, "fixed_arms", False))
        self._state: Any = policy.start(problem)
        self._describe = compiled_for(describe, self._state)
        self._pending: dict[int, tuple[int, Floats]] = {}  # id: arm, memo and context
        self._next = 0
        self._forgotten = -1  # largest id that was dropped unrewarded

    def _set_stream(self, rng: np.random.Generator) -> None:
        state, note, matrix = self._state, np.empty(1), np.empty((1, 1))
        self._rng = rng
        self._lease = lease(rng)
        self._decide = entry_point(
            compiled_for(decide, state), state, matrix, self._bound, self._lease, note, matrix
        )
        self._absorb = entry_point(compiled_for(absorb, state), state, 0, 0.0, self._lease, note)

    # ------------------------------------------------------------------------------- playing

    def choose(self, contexts: npt.ArrayLike) -> Decision:
        """Choose an arm.

        Parameters
        ----------
        contexts
            One row for each arm, shape (arms, dim).
        """
        array = self._check_shape(contexts)
        arms, dim = array.shape
        table = np.empty((3, arms))
        note = np.empty(MEMO + dim)
        arm = self._decide(self._state, array, self._bound, self._lease, note, table)
        if arm < 0:
            self._refuse(array, arm)
        number = self._next
        self._next = number + 1
        self._pending[number] = (arm, note)
        if len(self._pending) > self._capacity:
            oldest = next(iter(self._pending))
            del self._pending[oldest]
            self._forgotten = oldest
        return Decision(number, arm, table)

    def learn(self, decision: Decision | int, reward: float) -> None:
        """Learn the reward of a decision, given itself or its id, in any order, once each."""
        number = decision.id if isinstance(decision, Decision) else decision
        value = self._check_reward(reward)
        try:
            arm, note = self._pending[number]
        except (KeyError, TypeError):
            raise self._unknown(number) from None
        self._absorb(self._state, arm, value, self._lease, note)
        del self._pending[number]

    def scores(self, contexts: npt.ArrayLike) -> Scores:
        """Describe what the agent thinks of these contexts; choose, draw and change nothing.

        A policy that guesses the attack budget is described under the guess it has settled on, or
        else under the guess 0; its probabilities are over all guesses.
        """
        array = self._check_shape(contexts)
        self._check_values(array)
        table = np.empty((3, len(array)))
        self._describe(self._state, array, table)
        return Scores(table)

    @property
    def pending(self) -> int:
        """How many decisions wait for their reward."""
        return len(self._pending)

    # ------------------------------------------------------------------------------ checking

    def _check_shape(self, contexts: npt.ArrayLike) -> Floats:
        try:
            array = np.asarray(contexts, dtype=np.float64, order="C")
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"contexts must be numbers in an array of shape (arms, dim): {error}"
            ) from None
        if array.ndim != 2 or array.shape[1] != self.problem.dim or array.shape[0] == 0:
            raise ValueError(
                f"contexts must have shape (arms, {self.problem.dim}), one row for each arm; "
                f"got {array.shape}"
            )
        if self._fixed_arms and array.shape[0] != self.problem.arms:
            raise ValueError(
                f"{self.policy.name} plays a fixed set of {self.problem.arms} arms; "
                f"got contexts for {array.shape[0]}"
            )
        # Kernels are compiled for writable arrays; another kind would compile them anew.
        return array if array.flags.writeable else array.copy()

    def _check_values(self, array: Floats) -> None:
        with np.errstate(over="ignore"):
            squares = np.square(array).sum(axis=1)
        for arm in np.flatnonzero(~np.isfinite(squares))[:1]:
            self._refuse(array, NOT_FINITE - int(arm))
        for arm in np.flatnonzero(squares > self._bound**2)[:1]:
            self._refuse(array, TOO_LONG - int(arm))

    def _refuse(self, array: Floats, code: int) -> None:
        if code <= TOO_LONG:
            arm = TOO_LONG - code
            raise ValueError(
                f"contexts must be no longer than context_bound={self.problem.context_bound:g}; "
                f"row {arm} has length {np.linalg.norm(array[arm]):g}: scale your features, or "
                f"give Agent a larger context_bound"
            )
        arm = NOT_FINITE - code
        raise ValueError(f"contexts must be finite numbers of moderate size; row {arm} is {array[arm]}")

    def _check_reward(self, reward: float) -> float:
        value = require.real("reward", reward)
        if not self._low <= value <= self._high:
            raise ValueError(
                f"reward must be between {self._low:g} and {self._high:g}, got {reward!r}: "
                f"scale your rewards to [0, 1], or give Agent a reward_range"
            )
        return value

    def _unknown(self, number: Any) -> Exception:
        if type(number) is not int and not isinstance(number, np.integer):
            return TypeError(f"decision must be a Decision or its id, got {number!r}")
        if not 0 <= number < self._next:
            return KeyError(f"decision {number} was never made by this agent")
        if number > self._forgotten:
            return KeyError(f"decision {number} has its reward already; it cannot have another")
        return KeyError(
            f"decision {number} has its reward already, or is no longer remembered: only the "
            f"newest {self._capacity} without a reward are kept; give Agent a larger pending"
        )

    # -------------------------------------------------------------------------------- saving

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the agent to a file, atomically; pending decisions go with it.

        The format is described in ``docs/agent-file.md``. It holds no code.
        """
        header = {
            "kind": "agent",
            "policy": self.policy.to_dict(),  # type: ignore[attr-defined]
            "problem": self.problem.to_dict(),
            "reward_range": self.reward_range,
            "capacity": self._capacity,
            "next": self._next,
            "forgotten": self._forgotten,
            "pending": [[number, arm] for number, (arm, _) in self._pending.items()],
            "stream": self._rng.bit_generator.state,
        }
        arrays = dict(state_arrays(self._state))
        notes = [note for _, note in self._pending.values()]
        arrays["pending"] = np.array(notes).reshape(len(notes), MEMO + self.problem.dim)
        write_snapshot(path, header, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str], policy: type[Any] | None = None) -> Self:
        """Read an agent that :meth:`save` wrote; it goes on as if it had never stopped.

        Parameters
        ----------
        path
            The file. A damaged or hostile one is refused with a SnapshotError.
        policy
            Class of the recipe, needed only for policies from outside this package: a file never
            decides what gets imported.
        """
        header, arrays = read_snapshot(path)
        agent = cls.__new__(cls)
        try:
            agent._restore(header, arrays, policy)
        except SnapshotError as error:
            raise SnapshotError(f"cannot load {os.fspath(path)}: {error}") from None
        except (KeyError, TypeError, ValueError, OverflowError, MemoryError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise SnapshotError(f"cannot load {os.fspath(path)}: bad contents ({reason})") from None
        return agent

    def _restore(
        self, header: dict[str, Any], arrays: dict[str, Floats], kind: type[Any] | None
    ) -> None:
        if header["kind"] != "agent":
            raise SnapshotError("it does not hold an agent")
        problem = Problem(**header["problem"])
        self._check_size(problem, arrays)
        recipe = _recipe_class(header["policy"]["name"], kind).from_dict(header["policy"])
        span = header["reward_range"]
        self._open(recipe, problem, None if span is None else tuple(span), header["capacity"])
        for name, array in state_arrays(self._state):
            saved = arrays[name]
            if saved.shape != array.shape:
                raise SnapshotError(f"{name} has shape {saved.shape}, {array.shape} is due")
            array[...] = saved
        self._restore_pending(header, arrays["pending"])
        rng = np.random.Generator(np.random.PCG64(0))
        rng.bit_generator.state = _check_stream(header["stream"])
        self._set_stream(rng)

    @staticmethod
    def _check_size(problem: Problem, arrays: dict[str, Floats]) -> None:
        """Refuse sizes that would allocate far more than the file holds."""
        room = max(MAX_LOAD, sum(array.nbytes for array in arrays.values()))
        if 8 * problem.dim**2 > room or 8 * problem.arms > room:
            raise SnapshotError(f"its sizes do not fit its contents: {problem}")

    def _restore_pending(self, header: dict[str, Any], notes: Floats) -> None:
        rows = header["pending"]
        self._next = require.count("next", header["next"], low=0)
        self._forgotten = require.count("forgotten", header["forgotten"], low=-1)
        if notes.shape != (len(rows), MEMO + self.problem.dim) or len(rows) > self._capacity:
            raise SnapshotError("its pending decisions do not fit its header")
        for (number, arm), note in zip(rows, notes, strict=True):
            number = require.count("id", number, low=0)
            if number >= self._next:
                raise SnapshotError(f"decision {number} comes after the last one")
            self._pending[number] = (require.count("arm", arm, low=0), note.copy())


def state_arrays(state: Any, prefix: str = "state") -> Iterator[tuple[str, Floats]]:
    """Yield every array of a state with its path; the rest comes back from the recipe."""
    for name, value in zip(state._fields, state, strict=True):
        path = f"{prefix}.{name}"
        if isinstance(value, np.ndarray):
            yield path, value
        elif hasattr(value, "_fields"):
            yield from state_arrays(value, path)


def _default_range(policy: Any) -> tuple[float, float]:
    slack = SIGMAS * float(getattr(policy, "sigma", 0.0))
    return -slack, 1.0 + slack


def _check_range(span: tuple[float, float] | None) -> tuple[float, float] | None:
    if span is None:
        return None
    low, high = (require.real("reward_range", end) for end in span)
    if not low < high:
        raise ValueError(f"reward_range must be (smallest, largest), got {span!r}")
    return low, high


def _recipe_class(name: Any, kind: type[Any] | None) -> Any:
    policies = importlib.import_module("robustbandits.policies")
    if kind is not None:
        if kind.__name__ != name:
            raise SnapshotError(f"it holds a {name!r}, not a {kind.__name__}")
        return kind
    if name not in policies.__all__:
        raise SnapshotError(f"its policy {name!r} is not ours: give its class as policy=...")
    return getattr(policies, name)


def _check_stream(state: Any) -> dict[str, Any]:
    """Return a PCG64 state, after a look at every number in it."""
    inner = state["state"]
    numbers = (inner["state"], inner["inc"], state["has_uint32"], state["uinteger"])
    limits = (1 << 128, 1 << 128, 2, 1 << 32)
    fits = all(type(n) is int and 0 <= n < limit for n, limit in zip(numbers, limits, strict=True))
    if state["bit_generator"] != "PCG64" or not fits or not inner["inc"] % 2:
        raise SnapshotError("its random stream is damaged")
    names = ("state", "inc", "has_uint32", "uinteger")
    values = dict(zip(names, numbers, strict=True))
    return {
        "bit_generator": "PCG64",
        "state": {"state": values["state"], "inc": values["inc"]},
        "has_uint32": values["has_uint32"],
        "uinteger": values["uinteger"],
    }
