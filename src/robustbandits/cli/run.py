"""``robustbandits run``: play an experiment, or go on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from robustbandits.cli.failures import INTERRUPTED

if TYPE_CHECKING:
    from robustbandits.experiments.plan import Plan
    from robustbandits.experiments.runner import Outcome
    from robustbandits.experiments.spec import Spec
    from robustbandits.experiments.store.store import Store


def _ready(incomplete: str) -> list[str]:
    from robustbandits.experiments.spec import ready_specs

    return [name for name in ready_specs() if name.startswith(incomplete)]


def run(
    spec: Annotated[
        str,
        typer.Argument(help="A TOML file, or a ready spec's name.", autocompletion=_ready),
    ],
    store: Annotated[
        Path, typer.Option(help="Folder for finished matches; made when missing.")
    ] = Path("store"),
    engine: Annotated[
        str, typer.Option(help="threads, processes, dask, or dask://host:port.")
    ] = "threads",
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many; all cores by default.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Play even a huge number of games.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the plan, and what it will take.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Play every match of a spec that the store does not hold yet.

    Example: robustbandits run smoke --store out/smoke

    Interrupt it whenever you like; the same command goes on where it stopped. Several processes
    may work on one store at once. `robustbandits report STORE --out DIR` shows the results.
    """
    from robustbandits.experiments.engines.engine import check_engine
    from robustbandits.experiments.plan import make_plan
    from robustbandits.experiments.spec import read_spec
    from robustbandits.experiments.store.store import Store

    try:
        check_engine(engine)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--engine") from None
    read = read_spec(spec)
    _ask_first(read, yes or dry_run)
    house = Store(store)
    plan = make_plan(read)
    if dry_run:
        _show_plan(plan, house, workers, as_json)
        return
    try:
        outcome = _run(plan, house, engine, workers)
    except KeyboardInterrupt:
        typer.echo(
            f"interrupted; finished matches are in {store}, and the same command goes on where "
            f"it stopped",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    _show_outcome(outcome, as_json)


def _run(plan: Plan, store: Store, engine: str, workers: int | None) -> Outcome:
    from robustbandits.experiments.runner import run as play
    from robustbandits.game.problem import UnsupportedProblem

    try:
        return play(plan, store, engine=engine, workers=workers)
    except UnsupportedProblem as error:
        raise UnsupportedProblem(
            f'{plan.spec.name}: {error}. Or say unsupported = "skip" at the head of the spec: '
            f"then a policy is left out where it cannot play"
        ) from error


def _ask_first(spec: Spec, agreed: bool) -> None:
    from robustbandits.experiments.plan import MAX_GAMES
    from robustbandits.experiments.spec import MANY_GAMES

    if spec.games <= MANY_GAMES or agreed:
        return
    remedy = "say --yes if you mean it; --dry-run shows what it would take"
    if spec.games > MAX_GAMES:  # a yes would not help
        remedy = (
            f"--yes plays up to {MAX_GAMES:,}; shorten its lists, or split it into several specs"
        )
    raise typer.BadParameter(
        f"{spec.name} stands for {spec.games:,} games, more than {MANY_GAMES:,}: {remedy}",
        param_hint="SPEC",
    )


def _show_plan(plan: Plan, store: Store, workers: int | None, as_json: bool) -> None:
    from robustbandits._cores import available_cores
    from robustbandits.experiments.estimate import describe, estimate
    from robustbandits.experiments.plan import Plan

    missing = store.missing(plan)
    todo = Plan(plan.spec, tuple(missing))
    guess = estimate(todo, workers or available_cores())
    if as_json:
        facts: dict[str, Any] = {
            "spec": plan.spec.name,
            "matches": len(plan.matches),
            "games": plan.games,
            "rounds": plan.rounds,
            "missing_matches": len(missing),
            "seconds": guess.seconds,
            "memory_bytes": guess.memory,
            "disk_bytes": guess.disk,
            "basis": guess.basis,
        }
        typer.echo(json.dumps(facts, indent=2))
        return
    typer.echo(describe(plan, estimate(plan, workers or available_cores())))
    if len(missing) < len(plan.matches):
        typer.echo(
            f"  {len(plan.matches) - len(missing)} matches are in {store.folder} already; "
            f"{len(missing)} are missing"
        )


def _show_outcome(outcome: Outcome, as_json: bool) -> None:
    folder = outcome.store.folder
    if as_json:
        facts = {
            "spec": outcome.plan.spec.name,
            "store": str(folder),
            "matches": len(outcome.plan.matches),
            "found": outcome.found,
            "played": outcome.played,
            "played_elsewhere": outcome.elsewhere,
            "set_aside": list(outcome.damaged),
            "seconds": outcome.seconds,
        }
        typer.echo(json.dumps(facts, indent=2))
        return
    for line in outcome.damaged:
        typer.echo(f"damaged, set aside and played again: {line}", err=True)
    others = f", {outcome.elsewhere} by another process" if outcome.elsewhere else ""
    typer.echo(
        f"{outcome.plan.spec.name}: {outcome.played} matches played{others}, {outcome.found} were "
        f"there, in {outcome.seconds:.1f} s"
    )
    typer.echo(f"report: robustbandits report {folder} --out DIR")
