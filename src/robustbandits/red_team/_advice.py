"""What would help: the policy that does best among those that were played beside the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robustbandits.metrics.intervals import Estimate
from robustbandits.red_team._labels import NO_ATTACK

if TYPE_CHECKING:
    from robustbandits.red_team.report import RedTeamReport


def advice(report: RedTeamReport) -> str:
    """Return which of the other policies to use instead, with numbers, or that none is better."""
    others = report.policies[1:]
    if not others:
        return "no other policy was played"
    worst = {policy: _worst(report, policy) for policy in report.policies}
    smallest_hijack = {policy: report.smallest_hijack(policy) for policy in report.policies}
    best = min(others, key=lambda policy: (-smallest_hijack[policy], worst[policy].value))
    target, budget = report.target, report.budgets[-1]
    is_better = smallest_hijack[best] > smallest_hijack[target] or (
        smallest_hijack[best] == smallest_hijack[target] and worst[best].high < worst[target].low
    )
    if not is_better:
        return f"none of the other policies that were played is clearly better than {target}"
    clean = report.matrix[NO_ATTACK]
    text = (
        f"{best}: mean regret at most {worst[best].value:,.0f} under the same attacks with a "
        f"budget of {budget:g}, {target} {worst[target].value:,.0f}; without attack "
        f"{clean[best].value:,.0f} and {clean[target].value:,.0f}"
    )
    if smallest_hijack[best] > budget:
        return text
    return f"{text}; it is hijacked with {smallest_hijack[best]:g}"


def _worst(report: RedTeamReport, policy: str) -> Estimate:
    """Return the largest mean regret of a policy under any attack with the largest budget."""
    regrets = [report.matrix[attack][policy] for attack in report.attacks]
    return max(regrets, key=lambda regret: regret.value)
