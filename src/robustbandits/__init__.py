"""Contextual bandits that must not be fooled.

``robustbandits`` defends (corruption-robust policies), attacks (a budgeted red team) and measures
(a lab that plays millions of rounds a second). Public names are imported when first used, so that
``import robustbandits`` stays quick and needs no Numba.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from robustbandits._version import __version__ as __version__

if TYPE_CHECKING:
    from robustbandits import attacks, environments, metrics, policies
    from robustbandits.agent.agent import Agent
    from robustbandits.agent.decision import Decision
    from robustbandits.compiled.jit import kernel
    from robustbandits.game.ledger import Ledger
    from robustbandits.game.simulate import simulate
    from robustbandits.results import Results, compare

__all__ = [
    "Agent",
    "Decision",
    "Ledger",
    "Results",
    "attacks",
    "compare",
    "environments",
    "kernel",
    "metrics",
    "policies",
    "simulate",
]

_HOMES = {
    "Agent": "robustbandits.agent.agent",
    "Decision": "robustbandits.agent.decision",
    "Ledger": "robustbandits.game.ledger",
    "Results": "robustbandits.results",
    "compare": "robustbandits.results",
    "kernel": "robustbandits.compiled.jit",
    "simulate": "robustbandits.game.simulate",
}
_SUBPACKAGES = ("attacks", "checks", "environments", "metrics", "policies")


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "checks", "__version__"])
