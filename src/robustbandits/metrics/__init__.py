"""Measures of a red-team report: pure functions on ledgers, with intervals over seeds.

Games are paired by seed: two games of one match met the same rounds, so their difference is free
of nature's luck. Each function's docstring gives its formula. Notation: seeds i, rounds t to T,
regret per round r_t on clean mean rewards, R_t its sum, 0 for the game without attack.
"""

from robustbandits.metrics.amplify import amplification
from robustbandits.metrics.area import area_under_regret
from robustbandits.metrics.bootstrap import estimate_mean, estimate_means
from robustbandits.metrics.budgets import BudgetCurve, area_under_budgets, budget_curve
from robustbandits.metrics.estimate import Estimate
from robustbandits.metrics.excess import excess_regret
from robustbandits.metrics.gap import random_gap
from robustbandits.metrics.late import late_rate
from robustbandits.metrics.price import price_of_robustness
from robustbandits.metrics.recover import Recovery, recovery
from robustbandits.metrics.residual import residual_damage
from robustbandits.metrics.tail import tail_regret
from robustbandits.metrics.timing import attack_ended
from robustbandits.metrics.worst import WorstCase, worst_case

__all__ = [
    "Estimate",
    "estimate_mean",
    "estimate_means",
    "excess_regret",
    "price_of_robustness",
    "amplification",
    "BudgetCurve",
    "budget_curve",
    "area_under_budgets",
    "area_under_regret",
    "late_rate",
    "Recovery",
    "recovery",
    "residual_damage",
    "WorstCase",
    "worst_case",
    "tail_regret",
    "attack_ended",
    "random_gap",
]
