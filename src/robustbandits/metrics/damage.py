"""The cost of attacks and of defences: differences between groups, paired by seed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from robustbandits.game.ledger import Ledger
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics import intervals
from robustbandits.metrics.groups import common_seeds, final_regrets, regret_curves
from robustbandits.metrics.intervals import UNKNOWN, Estimate
from robustbandits.metrics.registry import DAMAGE, PRICE, metric


def paired_differences(games: Sequence[Ledger], baseline: Sequence[Ledger]) -> Floats:
    """Return ``R_T^i - R_T^{0,i}`` for each seed i that both groups have; 0 is the baseline."""
    games, baseline = common_seeds(games, baseline)
    return final_regrets(games) - final_regrets(baseline)


@metric(DAMAGE, "excess regret")
def excess_regret(attacked: Sequence[Ledger], clean: Sequence[Ledger]) -> Floats:
    """Return the final regret with the attack minus without it.

    ``R_T^{A,i} - R_T^{0,i}``, paired by seed; negative if the attack helped.
    """
    return paired_differences(attacked, clean)


def ratio_of_means(numerators: Floats, denominators: Floats, axis: Any = -1) -> Floats:
    """Return ``mean(numerators) / mean(denominators)``; NaN where the denominator is 0."""
    top, bottom = np.mean(numerators, axis=axis), np.mean(denominators, axis=axis)
    return np.divide(top, bottom, out=np.full(np.shape(top), np.nan), where=bottom != 0.0)


@metric(DAMAGE, "per unit spent", unit="regret per unit of budget", statistic=ratio_of_means)
def amplification(attacked: Sequence[Ledger], clean: Sequence[Ledger]) -> tuple[Floats, Floats]:
    """Return the excess regret for each unit that the attack spent.

    ``mean_i excess_i / mean_i spent_i``, the finite-horizon form of "regret linear in C"; NaN if
    nothing was spent. For a robust policy it is near the constant of its bound; for a hijacked
    policy it is in the thousands.
    """
    paired, _ = common_seeds(attacked, clean)
    spent = np.array([ledger.spent for ledger in paired], dtype=np.float64)
    return paired_differences(attacked, clean), spent


@metric(DAMAGE, "after the attack")
def residual_damage(attacked: Sequence[Ledger], clean: Sequence[Ledger]) -> Floats:
    """Return the part of the excess regret that came after the last attacked round.

    ``sum_{t > t_ex} (r_t - r_t^0)`` with t_ex the last attacked round; 0 for a seed that was never
    attacked. Regret is taken to be linear between recorded rounds.
    """
    attacked, clean = common_seeds(attacked, clean)
    if not attacked:
        return np.zeros(0)
    rounds, (regret, clean_regret) = regret_curves(attacked, clean)
    excess = regret - clean_regret
    damages = np.zeros(len(attacked))
    for i, ledger in enumerate(attacked):
        if ledger.last_attack > 0:
            damages[i] = excess[i, -1] - np.interp(ledger.last_attack, rounds, excess[i])
    return damages


@metric(PRICE, "price")
def price_of_robustness(clean: Sequence[Ledger], reference: Sequence[Ledger]) -> Floats:
    """Return the final regret minus the reference policy's, both without attack."""
    return paired_differences(clean, reference)


class WorstCase(NamedTuple):
    """The worst attack, and the regret under it."""

    attack: str
    regret: Estimate


def worst_case(by_attack: Mapping[str, Sequence[Ledger]]) -> WorstCase:
    """Return the attack with the largest mean regret, ``max_A mean_i R_T^{A,i}``.

    Only seeds that every attack was played with count. The maximum is taken in every bootstrap
    resample, so the interval accounts for choosing the worst attack after seeing the data. The
    attacks given are a sample of all attacks, so this is a lower bound on the true worst case;
    play the worst attack with fresh seeds before you quote its regret.
    """
    return worst_cases([by_attack])[0]


def worst_cases(suites: Sequence[Mapping[str, Sequence[Ledger]]]) -> list[WorstCase]:
    """Return :func:`worst_case` of each suite, with all intervals computed together."""
    samples = [
        [final_regrets(group) for group in common_seeds(*suite.values())] for suite in suites
    ]
    cases = []
    estimates = intervals.estimate_statistics(samples, largest_mean)
    for suite, regrets, estimate in zip(suites, samples, estimates, strict=True):
        means = [values.mean() for values in regrets if len(values)]
        cases.append(WorstCase(list(suite)[int(np.argmax(means))] if means else "", estimate))
    return cases


def largest_mean(*samples: Floats, axis: Any = -1) -> Floats:
    """Return the largest of the samples' means."""
    return np.max([np.mean(sample, axis=axis) for sample in samples], axis=0)


class BudgetCurve(NamedTuple):
    """Regret against the attacker's budget, for one policy and one kind of attack."""

    budgets: tuple[float, ...]  # ascending
    regrets: tuple[Estimate, ...]  # mean final regret at each budget
    exponent: float  # p in excess ~ budget^p over the rising part; NaN if it does not rise
    area: Estimate  # unknown without budget 0 and at least one other


def budget_curve(by_budget: Mapping[float, Sequence[Ledger]], gap: float = 1.0) -> BudgetCurve:
    """Return ``C -> mean_i R_T^i(C)`` with its exponent and area.

    The exponent is the least-squares slope of log excess regret on log budget, from the first
    budget with positive excess to the budget with the largest. With exponent 1 every further unit
    adds as much regret as the unit before.

    The area is ``mean_i (1/m) sum_{j=1}^m (R_T^i(C_j) - R_T^i(0)) / (T * gap)`` over the m budgets
    above 0; on a geometric grid it is the area on the log axis. With ``gap`` the regret per round
    of uniform play, an area of 1 is as bad as uniform play.
    """
    budgets = tuple(sorted(by_budget))
    groups = common_seeds(*[by_budget[budget] for budget in budgets])
    regrets = tuple(intervals.estimate_means([final_regrets(group) for group in groups]))
    if len(budgets) < 2 or budgets[0] != 0.0 or not groups[0]:
        return BudgetCurve(budgets, regrets, math.nan, UNKNOWN)
    excess = np.array([paired_differences(group, groups[0]) for group in groups[1:]])
    area = intervals.estimate_mean(excess.mean(axis=0) / (float(groups[0][0].rounds[-1]) * gap))
    damage = np.array([regret.value - regrets[0].value for regret in regrets[1:]])
    return BudgetCurve(budgets, regrets, rising_exponent(np.array(budgets[1:]), damage), area)


def rising_exponent(budgets: Floats, damage: Floats) -> float:
    """Return the slope of log damage on log budget over the part that rises."""
    last = int(np.argmax(damage)) + 1
    used = np.isfinite(budgets[:last]) & (damage[:last] > 0)
    x, y = np.log(budgets[:last][used]), np.log(damage[:last][used])
    if len(x) < 2:
        return math.nan
    x = x - x.mean()
    return float(x @ (y - y.mean()) / (x @ x))
