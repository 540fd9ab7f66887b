"""Scaler: from your own features to contexts that policies accept."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from robustbandits.game import require
from robustbandits.kernels.linalg import Floats


class Scaler:
    """Scale features into the unit ball, and add a constant feature.

    Each feature is mapped linearly from its range in the sample to [-1, 1], and every context is
    then divided by the square root of the number of features: no context is longer than 1. With
    ``intercept=True`` a context becomes ``[x, 1] / √2``, which lets a linear model have an offset.
    Values outside the range of the sample are moved to its nearest end. A feature that was constant
    in the sample becomes 0.

    Give a fitted scaler to an agent, ``rb.Agent(policy, scaler=scaler, ...)``: it then takes your
    features as they are, and is saved and loaded together with the scaler.

    Parameters
    ----------
    intercept
        Whether to add a constant feature.

    Attributes
    ----------
    low, high
        Smallest and largest value of each feature in the sample; None before :meth:`fit`.

    Examples
    --------
    >>> import robustbandits as rb
    >>> scaler = rb.features.Scaler(intercept=True).fit([[20.0, 0.0], [60.0, 5000.0]])
    >>> scaler.dim
    3
    >>> scaler.transform([[40.0, 5000.0]]).round(2).tolist()
    [[0.0, 0.5, 0.71]]
    """

    def __init__(self, *, intercept: bool = True):
        self.intercept = require.flag("intercept", intercept)
        self.low: Floats | None = None
        self.high: Floats | None = None

    def fit(self, sample: npt.ArrayLike) -> Self:
        """Remember the range of each feature; return the scaler.

        Parameters
        ----------
        sample
            Typical features, one row for each context: (contexts, features), or
            (rounds, arms, features).
        """
        array = _numbers("sample", sample)
        if array.ndim not in (2, 3) or 0 in array.shape:
            raise ValueError(
                f"sample must have shape (contexts, features) or (rounds, arms, features), with at "
                f"least one context; got {array.shape}"
            )
        self._set_bounds(*(end.ravel() for end in _ends(array)))
        return self

    def _set_bounds(self, low: Floats, high: Floats) -> None:
        if not (np.isfinite(low).all() and np.isfinite(high - low).all() and (low <= high).all()):
            raise ValueError("the range of each feature must be finite")
        self.low, self.high = low, high

    @property
    def features(self) -> int:
        """Number of features that it takes."""
        return len(self._bounds()[0])

    @property
    def dim(self) -> int:
        """Length of the contexts that it returns: the ``dim`` of an agent."""
        return self.features + self.intercept

    def transform(self, features: npt.ArrayLike) -> Floats:
        """Return contexts, (arms, dim), for features, (arms, features)."""
        low, high = self._bounds()
        array = _numbers("features", features)
        if array.ndim != 2 or array.shape[1] != len(low):
            raise ValueError(
                f"features must have shape (arms, {len(low)}), as in the sample; got {array.shape}"
            )
        contexts = np.empty((len(array), self.dim))
        span = np.where(high > low, high - low, 1.0)
        middle = 0.5 * low + 0.5 * high
        scaled = np.clip(array, low, high)
        scaled = np.clip((scaled - middle) / span * 2.0, -1.0, 1.0) / math.sqrt(len(low))
        scaled[:, high == low] = 0.0
        contexts[:, : len(low)] = scaled
        if self.intercept:
            contexts[:, -1] = 1.0
            contexts *= math.sqrt(0.5)
        return contexts

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; :meth:`from_dict` reads them."""
        low, high = self._bounds()
        return {"intercept": self.intercept, "low": low.tolist(), "high": high.tolist()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Make a fitted scaler from the values of :meth:`to_dict`; ValueError for bad ones."""
        if not isinstance(values, dict) or set(values) != {"intercept", "low", "high"}:
            raise ValueError("a scaler must have intercept, low and high, and nothing else")
        scaler = cls(intercept=values["intercept"])
        low, high = (_numbers(name, values[name]) for name in ("low", "high"))
        if low.ndim != 1 or low.shape != high.shape or len(low) == 0:
            raise ValueError("low and high must be lists of the same length")
        scaler._set_bounds(low, high)
        return scaler

    def _bounds(self) -> tuple[Floats, Floats]:
        if self.low is None or self.high is None:
            raise ValueError("the scaler has no ranges yet: call fit(sample) first")
        return self.low, self.high

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Scaler)
            and self.intercept == other.intercept
            and np.array_equal(np.atleast_1d(self.low), np.atleast_1d(other.low))  # type: ignore[arg-type]
            and np.array_equal(np.atleast_1d(self.high), np.atleast_1d(other.high))  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        state = "not fitted" if self.low is None else f"{self.features} features"
        return f"Scaler(intercept={self.intercept}, {state})"


def _ends(array: Floats) -> tuple[Floats, Floats]:
    axes = tuple(range(array.ndim - 1))
    return array.min(axis=axes), array.max(axis=axes)


def _numbers(name: str, values: npt.ArrayLike) -> Floats:
    """Return values as finite float64 numbers."""
    try:
        array: Floats = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers in rows of equal length: {error}") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers; fill or drop missing values first")
    return array
