"""``robustbandits bench``: the speed of this machine."""

from __future__ import annotations

import json
import time
from typing import Annotated, Any

import typer

from robustbandits.cli._completion import complete
from robustbandits.cli.failures import usage_errors

REPEATS = 3
#: The policies of the paper.
PAPER_POLICIES = ("LinUCB", "LinTS", "Greedy", "RobustBandit", "BOBNoRestart")


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="POLICY",
            help="Names of policies; default: those of the paper.",
            autocompletion=complete("policies"),
        ),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each game.")] = 200_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure the speed of policies on one core.

    Plays games with 20 arms, 10 features, an intercept and Garcelon's attack, and shows the best of
    three. The time includes drawing the rounds, but not compiling. Policies that need fixed arms
    get them.

    Example: robustbandits bench LinUCB CautiousLinUCB --rounds 1000000
    """
    from robustbandits.experiments.registry import sample_policy

    with usage_errors("POLICY"):
        policies = [sample_policy(name) for name in names or PAPER_POLICIES]
    rows = [_measure(policy, rounds) for policy in policies]
    if as_json:
        typer.echo(json.dumps({"rounds": rounds, "policies": rows}, indent=2))
        return
    width = max(16, *(len(row["policy"]) for row in rows))
    typer.echo(f"{'policy':{width}} {'us a round':>10} {'M rounds/s':>11} {'first game':>11}")
    for row in rows:
        rate, first = row["rounds_per_second"], row["first_game_seconds"]
        typer.echo(f"{row['policy']:{width}} {1e6 / rate:10.2f} {rate / 1e6:11.2f} {first:9.1f} s")


def _measure(policy: Any, rounds: int) -> dict[str, Any]:
    from robustbandits.attacks import Garcelon
    from robustbandits.experiments.registry import sample_environment
    from robustbandits.game.simulate import simulate

    environment, attack = sample_environment(policy), Garcelon(100.0)

    def seconds(count: int) -> float:
        start = time.perf_counter()
        simulate(environment=environment, attack=attack, policy=policy, rounds=count)
        return time.perf_counter() - start

    first = seconds(100)
    best = min(seconds(rounds) for _ in range(REPEATS))
    return {
        "policy": policy.name,
        "rounds_per_second": rounds / best,
        "first_game_seconds": first,
    }
