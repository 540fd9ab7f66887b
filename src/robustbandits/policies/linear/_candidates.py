"""Candidate values for an attack budget that is unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from robustbandits.game import require
from robustbandits.game.problem import Problem, UnsupportedProblem

#: Names for the largest candidate. `2KT` and `T` are the paper's (rounded up to a power of two);
#: the two `-floor` ones are those of the authors' code; `sqrtT` is ours.
NAMES = ("sqrtT", "T", "2KT", "2KT-floor", "2KH-floor")


def check_candidates(value: Any) -> str | tuple[float, ...]:
    """Return a known name, or a tuple of different levels that are not negative."""
    if isinstance(value, str):
        return require.one_of("candidates", value, NAMES)
    if not isinstance(value, Sequence) or not value:
        raise ValueError(f"candidates must be one of {NAMES} or a list of levels, got {value!r}")
    levels = tuple(require.at_least("candidates", level, 0.0) for level in value)
    if len(set(levels)) != len(levels):
        raise ValueError(f"candidates must differ from each other, got {value!r}")
    return levels


def check_candidates_without_epochs(value: Any, policy: str) -> str | tuple[float, ...]:
    """Return checked candidates for a policy that has no epochs, which ``2KH-floor`` needs."""
    candidates = check_candidates(value)
    if candidates == "2KH-floor":
        raise ValueError(f"candidates='2KH-floor' needs epochs, and {policy} has none")
    return candidates


def candidates_for(recipe: Any, problem: Problem) -> str | tuple[float, ...]:
    """Return a policy's candidates for a problem.

    If there are infinitely many arms, candidates up to T take the place of the default, as in the
    paper, and those that depend on the number of arms are refused.
    """
    name: str | tuple[float, ...] = recipe.candidates
    if problem.infinite and isinstance(name, str):
        if name.startswith("2K"):
            raise UnsupportedProblem(
                f"candidates={name!r} depend on the number of arms, which is infinite here: use 'T'"
            )
        return "T"
    return name


def candidate_levels(
    name: str | tuple[float, ...], *, arms: int, rounds: int | None, epoch: float | None = None
) -> tuple[float, ...]:
    """Return ``{0} ∪ {2^j}`` up to the named limit, or the given levels."""
    if not isinstance(name, str):
        return name
    assert rounds is not None
    if name == "sqrtT":
        exponent = math.ceil(math.log2(math.sqrt(rounds)))
    elif name == "T":
        exponent = math.ceil(math.log2(rounds))
    elif name == "2KT":
        exponent = math.ceil(math.log2(2 * arms * rounds))
    elif name == "2KT-floor":
        exponent = math.floor(math.log2(2 * arms * rounds))
    else:
        assert epoch is not None
        exponent = max(0, math.floor(math.log2(2 * arms * epoch)))
    return (0.0, *(2.0**j for j in range(exponent + 1)))
