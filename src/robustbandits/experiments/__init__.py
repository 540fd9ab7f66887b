"""Experiments: a spec becomes a plan, an engine plays it, and a store keeps the ledgers.

Names are imported when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robustbandits.experiments.plan import Plan, make_plan
    from robustbandits.experiments.runner import Outcome, run
    from robustbandits.experiments.spec import Spec, parse_spec, read_spec, ready_specs
    from robustbandits.experiments.store.store import Experiment, Store

__all__ = [
    "Experiment",
    "Outcome",
    "Plan",
    "Spec",
    "Store",
    "make_plan",
    "parse_spec",
    "read_spec",
    "ready_specs",
    "run",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in ("spec", "plan", "store.store", "runner"):
            found = importlib.import_module(f"{__name__}.{module}")
            if name in vars(found):
                return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
