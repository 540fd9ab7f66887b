"""``robustbandits reproduce``: the paper's Figure 1."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from robustbandits.cli.failures import resumable

if TYPE_CHECKING:
    from robustbandits.experiments import Experiment
    from robustbandits.reproduction.verdict import PanelVerdict


class Choice(StrEnum):
    """The readings of the paper, or all of them."""

    as_written = "as-written"
    as_coded = "as-coded"
    well_specified = "well-specified"
    all = "all"


def reproduce(
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each game.")] = 1_000_000,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds.")] = 10,
    reading: Annotated[
        Choice,
        typer.Option(
            help="How to read the paper. as-written: its text. as-coded: the authors' code. "
            "well-specified: with a linear model that fits the environment."
        ),
    ] = Choice.all,
    out: Annotated[
        Path, typer.Option(help="Folder for the page, figures, tables and finished matches.")
    ] = Path("out"),
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of threads; all cores by default.")
    ] = None,
) -> None:
    """Play the paper's Figure 1; compare it with the published one.

    Example: robustbandits reproduce --reading as-coded --rounds 100000 --seeds 5

    Writes OUT/reproduction.md, OUT/figure1.png and OUT/index.html. You can interrupt it; the same
    command continues where it stopped.
    """
    from robustbandits.reports.write import write_report
    from robustbandits.reproduction.published import PUBLISHED_ROUNDS, published_in_report
    from robustbandits.reproduction.readings import READINGS
    from robustbandits.reproduction.write import write_reproduction

    chosen = READINGS if reading is Choice.all else [reading.value]
    start = time.perf_counter()
    with resumable(out / "store"):
        played = [_play(name, rounds, seeds, out / "store", workers) for name in chosen]
    seconds = time.perf_counter() - start
    command = f"robustbandits reproduce --reading {reading.value}"
    command += f" --rounds {rounds} --seeds {seeds}"
    files = write_reproduction(played, out, command)
    page, *_ = write_report(
        played, out, title="Figure 1, reproduced", references=published_in_report
    )
    games = sum(len(experiment.ledgers) for experiment in played)
    typer.echo(f"{games:,} games of {rounds:,} rounds in {seconds:.0f} s")
    typer.echo(f"figure: {files[1]}; verdict: {files[0]}; page: {page}")
    if rounds != PUBLISHED_ROUNDS:
        typer.echo(
            f"the paper has no results for {rounds:,} rounds; --rounds {PUBLISHED_ROUNDS} compares"
        )
    if reading is not Choice.all:
        typer.echo("--reading all shows all readings of the paper side by side")


def _play(name: str, rounds: int, seeds: int, store: Path, workers: int | None) -> Experiment:
    from robustbandits.experiments import run
    from robustbandits.reproduction.readings import reading
    from robustbandits.reproduction.verdict import judge

    spec = reading(name, rounds=rounds, seeds=seeds)
    typer.echo(f"{name}: {spec.games} games of {rounds:,} rounds; {spec.about}", err=True)
    experiment = run(spec, store, workers=workers).experiment()
    typer.echo(_table(name, judge(experiment)))
    return experiment


def _table(name: str, panels: list[PanelVerdict]) -> str:
    """Return final regrets beside the published ones, as plain text."""
    from robustbandits.reports.summary import aligned

    body = [
        (
            panel.environment,
            panel.attack,
            row.policy,
            f"{row.ours.value:,.0f}",
            f"{row.ours.low:,.0f} to {row.ours.high:,.0f}" if row.ours.has_interval else "-",
            "-" if row.published is None else f"{row.published:,.0f}",
        )
        for panel in panels
        for row in panel.rows
    ]
    heads = ("environment", "attack", "policy", "regret", "95 % interval", "published")
    return f"{name}\n" + aligned(heads, body, right=(3, 4, 5)) + "\n"
