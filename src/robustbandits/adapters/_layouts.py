"""How the contexts of a round, one for each arm, reach a library that expects something else.

- ``"joint"``: one model for all arms, which scores the context of each arm (one θ in all).
- ``"per-arm"``: one model for each arm, which scores the context of its own arm (one θ per arm).
- ``"shared"``: one model for each arm, and all see the same context: the mean of the arms'
  contexts. Meant for environments that show every arm the same context, and for fixed arms.
- ``"flat"``: as ``"shared"``, but the models see the contexts of all arms, one after another.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from robustbandits.game import require
from robustbandits.kernels.linalg import Floats


def library(module: str, package: str) -> Any:
    """Import a module of another library; say how to install it if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{package} is needed here ({error}): pip install {package}, or all libraries with "
            f"adapters: pip install 'robustbandits[adapters]'"
        ) from error


def check_layout(layout: str, allowed: tuple[str, ...]) -> str:
    """Return a layout that an adapter has."""
    return str(require.one_of("layout", layout, allowed))


def check_arms(library: str, expected: int, arms: int) -> None:
    """Raise ValueError if a library's object was made for another number of arms."""
    if expected != arms:
        raise ValueError(
            f"the {library} object has {expected} arms, but a round has {arms}: make it with "
            f"{arms} arms, or use an environment with {expected}"
        )


def shared_row(layout: str, contexts: Floats) -> Floats:
    """Return the one context of a round that all arms share, (1, features)."""
    if layout == "flat":
        return contexts.reshape(1, -1)
    return contexts.mean(axis=0, keepdims=True)


def one_hot(arms: int) -> Floats:
    """Return a context for each arm that says only which arm it is, (arms, arms)."""
    return np.eye(arms)


def blocks(row: Floats, arms: int) -> Floats:
    """Return a shared context as one context for each arm, (arms, arms * features).

    The context of an arm has the shared one in a block of its own, and zeros elsewhere. A policy
    with one θ then has one θ for each arm, one after another.
    """
    features = np.zeros((arms, arms, row.size))
    for arm in range(arms):
        features[arm, arm] = row
    return features.reshape(arms, -1)
