"""Does a policy leave exploration? Its regret as a share of uniform play's, without an attack."""

from __future__ import annotations

from robustbandits.metrics.groups import Group, Who, final_regrets
from robustbandits.metrics.late import late_rates_by_seed
from robustbandits.reports.study import Study
from robustbandits.reports.table import Cell, Column, Table
from robustbandits.reports.tables import POLICY

#: A policy has left exploration when the end of its game costs less than this share of uniform
#: play: it then knows which arms to avoid, though it may still look at them now and then.
LEFT = 0.1


def exploration_table(study: Study) -> Table:
    """Return each policy's regret over the whole game and over its last tenth, in uniform play's.

    Only environments whose uniform play is known have columns, see :attr:`Study.gaps`.
    """
    places = [place for place in study.spec.environments if study.gaps.get(place)]
    shares = {
        who: _shares(group, study.gaps[who.environment], study.spec.rounds)
        for who, group in study.groups.items()
        if who.attack == study.clean and who.environment in places
    }
    policies = [p for p in study.spec.policies if any(who.policy == p for who in shares)]
    rows: list[tuple[Cell, ...]] = []
    for policy in policies:
        found = [shares.get(Who(place, study.clean or "", policy)) for place in places]
        played = [one for one in found if one is not None]
        left = all(late < LEFT for _, late in played)
        cells = [None if one is None else round(one[k], 3) for one in found for k in (0, 1)]
        rows.append((policy, *cells, "yes" if left else "no"))
    heads = [f"{part}, {place}" for place in places for part in ("whole game", "last tenth")]
    uniform = [f"{study.gaps[place] * study.spec.rounds:,.0f} ({place})" for place in places]
    return Table(
        name="exploration",
        title=f"Regret as a share of uniform play's, T = {study.spec.rounds:,}, no attack",
        columns=(POLICY, *[Column(head) for head in heads], Column("left exploration", "text")),
        rows=tuple(rows),
        notes=(
            f"Means over {len(study.spec.seeds)} seeds. Uniform play has {', '.join(uniform)}. "
            f"Left exploration: the last tenth costs less than {LEFT:g} of uniform play, wherever "
            "the policy plays. A dash: does not play there.",
        ),
    )


def _shares(group: Group, gap: float, rounds: int) -> tuple[float, float]:
    """Return the regret of the whole game and of its last tenth, in units of uniform play's."""
    whole = float(final_regrets(group).mean()) / (gap * rounds)
    return whole, float(late_rates_by_seed(group).mean()) / gap
