"""The report of a red team as text: the verdict in a sentence, and a summary on one screen."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from robustbandits.game.knowledge import BLACK_BOX, OMNISCIENT
from robustbandits.metrics.intervals import Estimate
from robustbandits.red_team._details import Details

if TYPE_CHECKING:
    from robustbandits.red_team.report import RedTeamReport

#: Width of a policy's column; with three yardsticks a line of the table is shorter than `WIDTH`.
COLUMN = 17
#: The largest number of characters in a line.
WIDTH = 100
#: The largest number of attacks in the table, so that the summary fits on a screen of 40 lines.
MOST_ATTACKS = 14


def verdict(report: RedTeamReport) -> str:
    """Return what was found, in a sentence."""
    found, count = report.details, len(report.seeds)
    if math.isfinite(report.budget_to_hijack):
        return (
            f"{report.target} is hijacked with a budget of {report.budget_to_hijack:.3g}: under "
            f"{report.worst_attack} it loses {found.lost:.0%} of what choosing arms at random "
            f"loses, at the end of {report.rounds:,} rounds ({_seeds(count)})."
        )
    return (
        f"No attack hijacks {report.target} with a budget of up to {report.budgets[-1]:g}: the "
        f"worst, {report.worst_attack}, takes its regret from {found.clean_regret:,.0f} to "
        f"{found.regret:,.0f} in {report.rounds:,} rounds ({_seeds(count)})."
    )


def _seeds(count: int) -> str:
    return f"{count} seed" + ("" if count == 1 else "s")


def summary(report: RedTeamReport) -> str:
    """Return the verdict, what the worst attack does, and a table of regrets."""
    first = _wrap(report.verdict)
    return "\n".join([*first, "", *_details(report), "", *_matrix(report), "", *_notes(report)])


def facts(report: RedTeamReport) -> dict[str, str]:
    """Return what was found about the worst attack: names of facts, and sentences or numbers."""
    found = report.details
    rows = {
        "worst attack": f"{report.worst_attack} with a budget of {report.worst_budget:.3g}",
        "regret": f"{found.regret:,.0f}; without attack {found.clean_regret:,.0f}"
        f"{_control(found.control_regret)}",
        "regret per unit spent": "" if math.isnan(found.per_unit) else f"{found.per_unit:,.1f}",
        "how stealthy": _stealth(report),
        "arms played": _arms(found),
        "recovered": _recovered(found),
        "knowledge gap": _knowledge(report),
    }
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
    rows["what would help"] = report.advice
    return {name: text for name, text in rows.items() if text}


def _details(report: RedTeamReport) -> list[str]:
    wrapped = [_wrap(f"{name:22} {text}", indent=23) for name, text in facts(report).items()]
    return [line for lines in wrapped for line in lines]


def _wrap(text: str, indent: int = 0) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)


def _control(regret: float) -> str:
    return "" if math.isnan(regret) else f", under random changes {regret:,.0f}"


def _stealth(report: RedTeamReport) -> str:
    found, stealth = report.details, report.stealth
    if math.isnan(stealth.largest_change):
        return "nothing was changed"
    text = (
        f"{found.spent:,.3g} spent in {found.attacked_rounds:,.0f} of {report.rounds:,} rounds, "
        f"{found.mean_change:.2g} on average and at most {stealth.largest_change:.2g}"
    )
    if math.isnan(stealth.detection):
        return text
    return (
        f"{text}; AUC of a residual detector {stealth.detection:.2f} (0.5: invisible, 1: obvious)"
    )


def _recovered(found: Details) -> str:
    if math.isnan(found.recovered):
        return ""
    text = f"{found.recovered:.0%} of the games"
    if not math.isfinite(found.recovery):
        return text
    return f"{text}, half of the games within {found.recovery:,.0f} rounds of the last change"


def _arms(found: Details) -> str:
    """Return how often the best arm and the arms that the attacker wants are played."""
    if math.isnan(found.best_arm):
        return ""
    clean = f"{found.clean_best_arm:.0%}"
    best = f"the best in {found.best_arm:.0%} of the rounds (without attack {clean})"
    if math.isnan(found.wanted_arms):
        return best
    clean = f"{found.clean_wanted_arms:.0%}"
    return f"{best}, those that the attacker wants in {found.wanted_arms:.0%} ({clean})"


def _knowledge(report: RedTeamReport) -> str:
    """Return how much more regret attacks cause that know more than a black-box attack."""
    parts = []
    if len(report.by_knowledge) == 2:
        less, more = report.by_knowledge[BLACK_BOX], report.by_knowledge[OMNISCIENT]
        parts.append(
            f"{more.regret - less.regret:,.0f} at budget {report.budgets[-1]:g}: omniscient "
            f"{more.regret:,.0f} ({more.attack}), black-box {less.regret:,.0f} ({less.attack})"
        )
    if not math.isnan(report.shadow_regret):
        parts.append(
            f"regret under the worst attack is {report.shadow_regret:,.0f} instead of "
            f"{report.details.regret:,.0f} if it must estimate what an outsider cannot see"
        )
    return "; ".join(parts)


def _matrix(report: RedTeamReport) -> list[str]:
    """Return the table of regrets; a star marks hijacked policies."""
    harm = {name: row[report.target].value for name, row in report.matrix.items()}
    worst = sorted(report.attacks, key=lambda name: -harm[name])[:MOST_ATTACKS]
    first = max(20, *(len(_short(name, 30)) + 1 for name in report.matrix))
    names = ["target", *(policy.partition("(")[0] for policy in report.policies[1:])]
    lines = [
        f"Mean regret with a budget of {report.budgets[-1]:g} (* hijacked)",
        " " * first + "".join(f"{_short(name, COLUMN - 1):>{COLUMN}}" for name in names),
    ]
    for attack, row in report.matrix.items():
        if attack in report.attacks and attack not in worst:
            continue
        line = f"{_short(attack, 30):{first}}"
        for policy in report.policies:
            played = attack in report.attacks
            star = played and report.is_hijacked(attack, report.budgets[-1], policy)
            line += f"{_cell(row[policy]) + '*' * star:>{COLUMN}}"
        lines.append(line)
    left_out = len(report.attacks) - len(worst)
    return lines + [f"and {left_out} attacks that harm the target less"] * (left_out > 0)


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _cell(regret: Estimate) -> str:
    half = f" ±{(regret.high - regret.low) / 2:,.0f}" if regret.has_interval else ""
    return f"{regret.value:,.0f}{half}"


def _notes(report: RedTeamReport) -> list[str]:
    lines = ["Means and 95 % intervals over seeds. docs/redteam.md says what counts as hijacked."]
    if (report.rounds, len(report.seeds)) != (report.asked_rounds, report.asked_seeds):
        lines.append(
            f"Reduced to {report.rounds:,} rounds and {_seeds(len(report.seeds))} to fit in the "
            f"time, from {report.asked_rounds:,} rounds and {_seeds(report.asked_seeds)}."
        )
    return lines
