"""The verdict on a reproduction: our regrets beside the published, and whether the order agrees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from robustbandits.metrics import Estimate, estimate_means
from robustbandits.metrics.damage import paired_differences
from robustbandits.metrics.groups import Group, Labels, final_regrets, group_by_labels
from robustbandits.ratings.synthetic import STAND_IN
from robustbandits.reports.metric_columns import ATTACK, ENVIRONMENT, POLICY
from robustbandits.reports.table import Column, Table
from robustbandits.reproduction.published import READING_ERROR, match_labels

if TYPE_CHECKING:
    from robustbandits.experiments import Experiment


class PolicyVerdict(NamedTuple):
    """One policy of a panel."""

    policy: str
    ours: Estimate
    published: float | None
    inside: bool | None  # the published number lies in our interval, up to the reading error

    @property
    def ratio(self) -> float | None:
        """Ours divided by the published."""
        return self.ours.value / self.published if self.published else None


class Swap(NamedTuple):
    """Two policies whose published order is reversed here."""

    better: str  # as published
    worse: str  # as published
    difference: Estimate  # ours: better minus worse, paired by seed; positive
    certain: bool  # the difference is beyond its interval and the published beyond reading error


class PanelVerdict(NamedTuple):
    """One environment under one attack."""

    environment: str
    attack: str
    rows: tuple[PolicyVerdict, ...]
    tau: float  # Kendall's, ours against the published; NaN with fewer than two policies
    swaps: tuple[Swap, ...]

    @property
    def stand_in(self) -> bool:
        """Whether the data are a synthetic stand-in for the paper's."""
        return self.environment.endswith(STAND_IN)

    @property
    def compared(self) -> bool:
        """Whether there is anything to compare with."""
        return any(row.published is not None for row in self.rows)

    @property
    def order_agrees(self) -> bool:
        """Whether no swap is certain."""
        return self.compared and not any(swap.certain for swap in self.swaps)


def judge(
    experiment: Experiment, published: Mapping[Labels, float] | None = None
) -> list[PanelVerdict]:
    """Return a verdict on every panel of a reading of Figure 1.

    Kendall's ``tau = (agreeing pairs - swapped pairs) / all pairs`` is 1 for the same order. A swap
    is certain if our paired difference is beyond its 95 % interval and the published numbers
    differ by more than twice the reading error; otherwise it is within the noise.

    Parameters
    ----------
    experiment
        The games of a reading. If they do not have 10⁶ rounds, nothing is compared.
    published
        Regrets by environment, attack and policy; the paper's by default.
    """
    matched = match_labels(experiment.spec, published)
    panels: dict[tuple[str, str], dict[str, Group]] = {}
    for labels, group in group_by_labels(experiment.ledgers).items():
        panels.setdefault(labels[:2], {})[labels.policy] = group
    verdicts = []
    for names, groups in panels.items():
        known = {
            policy: matched[labels]
            for policy in groups
            if (labels := Labels(*names, policy)) in matched
        }
        verdicts.append(_judge_panel(names, groups, known))
    return verdicts


def _judge_panel(
    names: tuple[str, str], groups: Mapping[str, Group], published: Mapping[str, float]
) -> PanelVerdict:
    margin = READING_ERROR * max(published.values(), default=0.0)
    estimates = estimate_means([final_regrets(group) for group in groups.values()])
    rows = []
    for policy, ours in zip(groups, estimates, strict=True):
        theirs = published.get(policy)
        inside = None
        if theirs is not None and ours.has_interval:
            inside = ours.covers(theirs, margin)
        rows.append(PolicyVerdict(policy, ours, theirs, inside))
    return PanelVerdict(*names, tuple(rows), _tau(rows), _swaps(groups, published, margin))


def _swaps(
    groups: Mapping[str, Group], published: Mapping[str, float], margin: float
) -> tuple[Swap, ...]:
    pairs = [
        (first, second) if published[first] < published[second] else (second, first)
        for first, second in combinations(published, 2)
        if published[first] != published[second]
    ]
    differences = estimate_means(
        [paired_differences(groups[better], groups[worse]) for better, worse in pairs]
    )
    return tuple(
        Swap(
            better=better,
            worse=worse,
            difference=difference,
            certain=difference.low > 0 and published[worse] - published[better] > 2 * margin,
        )
        for (better, worse), difference in zip(pairs, differences, strict=True)
        if difference.value > 0
    )


def _tau(rows: Sequence[PolicyVerdict]) -> float:
    from scipy import stats

    pairs = [(row.ours.value, row.published) for row in rows if row.published is not None]
    if len(pairs) < 2:
        return math.nan
    return float(stats.kendalltau(*zip(*pairs, strict=True)).statistic)


def verdict_table(verdicts: Sequence[PanelVerdict]) -> Table:
    """Return all rows of all panels as one table."""
    words = {True: "yes", False: "no", None: None}
    rows = [
        (
            panel.environment,
            panel.attack,
            row.policy,
            row.ours,
            row.published,
            row.ratio,
            words[row.inside],
        )
        for panel in verdicts
        for row in panel.rows
    ]
    return Table(
        name="verdict",
        title="Final regret, ours beside the published",
        columns=(
            ENVIRONMENT,
            ATTACK,
            POLICY,
            Column("ours", "estimate"),
            Column("published"),
            Column("ratio"),
            Column("inside", "text"),
        ),
        rows=tuple(rows),
        notes=(
            "Inside: the published number lies in our 95 % interval, give or take the 1 % of the "
            "panel's axis to which it could be read.",
        ),
    )


def order_sentence(panel: PanelVerdict) -> str:
    """Return one sentence on the order of the policies in a panel."""
    if not panel.compared:
        return "Nothing was published to compare with."
    if not panel.swaps:
        return "The order of the policies agrees."
    listed = [f"{swap.worse} beats {swap.better}{_doubt(swap)}" for swap in panel.swaps]
    lead = "agrees within the noise" if panel.order_agrees else "differs"
    return f"The order {lead} (Kendall's tau {panel.tau:.2f}): {', '.join(listed)} here."


def _doubt(swap: Swap) -> str:
    """Return why a swap is not certain: our noise, or published numbers that hardly differ."""
    if swap.certain:
        return ""
    return " (published too close to tell)" if swap.difference.low > 0 else " (within the noise)"
