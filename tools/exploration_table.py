"""Does a policy leave exploration? Its regret as a share of uniform play's, without an attack."""

from __future__ import annotations

from collections.abc import Mapping

from robustbandits.metrics import random_gap
from robustbandits.metrics.groups import Group, Who, final_regrets
from robustbandits.metrics.late import late_rates_by_seed
from robustbandits.reports.study import GAP_ROUNDS, Study
from robustbandits.reports.table import Cell, Column, Table
from robustbandits.reports.tables import POLICY

#: A policy whose last rounds cost less than this share of uniform play knows which arms to avoid.
LITTLE = 0.1


def exploration_table(study: Study) -> Table:
    """Return each policy's regret over the whole game and over its last tenth, in uniform play's.

    Only environments whose uniform play is known have columns, see :attr:`Study.gaps`.
    """
    places = list(study.gaps)
    clean = {
        who: group
        for who, group in study.groups.items()
        if who.attack == study.clean and who.environment in places
    }
    gaps = _gaps(study, clean)
    shares = {who: _shares(group, gaps) for who, group in clean.items()}
    rows: list[tuple[Cell, ...]] = []
    for policy in dict.fromkeys(who.policy for who in shares):
        found = [shares.get(Who(place, study.clean or "", policy)) for place in places]
        little = all(one[1] < LITTLE for one in found if one is not None)
        cells = [None if one is None else round(one[k], 3) for one in found for k in (0, 1)]
        rows.append((policy, *cells, "yes" if little else "no"))
    heads = [f"{part}, {place}" for place in places for part in ("whole game", "last tenth")]
    verdict = Column(f"last tenth below {LITTLE:g}", "text")
    return Table(
        name="exploration",
        title=f"Regret without attack, as a share of uniform play's: T = {study.spec.rounds:,}",
        columns=(POLICY, *[Column(head) for head in heads], verdict),
        rows=tuple(rows),
        notes=(
            "Means over seeds, divided by what uniform play has in the same games: 1 is uniform "
            "play. A dash: does not play there.",
        ),
    )


def _gaps(study: Study, groups: Mapping[Who, Group]) -> dict[tuple[str, int], float]:
    """Return uniform play's regret per round in each game: with fixed arms, seeds differ much."""
    games = {(one.environment, one.seed) for group in groups.values() for one in group}
    return {
        (place, seed): random_gap(
            study.spec.environments[place], study.spec.rounds, seed, GAP_ROUNDS
        )
        for place, seed in games
    }


def _shares(group: Group, gaps: Mapping[tuple[str, int], float]) -> tuple[float, float]:
    """Return the regret of the whole game and of its last tenth, in units of uniform play's."""
    gap = sum(gaps[one.environment, one.seed] for one in group) / len(group)
    whole = float(final_regrets(group).mean()) / (gap * float(group[0].rounds[-1]))
    return whole, float(late_rates_by_seed(group).mean()) / gap
