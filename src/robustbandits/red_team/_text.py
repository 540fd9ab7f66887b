"""The report of a red team as text: the verdict in a sentence, and a summary on one screen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from robustbandits.metrics.intervals import Estimate

if TYPE_CHECKING:
    from robustbandits.red_team.report import RedTeamReport

#: Width of a policy's column; with three yardsticks the table has less than 100 letters a line.
COLUMN = 17


def verdict(report: RedTeamReport) -> str:
    """Return what was found, in a sentence."""
    found, count = report.details, len(report.seeds)
    if math.isfinite(report.budget_to_hijack):
        return (
            f"{report.target} is hijacked with a budget of {report.budget_to_hijack:.3g}: under "
            f"{report.worst_attack} it loses {found.lost:.0%} of what random play loses, at the "
            f"end of {report.rounds:,} rounds ({_games(count)})."
        )
    return (
        f"No attack hijacks {report.target} with a budget of up to {report.budgets[-1]:g}: the "
        f"worst, {report.worst_attack}, takes its regret from {found.clean_regret:,.0f} to "
        f"{found.regret:,.0f} in {report.rounds:,} rounds ({_games(count)})."
    )


def _games(count: int) -> str:
    return f"{count} seed" + ("" if count == 1 else "s")


def summary(report: RedTeamReport) -> str:
    """Return the verdict, what the worst attack does, and a table of regrets."""
    return "\n".join(
        [report.verdict, "", *_details(report), "", *_matrix(report), "", *_notes(report)]
    )


def _details(report: RedTeamReport) -> list[str]:
    found = report.details
    touched = f"{found.attacked_rounds:,.0f} of {report.rounds:,} rounds changed"
    rows = {
        "worst attack": f"{report.worst_attack} with a budget of {report.worst_budget:.3g}",
        "regret": f"{found.regret:,.0f}; without attack {found.clean_regret:,.0f}",
        "regret per unit spent": f"{found.per_unit:,.1f}",
        "spent": f"{found.spent:,.3g}: {touched}, by {found.mean_change:.2g} on average",
        "recovered": f"{found.recovered:.0%} of the games",
    }
    if math.isfinite(found.recovery):
        rows["recovered"] += f", half of them within {found.recovery:,.0f} rounds"
    if not math.isnan(found.best_arm):
        rows["best arm played"] = (
            f"{found.best_arm:.0%} of the rounds; without attack {found.clean_best_arm:.0%}"
        )
    if report.confirmation is not None:
        again = report.confirmation
        rows["with fresh seeds"] = (
            f"{again.hijacked} of {again.games} games hijacked, mean regret {again.regret:,.0f}"
        )
    if report.limit > 0.0:
        rows["the limit"] = (
            f"no policy that pays {found.clean_regret:,.0f} without attack withstands more than "
            f"about {found.clean_regret / report.limit:,.3g}"
        )
    return [f"{name:22} {text}" for name, text in rows.items()]


def _matrix(report: RedTeamReport) -> list[str]:
    """Return the table of regrets; a star marks hijacked policies."""
    first = max(20, *(len(_short(name, 30)) + 1 for name in report.matrix))
    names = ["target", *(policy.partition("(")[0] for policy in report.policies[1:])]
    lines = [
        f"Mean regret with a budget of {report.budgets[-1]:g} (* hijacked)",
        " " * first + "".join(f"{_short(name, COLUMN - 1):>{COLUMN}}" for name in names),
    ]
    for attack, row in report.matrix.items():
        line = f"{_short(attack, 30):{first}}"
        for policy in report.policies:
            played = attack in report.attacks
            star = played and report.is_hijacked(attack, report.budgets[-1], policy)
            line += f"{_cell(row[policy]) + '*' * star:>{COLUMN}}"
        lines.append(line)
    return lines


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _cell(regret: Estimate) -> str:
    half = f" ±{(regret.high - regret.low) / 2:,.0f}" if regret.has_interval else ""
    return f"{regret.value:,.0f}{half}"


def _notes(report: RedTeamReport) -> list[str]:
    lines = ["Means and 95 % intervals over seeds. docs/redteam.md says what counts as hijacked."]
    if (report.rounds, len(report.seeds)) != (report.asked_rounds, report.asked_seeds):
        lines.append(
            f"Reduced to {report.rounds:,} rounds and {_games(len(report.seeds))}, to fit in the "
            f"time; asked for were {report.asked_rounds:,} and {report.asked_seeds}."
        )
    return lines
