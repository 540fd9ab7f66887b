"""Experiments: a spec becomes a plan, an engine plays it, and a store keeps the ledgers."""

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
