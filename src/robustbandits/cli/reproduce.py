"""``robustbandits reproduce``: the paper's Figure 1."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from robustbandits.experiments.spec import Spec
    from robustbandits.results import Results


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
        Choice, typer.Option(help="The text, the authors' code, or a model that is right.")
    ] = Choice.as_written,
    out: Annotated[Path, typer.Option(help="Folder for the figure and the table.")] = Path("out"),
    workers: Annotated[
        int | None, typer.Option(min=1, help="Threads; all cores by default.")
    ] = None,
) -> None:
    """Play the paper's Figure 1 and print the final regrets beside the published ones.

    Fetches MovieLens 100K if need be. Netflix needs your own copy (ROBUSTBANDITS_NETFLIX); without
    one a synthetic stand-in plays, and says so.

    Example: robustbandits reproduce --rounds 100000 --seeds 5
    """
    from robustbandits.experiments.figure1 import READINGS
    from robustbandits.experiments.figure1 import reading as reading_of
    from robustbandits.reports.figures import draw_panels
    from robustbandits.results import compare

    names = list(READINGS) if reading is Choice.all else [reading.value]
    rows, text = [], []
    start, games = time.perf_counter(), 0
    for name in names:
        plan = reading_of(name)
        panels = len(plan.environments) * len(plan.attacks)
        typer.echo(
            f"{name}: {panels} panels x {len(plan.policies)} policies x {seeds} seeds", err=True
        )
        results = compare(
            environments=plan.environments,
            attacks=plan.attacks,
            policies=plan.policies,
            rounds=rounds,
            seeds=seeds,
            workers=workers,
            title=name,
        )
        games += len(results)
        for place in plan.environments:
            played = [ledger for ledger in results.ledgers if ledger.environment == place]
            rows.append((f"{name}: {place}", played))
        text.append(_table(plan, results, rounds))
        typer.echo(text[-1] + "\n")
    seconds = time.perf_counter() - start
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / "figure1.png", out / "figure1.svg"]
    draw_panels(rows, paths, title=_title(rounds, seeds))
    (out / "figure1.txt").write_text("\n\n".join(text) + "\n", encoding="utf-8")
    typer.echo(f"{games} games of {rounds:,} rounds in {seconds:.0f} s")
    typer.echo(f"figure: {paths[0]} and {paths[1]}; table: {out / 'figure1.txt'}")
    if reading is not Choice.all:
        typer.echo("the paper can be read in other ways: --reading all shows them side by side")


def _title(rounds: int, seeds: int) -> str:
    bands = "bands: 95 % intervals" if seeds > 1 else "no bands: one seed"
    return f"Figure 1: T = {rounds:,}, {seeds} seeds ({bands})"


def _table(plan: Spec, results: Results, rounds: int) -> str:
    """Return final regrets beside the paper's own, which exist at its own length only."""
    from robustbandits.reports.published import published_regrets
    from robustbandits.reports.summary import aligned, interval

    published = published_regrets() if rounds == 1_000_000 else {}
    heads = ("environment", "attack", "policy", "regret", "95 % interval", "published", "spent")
    body = []
    for row in results.summary().rows:
        theirs = published.get((row.environment.lower(), row.attack.lower(), row.policy))
        body.append(
            (
                row.environment,
                row.attack,
                row.policy,
                f"{row.regret:,.0f}",
                interval(row),
                "-" if theirs is None else f"{theirs:,.0f}",
                f"{row.spent:,.1f}",
            )
        )
    return f"{plan.name}: {plan.about}\n" + aligned(heads, body, right=(3, 4, 5, 6))
