"""Many games at once: spec, plan, engine, store. Names are imported when first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robustbandits.experiments.experiment import Experiment
    from robustbandits.experiments.plan import Plan, make_plan
    from robustbandits.experiments.running import Outcome, run
    from robustbandits.experiments.spec import Spec, parse_spec, read_spec, ready_specs
    from robustbandits.experiments.store import Store

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
    "Experiment": "experiment",
    "Outcome": "running",
    "Plan": "plan",
    "Spec": "spec",
    "Store": "store",
    "make_plan": "plan",
    "parse_spec": "spec",
    "read_spec": "spec",
    "ready_specs": "spec",
    "run": "running",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
