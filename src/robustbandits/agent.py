"""Agent: a live policy. It chooses, and learns when the reward arrives, now or much later."""

from __future__ import annotations

import numbers
import os
import warnings
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from robustbandits._jit import compiled_for, entry_point
from robustbandits._version import __version__
from robustbandits.agent_file import (
    HEADER,
    Pending,
    check_indices,
    check_names,
    check_size,
    pending_to_rows,
    reason,
    recipe_class,
    recipe_to_dict,
    rows_to_pending,
)
from robustbandits.decision import Decision, Scores
from robustbandits.game import require
from robustbandits.game.handle import LIVE, hold
from robustbandits.game.live import (
    NO_SUCH_ARM,
    NOT_FINITE,
    TOO_LONG,
    absorb,
    decide,
    describe,
)
from robustbandits.game.match import POLICY, stream
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.game.verbs import Policy, memo_size
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.streams import lease
from robustbandits.snapshot import (
    SnapshotError,
    fill,
    read_snapshot,
    state_arrays,
    stream_from_dict,
    stream_to_dict,
    to_floats,
    write_snapshot,
)

#: Contexts may exceed their bound by this much, to forgive rounding.
SLACK = 1 + 1e-9
#: Noise this many sigmas outside [0, 1] is taken for an error, unless `reward_range` says more.
SIGMAS = 6.0
FLOAT64 = np.dtype(np.float64)


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
    An agent is not thread-safe: put a lock around it, or give each thread its own. A deep copy, or
    an agent pickled to another process, goes on by itself from the same state and randomness.

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
        require.recipe("policy", policy, "policy")
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
        self._connect(np.random.Generator(np.random.PCG64(entropy)))
        if hasattr(self._state, "overhear"):
            warnings.warn(
                f"{policy.name} is a reference for games: here nobody tells it what an attacker "
                f"spends, and it plays as if that were nothing",
                stacklevel=2,
            )

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
        self._fixed_contexts = bool(getattr(policy, "fixed_contexts", False))
        self._catalogue: Floats | None = None  # the contexts of the first choice, or since loading
        self._state: Any = policy.start(problem)
        self._room = memo_size(self._state)
        self._pending: Pending = {}
        self._next = 0
        self._forgotten = -1  # largest id that was dropped unrewarded

    def _connect(self, rng: np.random.Generator) -> None:
        """Join state, stream and machine code."""
        note, matrix = np.empty(1), np.empty((1, 1))
        self._rng = rng
        self._stream = lease(rng)
        player, self._lease = hold(self._state, LIVE)
        self._player = player
        self._decide = entry_point(
            compiled_for(decide, player), player, matrix, self._bound, self._stream, note, matrix
        )
        self._absorb = entry_point(
            compiled_for(absorb, player), player, 0, 0.0, self._stream, note, self._room
        )
        self._describe = entry_point(compiled_for(describe, player), player, matrix, matrix)

    def __getstate__(self) -> dict[str, Any]:
        # A copy must find its own addresses: those of a lease die with the agent they belong to.
        own = ("_stream", "_player", "_lease", "_decide", "_absorb", "_describe")
        return {name: value for name, value in vars(self).items() if name not in own}

    def __setstate__(self, values: dict[str, Any]) -> None:
        vars(self).update(values)
        self._connect(self._rng)

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
        note = np.empty(self._room + dim)
        arm = self._decide(self._player, array, self._bound, self._stream, note, table)
        if arm < 0:
            self._refuse(array, arm)
        if self._fixed_contexts and self._catalogue is None:
            self._catalogue = array.copy()
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
        value = self._check_reward(reward)
        number = _number_of(decision)
        if number not in self._pending:
            raise self._unknown(number)
        arm, note = self._pending[number]
        if isinstance(decision, Decision) and decision.arm != arm:
            raise ValueError(
                f"decision must be one of this agent's, whose decision {number} chose arm {arm}; "
                f"got {decision!r} of another agent"
            )
        self._absorb(self._player, arm, value, self._stream, note, self._room)
        del self._pending[number]

    def scores(self, contexts: npt.ArrayLike) -> Scores:
        """Describe what the agent thinks of these contexts; choose, draw and change nothing.

        A policy that guesses the attack budget is described under the guess it has settled on, or
        else under the guess 0; its probabilities are over all guesses.
        """
        array = self._check_shape(contexts)
        self._check_values(array)
        table = np.empty((3, len(array)))
        self._describe(self._player, array, table)
        return Scores(table)

    def __repr__(self) -> str:
        sizes = f"arms={self.problem.arms}, dim={self.problem.dim}, rounds={self.problem.rounds}"
        counts = f"decisions={self._next}, pending={self.pending}"
        return f"Agent({self.policy.name}, {sizes}, {counts})"

    @property
    def pending(self) -> int:
        """How many decisions wait for their reward."""
        return len(self._pending)

    # ------------------------------------------------------------------------------ checking

    def _check_shape(self, contexts: npt.ArrayLike) -> Floats:
        if type(contexts) is np.ndarray and contexts.dtype is FLOAT64:
            array: Floats = contexts
        else:
            array = _floats_of(contexts)
        if array.ndim != 2 or array.shape[1] != self.problem.dim or array.shape[0] == 0:
            raise ValueError(
                f"contexts must have shape (arms, {self.problem.dim}), one row for each arm; "
                f"got {array.shape}"
            )
        if self._fixed_arms and array.shape[0] != self.problem.arms:
            raise ValueError(
                f"contexts must have a row for each of the {self.problem.arms} arms that "
                f"{self.policy.name} plays; got {array.shape[0]}"
            )
        if self._catalogue is not None and not np.array_equal(array, self._catalogue):
            raise UnsupportedProblem(
                f"{self.policy.name} needs the same contexts in every call, and row "
                f"{_first_change(array, self._catalogue)} has changed: where arms change take "
                f"another policy, such as {getattr(self.policy, 'for_changing_arms', 'LinUCB')}"
            )
        # Machine code is called without a look at the array: only this kind will do.
        return array if array.flags.carray else array.copy()

    def _check_values(self, array: Floats) -> None:
        sizes = lengths(array)
        if not sizes.max() <= self._bound:
            arm = int(np.flatnonzero(~(sizes <= self._bound))[0])
            code = TOO_LONG if np.isfinite(sizes[arm]) else NOT_FINITE
            self._refuse(array, code - arm)

    def _refuse(self, array: Floats, code: int) -> None:
        if code == NO_SUCH_ARM:
            raise IndexError(f"{self.policy.name} chose an arm that does not exist")
        if code <= TOO_LONG:
            arm = TOO_LONG - code
            raise ValueError(
                f"contexts must be no longer than context_bound={self.problem.context_bound:g}; "
                f"row {arm} has length {np.linalg.norm(array[arm]):g}: scale your features, or "
                f"give Agent a larger context_bound"
            )
        arm = NOT_FINITE - code
        raise ValueError(
            f"contexts must be finite numbers of moderate size; row {arm} is {array[arm]}"
        )

    def _check_reward(self, reward: float) -> float:
        if type(reward) is not float and not _is_real(reward):
            raise TypeError(f"reward must be a number, got {reward!r}")
        if not self._low <= reward <= self._high:
            raise ValueError(
                f"reward must be a finite number between {self._low:g} and {self._high:g}, got "
                f"{reward!r}: scale your rewards to [0, 1], or give Agent a reward_range"
            )
        return float(reward)

    def _unknown(self, number: int) -> KeyError:
        if not 0 <= number < self._next:
            return KeyError(
                f"decision {number} was never made by this agent, which has made {self._next}"
            )
        if number > self._forgotten:
            return KeyError(f"decision {number} has its reward already; it cannot have another")
        return KeyError(
            f"decision {number} has its reward already, or is no longer remembered: only the "
            f"newest {self._capacity} without a reward are kept; give Agent a larger pending"
        )

    # -------------------------------------------------------------------------------- saving

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the agent to a file, atomically; pending decisions go with it.

        The format is described in ``docs/agent-file.md``. It holds no code. What could not be
        loaded again is refused here, and an older file stays as it is.
        """
        header = {
            "kind": "agent",
            "written_by": f"robustbandits {__version__}",
            "policy": recipe_to_dict(self.policy),
            "problem": self.problem.to_dict(),
            "reward_range": None if self.reward_range is None else list(self.reward_range),
            "capacity": self._capacity,
            "next": self._next,
            "forgotten": self._forgotten,
            "stream": stream_to_dict(self._rng),
        }
        arrays = {name: to_floats(name, array) for name, array in state_arrays(self._state)}
        arrays["pending"] = pending_to_rows(self._pending, self._room + self.problem.dim)
        try:
            type(self).__new__(type(self))._restore(dict(header), dict(arrays), type(self.policy))
        except Exception as error:
            raise SnapshotError(f"cannot save {os.fspath(path)}: {reason(error)}") from error
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
        if policy is not None and not isinstance(policy, type):
            raise TypeError(f"policy must be the class of a recipe, got {policy!r}")
        header, arrays = read_snapshot(path)
        agent = cls.__new__(cls)
        try:
            rng = agent._restore(header, arrays, policy)
        except Exception as error:  # whatever a file may hold, there is one way to refuse it
            raise SnapshotError(f"cannot load {os.fspath(path)}: {reason(error)}") from error
        agent._connect(rng)
        return agent

    def _restore(
        self, header: dict[str, Any], arrays: dict[str, Floats], kind: type[Any] | None
    ) -> np.random.Generator:
        if header.get("kind") != "agent":
            raise SnapshotError("it does not hold an agent")
        check_names("header", header, HEADER)
        if not isinstance(header["written_by"], str):
            raise SnapshotError("written_by must be text")
        problem = Problem(**header["problem"])
        rows = arrays.pop("pending")
        check_size(problem, arrays)
        recipe = recipe_class(header["policy"]["name"], kind).from_dict(header["policy"])
        self._open(recipe, problem, header["reward_range"], header["capacity"])
        due = dict(state_arrays(self._state))
        check_names("list of arrays", arrays, due)
        for name, array in due.items():
            fill(name, array, arrays[name])
        self._next = require.count("next", header["next"], low=0)
        self._forgotten = require.count("forgotten", header["forgotten"], low=-1)
        size = self._room + problem.dim
        self._pending = rows_to_pending(rows, size, self._forgotten, self._next)
        self._check_pending(rows)
        check_indices(self._state, rows[:, 2 : 2 + self._room])
        return stream_from_dict(header["stream"])

    def _check_pending(self, rows: Floats) -> None:
        """Refuse pending decisions that this agent cannot have made."""
        if len(rows) > self._capacity:
            raise SnapshotError(f"it has {len(rows)} pending decisions, more than its capacity")
        if self._fixed_arms and np.any(rows[:, 1] >= self.problem.arms):
            raise SnapshotError("its pending decisions chose arms that do not exist")
        if np.any(lengths(rows[:, 2 + self._room :]) > self._bound * SLACK):
            raise SnapshotError("its pending decisions have contexts beyond context_bound")


def _first_change(array: Floats, known: Floats) -> int:
    return int(np.flatnonzero((array != known).any(axis=1))[0])


def _number_of(decision: Any) -> int:
    if isinstance(decision, Decision):
        return decision.id
    if type(decision) is int or isinstance(decision, np.integer):
        return int(decision)
    raise TypeError(f"decision must be a Decision or its id, a whole number; got {decision!r}")


def _is_real(value: Any) -> bool:
    """Whether a value is a real number: Python's, NumPy's, or an array of no dimensions."""
    if getattr(value, "ndim", None) == 0:
        return getattr(getattr(value, "dtype", None), "kind", "f") in "fiu"
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _floats_of(contexts: npt.ArrayLike) -> Floats:
    try:
        array = np.asarray(contexts)
        if array.dtype.kind == "O":  # a table of mixed columns, say: look at what is in it
            array = np.array(array.tolist())
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"contexts must be numbers in an array of shape (arms, dim): {error}"
        ) from None
    if array.dtype.kind not in "fiub":
        raise ValueError(
            f"contexts must be numbers in an array of shape (arms, dim), got {array.dtype} values"
        )
    if isinstance(contexts, np.ma.MaskedArray) and np.ma.is_masked(contexts):
        raise ValueError("contexts must have no masked values: fill them in first")
    floats: Floats = array.astype(np.float64, order="C")
    return floats


def lengths(contexts: Floats) -> Floats:
    """Length of each row; infinite where its square is."""
    with np.errstate(over="ignore"):
        lengths: Floats = np.sqrt(np.square(contexts).sum(axis=1))
    return lengths


def _default_range(policy: Any) -> tuple[float, float]:
    slack = SIGMAS * float(getattr(policy, "sigma", 0.0))
    return -slack, 1.0 + slack


def _check_range(span: Any) -> tuple[float, float] | None:
    if span is None:
        return None
    if not isinstance(span, tuple | list) or len(span) != 2:
        raise ValueError(f"reward_range must be (smallest, largest), got {span!r}")
    low, high = (require.real("reward_range", end) for end in span)
    if not low < high:
        raise ValueError(f"reward_range must be (smallest, largest), got {span!r}")
    return low, high
