"""A limit on the arrays of a policy's state, while an agent file is read.

A few wrong digits in the header of a small file could make a policy allocate gigabytes. So a policy
calls :func:`check_array_size` before it allocates arrays whose size depends on its parameters or on
the problem, and the reader of a file limits them to what the file holds.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from contextvars import ContextVar

_limit: ContextVar[float] = ContextVar("limit", default=math.inf)


class SizeLimitError(ValueError):
    """A policy's state needs a larger array than is allowed."""


@contextlib.contextmanager
def size_limit(numbers: int) -> Iterator[None]:
    """Allow no array of more than this many numbers inside the block."""
    token = _limit.set(numbers)
    try:
        yield
    finally:
        _limit.reset(token)


def is_reading_file() -> bool:
    """Whether a limit is set, because a file is being read."""
    return _limit.get() < math.inf


def check_array_size(*shape: int) -> None:
    """Raise SizeLimitError if an array of this shape is too large; allocate nothing."""
    if math.prod(shape) > _limit.get():
        raise SizeLimitError(
            f"a state array of shape {shape} needs {math.prod(shape):,} numbers, the file allows "
            f"{_limit.get():,}: the header is damaged"
        )


reserve = check_array_size  # the old name, which third-party policies may import
