"""The document on Figure 1, ``reproduction.md``, and the same numbers as JSON."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from robustbandits._atomic import write_whole
from robustbandits.ratings.synthetic import STAND_IN
from robustbandits.reports.figures import draw_panels
from robustbandits.reports.table import wrapped
from robustbandits.reproduction.published import PUBLISHED_ROUNDS
from robustbandits.reproduction.readings import reading_of
from robustbandits.reproduction.show import verdict_table, verdict_values
from robustbandits.reproduction.verdict import FigureVerdict

if TYPE_CHECKING:
    from robustbandits.experiments import Experiment


def write_reproduction(
    experiments: Sequence[Experiment],
    verdicts: Sequence[FigureVerdict],
    out: str | os.PathLike[str],
    command: str,
) -> list[Path]:
    """Write the document, the figure that it shows and the JSON file, and return the files.

    Parameters
    ----------
    experiments
        The games of one or more readings of Figure 1.
    verdicts
        The verdict on each of them.
    out
        An existing folder.
    command
        The command that writes the same document again.
    """
    folder = Path(out)
    figures = [folder / "figure1.png", folder / "figure1.svg"]
    draw_figure1(experiments, figures)
    document, values = folder / "reproduction.md", folder / "reproduction.json"
    write_whole(document, reproduction_text(experiments, verdicts, command).encode())
    write_whole(values, reproduction_json(experiments, verdicts).encode())
    return [document, *figures, values]


def reproduction_json(experiments: Sequence[Experiment], verdicts: Sequence[FigureVerdict]) -> str:
    """Return the verdicts for programs: a list with one object for each reading."""
    pairs = zip(experiments, verdicts, strict=True)
    readings = [verdict_values(verdict, experiment.spec) for experiment, verdict in pairs]
    return json.dumps(readings, indent=2, allow_nan=False) + "\n"


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
    rounds = experiments[0].spec.rounds
    title = f"Figure 1: T = {rounds:,}, {_seeds(experiments)}, bands 95 %"
    draw_panels(rows, paths, title=title)


def reproduction_text(
    experiments: Sequence[Experiment], verdicts: Sequence[FigureVerdict], command: str
) -> str:
    """Return the document as Markdown."""
    texts = document_texts()
    games = sum(len(experiment.ledgers) for experiment in experiments)
    rounds = experiments[0].spec.rounds
    played = f"{games:,} games of {rounds:,} rounds, {_seeds(experiments)}{_commits(experiments)}."
    head = texts["head"].format(
        readings=("one reading", "two readings", "three readings")[len(experiments) - 1],
        command=command,
        played=wrapped(played),
    )
    parts = [head]
    environments = {name for experiment in experiments for name in experiment.spec.environments}
    if any(name.endswith(STAND_IN) for name in environments):
        parts.append(texts["stand-in"])
    parts.append("![Regret curves of every panel](figure1.png)\n")
    for experiment, verdict in zip(experiments, verdicts, strict=True):
        reasons = texts.get(reading_of(experiment.spec), "")
        parts.append(_chapter(experiment, verdict, reasons))
    return "\n".join(parts)


def _chapter(experiment: Experiment, verdict: FigureVerdict, reasons: str) -> str:
    spec = experiment.spec
    about = wrapped(spec.about)
    lines = [f"## {reading_of(spec)}\n", f"{about}\n", verdict_table(verdict).to_markdown()]
    for panel in verdict.orders:
        heading = f"- **{panel.environment}, {panel.attack}.**"
        lines.append(wrapped(f"{heading} {panel.sentence()}", indent="  "))
    if spec.rounds == PUBLISHED_ROUNDS:
        lines += ["", reasons]
    return "\n".join(lines) + "\n"


def document_texts() -> dict[str, str]:
    """Return the texts of the document: its head, and what we know about each reading."""
    text = resources.files("robustbandits.reproduction").joinpath("texts.md").read_text("utf-8")
    _, *parts = re.split(r"<!-- ([a-z-]+) -->\n", text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _seeds(experiments: Sequence[Experiment]) -> str:
    """Return the number of seeds as text, for each reading if they differ."""
    counts = {reading_of(experiment.spec): len(experiment.spec.seeds) for experiment in experiments}
    if len(set(counts.values())) == 1:
        count = next(iter(counts.values()))
        return "one seed" if count == 1 else f"{count} seeds"
    return ", ".join(f"{count} seeds {reading}" for reading, count in counts.items())


def _commits(experiments: Sequence[Experiment]) -> str:
    """Return the commits that played the games as text; nothing if they are unknown."""
    found: dict[str, None] = {}
    for experiment in experiments:
        provenance = experiment.provenance
        commits = [provenance.get("commit"), *provenance.get("other_commits", [])]
        found.update(dict.fromkeys(commit for commit in commits if commit))
    return f", at commit {' and '.join(found)}" if found else ""
