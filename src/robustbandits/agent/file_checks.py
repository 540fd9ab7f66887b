"""What an agent's file holds, and the checks it must pass before anything is believed."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from robustbandits.agent.file import SnapshotError
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats

#: A file may ask for this many bytes of state beyond its own size, no more.
MAX_LOAD = 256 * 1024 * 1024

#: Entries of a file's header, besides the list of its arrays.
HEADER = (
    "kind",
    "written_by",
    "policy",
    "problem",
    "reward_range",
    "capacity",
    "next",
    "forgotten",
    "stream",
)


def recipe_to_dict(policy: Any) -> dict[str, Any]:
    """Return a policy's parameters, or say why it cannot be saved."""
    if not hasattr(policy, "to_dict") or not hasattr(type(policy), "from_dict"):
        raise TypeError(
            f"policy {policy!r} cannot be saved: it needs to_dict and from_dict, which "
            f"robustbandits.game.recipe.Recipe gives"
        )
    data: dict[str, Any] = policy.to_dict()
    return data


def recipe_class(name: Any, kind: type[Any] | None) -> Any:
    """Return the class of our policy of this name, or the one that the caller gave."""
    policies = importlib.import_module("robustbandits.policies")
    if kind is not None:
        if kind.__name__ != name:
            raise SnapshotError(f"it holds a {name!r}, not a {kind.__name__}")
        return kind
    if name not in policies.__all__:
        raise SnapshotError(f"its policy {name!r} is not ours: give its class as policy=...")
    return getattr(policies, name)


def check_size(problem: Problem, arrays: dict[str, Floats]) -> None:
    """Refuse sizes that would allocate far more than the file holds."""
    room = max(MAX_LOAD, sum(array.nbytes for array in arrays.values()))
    if 8 * problem.dim**2 > room or 8 * problem.arms > room:
        raise SnapshotError(f"its sizes do not fit its contents: {problem}")


def check_names(what: str, found: Iterable[str], due: Iterable[str]) -> None:
    """Refuse missing and superfluous names."""
    for odd in sorted(set(found) ^ set(due)):
        trouble = "lacks" if odd in due else "must not have"
        raise SnapshotError(f"its {what} {trouble} {odd!r}")


def reason(error: Exception) -> str:
    """Say in a line why a file was refused."""
    text = str(error) if isinstance(error, SnapshotError) else f"{type(error).__name__}: {error}"
    return text[:1000]  # a hostile file may hold a long value


def check_indices(state: Any, memos: Floats) -> None:
    """Refuse numbers that would lead compiled code out of its arrays.

    A state whose kernels use numbers of its memory or of a memo as indices has a plain method
    ``check(memos)`` that raises ValueError; each row is the memo of a pending decision.
    """
    if hasattr(state, "check"):
        state.check(memos)
