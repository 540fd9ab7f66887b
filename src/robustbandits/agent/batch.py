"""Checks of what an agent is given for many decisions at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from robustbandits.agent.compiled_steps import NO_SUCH_ARM, NOT_FINITE, TOO_LONG, Integers
from robustbandits.agent.inputs import Inputs, check_labels
from robustbandits.kernels.linalg import Floats


def batch_of(inputs: Inputs, contexts: Any) -> tuple[Floats, Integers]:
    """Return the contexts of all decisions, (arms of all, dim), and where each decision starts.

    Like :meth:`Inputs.contexts`, it checks the shapes, but not the values.
    """
    dim = inputs.problem.dim
    if inputs.problem.infinite:
        raise ValueError("choose_many needs contexts, but the arms are a ball: call choose()")
    if type(contexts) is np.ndarray and contexts.ndim == 3 and inputs.usable_as_is(contexts):
        decisions, arms, _ = contexts.shape
        rows = np.ascontiguousarray(contexts).reshape(-1, dim)
        return rows, np.arange(0, decisions * arms + 1, arms)
    if isinstance(contexts, str) or not isinstance(contexts, Iterable):
        raise TypeError(
            f"contexts must be an array of shape (decisions, arms, {dim}), or a list of arrays of "
            f"shape (arms, {dim}); got {contexts!r}"
        )
    parts: list[Floats] = []
    for k, shown in enumerate(contexts):
        with _name_decision(k):
            parts.append(inputs.contexts(shown, parts[0] if parts else None))
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return np.concatenate([np.empty((0, dim)), *parts]), starts


def labels_of(labels: Any, starts: Integers) -> list[Sequence[Any]]:
    """Return a list of labels for each decision; they must fit its arms."""
    lists = list(check_labels(labels, len(starts) - 1, "decision"))
    for k, arms in enumerate(np.diff(starts)):
        with _name_decision(k):
            lists[k] = check_labels(lists[k], arms)
    return lists


def raise_batch_error(inputs: Inputs, contexts: Floats, starts: Integers, code: int) -> None:
    """Raise the error that `decide_many` has returned as a number."""
    if code == NO_SUCH_ARM:
        inputs.raise_error(contexts, code)
    row = (TOO_LONG if code <= TOO_LONG else NOT_FINITE) - code
    k = int(np.searchsorted(starts, row, side="right")) - 1
    with _name_decision(k):
        inputs.raise_error(contexts[starts[k] : starts[k + 1]], code + int(starts[k]))


@contextmanager
def _name_decision(k: int) -> Iterator[None]:
    """Let errors say which decision of the batch they are about."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"decision {k} of the batch: {error}") from None
