"""Checks of the contexts and rewards that an agent is given."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from robustbandits.agent.compiled_steps import NO_SUCH_ARM, NOT_FINITE, TOO_LONG
from robustbandits.agent.file_format import SnapshotError
from robustbandits.features import Scaler
from robustbandits.game import require
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.kernels.linalg import Floats

#: Contexts may exceed their bound by this factor, because of rounding.
SLACK = 1 + 1e-9
#: Rewards this many sigmas outside [0, 1] are refused, unless `reward_range` allows them.
SIGMAS = 6.0
FLOAT64 = np.dtype(np.float64)


class Inputs:
    """The checks of one agent."""

    def __init__(self, policy: Any, problem: Problem, reward_range: Any):
        self.policy = policy
        self.problem = problem
        self.reward_range = check_range(reward_range)
        self.bound = problem.context_bound * SLACK
        self.scaler: Scaler | None = None
        self._fixed_arms = bool(getattr(policy, "fixed_arms", False))
        self._low, self._high = self.reward_range or _default_range(policy)
        self._fixed_contexts = bool(getattr(policy, "fixed_contexts", False))
        self._catalogue: Floats | None = None  # contexts of the first choice
        self.catalogue_is_missing = self._fixed_contexts

    def no_contexts(self, contexts: npt.ArrayLike | None) -> Floats:
        """Return contexts without rows, because the arms are a ball."""
        if contexts is not None:
            raise ValueError(
                "contexts must not be given, because the arms are a ball: call choose()"
            )
        return np.empty((0, self.problem.dim))

    def usable_as_is(self, contexts: Any) -> bool:
        """Whether contexts of many decisions, (decisions, arms, dim), can be used as they are."""
        _, arms, dim = contexts.shape
        return (
            contexts.dtype is FLOAT64
            and self.scaler is None
            and not self._fixed_contexts
            and arms == (self.problem.arms if self._fixed_arms else max(1, arms))
            and dim == self.problem.dim
        )

    def contexts(
        self, contexts: npt.ArrayLike | None, first_contexts: Floats | None = None
    ) -> Floats:
        """Return contexts as a float64 array in C order; check the shape, but not the values.

        ``first_contexts`` are those of the first decision of a batch.
        """
        if self.scaler is not None:
            rows: Any = contexts
            _check_row_lengths(rows)
            contexts = self.scaler.transform(rows)
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
                f"contexts must have {self.problem.arms} rows, because {self.policy.name} plays "
                f"{self.problem.arms} fixed arms; got {array.shape[0]}"
            )
        catalogue = self._catalogue
        if self.catalogue_is_missing:
            catalogue = first_contexts
        if catalogue is not None and not np.array_equal(array, catalogue):
            raise UnsupportedProblem(
                f"{self.policy.name} needs the same contexts in every call, but row "
                f"{_first_change(array, catalogue)} has changed: for contexts that change "
                f"use another policy, such as {getattr(self.policy, 'for_changing_arms', 'LinUCB')}"
            )
        # Compiled code does not check how the array is stored.
        return array if array.flags.carray else array.copy()

    def remember_catalogue(self, array: Floats) -> None:
        """Remember the first contexts, because the policy needs the same ones in every call."""
        self._catalogue = array.copy()
        self.catalogue_is_missing = False

    def to_arrays(self) -> dict[str, Floats]:
        """Return what is saved with an agent: its catalogue, empty before the first choice."""
        if not self._fixed_contexts:
            return {}
        empty = np.empty((0, self.problem.dim))
        return {"catalogue": empty if self._catalogue is None else self._catalogue}

    def take_arrays(self, arrays: dict[str, Floats]) -> None:
        """Remove from a file's arrays what `to_arrays` returned, and use it."""
        if not self._fixed_contexts or "catalogue" not in arrays:
            return
        catalogue = arrays.pop("catalogue")
        sizes = ((0, self.problem.dim), (self.problem.arms, self.problem.dim))
        if catalogue.shape not in sizes:
            raise ValueError(f"catalogue must have shape {sizes[1]}, got {catalogue.shape}")
        if len(catalogue) > 0:
            self.check_values(catalogue)
            self.remember_catalogue(catalogue)

    def check_pending(self, arms: Floats, contexts: Floats) -> None:
        """Raise SnapshotError for pending decisions that this agent cannot have made."""
        if self._fixed_arms and np.any(arms >= self.problem.arms):
            raise SnapshotError("its pending decisions chose arms that do not exist")
        if np.any(lengths(contexts) > self.bound * SLACK):
            raise SnapshotError("its pending decisions have contexts beyond context_bound")

    def check_values(self, array: Floats) -> None:
        """Raise ValueError for contexts that are not finite, or too long."""
        sizes = lengths(array)
        if not sizes.max() <= self.bound:
            arm = int(np.flatnonzero(~(sizes <= self.bound))[0])
            code = TOO_LONG if np.isfinite(sizes[arm]) else NOT_FINITE
            self.raise_error(array, code - arm)

    def raise_error(self, array: Floats, code: int) -> None:
        """Raise the error that `decide` has returned as a number."""
        if code == NO_SUCH_ARM:
            name = self.policy.name
            raise IndexError(f"{name} chose an arm that does not exist: run check_policy on it")
        if code <= TOO_LONG:
            arm = TOO_LONG - code
            raise ValueError(
                f"contexts must be no longer than context_bound={self.problem.context_bound:g}; "
                f"row {arm} has length {np.linalg.norm(array[arm]):g}: scale your features, or set "
                f"a larger context_bound"
            )
        arm = NOT_FINITE - code
        raise ValueError(
            f"contexts must be finite numbers, and so must their squares; row {arm} is {array[arm]}"
        )

    def reward(self, reward: float) -> float:
        """Return a valid reward as a float."""
        if type(reward) is not float and not _is_real(reward):
            raise TypeError(f"reward must be a number, got {reward!r}")
        if not self._low <= reward <= self._high:
            raise ValueError(
                f"reward must be a finite number between {self._low:g} and {self._high:g}, got "
                f"{reward!r}: scale your rewards to [0, 1], or set reward_range"
            )
        return float(reward)

    def rewards(self, rewards: Any, count: int) -> Floats:
        """Return valid rewards as a float64 array; there must be ``count``."""
        array = np.asarray(rewards)
        if array.shape != (count,):
            raise ValueError(
                f"rewards must have one number for each decision: expected shape ({count},), got "
                f"{array.shape}"
            )
        are_numbers = array.dtype.kind in "fiub" and not np.ma.is_masked(rewards)
        if not are_numbers or not ((self._low <= array) & (array <= self._high)).all():
            array = np.array([self.reward(reward) for reward in rewards])
        return array.astype(np.float64)


def lengths(contexts: Floats) -> Floats:
    """Length of each row; infinite if its square overflows."""
    with np.errstate(over="ignore"):
        lengths: Floats = np.sqrt(np.square(contexts).sum(axis=1))
    return lengths


def check_labels(labels: Any, count: int, subject: str = "arm") -> Sequence[Any]:
    """Return labels as a list or a tuple; there must be one for each arm, or other subject."""
    item = "label" if subject == "arm" else "list of labels"
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        raise TypeError(f"labels must be a list with one {item} for each {subject}, got {labels!r}")
    if not isinstance(labels, list | tuple):
        labels = list(labels)
    if len(labels) != count:
        raise ValueError(
            f"labels must have one {item} for each {subject}: expected {count}, got {len(labels)}"
        )
    return labels


def check_range(span: Any) -> tuple[float, float] | None:
    """Return a range of rewards, or None for the policy's default."""
    if span is None:
        return None
    if not isinstance(span, tuple | list) or len(span) != 2:
        raise ValueError(f"reward_range must be (smallest, largest), got {span!r}")
    low, high = (require.real("reward_range", end) for end in span)
    if not low < high:
        raise ValueError(f"reward_range must be (smallest, largest), got {span!r}")
    return low, high


def _default_range(policy: Any) -> tuple[float, float]:
    slack = SIGMAS * float(getattr(policy, "sigma", 0.0))
    return -slack, 1.0 + slack


def _first_change(array: Floats, known: Floats) -> int:
    return int(np.flatnonzero((array != known).any(axis=1))[0])


def _is_real(value: Any) -> bool:
    """Whether a value is a real number, True or False, or a zero-dimensional array of these."""
    if getattr(value, "ndim", None) == 0:
        return getattr(getattr(value, "dtype", None), "kind", "f") in "fiub"
    return isinstance(value, numbers.Real)


def _check_row_lengths(contexts: Any) -> None:
    """Raise ValueError if the rows of contexts have different lengths."""
    if isinstance(contexts, list | tuple):
        sizes = [len(row) for row in contexts if hasattr(row, "__len__")]
        for arm, size in enumerate(sizes):
            if size != sizes[0]:
                raise ValueError(
                    f"contexts must have rows of equal length, one for each arm: row 0 has "
                    f"{sizes[0]} features, row {arm} has {size}"
                )


def _floats_of(contexts: npt.ArrayLike | None) -> Floats:
    _check_row_lengths(contexts)
    try:
        array = np.asarray(contexts)
        if array.dtype.kind == "O":  # for example a data frame with columns of several types
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
        raise ValueError("contexts must not have masked values: fill them first")
    floats: Floats = array.astype(np.float64, order="C")
    return floats
