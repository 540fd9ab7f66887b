"""The document on Figure 1, ``reproduction.md``: our regrets beside the published, by panel."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from robustbandits._atomic import write_whole
from robustbandits.reports.figures import draw_panels
from robustbandits.reports.table import wrapped
from robustbandits.reproduction.published import PUBLISHED_ROUNDS
from robustbandits.reproduction.readings import reading_of
from robustbandits.reproduction.verdict import PanelVerdict, judge, order_sentence, verdict_table

if TYPE_CHECKING:
    from robustbandits.experiments import Experiment


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
    document = folder / "reproduction.md"
    write_whole(document, reproduction_text(experiments, command).encode())
    return [document, *figures]


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
    texts = document_texts()
    spec = experiments[0].spec
    verdicts = [judge(experiment) for experiment in experiments]
    commit = experiments[0].provenance.get("commit")
    head = texts["head"].format(
        readings=("one reading", "two readings", "three readings")[len(experiments) - 1],
        command=command,
        commit=f", at commit {commit}" if commit else "",
        games=sum(len(experiment.ledgers) for experiment in experiments),
        rounds=spec.rounds,
        seeds=_seeds(len(spec.seeds)),
    )
    parts = [head]
    if any(panel.stand_in for panels in verdicts for panel in panels):
        parts.append(texts["stand-in"])
    parts.append("![Regret curves of every panel](figure1.png)\n")
    for experiment, panels in zip(experiments, verdicts, strict=True):
        reasons = texts.get(reading_of(experiment.spec), "")
        parts.append(_chapter(experiment, panels, reasons))
    return "\n".join(parts)


def _chapter(experiment: Experiment, panels: Sequence[PanelVerdict], reasons: str) -> str:
    spec = experiment.spec
    about = wrapped(spec.about)
    lines = [f"## {reading_of(spec)}\n", f"{about}\n", verdict_table(panels).to_markdown()]
    for panel in panels:
        if panel.compared:
            heading = f"- **{panel.environment}, {panel.attack}.**"
            lines.append(wrapped(f"{heading} {order_sentence(panel)}", indent="  "))
    if spec.rounds == PUBLISHED_ROUNDS:
        lines += ["", reasons]
    return "\n".join(lines) + "\n"


def document_texts() -> dict[str, str]:
    """Return the texts of the document: its head, and what we know about each reading."""
    text = resources.files("robustbandits.reproduction").joinpath("texts.md").read_text("utf-8")
    _, *parts = re.split(r"<!-- ([a-z-]+) -->\n", text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _seeds(count: int) -> str:
    return "one seed" if count == 1 else f"{count} seeds"
