"""``robustbandits bench``: how fast this machine is."""

from __future__ import annotations

import json
import time
from typing import Annotated, Any

import typer

REPEATS = 3
#: The paper's policies.
USUAL = ("LinUCB", "LinTS", "Greedy", "RobustBandit", "BOBNoRestart")


def _known(incomplete: str) -> list[str]:
    from robustbandits import policies

    return [name for name in policies.__all__ if name.startswith(incomplete)]


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[POLICY]...",
            help="Names of policies; those of the paper when left out.",
            autocompletion=_known,
        ),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each game.")] = 200_000,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Measure the speed of policies on one core: 20 arms, 10 features and an intercept.

    The best of three games each, with Garcelon's attack, drawing included; on fixed arms where a
    policy needs them. Machine code is made ready first, which takes some seconds when it is not in
    the cache yet.

    Example: robustbandits bench LinUCB CautiousLinUCB --rounds 1000000
    """
    from robustbandits.experiments.samples import sample_policy

    try:
        players = [sample_policy(name) for name in names or USUAL]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="POLICY") from None
    rows = [_measured(player, rounds) for player in players]
    if as_json:
        typer.echo(json.dumps({"rounds": rounds, "policies": rows}, indent=2))
        return
    wide = max(16, *(len(row["policy"]) for row in rows))
    typer.echo(f"{'policy':{wide}} {'us a round':>10} {'M rounds/s':>11} {'first game':>11}")
    for row in rows:
        rate, ready = row["rounds_per_second"], row["first_game_seconds"]
        typer.echo(f"{row['policy']:{wide}} {1e6 / rate:10.2f} {rate / 1e6:11.2f} {ready:9.1f} s")


def _measured(policy: Any, rounds: int) -> dict[str, Any]:
    from robustbandits import attacks
    from robustbandits.experiments.samples import sample_place
    from robustbandits.game.simulate import simulate

    place = sample_place(policy)

    def seconds(count: int) -> float:
        start = time.perf_counter()
        simulate(
            environment=place,
            attack=attacks.Garcelon(100.0),
            policy=policy,
            rounds=count,
        )
        return time.perf_counter() - start

    first = seconds(100)
    best = min(seconds(rounds) for _ in range(REPEATS))
    return {
        "policy": policy.name,
        "rounds_per_second": rounds / best,
        "first_game_seconds": first,
    }
