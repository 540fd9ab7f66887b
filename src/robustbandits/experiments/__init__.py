"""Many games at once: spec, plan, engine, store. Names are imported when first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robustbandits.experiments.plan import Plan, make_plan
    from robustbandits.experiments.runner import Outcome, run
    from robustbandits.experiments.spec import Spec, parse_spec, read_spec, ready_specs
    from robustbandits.experiments.store.load import Experiment
    from robustbandits.experiments.store.store import Store

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

_HOMES = {
    "Experiment": "store.load",
    "Outcome": "runner",
    "Plan": "plan",
    "Spec": "spec",
    "Store": "store.store",
    "make_plan": "plan",
    "parse_spec": "spec",
    "read_spec": "spec",
    "ready_specs": "spec",
    "run": "runner",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
