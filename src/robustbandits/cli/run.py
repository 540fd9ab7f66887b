"""``robustbandits run``: play an experiment, or continue one."""

from __future__ import annotations

import json
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from robustbandits.cli._allow_import import allow_import_option, search_first
from robustbandits.cli.failures import resumable, usage_errors

if TYPE_CHECKING:
    from robustbandits.experiments.plan import Plan
    from robustbandits.experiments.runner import Outcome
    from robustbandits.experiments.spec import Spec
    from robustbandits.experiments.store.store import Store


def _complete_spec(incomplete: str) -> list[str]:
    from robustbandits.experiments.spec import ready_specs

    return [name for name in ready_specs() if name.startswith(incomplete)]


def run(
    spec: Annotated[
        str,
        typer.Argument(
            help="A TOML file, or the name of a ready spec.", autocompletion=_complete_spec
        ),
    ],
    store: Annotated[
        Path, typer.Option(help="Folder for finished matches; created if missing.")
    ] = Path("store"),
    engine: Annotated[
        str, typer.Option(help="threads, processes, dask, or dask://host:port.")
    ] = "threads",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Number of workers; default: all cores.")
    ] = None,
    allow_import: Annotated[bool, allow_import_option("the spec's folder")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Play a spec of more than 100,000 games.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Play nothing; show the number of games and estimates of time, memory and disk.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play every match of a spec that the store does not hold yet.

    Example: robustbandits run smoke --store out/smoke

    You can interrupt it at any time; the same command continues where it stopped. Several processes
    may share one store. `robustbandits report STORE --out DIR` shows the results.
    """
    from robustbandits.experiments.engines.engine import check_engine
    from robustbandits.experiments.plan import make_plan
    from robustbandits.experiments.spec import read_spec
    from robustbandits.experiments.store.store import Store

    with usage_errors("--engine"):
        check_engine(engine)
    if allow_import:
        search_first(Path(spec).parent)
    parsed_spec = read_spec(spec, allow_import=allow_import)
    _say_defaults(spec, parsed_spec)
    if not (yes or dry_run):
        _check_size(parsed_spec)
    if dry_run and find_spec("pyarrow") is None:
        _show_plan(make_plan(parsed_spec), None, workers, as_json)
        typer.echo(
            "  pyarrow is not installed, so finished matches in a store are not counted", err=True
        )
        return
    target = Store(store)
    plan = make_plan(parsed_spec)
    if dry_run:
        _show_plan(plan, target, workers, as_json)
        return
    with resumable(store):
        outcome = _run(plan, target, engine, workers)
    _show_outcome(outcome, store, as_json)


def _say_defaults(source: str, spec: Spec) -> None:
    """Print the defaults that are used because a file does not state rounds or seeds."""
    path = Path(source)
    if not path.is_file():
        return
    stated = tomllib.loads(path.read_text(encoding="utf-8"))
    used = {"rounds": f"{spec.rounds:,} rounds in each game", "seeds": f"{len(spec.seeds)} seeds"}
    defaults = [text for key, text in used.items() if key not in stated]
    if defaults:
        missing = " and ".join(key for key in used if key not in stated)
        typer.echo(
            f"{source} does not state {missing}; using the defaults: {' and '.join(defaults)}",
            err=True,
        )


def _run(plan: Plan, store: Store, engine: str, workers: int | None) -> Outcome:
    from robustbandits.experiments.runner import run
    from robustbandits.game.problem import UnsupportedProblem

    try:
        return run(plan, store, engine=engine, workers=workers)
    except UnsupportedProblem as error:
        raise UnsupportedProblem(
            f'{plan.spec.name}: {error}. Or write unsupported = "skip" at the top of the spec: '
            f"then attacks and policies are skipped where they cannot play"
        ) from error


def _check_size(spec: Spec) -> None:
    from robustbandits.experiments.plan import MAX_GAMES
    from robustbandits.experiments.spec import MANY_GAMES

    if spec.games <= MANY_GAMES:
        return
    remedy = "add --yes to play them; --dry-run estimates how long that takes"
    if spec.games > MAX_GAMES:
        remedy = f"--yes plays up to {MAX_GAMES:,}; shorten its lists, or split the spec"
    raise typer.BadParameter(
        f"{spec.name} has {spec.games:,} games, more than {MANY_GAMES:,}: {remedy}",
        param_hint="SPEC",
    )


def _show_plan(plan: Plan, store: Store | None, workers: int | None, as_json: bool) -> None:
    from robustbandits._cores import available_cores
    from robustbandits.experiments.estimate import describe, estimate
    from robustbandits.experiments.plan import Plan
    from robustbandits.experiments.store.reuse import without

    workers = workers or available_cores()
    missing = list(plan.matches) if store is None else store.missing(plan)
    reusable = {} if store is None else store.find_games(plan, missing)
    to_play = tuple(without(match, reusable) for match in missing)
    needed = estimate(Plan(plan.spec, to_play), workers)
    if as_json:
        facts = {
            "spec": plan.spec.name,
            "matches": len(plan.matches),
            "games": plan.games,
            "rounds": plan.rounds,
            "missing_matches": len(missing),
            "reusable_games": len(reusable),
            "seconds": needed.seconds,
            "memory_bytes": needed.memory,
            "disk_bytes": needed.disk,
            "basis": needed.basis,
        }
        typer.echo(json.dumps(facts, indent=2))
        return
    typer.echo(describe(plan, needed))
    if store is not None and len(missing) < len(plan.matches):
        stored = len(plan.matches) - len(missing)
        typer.echo(f"  {store.folder} holds {stored} matches; {len(missing)} are missing")
    if reusable:
        typer.echo(f"  {len(reusable)} games of the missing matches are in other matches there")


def _show_outcome(outcome: Outcome, store: Path, as_json: bool) -> None:
    if as_json:
        facts = {
            "spec": outcome.plan.spec.name,
            "store": str(store),
            "matches": len(outcome.plan.matches),
            "found": outcome.found,
            "played": outcome.played,
            "reused_games": outcome.reused,
            "played_elsewhere": outcome.elsewhere,
            "set_aside": list(outcome.damaged),
            "seconds": outcome.seconds,
        }
        typer.echo(json.dumps(facts, indent=2))
        return
    for line in outcome.damaged:
        typer.echo(f"damaged, set aside and played again: {line}", err=True)
    others = f", {outcome.elsewhere} by another process" if outcome.elsewhere else ""
    reused = f" ({outcome.reused} games copied from other matches)" if outcome.reused else ""
    typer.echo(
        f"{outcome.plan.spec.name}: {outcome.played} matches played{reused}{others}, "
        f"{outcome.found} found in the store, {outcome.seconds:.1f} s"
    )
    typer.echo(f"next: robustbandits report {store} --out DIR")
