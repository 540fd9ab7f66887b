"""The document on Figure 1, ``reproduction.md``: our regrets beside the published, by panel."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from robustbandits._atomic import write_whole
from robustbandits.reports.figures import draw_panels
from robustbandits.reproduction.published import PUBLISHED_ROUNDS
from robustbandits.reproduction.readings import reading_of
from robustbandits.reproduction.verdict import PanelVerdict, judge, order_sentence, verdict_table

if TYPE_CHECKING:
    from robustbandits.experiments import Experiment

HEAD = """\
# Figure 1 of the paper, in {readings}

The paper is Ding, Hsieh, Sharpnack, *Robust Stochastic Linear Contextual Bandits Under Adversarial
Attacks* (AISTATS 2022). Its text and its published code differ, so there are three readings of its
Figure 1, each a ready spec: `figure1-as-written`, `figure1-as-coded` and `figure1-well-specified`.
*Published* is read off the paper's figure, to about 1 % of a panel's axis; *ours* is the mean over
seeds with a 95 % bootstrap interval; *inside* says whether the published number lies in it, give or
take the reading error.

Made by `{command}`{commit}: {games:,} games of {rounds:,} rounds, {seeds}.
"""
STAND_IN_NOTE = """\
**The Netflix columns here are a synthetic stand-in**: the Prize data cannot be downloaded legally.
Ratings with Netflix's sizes and long tails, scaled down, take their place; whoever has a copy sets
`ROBUSTBANDITS_NETFLIX` and plays the real thing. Nothing in these columns speaks for or against the
published Netflix panels.
"""


def write_reproduction(
    experiments: Sequence[Experiment], out: str | os.PathLike[str], command: str
) -> list[Path]:
    """Write ``reproduction.md`` and the figure that it shows, and return the files.

    Parameters
    ----------
    experiments
        The games of one or more readings of Figure 1.
    out
        An existing folder.
    command
        The command that writes the same document again.
    """
    folder = Path(out)
    figures = [folder / "figure1.png", folder / "figure1.svg"]
    draw_figure1(experiments, figures)
    page = folder / "reproduction.md"
    write_whole(page, reproduction_text(experiments, command).encode())
    return [page, *figures]


def draw_figure1(experiments: Sequence[Experiment], paths: Sequence[Path]) -> None:
    """Draw the panels side by side as the paper does, with a row for each reading."""
    rows = [
        (
            reading_of(experiment.spec),
            [
                replace(ledger, attack=f"{ledger.environment}, {ledger.attack}")
                for ledger in experiment.ledgers
                if experiment.spec.attacks[ledger.attack].budget > 0.0
            ],
        )
        for experiment in experiments
    ]
    spec = experiments[0].spec
    title = f"Figure 1: T = {spec.rounds:,}, {_seeds(len(spec.seeds))}, bands 95 %"
    draw_panels(rows, paths, title=title)


def reproduction_text(experiments: Sequence[Experiment], command: str) -> str:
    """Return the document as Markdown."""
    spec = experiments[0].spec
    verdicts = [judge(experiment) for experiment in experiments]
    commit = experiments[0].provenance.get("commit")
    readings = ["one reading", "two readings", "three readings"]
    parts = [
        HEAD.format(
            readings=readings[min(3, len(experiments)) - 1],
            command=command,
            commit=f", at commit {commit}" if commit else "",
            games=sum(len(experiment.ledgers) for experiment in experiments),
            rounds=spec.rounds,
            seeds=_seeds(len(spec.seeds)),
        )
    ]
    if any(panel.stand_in for panels in verdicts for panel in panels):
        parts.append(STAND_IN_NOTE)
    parts.append("![Regret curves of every panel](figure1.png)\n")
    for experiment, panels in zip(experiments, verdicts, strict=True):
        parts.append(_chapter(experiment, panels))
    return "\n".join(parts)


def _chapter(experiment: Experiment, panels: Sequence[PanelVerdict]) -> str:
    name = reading_of(experiment.spec)
    lines = [f"## {name}\n", experiment.spec.about + "\n", verdict_table(panels).to_markdown()]
    for panel in panels:
        if panel.compared:
            lines.append(f"- **{panel.environment}, {panel.attack}.** {order_sentence(panel)}")
    if experiment.spec.rounds == PUBLISHED_ROUNDS:
        lines += ["", reasons(name)]
    return "\n".join(lines) + "\n"


def reasons(reading: str) -> str:
    """Return why a reading agrees or disagrees with the paper, as far as we know."""
    text = resources.files("robustbandits.reproduction").joinpath("reasons.md").read_text("utf-8")
    chapters = dict(part.split("\n", 1) for part in text.split("# ")[1:])
    return chapters[reading].strip() + "\n"


def _seeds(count: int) -> str:
    return "one seed" if count == 1 else f"{count} seeds"
