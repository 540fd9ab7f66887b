"""The verdict on a reproduction: ours beside the published, and whether the order agrees."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from robustbandits.experiments.labels import STAND_IN
from robustbandits.metrics import Estimate, estimate_means
from robustbandits.metrics.excess import excess_by_seed
from robustbandits.metrics.groups import Group, Who, final_regrets, group_by_players
from robustbandits.reports.published import published_regrets
from robustbandits.reports.table import Column, Table

if TYPE_CHECKING:
    from robustbandits.experiments.spec import Spec
    from robustbandits.experiments.store.load import Experiment

#: The paper's own length of a game: its numbers mean nothing at another.
PUBLISHED_ROUNDS = 1_000_000
#: How well numbers can be read off the figure: a share of the panel's axis.
READING_ERROR = 0.01

Published = Mapping[tuple[str, str, str], float]


class PolicyVerdict(NamedTuple):
    """One policy of a panel."""

    policy: str
    ours: Estimate
    published: float | None
    inside: bool | None  # the published number lies in our interval, give or take the reading error

    @property
    def ratio(self) -> float | None:
        """Ours over the published."""
        return self.ours.value / self.published if self.published else None


class Swap(NamedTuple):
    """Two policies whose order is the other way round here."""

    better: str  # there
    worse: str  # there
    difference: Estimate  # ours: better minus worse, paired by seed; above 0
    certain: bool  # the difference is beyond its interval and the published beyond reading error


class PanelVerdict(NamedTuple):
    """One environment under one attack."""

    environment: str
    attack: str
    rows: tuple[PolicyVerdict, ...]
    tau: float  # Kendall's, ours against the published; NaN with fewer than two policies
    swaps: tuple[Swap, ...]
    stand_in: bool  # the data only imitate the paper's

    @property
    def compared(self) -> bool:
        """Whether there is anything to compare with."""
        return any(row.published is not None for row in self.rows)

    @property
    def order_agrees(self) -> bool:
        """Whether no two policies are swapped beyond doubt."""
        return self.compared and not any(swap.certain for swap in self.swaps)

    @property
    def all_inside(self) -> bool:
        """Whether every published number lies in our interval."""
        return self.compared and all(row.inside for row in self.rows if row.inside is not None)


def judge(experiment: Experiment, published: Published | None = None) -> list[PanelVerdict]:
    """Return a verdict on every panel of a reading of Figure 1.

    Kendall's ``tau = (agreeing pairs - swapped pairs) / all pairs``: 1 for the same order. A swap
    is certain when our paired difference is beyond its 95 % interval and the published numbers
    differ by more than twice the reading error; otherwise it is within the noise.

    Parameters
    ----------
    experiment
        Games of a reading, as played; of any length, but numbers are published for 10⁶ rounds
        only, so at another length there is nothing to compare with.
    published
        Regrets by environment, attack and policy; the paper's by default.
    """
    if published is None:
        fits = experiment.spec.rounds == PUBLISHED_ROUNDS
        published = published_regrets() if fits else {}
    table = {tuple(map(plain_name, key)): value for key, value in published.items()}
    panels: dict[tuple[str, str], dict[Who, Group]] = {}
    for who, group in group_by_players(experiment.ledgers).items():
        panels.setdefault((who.environment, who.attack), {})[who] = group
    return [_judge_panel(experiment.spec, groups, table) for groups in panels.values()]


def _judge_panel(
    spec: Spec, groups: dict[Who, Group], published: Mapping[tuple[str, ...], float]
) -> PanelVerdict:
    # What only imitates the paper's data is not compared with the paper.
    stand_in = next(iter(groups)).environment.endswith(STAND_IN)
    theirs = {
        who: None if stand_in else published.get(_published_key(spec, who, published))
        for who in groups
    }
    known = {who: value for who, value in theirs.items() if value is not None}
    margin = READING_ERROR * max(known.values(), default=0.0)
    ours = estimate_means([final_regrets(group) for group in groups.values()])
    rows = []
    for who, estimate in zip(groups, ours, strict=True):
        value = theirs[who]
        inside = None
        if value is not None and estimate.has_interval:
            inside = estimate.covers(value, margin)
        rows.append(PolicyVerdict(who.policy, estimate, value, inside))
    first = next(iter(groups))
    swaps = _swaps({who: groups[who] for who in known}, known, margin)
    return PanelVerdict(
        environment=first.environment,
        attack=first.attack,
        rows=tuple(rows),
        tau=_tau(rows),
        swaps=swaps,
        stand_in=stand_in,
    )


def _swaps(groups: dict[Who, Group], known: dict[Who, float], margin: float) -> tuple[Swap, ...]:
    pairs = [
        (one, other) if known[one] < known[other] else (other, one)
        for one, other in combinations(groups, 2)
        if known[one] != known[other]
    ]
    gaps = estimate_means([excess_by_seed(groups[one], groups[other]) for one, other in pairs])
    return tuple(
        Swap(
            better=one.policy,
            worse=other.policy,
            difference=gap,
            certain=gap.low > 0 and known[other] - known[one] > 2 * margin,
        )
        for (one, other), gap in zip(pairs, gaps, strict=True)
        if gap.value > 0
    )


def _tau(rows: Sequence[PolicyVerdict]) -> float:
    from scipy import stats

    pairs = [(row.ours.value, row.published) for row in rows if row.published is not None]
    if len(pairs) < 2:
        return math.nan
    return float(stats.kendalltau(*zip(*pairs, strict=True)).statistic)


def verdict_table(verdicts: Sequence[PanelVerdict]) -> Table:
    """Return all rows of all panels as one table."""
    answer = {True: "yes", False: "no", None: None}
    rows = [
        (
            panel.environment,
            panel.attack,
            row.policy,
            row.ours,
            row.published,
            row.ratio,
            answer[row.inside],
        )
        for panel in verdicts
        for row in panel.rows
    ]
    return Table(
        name="verdict",
        title="Final regret, ours beside the published",
        columns=(
            *(Column(head, "text") for head in ("environment", "attack", "policy")),
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


def plain_name(name: str) -> str:
    """Return a name that survives spelling: ``BOB-No-Restart`` is ``BOBNoRestart``."""
    return re.sub(r"[^a-z0-9]", "", name.lower().removesuffix(STAND_IN))


def _published_key(
    spec: Spec, who: Who, published: Mapping[tuple[str, ...], float]
) -> tuple[str, ...]:
    """Return the names under which a group was published.

    An environment and an attack are known by label or by recipe; a policy by its label only, as
    one recipe may play with several sets of parameters.
    """
    sections: tuple[Mapping[str, Any], ...] = (spec.environments, spec.attacks)
    names = []
    for i, (label, recipes) in enumerate(zip(who[:2], sections, strict=True)):
        choices = [plain_name(label), plain_name(getattr(recipes.get(label), "name", label))]
        known = {key[i] for key in published}
        names.append(next((one for one in choices if one in known), choices[0]))
    return (*names, plain_name(who.policy))
