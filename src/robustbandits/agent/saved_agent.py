"""What an agent remembers, and the file that holds it."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np

from robustbandits._version import __version__
from robustbandits.agent.file_contents import (
    HEADER,
    MIN_LIMIT,
    check_names,
    check_size,
    check_state,
    checked_parameters,
    fill,
    reason,
    recipe_class,
    recipe_to_dict,
    state_arrays,
    stream_from_dict,
    stream_to_dict,
    to_floats,
    upgrade_from_format_1,
)
from robustbandits.agent.file_format import SnapshotError, read_snapshot, write_snapshot
from robustbandits.agent.ids import sessions_to_rows
from robustbandits.agent.inputs import Inputs
from robustbandits.agent.pending import Pending
from robustbandits.features import Scaler
from robustbandits.game.facts import start_policy
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO, Policy
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.size_limit import size_limit


class SavedAgent:
    """The part of an agent that a file holds: recipe, state, pending decisions, random stream."""

    _rng: np.random.Generator

    def _set_up(
        self,
        policy: Policy,
        problem: Problem,
        reward_range: tuple[float, float] | None,
        pending: int,
    ) -> None:
        self.policy = policy
        self.problem = problem
        self._inputs = Inputs(policy, problem, reward_range)
        self._state: Any = start_policy(policy, problem)
        self._pending = Pending(pending)

    def _connect(self, rng: np.random.Generator) -> None:
        """Make the agent ready to play with this random stream."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the agent, with its pending decisions, to a file.

        The file holds no code; ``docs/agent-file.md`` describes its format. An agent that could not
        be loaded again is not saved: SnapshotError, or TypeError for a policy whose state cannot be
        written, says why, and an older file stays as it is.
        """
        header = {
            "kind": "agent",
            "written_by": f"robustbandits {__version__}",
            "policy": recipe_to_dict(self.policy),
            "problem": self.problem.to_dict(),
            "reward_range": None
            if self._inputs.reward_range is None
            else list(self._inputs.reward_range),
            "capacity": self._pending.capacity,
            "decisions": self._pending.decisions,
            "forgotten": self._pending.forgotten,
            "last_forgotten": self._pending.last_forgotten,
            "next": self._pending.next,
            "stream": stream_to_dict(self._rng),
        }
        if self._inputs.scaler is not None:
            header["scaler"] = self._inputs.scaler.to_dict()
        arrays = {name: to_floats(name, array) for name, array in state_arrays(self._state)}
        arrays |= self._inputs.to_arrays()
        arrays["sessions"] = sessions_to_rows(self._pending.sessions, self._pending.next)
        arrays["pending"] = self._pending.to_rows(MEMO + self.problem.dim)
        try:
            type(self).__new__(type(self))._restore(dict(header), dict(arrays), type(self.policy))
        except Exception as error:
            raise SnapshotError(f"cannot save {os.fspath(path)}: {reason(error)}") from error
        write_snapshot(path, header, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str], policy: type[Any] | None = None) -> Self:
        """Read an agent that :meth:`save` wrote; it continues as if it had never been saved.

        Parameters
        ----------
        path
            The file. A damaged or hostile file raises SnapshotError.
        policy
            Class of the recipe, for policies that are not part of robustbandits. For safety, the
            name in the file alone does not import it.
        """
        if policy is not None and not isinstance(policy, type):
            raise TypeError(f"policy must be the class of a recipe, got {policy!r}")
        version, header, arrays = read_snapshot(path)
        agent = cls.__new__(cls)
        try:
            if version == 1:
                upgrade_from_format_1(header, arrays)
            rng = agent._restore(header, arrays, policy)
        except Exception as error:  # a hostile file may cause any error
            raise SnapshotError(f"cannot load {os.fspath(path)}: {reason(error)}") from error
        agent._connect(rng)
        return agent

    def _restore(
        self, header: dict[str, Any], arrays: dict[str, Floats], given_class: type[Any] | None
    ) -> np.random.Generator:
        """Restore everything but the random stream, which is returned; raise for a bad file."""
        if header.get("kind") != "agent":
            raise SnapshotError("it does not hold an agent")
        scaler = header.pop("scaler", None)
        check_names("header", header, HEADER)
        if not isinstance(header["written_by"], str):
            raise SnapshotError("written_by must be text")
        problem = Problem(**header["problem"])
        rows, sessions = arrays.pop("pending"), arrays.pop("sessions")
        check_size(problem, arrays)
        policy_class = recipe_class(header["policy"]["name"], given_class)
        recipe = policy_class.from_dict(checked_parameters(policy_class, header["policy"]))
        if hasattr(policy_class, "upgrade_file"):  # the arrays may be those of an older version
            arrays = policy_class.upgrade_file(arrays | {"pending": rows})
            rows = arrays.pop("pending")
        with size_limit(max(MIN_LIMIT, sum(array.size for array in arrays.values()))):
            self._set_up(recipe, problem, header["reward_range"], header["capacity"])
        self._inputs.take_arrays(arrays)
        expected = dict(state_arrays(self._state))
        check_names("list of arrays", arrays, expected)
        for name, array in expected.items():
            fill(name, array, arrays[name])
        size = MEMO + problem.dim
        self._pending.take_rows(rows, sessions, size, header)
        self._inputs.check_pending(rows[:, 1], rows[:, 2 + MEMO :])
        check_state(self._state, rows[:, 2 : 2 + MEMO])
        if scaler is not None:
            self._inputs.scaler = Scaler.from_dict(scaler)
            dim_of(self._inputs.scaler, problem.dim, problem.arms)
        return stream_from_dict(header["stream"])


def dim_of(scaler: Scaler, dim: int | None, arms: int | str) -> int:
    """Return the dimension of an agent with a scaler; raise if they do not fit together."""
    if not isinstance(scaler, Scaler):
        raise TypeError(f"scaler must be an rb.features.Scaler, got {scaler!r}")
    if isinstance(arms, str):
        raise ValueError("scaler must not be given if arms='ball': there are no contexts to scale")
    if dim not in (None, scaler.dim):
        raise ValueError(f"dim must be that of the scaler, {scaler.dim}; got {dim!r}")
    return scaler.dim
