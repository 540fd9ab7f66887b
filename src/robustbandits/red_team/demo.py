"""The demo: on a catalogue, an attack hijacks LinUCB but not CautiousLinUCB."""

from __future__ import annotations

import numpy as np

from robustbandits.kernels.linalg import Floats
from robustbandits.red_team._labels import NO_ATTACK, attack_label
from robustbandits.red_team.redteam import redteam
from robustbandits.red_team.report import RedTeamReport

BUDGET, ROUNDS, SEEDS = 50.0, 100_000, 5
ROBUST = "CautiousLinUCB(200)"
#: Characters of the longest bar.
BAR = 40


def play_demo(rounds: int = ROUNDS, seeds: int = SEEDS) -> RedTeamReport:
    """Play the demo."""
    return redteam(
        "LinUCB",
        attacks="Garcelon",
        budgets=[BUDGET],
        rounds=rounds,
        seeds=seeds,
        yardsticks=[ROBUST],
    )


def show_demo(report: RedTeamReport) -> str:
    """Return the numbers and a picture: how often each item is shown, from best to worst."""
    label = attack_label("Garcelon", BUDGET)
    linucb, robust = report.policies
    lines = [
        f"A catalogue of 20 items, {report.rounds:,} visitors. An attacker changes rewards by at "
        f"most {BUDGET:g} in all.",
        "",
        f"{'regret':40}{'without attack':>16}{'attacked':>12}",
    ]
    for policy in (linucb, robust):
        clean, attacked = report.matrix[NO_ATTACK][policy], report.matrix["Garcelon"][policy]
        lines.append(f"{policy:40}{clean.value:>16,.0f}{attacked.value:>12,.0f}")
    for policy in (linucb, robust):
        word = "hijacked" if report.is_hijacked("Garcelon", BUDGET, policy) else "not hijacked"
        lines += ["", f"{policy} under attack: {word}", *_picture(report, label, policy)]
    return "\n".join([*lines, "", report.verdict])


def shares_by_rank(report: RedTeamReport, attack: str, policy: str) -> Floats:
    """Return the share of rounds in which each item is shown, from the best to the worst."""
    shares = []
    for ledger in report.games(attack, policy):
        _, means = report.catalogue(ledger.seed)
        shares.append(ledger.pulls[np.argsort(-means)] / report.rounds)
    return np.mean(shares, axis=0)


def _picture(report: RedTeamReport, attack: str, policy: str) -> list[str]:
    shares = shares_by_rank(report, attack, policy)
    groups = {
        "best item": shares[:1].sum(),
        "2nd to 5th": shares[1:5].sum(),
        "6th to 10th": shares[5:10].sum(),
        "worse half": shares[10:].sum(),
    }
    return [
        f"  {name:12} {'█' * round(BAR * share):{BAR}} {share:4.0%}"
        for name, share in groups.items()
    ]
