"""What travels to a worker in another process: plain values, and how a worker plays them.

Recipes go as JSON, so the worker makes them anew from its own code, and checks them anew. Those
that JSON cannot carry (an outsider's class, data that only this process has) go as they are.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

from robustbandits._version import __version__
from robustbandits.experiments.engines.engine import EngineError, Match
from robustbandits.experiments.plan import KERNEL_VERSION
from robustbandits.experiments.provenance import code_fingerprint
from robustbandits.experiments.recipe_json import canonical, recipe_from_plain, recipe_to_plain
from robustbandits.experiments.registry import section_of
from robustbandits.game.ledger import Ledger
from robustbandits.game.match import play_match

#: A match as plain values.
Order = dict[str, Any]


def code_here() -> dict[str, str]:
    """Return what must be equal on both sides for the same bits."""
    return {
        "robustbandits": __version__,
        "kernel version": str(KERNEL_VERSION),
        "source code": code_fingerprint(),
    }


def check_code(theirs: dict[str, str]) -> None:
    """Refuse to work for, or with, other code than ours."""
    for what, value in code_here().items():
        if theirs.get(what) != value:
            raise EngineError(
                f"the main process and a worker differ in {what}: {value} here, "
                f"{theirs.get(what)} there; install the same robustbandits on both"
            )


def write_order(part: Match) -> Order:
    """Return a part of a match as plain values."""
    return {
        "code": code_here(),
        "environment": _pack(part.environment),
        "pairs": [(_pack(attack), _pack(policy)) for attack, policy in part.pairs],
        "rounds": part.rounds,
        "seed": part.seed,
        "points": part.points,
    }


def play_order(order: Order, on_block: Callable[[int], None] | None = None) -> list[Ledger]:
    """Play what was ordered; called in the worker."""
    check_code(order["code"])
    return play_match(
        _unpack(order["environment"]),
        [(_unpack(attack), _unpack(policy)) for attack, policy in order["pairs"]],
        order["rounds"],
        order["seed"],
        points=order["points"],
        on_block=on_block,
    )


def _pack(recipe: Any) -> Any:
    section = section_of(recipe)
    if section is None:
        return recipe
    try:
        text = canonical(recipe_to_plain(recipe))
        packed = (section, text, getattr(recipe, "fingerprint", None))
        return packed if _unpack(packed) == recipe else recipe
    except (TypeError, ValueError):
        return recipe


def _unpack(packed: Any) -> Any:
    if not isinstance(packed, tuple):
        return packed
    recipe = _recipe(*packed[:2])
    fingerprint = getattr(recipe, "fingerprint", None)
    if fingerprint != packed[2]:
        raise EngineError(
            f"a worker has other data for {recipe.name} (fingerprint {fingerprint}, {packed[2]} "
            f"is due): put the same files on every machine"
        )
    return recipe


@functools.lru_cache(maxsize=1024)
def _recipe(section: str, text: str) -> Any:
    """Make a recipe once in each process: it may hold data that took long to read."""
    return recipe_from_plain(section, json.loads(text))
