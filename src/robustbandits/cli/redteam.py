"""``robustbandits redteam``: point attacks at a policy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from robustbandits.cli._allow_import import search_first
from robustbandits.cli._completion import complete
from robustbandits.cli._output import show
from robustbandits.cli.failures import resumable, usage_errors
from robustbandits.game.defaults import ROUNDS, SEEDS

if TYPE_CHECKING:
    from robustbandits.red_team.report import RedTeamReport

#: Exit code if the regret is larger than ``--fail-over`` allows.
OVER = 3


def redteam(
    target: Annotated[
        str | None,
        typer.Argument(
            help="A policy, NAME(key=value, ...); one of another library, mabwiser:LinUCB; or "
            "your own, module:object, which is imported.",
            autocompletion=complete("policies"),
        ),
    ] = None,
    environment: Annotated[
        str | None,
        typer.Option(help="Where it plays; default: a catalogue, Simulation(contexts=fixed)."),
    ] = None,
    attacks: Annotated[
        str,
        typer.Option(help="quick, full, blackbox, context, search, or names separated by commas."),
    ] = "quick",
    budgets: Annotated[
        str | None, typer.Option(help="Budgets separated by commas; default: 10,30,100,300.")
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            help="Attack what a policy learns from this log instead of games: a Parquet or CSV "
            "file, or one of the Open Bandit Dataset."
        ),
    ] = None,
    promote: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="ARM", help="With --log: the arm to promote. Default: the least chosen."
        ),
    ] = None,
    rounds: Annotated[
        int, typer.Option(min=1, help="Length of each game; with --log, most rows to read.")
    ] = ROUNDS,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds.")] = SEEDS,
    minutes: Annotated[
        float | None,
        typer.Option(
            help="Time for the target's games: rounds and seeds are reduced to fit. Default: 5 for "
            "a Python object, otherwise no limit."
        ),
    ] = None,
    fail_over: Annotated[
        float | None,
        typer.Option(
            metavar="REGRET",
            help="Exit with code 3 if the mean regret under the worst attack is above this.",
        ),
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Show an attack on LinUCB and on CautiousLinUCB.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the page, tables and figures; it also keeps finished games."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Attack a policy in a simulation, and find the budget that hijacks it.

    Example: robustbandits redteam "CautiousLinUCB(300)" --out report

    Every attack is played with every budget, against the target and against other policies. With
    --out, an interrupted run continues when the same command is given again. Nothing is sent
    anywhere: only simulations and logs are attacked.
    """
    if log is None and promote is not None:
        raise typer.BadParameter("needs --log", param_hint="--promote")
    if demo == (target is not None):
        raise typer.BadParameter("give either a policy or --demo", param_hint="TARGET")
    if any(":" in text for text in (target, environment, attacks) if text):
        search_first(Path())
    if target is None:
        from robustbandits.red_team.demo import play_demo, show_demo

        report = play_demo()
        text = show_demo(report)
    else:
        with usage_errors("--budgets"):
            grid = None if budgets is None else [float(text) for text in budgets.split(",")]
        options = {"attacks": attacks, "budgets": grid, "rounds": rounds}
        if log is not None:
            _refuse_with_log(environment=environment, minutes=minutes, fail_over=fail_over)
            _attack_log(target, log, out, as_json, promote=promote, **options)
            return
        options["seeds"] = seeds
        report = _play(target, environment, out, minutes=minutes, **options)
        text = str(report)
    if out is not None:
        page = report.save(out)[0]
        text += f"\nopen {page}"
    show(json.dumps(report.to_dict(), indent=2, allow_nan=False) if as_json else text)
    worst = report.worst_case.regret.value
    if fail_over is not None and worst > fail_over:
        typer.echo(
            f"failed: mean regret {worst:,.0f} under {report.worst_case.attack} is above "
            f"{fail_over:,g}",
            err=True,
        )
        raise typer.Exit(OVER)


def _play(target: str, environment: str | None, out: Path | None, **options: Any) -> RedTeamReport:
    from robustbandits.red_team.redteam import redteam as play

    if out is None:
        return play(target, environment, **options)
    with resumable(out / "store"):
        return play(target, environment, store=out / "store", **options)


def _refuse_with_log(**values: Any) -> None:
    for name, value in values.items():
        if value is not None:
            option = f"--{name.replace('_', '-')}"
            raise typer.BadParameter(f"cannot be used with {option}", param_hint="--log")


def _attack_log(target: str, log: Path, out: Path | None, as_json: bool, **options: Any) -> None:
    from robustbandits.red_team.log_attack import redteam_log

    report = redteam_log(target, log, **options)
    text = json.dumps(report.to_dict(), indent=2, allow_nan=False)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "report.json").write_text(text, encoding="utf-8")
    show(text if as_json else str(report))
