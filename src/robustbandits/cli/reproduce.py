"""``robustbandits reproduce``: the paper's Figure 1."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from robustbandits.cli.failures import INTERRUPTED

if TYPE_CHECKING:
    from robustbandits.experiments.store.store import Experiment
    from robustbandits.reproduction.verdict import PanelVerdict


class Choice(StrEnum):
    """Which reading of the paper to play."""

    as_written = "as-written"
    as_coded = "as-coded"
    well_specified = "well-specified"
    all = "all"


def reproduce(
    rounds: Annotated[int, typer.Option(min=1, help="Length T of each game.")] = 1_000_000,
    seeds: Annotated[int, typer.Option(min=1, help="Repetitions of each game.")] = 10,
    reading: Annotated[
        Choice,
        typer.Option(
            help="as-written: the text. as-coded: what the authors' code does. "
            "well-specified: a linear model that is right."
        ),
    ] = Choice.all,
    out: Annotated[
        Path, typer.Option(help="Folder for page, figures, tables and finished matches.")
    ] = Path("out"),
    workers: Annotated[
        int | None, typer.Option(min=1, help="Threads; all cores by default.")
    ] = None,
) -> None:
    """Play the paper's Figure 1 and set our final regrets beside the published ones.

    Example: robustbandits reproduce --reading as-coded --rounds 100000 --seeds 5

    Writes OUT/reproduction.md, OUT/figure1.png and OUT/index.html. Interrupt it whenever you like;
    the same command goes on where it stopped.
    """
    from robustbandits.reports.write import write_report
    from robustbandits.reproduction.report import write_reproduction
    from robustbandits.reproduction.verdict import PUBLISHED_ROUNDS

    names = [one.value for one in Choice if one is not Choice.all]
    chosen = names if reading is Choice.all else [reading.value]
    start = time.perf_counter()
    try:
        played = [_play(name, rounds, seeds, out / "store", workers) for name in chosen]
    except KeyboardInterrupt:
        typer.echo(
            f"interrupted; finished matches are in {out / 'store'}, and the same command goes on "
            f"where it stopped",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    seconds = time.perf_counter() - start
    command = f"robustbandits reproduce --reading {reading.value}"
    command += f" --rounds {rounds} --seeds {seeds}"
    files = write_reproduction(played, out, command)
    page, *_ = write_report(played, out, title="Figure 1, reproduced")
    games = sum(len(one.ledgers) for one in played)
    typer.echo(f"{games:,} games of {rounds:,} rounds in {seconds:.0f} s")
    typer.echo(f"figure: {files[1]}; verdict: {files[0]}; page: {page}")
    if rounds != PUBLISHED_ROUNDS:
        typer.echo(f"nothing was published at this length; --rounds {PUBLISHED_ROUNDS} compares")
    if reading is not Choice.all:
        typer.echo("the paper can be read in other ways: --reading all shows them side by side")


def _play(name: str, rounds: int, seeds: int, store: Path, workers: int | None) -> Experiment:
    from robustbandits.experiments.runner import run
    from robustbandits.reproduction.readings import reading
    from robustbandits.reproduction.verdict import judge

    spec = reading(name, rounds=rounds, seeds=seeds)
    typer.echo(f"{name}: {spec.games} games of {rounds:,} rounds; {spec.about}", err=True)
    experiment = run(spec, store, workers=workers).experiment()
    typer.echo(_table(name, judge(experiment)))
    return experiment


def _table(name: str, panels: list[PanelVerdict]) -> str:
    """Return final regrets beside the paper's own, as plain text."""
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
