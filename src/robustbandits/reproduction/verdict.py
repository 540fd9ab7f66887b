"""The verdict on a reading: whether the published figure could have come from these games.

Every published number is a mean of 10 runs. It is judged by what a mean of 10 runs of our game
could be, see :mod:`~robustbandits.reproduction.prediction`. Among 20 numbers one is expected
outside its 95 % range by chance alone, so the verdict on the whole figure corrects for the number
of comparisons by Holm's method. It allows for any dependence between them, which exists because
policies and attacks share seeds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from robustbandits.metrics.groups import Group, Labels, final_regrets, group_by_labels
from robustbandits.metrics.intervals import LEVEL, Estimate
from robustbandits.reproduction.order import PanelOrder, panel_order
from robustbandits.reproduction.prediction import (
    central_range,
    holm,
    predict_means,
    quantile_of,
    two_sided,
)
from robustbandits.reproduction.published import PUBLISHED_RUNS, READING_ERROR, published_for

if TYPE_CHECKING:
    from robustbandits.experiments import Experiment


class NumberVerdict(NamedTuple):
    """The verdict on the final regret of one policy in one panel."""

    labels: Labels
    ours: Estimate  # the mean of our seeds, and the central 95 % of 10-run means
    published: float | None
    quantile: float | None  # share of the 10-run means below the published; None: not compared
    adjusted: float | None = None  # p-value after Holm's correction

    @property
    def p_value(self) -> float | None:
        """How likely a 10-run mean at least as extreme as the published number is."""
        return None if self.quantile is None else two_sided(self.quantile)

    @property
    def outcome(self) -> str | None:
        """``"inside"`` or ``"outside"`` the range, or ``"differs"`` after the correction."""
        if self.published is None or self.adjusted is None:
            return None
        if self.adjusted < 1 - LEVEL:
            return "differs"
        return "inside" if self.ours.covers(self.published) else "outside"


class FigureVerdict(NamedTuple):
    """The verdict on all panels of a reading."""

    numbers: tuple[NumberVerdict, ...]
    orders: tuple[PanelOrder, ...]  # of the panels with published numbers
    seeds: int

    @property
    def outcomes(self) -> list[str]:
        """The verdicts on the numbers that were compared."""
        return [number.outcome for number in self.numbers if number.outcome]

    @property
    def smallest_adjusted(self) -> float:
        """The smallest p-value after the correction; NaN if nothing was compared."""
        adjusted = [number.adjusted for number in self.numbers if number.adjusted is not None]
        return min(adjusted, default=math.nan)

    @property
    def consistent(self) -> bool | None:
        """Whether no number differs after the correction; None if nothing was compared."""
        return "differs" not in self.outcomes if self.outcomes else None


def judge(experiment: Experiment, published: Mapping[Labels, float] | None = None) -> FigureVerdict:
    """Return the verdict on a reading of Figure 1.

    Parameters
    ----------
    experiment
        The games of a reading. If they do not have 10⁶ rounds, or only one seed, nothing is
        compared.
    published
        Regrets by environment, attack and policy; the paper's by default.
    """
    matched = published_for(experiment.spec, published)
    panels: dict[tuple[str, str], dict[str, Group]] = {}
    for labels, group in group_by_labels(experiment.ledgers).items():
        panels.setdefault(labels[:2], {})[labels.policy] = group
    numbers: list[NumberVerdict] = []
    orders = []
    for names, groups in panels.items():
        known = {policy: matched.get(Labels(*names, policy)) for policy in groups}
        shown = {policy: regret for policy, regret in known.items() if regret is not None}
        error = READING_ERROR * max(shown.values(), default=0.0)
        for policy, group in groups.items():
            numbers.append(_judge_number(Labels(*names, policy), group, known[policy], error))
        if shown:
            orders.append(panel_order(names, groups, shown, error))
    return FigureVerdict(_corrected(numbers), tuple(orders), len(experiment.spec.seeds))


def _judge_number(
    labels: Labels, group: Group, published: float | None, reading_error: float
) -> NumberVerdict:
    """Return the verdict on one number, without the correction."""
    regrets = final_regrets(group)
    mean = float(regrets.mean())
    if len(regrets) < 2:
        return NumberVerdict(labels, Estimate(mean, math.nan, math.nan), published, None)
    error = 0.0 if published is None else reading_error
    # Regret is never negative.
    possible = np.maximum(predict_means(regrets, PUBLISHED_RUNS, error), 0.0)
    ours = Estimate(mean, *central_range(possible))
    quantile = None if published is None else quantile_of(published, possible)
    return NumberVerdict(labels, ours, published, quantile)


def _corrected(numbers: Sequence[NumberVerdict]) -> tuple[NumberVerdict, ...]:
    """Return the numbers with p-values that account for how many were compared."""
    p_values = [number.p_value for number in numbers if number.p_value is not None]
    adjusted = iter(holm(p_values))
    return tuple(
        number if number.quantile is None else number._replace(adjusted=next(adjusted))
        for number in numbers
    )
