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
    from robustbandits.reproduction.verdict import FigureVerdict


class Choice(StrEnum):
    """The readings of the paper, or all of them."""

    as_written = "as-written"
    as_coded = "as-coded"
    well_specified = "well-specified"
    all = "all"


def reproduce(
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each game.")] = 1_000_000,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds.")] = 10,
    as_coded_seeds: Annotated[
        int | None,
        typer.Option(min=1, help="Number of seeds for as-coded; the same as --seeds by default."),
    ] = None,
    reading: Annotated[
        Choice,
        typer.Option(
            help="How to read the paper. as-coded: the authors' code. as-written: its text. "
            "well-specified: with a linear model that fits the environment. all: all three."
        ),
    ] = Choice.as_coded,
    out: Annotated[
        Path, typer.Option(help="Folder for the page, figures, tables and finished matches.")
    ] = Path("out"),
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of threads; all cores by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play the games of the paper's Figure 1; compare the results with the published numbers.

    Example: robustbandits reproduce --reading as-coded --rounds 100000 --seeds 5

    A published number is a mean of 10 runs, so it is compared with the range of means of 10 of our
    runs; one verdict on the whole figure accounts for the number of comparisons. Writes
    OUT/reproduction.md, OUT/reproduction.json, OUT/figure1.png and OUT/index.html. You can
    interrupt it; the same command continues where it stopped.
    """
    from robustbandits.reports.write import write_report
    from robustbandits.reproduction.published import published_in_report
    from robustbandits.reproduction.readings import READINGS
    from robustbandits.reproduction.show import verdict_table
    from robustbandits.reproduction.verdict import judge
    from robustbandits.reproduction.write import reproduction_json, write_reproduction

    _require_packages()
    names = READINGS if reading is Choice.all else (reading.value,)
    counts = [as_coded_seeds or seeds if name == "as-coded" else seeds for name in names]
    start = time.perf_counter()
    played, verdicts = [], []
    with resumable(out / "store"):
        for name, count in zip(names, counts, strict=True):
            played.append(_play(name, rounds, count, out / "store", workers))
            verdicts.append(judge(played[-1]))
            if not as_json:
                typer.echo(_table(name, verdicts[-1]))
    seconds = time.perf_counter() - start
    command = f"robustbandits reproduce --reading {reading.value} --rounds {rounds} --seeds {seeds}"
    if as_coded_seeds is not None:
        command += f" --as-coded-seeds {as_coded_seeds}"
    files = write_reproduction(played, verdicts, out, command)
    page, *_ = write_report(
        played,
        out,
        title="Figure 1, reproduced",
        references=published_in_report,
        more_tables=[[verdict_table(verdict)] for verdict in verdicts],
    )
    if as_json:
        typer.echo(reproduction_json(played, verdicts), nl=False)
        return
    games = sum(len(experiment.ledgers) for experiment in played)
    typer.echo(f"{games:,} games of {rounds:,} rounds in {seconds:.0f} s")
    typer.echo(f"figure: {files[1]}; verdict: {files[0]}; page: {page}")
    _suggest(rounds, reading)


def _require_packages() -> None:
    """Raise ImportError for all missing packages at once, before anything is fetched or played."""
    from robustbandits._extras import require_packages
    from robustbandits.ratings.datasets import MOVIELENS_100K
    from robustbandits.ratings.locate import locate

    packages = ["pyarrow", "matplotlib", "jinja2"]
    if locate(MOVIELENS_100K.name) is None:
        packages.append("pooch")
    require_packages("reproduce", packages, "lab")


def _play(name: str, rounds: int, seeds: int, store: Path, workers: int | None) -> Experiment:
    from robustbandits.experiments import run
    from robustbandits.reproduction.readings import reading

    spec = reading(name, rounds=rounds, seeds=seeds)
    typer.echo(f"{name}: {spec.games} games of {rounds:,} rounds; {spec.about}", err=True)
    return run(spec, store, workers=workers).experiment()


def _table(name: str, figure: FigureVerdict) -> str:
    """Return final regrets beside the published ones and the verdict, as plain text."""
    from robustbandits.reports.summary import aligned
    from robustbandits.reproduction.show import verdict_sentence

    body = [
        (
            *number.labels,
            f"{number.ours.value:,.0f}",
            f"{number.ours.low:,.0f} to {number.ours.high:,.0f}"
            if number.ours.has_interval
            else "-",
            "-" if number.published is None else f"{number.published:,.0f}",
            "-" if number.quantile is None else f"{number.quantile:.3f}",
            number.outcome or "-",
        )
        for number in figure.numbers
    ]
    heads = ("environment", "attack", "policy", "regret", "95 % of 10-run means", "published")
    table = aligned((*heads, "quantile", "verdict"), body, right=(3, 4, 5, 6))
    return f"{name}\n{table}\n{name}: {verdict_sentence(figure)}\n"


def _suggest(rounds: int, reading: Choice) -> None:
    from robustbandits.reproduction.published import PUBLISHED_ROUNDS

    if rounds != PUBLISHED_ROUNDS:
        typer.echo(
            f"the paper has no results for {rounds:,} rounds; use --rounds {PUBLISHED_ROUNDS} to "
            f"compare with it"
        )
    if reading is not Choice.all:
        typer.echo("--reading all shows all readings of the paper side by side")
