"""Log: decisions that some policy made in the past, and how to read them from a file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from robustbandits.game import require
from robustbandits.game.defaults import ROUNDS
from robustbandits.kernels.linalg import Floats
from robustbandits.ratings.errors import DataError
from robustbandits.red_team._log_rows import Rows
from robustbandits.red_team._open_bandit import COLUMNS as OPEN_BANDIT
from robustbandits.red_team._open_bandit import OpenBanditLayout

#: Most numbers in the contexts of a log, 1 GB; and the largest sizes of a round.
MAX_NUMBERS = 1 << 27
MAX_ARMS = 10_000
MAX_DIM = 1000

_PER_ARM = re.compile(r"context_(\d{1,9})_(\d{1,9})")
_SHARED = re.compile(r"context_(\d{1,9})")
EXPECTED = (
    "columns arm, reward and, if known, probability; and the contexts: context_A_F (feature F of "
    "arm A, both from 0), context_F (one context that all arms share), or, in a Parquet file, "
    "contexts (a list of features for each arm); or those of the Open Bandit Dataset"
)


@dataclass(frozen=True, eq=False)
class Log:
    """Decisions that some policy made in the past.

    Parameters
    ----------
    contexts
        Shape (rows, arms, dim): the context of each arm in each decision.
    arms, rewards
        The arm that was chosen, and its reward, from 0 to 1; shape (rows,).
    probabilities
        The probability with which that arm was chosen, shape (rows,); None if not known.
    name
        Where it is from.
    """

    contexts: Floats
    arms: Any
    rewards: Floats
    probabilities: Floats | None = None
    name: str = "log"

    def __post_init__(self) -> None:
        contexts = np.asarray(self.contexts, dtype=np.float64)
        if contexts.ndim != 3 or 0 in contexts.shape:
            raise ValueError(
                f"contexts must have shape (rows, arms, dim), none of them 0; got {contexts.shape}"
            )
        rows, count, _ = contexts.shape
        arms, rewards = np.asarray(self.arms), np.asarray(self.rewards, dtype=np.float64)
        if arms.dtype.kind not in "iu":
            raise TypeError(f"arms must be whole numbers, got {arms.dtype}")
        if not np.isfinite(_squared_lengths(contexts)).all():
            raise ValueError("contexts must be finite numbers, and so must their squares")
        columns: dict[str, Any] = {"arms": arms, "rewards": rewards}
        if self.probabilities is not None:
            columns["probabilities"] = np.asarray(self.probabilities, dtype=np.float64)
        valid = {
            "arms": lambda values: (values >= 0) & (values < count),
            "rewards": lambda values: (values >= 0.0) & (values <= 1.0),
            "probabilities": lambda values: (values > 0.0) & (values <= 1.0),
        }
        expected = {
            "arms": f"from 0 to {count - 1}",
            "rewards": "from 0 to 1",
            "probabilities": "above 0, up to 1",
        }
        for name, values in columns.items():
            if values.shape != (rows,):
                raise ValueError(f"{name} must have shape ({rows},), got {values.shape}")
            bad = np.flatnonzero(~valid[name](values))
            if len(bad):
                raise ValueError(
                    f"{name} must be {expected[name]}, got {values[bad[0]]} in row {bad[0]}"
                )
            object.__setattr__(self, name, values)
        object.__setattr__(self, "contexts", contexts)

    def __len__(self) -> int:
        return len(self.rewards)

    def __repr__(self) -> str:
        rows, arms, dim = self.contexts.shape
        return f"Log({self.name}: {rows:,} rows, {arms} arms, dim {dim})"

    @property
    def context_bound(self) -> float:
        """Length of the longest context, at least 1."""
        return max(1.0, float(np.sqrt(_squared_lengths(self.contexts).max())))

    @property
    def fixed_arms(self) -> bool:
        """Whether all rows have the same contexts."""
        return bool((self.contexts == self.contexts[0]).all())

    @property
    def intercept(self) -> bool:
        """Whether the last feature is the same everywhere."""
        last = self.contexts[:, :, -1]
        return bool((last == last[0, 0]).all())

    @property
    def clicks(self) -> bool:
        """Whether every reward is 0 or 1."""
        return bool(np.isin(self.rewards, (0.0, 1.0)).all())


def _squared_lengths(contexts: Floats) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        squares: Floats = np.einsum("ijk,ijk->ij", contexts, contexts)  # without a copy
    return squares


def read_log(path: str | os.PathLike[str], rows: int = ROUNDS) -> Log:
    """Read a log from a Parquet or a CSV file.

    Parameters
    ----------
    path
        A file with a row for each decision, oldest first. It has the columns ``arm`` (counted from
        0), ``reward`` (from 0 to 1) and, if known, ``probability`` (of the choice of that arm). The
        contexts are in columns ``context_A_F`` (feature F of arm A), in columns ``context_F`` (one
        context that all arms share: then each arm has a theta of its own), or, in a Parquet file,
        in the column ``contexts``: a list with a list of features for each arm. The files of the
        Open Bandit Dataset are known by their columns; ``item_context.csv`` is read if it is
        in the same folder.
    rows
        The largest number of rows to read, from the beginning of the file.

    Raises
    ------
    FileNotFoundError
        The file does not exist.
    DataError
        A column is missing, or a value is not allowed; the message names column and row.
    """
    limit = require.count("rows", rows)
    file = Rows(Path(path))
    layout = _layout(file)
    parts: list[dict[str, Any]] = []
    read = 0
    for batch in file.batches(layout.columns):
        batch = batch.slice(0, limit - read)
        if len(batch):
            parts.append(_read_batch(file, layout, batch, read))
        read += len(batch)
        if read >= limit:
            break
    if not parts:
        raise DataError(f"{file.path} has no rows")
    joined = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    return Log(**joined, name=file.path.name)


class _Layout:
    """Which columns hold what, and how the contexts of a batch are made from them.

    ``contexts`` is called with the file, a batch and the number of its first row.
    """

    def __init__(
        self,
        names: tuple[str, str, str | None],
        columns: Sequence[str],
        contexts: Callable[[Rows, Any, int], Floats],
        shape: tuple[int, int] | None,
    ):
        self.arm, self.reward, self.probability = names
        self.columns = [*(name for name in names if name is not None), *columns]
        self.contexts = contexts
        self.shape = shape  # arms and dim, if known before anything is read


def _read_batch(file: Rows, layout: _Layout, batch: Any, first: int) -> dict[str, Any]:
    """Return the columns of a log, for the rows of a batch."""
    if layout.shape is not None:
        _check_size(file, first + len(batch), layout.shape)
    part: dict[str, Any] = {}
    arms = file.numbers(batch, layout.arm, first)
    whole = (arms == np.floor(arms)) & (arms >= 0.0)
    file.require(whole, arms, layout.arm, first, "a whole number, at least 0")
    rewards = file.numbers(batch, layout.reward, first)
    in_range = (rewards >= 0.0) & (rewards <= 1.0)
    file.require(in_range, rewards, layout.reward, first, "a reward from 0 to 1")
    part["rewards"] = rewards
    if layout.probability is not None:
        chances = file.numbers(batch, layout.probability, first)
        valid = (chances > 0.0) & (chances <= 1.0)
        file.require(valid, chances, layout.probability, first, "a probability above 0, up to 1")
        part["probabilities"] = chances
    part["contexts"] = layout.contexts(file, batch, first)
    shape = part["contexts"].shape[1:]
    if layout.shape is None:  # the first batch of nested lists decides
        layout.shape = shape
        _check_size(file, first + len(batch), shape)
    known = arms < shape[0]
    file.require(known, arms, layout.arm, first, f"an arm below {shape[0]}, the number of arms")
    part["arms"] = arms.astype(np.int64)
    return part


def _check_size(file: Rows, rows: int, shape: tuple[int, int]) -> None:
    arms, dim = shape
    if arms > MAX_ARMS or dim > MAX_DIM:
        raise DataError(
            f"{file.path} has {arms:,} arms with {dim:,} features each; at most {MAX_ARMS:,} arms "
            f"and {MAX_DIM:,} features are allowed: reduce them"
        )
    if rows * arms * dim > MAX_NUMBERS:
        most = MAX_NUMBERS // (arms * dim)
        raise DataError(
            f"{file.path} is too large: {arms:,} arms with {dim:,} features each allow {most:,} "
            f"rows; read fewer (rows={most}, or --rounds {most})"
        )


def _layout(file: Rows) -> _Layout:
    """Recognise the columns of a file."""
    names = file.names
    if set(OPEN_BANDIT) <= set(names):
        open_bandit = OpenBanditLayout(file)
        return _Layout(OPEN_BANDIT, open_bandit.columns, open_bandit.contexts, open_bandit.shape)
    for name in ("arm", "reward"):
        if name not in names:
            shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
            raise DataError(f"{file.path} has no column {name!r}: expected {EXPECTED}; got {shown}")
    fixed = ("arm", "reward", "probability" if "probability" in names else None)
    per_arm = {name: match for name in names if (match := _PER_ARM.fullmatch(name))}
    shared = [name for name in names if _SHARED.fullmatch(name)]
    if per_arm:
        grid = {(int(match[1]), int(match[2])): name for name, match in per_arm.items()}
        return _Layout(fixed, *_per_arm_layout(file, grid))
    if shared:
        return _Layout(fixed, *_shared_layout(file, shared))
    if "contexts" in names and file.is_parquet:
        return _Layout(fixed, ["contexts"], _nested_contexts, None)
    raise DataError(f"{file.path} has no contexts: expected {EXPECTED}")


def _per_arm_layout(file: Rows, grid: dict[tuple[int, int], str]) -> Any:
    arms, dim = (max(position) + 1 for position in zip(*grid, strict=True))
    _check_size(file, 1, (arms, dim))
    missing = [(a, f) for a in range(arms) for f in range(dim) if (a, f) not in grid]
    if missing:
        arm, feature = missing[0]
        raise DataError(
            f"{file.path} has no column 'context_{arm}_{feature}': each of the {arms} arms needs "
            f"{dim} features"
        )
    columns = [grid[arm, feature] for arm in range(arms) for feature in range(dim)]

    def contexts(file: Rows, batch: Any, first: int) -> Floats:
        values = [file.numbers(batch, name, first) for name in columns]
        return np.stack(values, axis=1).reshape(-1, arms, dim)

    return columns, contexts, (arms, dim)


def _shared_layout(file: Rows, columns: list[str]) -> Any:
    """Return the layout of one context that all arms share: each arm has a block of its own."""
    arms = _largest_arm(file) + 1
    features = len(columns)
    shape = (arms, arms * features)
    _check_size(file, 1, shape)

    def contexts(file: Rows, batch: Any, first: int) -> Floats:
        rows = np.stack([file.numbers(batch, name, first) for name in columns], axis=1)
        blocks = np.zeros((len(rows), arms, arms, features))
        for arm in range(arms):
            blocks[:, arm, arm] = rows
        return blocks.reshape(-1, *shape)

    return columns, contexts, shape


def _largest_arm(file: Rows) -> int:
    largest, first = 0.0, 0
    for batch in file.batches(["arm"]):
        largest = max(largest, float(file.numbers(batch, "arm", first).max(initial=0.0)))
        first += len(batch)
    return int(min(largest, MAX_ARMS))


def _nested_contexts(file: Rows, batch: Any, first: int) -> Floats:
    lists = file.nested_numbers(batch, "contexts", first)
    if lists is None:
        raise DataError(
            f"{file.path}, column 'contexts', rows {first + 1} to {first + len(batch)}: expected a "
            f"list of features for each arm, of the same lengths in every row"
        )
    return lists
