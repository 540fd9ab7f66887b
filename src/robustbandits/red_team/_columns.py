"""The games of a red team as columns of a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from robustbandits.metrics.audit import attacked_rounds, spent
from robustbandits.metrics.damage import excess_regret
from robustbandits.metrics.groups import final_regrets
from robustbandits.metrics.regret import late_rate
from robustbandits.red_team._hijack import hijacked
from robustbandits.red_team._labels import NO_ATTACK, attack_label

if TYPE_CHECKING:
    from robustbandits.red_team.report import RedTeamReport


def columns_of_games(report: RedTeamReport) -> dict[str, list[Any]]:
    """Return columns with a value for each game of the grid."""
    columns: dict[str, list[Any]] = {}
    labels = {NO_ATTACK: (NO_ATTACK, 0.0)}
    labels |= {attack_label(a, b): (a, b) for a in report.attacks for b in report.budgets}
    for policy in report.policies:
        clean = report.games(NO_ATTACK, policy)
        for label, (attack, budget) in labels.items():
            games = report.games(label, policy)
            values: dict[str, Any] = {
                "policy": [policy] * len(games),
                "attack": [attack] * len(games),
                "budget": [budget] * len(games),
                "seed": [ledger.seed for ledger in games],
                "regret": final_regrets(games),
                "excess_regret": excess_regret.by_seed(games, clean),
                "late_rate": late_rate.by_seed(games),
                "hijacked": hijacked(games, clean, report.gaps),
                "spent": spent.by_seed(games),
                "attacked_rounds": attacked_rounds.by_seed(games),
            }
            for name, column in values.items():
                columns.setdefault(name, []).extend(column)
    return columns
