"""The report of a red team as files: the page of the lab, figures, tables and JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robustbandits._atomic import write_whole
from robustbandits.experiments.recipe_json import Outsider, canonical
from robustbandits.experiments.spec import Spec
from robustbandits.game.knowledge import BLACK_BOX, OMNISCIENT
from robustbandits.game.object_policy import ObjectPolicy
from robustbandits.red_team._text import facts
from robustbandits.reports.table import Column, Table
from robustbandits.reports.write import write_report

if TYPE_CHECKING:
    from robustbandits.experiments.store.load import Experiment
    from robustbandits.red_team.report import RedTeamReport

#: Rows of the table about the worst attack, by the names of ``Details`` and ``Stealth``.
_ROWS = {
    "regret": "Regret",
    "clean_regret": "Regret without attack",
    "control_regret": "Regret under random changes with the same budget",
    "per_unit": "Excess regret for each unit spent",
    "spent": "Spent",
    "attacked_rounds": "Rounds changed",
    "mean_change": "Mean change of such a round",
    "largest_change": "Largest change of a round",
    "detection": "AUC of a detector of residuals (0.5: changes cannot be seen)",
    "shadow_regret": "Regret if it must estimate what an outsider cannot see",
    "lost": "Lost at the end, as a share of what choosing arms at random loses",
    "recovered": "Share of games that recover",
    "recovery": "Median time to recovery, in rounds",
    "best_arm": "Share of rounds with the best arm",
    "clean_best_arm": "The same without attack",
    "wanted_arms": "Share of rounds with an arm that the attacker wants",
    "clean_wanted_arms": "The same without attack",
}
_KNOWS = {
    BLACK_BOX: "at most what the game shows (black-box)",
    OMNISCIENT: "more, such as the mean rewards (omniscient)",
}


def write_page(report: RedTeamReport, folder: Path) -> list[Path]:
    """Write all files, and return them, the page first."""
    files = write_report(
        [_shown(report)],
        folder,
        title=_title(report),
        more_tables=[[_details(report), _knowledge(report), _hijacked(report)]],
        verdicts=[_verdict(report)],
        limits={report.environment: report.limit} if math.isfinite(report.limit) else None,
    )
    path = folder / "report.json"
    text = json.dumps(report.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    write_whole(path, (text + "\n").encode())
    return [*files, path]


def _title(report: RedTeamReport) -> str:
    if math.isfinite(report.budget_to_hijack):
        return f"{report.target} is hijacked with a budget of {report.budget_to_hijack:.3g}"
    return f"{report.target} is not hijacked with a budget of {report.budgets[-1]:g}"


def _verdict(report: RedTeamReport) -> list[str]:
    """Return the paragraphs at the top of the page: the verdict, and what the summary says."""
    rows = facts(report).items()
    return [report.verdict, *(f"{name[0].upper()}{name[1:]}: {text}." for name, text in rows)]


def _shown(report: RedTeamReport) -> Experiment:
    """Return the experiment with objects as their names."""
    experiment = report.experiment
    spec = experiment.spec
    policies = {label: _named(policy) for label, policy in spec.policies.items()}
    shown = Spec(
        name=spec.name,
        about=spec.about,
        environments=spec.environments,
        attacks=spec.attacks,
        policies=policies,
        rounds=spec.rounds,
        seeds=spec.seeds,
        points=spec.points,
        unsupported=spec.unsupported,
    )
    return experiment._replace(spec=shown)


def _named(policy: Any) -> Any:
    """Return a policy that can be written down; a Python object only by its name."""
    if not isinstance(policy, ObjectPolicy) or policy.origin is not None:
        return policy
    return Outsider(canonical({"name": policy.name, "module": "a Python object"}))


def _details(report: RedTeamReport) -> Table:
    values = report.details._asdict() | report.stealth._asdict()
    values["shadow_regret"] = report.shadow_regret
    rows = [(title, values[name]) for name, title in _ROWS.items() if math.isfinite(values[name])]
    if report.confirmation is not None:
        rows.append(("Games played with fresh seeds", report.confirmation.games))
        rows.append(("Games hijacked with fresh seeds", report.confirmation.hijacked))
    if math.isfinite(report.limit):
        title = f"Least price of any policy that withstands {report.budgets[-1]:g} (docs/limits.md)"
        rows.append((title, report.budgets[-1] * report.limit))
    return Table(
        "worst-attack",
        f"{report.worst_attack} with a budget of {report.worst_budget:.3g} against {report.target}",
        (Column("Measure", "text"), Column("Mean over seeds")),
        tuple(rows),
    )


def _knowledge(report: RedTeamReport) -> Table:
    """Return the worst attack that is at most black-box, and the worst that knows more."""
    rows = [
        (_KNOWS[level], found.attack, found.regret, _budget(found.budget))
        for level, found in report.by_knowledge.items()
    ]
    return Table(
        "knowledge",
        f"What the attacker's knowledge is worth against {report.target}",
        (
            Column("The attacker knows", "text"),
            Column("Worst attack", "text"),
            Column(f"Mean regret, budget {report.budgets[-1]:g}"),
            Column("Smallest budget that hijacks", "text"),
        ),
        tuple(rows),
    )


def _budget(budget: float) -> str:
    return f"{budget:g}" if math.isfinite(budget) else "none"


def _hijacked(report: RedTeamReport) -> Table:
    """Return the smallest budget of the grid with which each attack hijacks each policy."""
    rows = []
    for attack in report.attacks:
        row = [attack]
        for policy in report.policies:
            row.append(_budget(report.smallest_hijack(policy, [attack])))
        rows.append(tuple(row))
    return Table(
        "hijacked",
        "The smallest of the budgets played that hijacks a policy",
        (Column("Attack", "text"), *(Column(policy, "text") for policy in report.policies)),
        tuple(rows),
        (f"Budgets played: {', '.join(f'{budget:g}' for budget in report.budgets)}.",),
    )
