"""Agent: a live policy. It chooses, and learns when the reward arrives, now or much later."""

from __future__ import annotations

import os
import warnings
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from robustbandits._version import __version__
from robustbandits.agent.compiled_steps import absorb, decide, describe
from robustbandits.agent.decision import Decision, Scores, id_of
from robustbandits.agent.file import (
    SnapshotError,
    fill,
    read_snapshot,
    state_arrays,
    stream_from_dict,
    stream_to_dict,
    to_floats,
    write_snapshot,
)
from robustbandits.agent.file_checks import (
    HEADER,
    check_indices,
    check_names,
    check_size,
    reason,
    recipe_class,
    recipe_to_dict,
)
from robustbandits.agent.inputs import Inputs
from robustbandits.agent.pending import Pending
from robustbandits.compiled.jit import compiled_for, entry_point
from robustbandits.compiled.rng_pointer import lease
from robustbandits.game import require
from robustbandits.game.dispatch import LIVE, hold
from robustbandits.game.match import POLICY, stream
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO, Policy
from robustbandits.kernels.linalg import Floats


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
        self._inputs = Inputs(policy, problem, reward_range)
        self._state: Any = policy.start(problem)
        self._pending = Pending(pending)

    def _connect(self, rng: np.random.Generator) -> None:
        """Join state, stream and machine code."""
        note, matrix = np.empty(1), np.empty((1, 1))
        self._rng = rng
        self._stream = lease(rng)
        player, self._lease = hold(self._state, LIVE)
        self._player = player
        self._decide = entry_point(
            compiled_for(decide, player),
            player,
            matrix,
            self._inputs.bound,
            self._stream,
            note,
            matrix,
        )
        self._absorb = entry_point(compiled_for(absorb, player), player, 0, 0.0, self._stream, note)
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
        array = self._inputs.contexts(contexts)
        arms, dim = array.shape
        table = np.empty((3, arms))
        note = np.empty(MEMO + dim)
        arm = self._decide(self._player, array, self._inputs.bound, self._stream, note, table)
        if arm < 0:
            self._inputs.refuse(array, arm)
        self._inputs.keep(array)
        return Decision(self._pending.add((arm, note)), arm, table)

    def learn(self, decision: Decision | int, reward: float) -> None:
        """Learn the reward of a decision, given itself or its id, in any order, once each."""
        value = self._inputs.reward(reward)
        number = id_of(decision)
        if number not in self._pending:
            raise self._pending.unknown(number)
        arm, note = self._pending[number]
        if isinstance(decision, Decision) and decision.arm != arm:
            raise ValueError(
                f"decision must be one of this agent's, whose decision {number} chose arm {arm}; "
                f"got {decision!r} of another agent"
            )
        self._absorb(self._player, arm, value, self._stream, note)
        del self._pending[number]

    def scores(self, contexts: npt.ArrayLike) -> Scores:
        """Describe what the agent thinks of these contexts; choose, draw and change nothing.

        A policy that guesses the attack budget is described under the guess it has settled on, or
        else under the guess 0; its probabilities are over all guesses.
        """
        array = self._inputs.contexts(contexts)
        self._inputs.check_values(array)
        table = np.empty((3, len(array)))
        self._describe(self._player, array, table)
        return Scores(table)

    def __repr__(self) -> str:
        sizes = f"arms={self.problem.arms}, dim={self.problem.dim}, rounds={self.problem.rounds}"
        counts = f"decisions={self._pending.next}, pending={self.pending}"
        return f"Agent({self.policy.name}, {sizes}, {counts})"

    @property
    def pending(self) -> int:
        """How many decisions wait for their reward."""
        return len(self._pending)

    @property
    def reward_range(self) -> tuple[float, float] | None:
        """Smallest and largest possible reward; None for the policy's default."""
        return self._inputs.reward_range

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
            "capacity": self._pending.capacity,
            "next": self._pending.next,
            "forgotten": self._pending.forgotten,
            "stream": stream_to_dict(self._rng),
        }
        arrays = {name: to_floats(name, array) for name, array in state_arrays(self._state)}
        arrays |= self._inputs.to_arrays()
        arrays["pending"] = self._pending.to_rows(MEMO + self.problem.dim)
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
        policy = recipe_class(header["policy"]["name"], kind)
        recipe = policy.from_dict(header["policy"])
        if hasattr(policy, "upgrade_file"):  # the arrays may be those of an older version
            arrays = policy.upgrade_file(arrays | {"pending": rows})
            rows = arrays.pop("pending")
        self._open(recipe, problem, header["reward_range"], header["capacity"])
        self._inputs.take_arrays(arrays)
        due = dict(state_arrays(self._state))
        check_names("list of arrays", arrays, due)
        for name, array in due.items():
            fill(name, array, arrays[name])
        size = MEMO + problem.dim
        self._pending.take_rows(rows, size, header["next"], header["forgotten"])
        self._inputs.check_pending(rows[:, 1], rows[:, 2 + MEMO :])
        check_indices(self._state, rows[:, 2 : 2 + MEMO])
        return stream_from_dict(header["stream"])
