"""The regret-budget curve: regret against what the attacker may spend."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.bootstrap import estimate_mean, estimate_means
from robustbandits.metrics.estimate import UNKNOWN, Estimate
from robustbandits.metrics.excess import excess_by_seed
from robustbandits.metrics.groups import common, final_regrets


class BudgetCurve(NamedTuple):
    """Regret against budget, for one policy and one kind of attack."""

    budgets: tuple[float, ...]  # ascending
    regrets: tuple[Estimate, ...]  # mean final regret at each
    exponent: float  # p in ER ~ C^p over the rising part; NaN if it does not rise
    area: Estimate  # unknown unless budget 0 is there, and another


def budget_curve(by_budget: Mapping[float, Sequence[Ledger]], gap: float = 1.0) -> BudgetCurve:
    """Return ``C -> mean_i R_T^i(C)`` with its exponent and area.

    The exponent p is the slope of log ER on log C from the first budget with ``ER > 0`` to the one
    with the largest ER, by least squares: 1 means that each further unit buys as much as the last.
    The area is :func:`area_under_budgets`.
    """
    budgets = sorted(by_budget)
    groups = common([by_budget[budget] for budget in budgets])
    regrets = estimate_means([final_regrets(group) for group in groups])
    if not budgets or budgets[0] != 0.0 or len(budgets) < 2:
        return BudgetCurve(tuple(budgets), tuple(regrets), math.nan, UNKNOWN)
    damage = np.array([one.value - regrets[0].value for one in regrets[1:]])
    slope = rising_exponent(np.array(budgets[1:]), damage)
    area = area_under_budgets(dict(zip(budgets, groups, strict=True)), gap)
    return BudgetCurve(tuple(budgets), tuple(regrets), slope, area)


def area_under_budgets(by_budget: Mapping[float, Sequence[Ledger]], gap: float = 1.0) -> Estimate:
    """Return the area under the regret-budget curve on the axis of the budgets given.

    ``AUBC = mean_i (1/m) sum_{j=1}^m (R_T^i(C_j) - R_T^i(0)) / (T * gap)`` over the m budgets above
    0; on a geometric grid that is the area on the log axis. With ``gap`` the regret per round of
    random play, 1 is as bad as random play.
    """
    budgets = sorted(by_budget)
    groups = common([by_budget[budget] for budget in budgets])
    if len(budgets) < 2 or budgets[0] != 0.0 or not groups[0]:
        return UNKNOWN
    excess = np.array([excess_by_seed(group, groups[0]) for group in groups[1:]])
    return estimate_mean(excess.mean(axis=0) / (float(groups[0][0].rounds[-1]) * gap))


def rising_exponent(budgets: Floats, damage: Floats) -> float:
    """Return the slope of log damage on log budget over the part that rises."""
    last = int(np.argmax(damage)) + 1
    keep = np.isfinite(budgets[:last]) & (damage[:last] > 0)
    x, y = np.log(budgets[:last][keep]), np.log(damage[:last][keep])
    if len(x) < 2:
        return math.nan
    x = x - x.mean()
    return float(x @ (y - y.mean()) / (x @ x))
