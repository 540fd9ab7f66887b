"""Metrics: pure functions of ledgers, with 95 % intervals over seeds.

Games are paired by seed: two games of one match are played with the same rounds, so their
difference does not depend on the luck of the draws. Every metric of the registry is a name here,
such as ``excess_regret``. Called with groups of ledgers it returns an estimate. Its ``by_seed``
function returns the values of the seeds, and its docstring states the formula.

Notation: seeds i, rounds t up to T, regret per round r_t on clean mean rewards, R_t its sum, 0 for
the game without attack.
"""

from robustbandits.metrics import audit as _audit  # noqa: F401  registers its metrics
from robustbandits.metrics.damage import BudgetCurve, WorstCase, budget_curve, worst_case
from robustbandits.metrics.intervals import Estimate, estimate_mean, estimate_means
from robustbandits.metrics.recovery_times import Recovery, recovery
from robustbandits.metrics.registry import METRICS, Metric
from robustbandits.metrics.regret import random_gap

__all__ = [
    "METRICS",
    "Metric",
    "Estimate",
    "estimate_mean",
    "estimate_means",
    "BudgetCurve",
    "budget_curve",
    "Recovery",
    "recovery",
    "WorstCase",
    "worst_case",
    "random_gap",
    *METRICS,
]


def __getattr__(name: str) -> Metric:
    if name in METRICS:
        return METRICS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
