"""``robustbandits play``: one game."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from robustbandits.game.ledger import Ledger


def _names(section: str) -> Any:
    def complete(incomplete: str) -> list[str]:
        from robustbandits.experiments.registry import kinds

        return [name for name in kinds(section) if name.startswith(incomplete)]

    return complete


def play_one(
    policy: Annotated[
        str, typer.Option(help="NAME or NAME(key=value, ...).", autocompletion=_names("policies"))
    ] = "LinUCB",
    attack: Annotated[
        str, typer.Option(help="The same for the attack.", autocompletion=_names("attacks"))
    ] = "NoAttack",
    environment: Annotated[
        str, typer.Option(help="And for nature.", autocompletion=_names("environments"))
    ] = "Simulation",
    budget: Annotated[
        float | None, typer.Option(help="The attack's budget, if not in --attack.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Length of the game.")] = 100_000,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal games.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Play one game and show what became of it.

    Example: robustbandits play --policy "LinUCB(sigma=0.2)" --attack Garcelon --budget 100

    `robustbandits list` shows the names and their parameters.
    """
    from robustbandits.experiments.recipe_text import parse_recipe

    extra = {} if budget is None else {"budget": budget}
    who: list[Any] = [
        parse_recipe("environments", environment),
        parse_recipe("attacks", attack, **extra),
        parse_recipe("policies", policy),
    ]
    started = time.perf_counter()
    ledger = _played(who, rounds, seed)
    seconds = time.perf_counter() - started
    facts = _facts(who, ledger, rounds, seed)
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    width = max(len(key) for key in facts)
    for key, value in facts.items():
        typer.echo(f"{key.replace('_', ' '):{width}}  {_shown(value)}")
    typer.echo(f"played in {seconds:.1f} s", err=True)


def _played(who: list[Any], rounds: int, seed: int) -> Ledger:
    from robustbandits.experiments.progress import watched
    from robustbandits.game.match import play_match

    environment, attack, policy = who
    with watched("play", visible=None) as watcher:
        watcher.playing(rounds)
        (ledger,) = play_match(
            environment, [(attack, policy)], rounds, seed, on_block=watcher.advance
        )
    return ledger


def _facts(who: list[Any], ledger: Ledger, rounds: int, seed: int) -> dict[str, Any]:
    from robustbandits.experiments.labels import marked

    environment, attack, policy = who
    budget = float(attack.budget)
    return {
        "environment": marked(environment.label, environment),
        "attack": attack.label,
        "policy": policy.label,
        "rounds": rounds,
        "seed": seed,
        "regret": float(ledger.final_regret),
        "regret_per_round": float(ledger.final_regret) / rounds,
        "spent": float(ledger.spent),
        "budget": budget if budget < float("inf") else None,
        "attacked_rounds": int(ledger.attacked_rounds),
        "last_attack": int(ledger.last_attack),
        "most_pulled_share": float(ledger.pulls.max()) / rounds,
    }


def _shown(value: Any) -> str:
    if value is None:
        return "unlimited"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
