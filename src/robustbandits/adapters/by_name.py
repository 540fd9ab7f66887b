"""named: a policy of another library by its name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Modules of this package by the name of the library.
LIBRARIES = {
    "mabwiser": "mabwiser",
    "contextualbandits": "contextualbandits",
    "vowpalwabbit": "vowpal_wabbit",
    "river": "river",
    "coba": "coba",
    "bayesianbandits": "bayesianbandits",
    "obp": "obp",
}


@dataclass(frozen=True)
class NamedPolicy:
    """Makes a policy of another library for each game when it is called with arms and a seed."""

    library: str
    policy: str
    parameters: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name for tables and figures."""
        shown = ", ".join(f"{key}={value!r}" for key, value in self.parameters.items())
        return f"{self.library}:{self.policy}" + (f"({shown})" if shown else "")

    def __call__(self, arms: int, seed: int) -> Any:
        """Return a new adapter."""
        module = importlib.import_module(f"robustbandits.adapters.{LIBRARIES[self.library]}")
        try:
            return module.make(self.policy, arms=arms, seed=seed, **self.parameters)
        except AttributeError as error:
            raise ValueError(f"{self.library} has no policy {self.policy!r}: {error}") from error


def named(name: str, **parameters: Any) -> NamedPolicy:
    """Return a policy of another library, to be played like any policy.

    Parameters
    ----------
    name
        ``library:policy``, for example ``"mabwiser:LinUCB"``. Libraries are mabwiser,
        contextualbandits, vowpalwabbit, river, coba, bayesianbandits and obp.
    parameters
        Parameters of the policy, and the ``layout`` of the adapter.

    Examples
    --------
    >>> named("mabwiser:LinUCB", alpha=1.0, layout="joint").name
    "mabwiser:LinUCB(alpha=1.0, layout='joint')"
    """
    library, colon, policy = name.partition(":")
    if not colon or library not in LIBRARIES:
        raise ValueError(
            f"name must be library:policy, with a library of {', '.join(LIBRARIES)}; got {name!r}"
        )
    return NamedPolicy(library, policy, parameters)
