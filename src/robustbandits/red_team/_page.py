"""The report of a red team as files: the page of the lab, figures, tables and JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robustbandits._atomic import write_whole
from robustbandits.experiments.recipe_json import Outsider, canonical
from robustbandits.experiments.spec import Spec
from robustbandits.game.object_policy import ObjectPolicy
from robustbandits.reports.table import Column, Table
from robustbandits.reports.write import write_report

if TYPE_CHECKING:
    from robustbandits.experiments.store.load import Experiment
    from robustbandits.red_team.report import RedTeamReport

#: Rows of the table about the worst attack, by the names of ``Details``.
_ROWS = {
    "regret": "Regret",
    "clean_regret": "Regret without attack",
    "per_unit": "Excess regret for each unit spent",
    "spent": "Spent",
    "attacked_rounds": "Rounds changed",
    "mean_change": "Mean change of such a round",
    "lost": "Lost at the end, as a share of what random play loses",
    "recovered": "Share of games that recover",
    "recovery": "Median time to recovery, in rounds",
    "best_arm": "Share of rounds with the best arm",
    "clean_best_arm": "The same without attack",
}


def write_page(report: RedTeamReport, folder: Path) -> list[Path]:
    """Write all files, and return them, the page first."""
    files = write_report(
        [_shown(report)],
        folder,
        title=_title(report),
        more_tables=[[_details(report), _hijacked(report)]],
    )
    path = folder / "report.json"
    text = json.dumps(report.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    write_whole(path, (text + "\n").encode())
    return [*files, path]


def _title(report: RedTeamReport) -> str:
    if math.isfinite(report.budget_to_hijack):
        return f"{report.target} is hijacked with a budget of {report.budget_to_hijack:.3g}"
    return f"{report.target} is not hijacked with a budget of {report.budgets[-1]:g}"


def _shown(report: RedTeamReport) -> Experiment:
    """Return the experiment with the verdict as its description, and objects as their names."""
    experiment = report.experiment
    spec = experiment.spec
    policies = {label: _named(policy) for label, policy in spec.policies.items()}
    shown = Spec(
        name=spec.name,
        about=report.verdict,
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
    values = report.details._asdict()
    rows = [(title, values[name]) for name, title in _ROWS.items() if math.isfinite(values[name])]
    if report.confirmation is not None:
        rows.append(("Games hijacked with fresh seeds", report.confirmation.hijacked))
        rows.append(("of", report.confirmation.games))
    if math.isfinite(report.limit):
        title = f"Least price of any policy that withstands {report.budgets[-1]:g} (docs/limits.md)"
        rows.append((title, report.budgets[-1] * report.limit))
    return Table(
        "worst-attack",
        f"{report.worst_attack} with a budget of {report.worst_budget:.3g} against {report.target}",
        (Column("Measure", "text"), Column("Mean over seeds")),
        tuple(rows),
    )


def _hijacked(report: RedTeamReport) -> Table:
    """Return the smallest budget of the grid with which each attack hijacks each policy."""
    rows = []
    for attack in report.attacks:
        row = [attack]
        for policy in report.policies:
            found = [b for b in report.budgets if report.is_hijacked(attack, b, policy)]
            row.append(f"{min(found):g}" if found else "none")
        rows.append(tuple(row))
    return Table(
        "hijacked",
        "The smallest of the budgets played that hijacks a policy",
        (Column("Attack", "text"), *(Column(policy, "text") for policy in report.policies)),
        tuple(rows),
        (f"Budgets played: {', '.join(f'{budget:g}' for budget in report.budgets)}.",),
    )
