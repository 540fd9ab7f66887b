"""Matches as messages to workers in other processes, and how a worker plays them.

Recipes are sent as JSON, so the worker makes and checks them with its own code. Recipes that JSON
cannot express (third-party classes, data that only this process has) are pickled. Only workers
unpickle, and only what the main process sent them.
"""

from __future__ import annotations

import functools
import json
import pickle
from collections.abc import Callable
from typing import Any

from robustbandits._version import __version__
from robustbandits.experiments.engines.engine import EngineError, MatchPart
from robustbandits.experiments.plan import KERNEL_VERSION
from robustbandits.experiments.provenance import code_fingerprint
from robustbandits.experiments.recipe_json import canonical, recipe_from_plain, recipe_to_plain
from robustbandits.experiments.registry import section_of
from robustbandits.game.ledger import Ledger

#: The sender's code, and a match whose recipes are packed.
Message = tuple[dict[str, str], MatchPart]


def code_here() -> dict[str, str]:
    """Return the versions that must be equal in both processes to get the same bits."""
    return {
        "robustbandits": __version__,
        "kernel version": str(KERNEL_VERSION),
        "source code": code_fingerprint(),
    }


def check_code(other: dict[str, str]) -> None:
    """Raise EngineError if the other side has different code."""
    for name, value in code_here().items():
        if other.get(name) != value:
            raise EngineError(
                f"the main process and a worker differ in {name}: {value} here, "
                f"{other.get(name)} there; install the same robustbandits on both"
            )


def pack_match(part: MatchPart) -> Message:
    """Return a message that :func:`play_message` can play in another process."""
    pairs = [(_pack(attack), _pack(policy)) for attack, policy in part.pairs]
    return code_here(), part._replace(environment=_pack(part.environment), pairs=pairs)


def play_message(message: Message, on_block: Callable[[int], None] | None = None) -> list[Ledger]:
    """Play the match of a message; called in the worker."""
    code, part = message
    check_code(code)
    pairs = [(_unpack(attack), _unpack(policy)) for attack, policy in part.pairs]
    return part._replace(environment=_unpack(part.environment), pairs=pairs).play(on_block)


def _pack(recipe: Any) -> Any:
    section = section_of(recipe)
    try:
        if section is None:
            # Bytes, because a Dask scheduler would unpickle an object, and so need its module. Dask
            # itself sends a class of the main script, together with its code.
            return recipe if type(recipe).__module__ == "__main__" else pickle.dumps(recipe)
        text = canonical(recipe_to_plain(recipe))
        packed = (section, text, getattr(recipe, "fingerprint", None))
        return packed if _unpack(packed) == recipe else recipe
    except (TypeError, ValueError, AttributeError, pickle.PicklingError):
        return recipe


def _unpack(packed: Any) -> Any:
    if isinstance(packed, bytes):
        try:
            return pickle.loads(packed)
        except (ImportError, AttributeError) as error:
            raise EngineError(
                f"a worker cannot import a third-party recipe: {error}; put the same modules on "
                f"the Python path of every worker"
            ) from error
    if not isinstance(packed, tuple):
        return packed
    section, text, expected = packed
    recipe = _recipe(section, text)
    fingerprint = getattr(recipe, "fingerprint", None)
    if fingerprint != expected:
        raise EngineError(
            f"a worker has different data for {recipe.name}: expected fingerprint {expected}, got "
            f"{fingerprint}; put the same files on every machine"
        )
    return recipe


@functools.lru_cache(maxsize=1024)
def _recipe(section: str, text: str) -> Any:
    """Make a recipe once in each process: it may hold data that took long to read."""
    return recipe_from_plain(section, json.loads(text))
