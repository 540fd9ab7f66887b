"""``robustbandits play``: one game."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from robustbandits.cli._allow_import import allow_import_option, search_first
from robustbandits.cli._completion import complete
from robustbandits.game.defaults import ROUNDS

if TYPE_CHECKING:
    from robustbandits.game.ledger import Ledger

NO_ATTACK = "NoAttack"


def play(
    policy: Annotated[
        str,
        typer.Option(
            help="Policy: NAME or NAME(key=value, ...).", autocompletion=complete("policies")
        ),
    ] = "LinUCB",
    attack: Annotated[
        str, typer.Option(help="Attack, written the same way.", autocompletion=complete("attacks"))
    ] = NO_ATTACK,
    environment: Annotated[
        str,
        typer.Option(
            help="Environment, written the same way.", autocompletion=complete("environments")
        ),
    ] = "Simulation",
    budget: Annotated[
        float | None, typer.Option(help="Budget of the attack, unless --attack gives it.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Length of the game.")] = ROUNDS,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal games.")] = 0,
    allow_import: Annotated[bool, allow_import_option("the current folder")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play one game and show its result.

    Example: robustbandits play --policy "LinUCB(sigma=0.2)" --attack Garcelon --budget 100

    `robustbandits list` shows all names and their parameters. A recipe of your own is written
    "module:Class(key=value, ...)" and needs --allow-import.
    """
    from robustbandits.experiments.recipe_text import parse_recipe

    if allow_import:
        search_first(Path())
    if budget is not None and attack == NO_ATTACK:
        raise typer.BadParameter(
            "a budget needs an attack; add one, for example --attack Garcelon",
            param_hint="--budget",
        )
    recipes: dict[str, Any] = {
        "environment": parse_recipe("environments", environment, allow_import=allow_import),
        "attack": _parse_attack(attack, budget, allow_import),
        "policy": parse_recipe("policies", policy, allow_import=allow_import),
    }
    started = time.perf_counter()
    ledger = _play(recipes, rounds, seed)
    seconds = time.perf_counter() - started
    limit = float(recipes["attack"].budget)
    facts = {
        **{role: recipe.label for role, recipe in recipes.items()},
        "rounds": rounds,
        "seed": seed,
        "regret": ledger.final_regret,
        "regret_per_round": ledger.final_regret / rounds,
        "spent": ledger.spent,
        "budget": limit if limit < float("inf") else None,
        "attacked_rounds": ledger.attacked_rounds,
        "last_attack": ledger.last_attack,
        "most_pulled_share": float(ledger.pulls.max()) / rounds,
    }
    if as_json:
        costs = {"costs": dict(ledger.costs), "enforced_cost": ledger.enforced_cost}
        typer.echo(json.dumps({**facts, **costs}, indent=2))
        return
    width = max(len(key) for key in facts)
    for key, value in facts.items():
        typer.echo(f"{key.replace('_', ' '):{width}}  {_text(value)}")
    typer.echo(f"played in {seconds:.1f} s", err=True)


def _parse_attack(text: str, budget: float | None, allow_import: bool) -> Any:
    from robustbandits.experiments.recipe_text import parse_recipe
    from robustbandits.experiments.sweep import MissingParameters

    extra = {} if budget is None else {"budget": budget}
    try:
        return parse_recipe("attacks", text, allow_import=allow_import, **extra)
    except MissingParameters as error:
        raise ValueError(f"{error}; or add --budget 100") from None


def _play(recipes: dict[str, Any], rounds: int, seed: int) -> Ledger:
    from robustbandits.experiments.progress import show_progress
    from robustbandits.game.match import play_match

    environment, attack, policy = recipes.values()
    with show_progress("play", visible=None) as progress:
        progress.start_playing(rounds)
        (ledger,) = play_match(
            environment, [(attack, policy)], rounds, seed, on_block=progress.advance
        )
    return ledger


def _text(value: Any) -> str:
    if value is None:
        return "unlimited"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
