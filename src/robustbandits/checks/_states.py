"""What the checks share: the error, and checks of recipes, states and kernels."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from robustbandits.compiled.jit import python_of
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Attack, Policy

#: Length of the games that are played to check something.
ROUNDS = 200


class BrokenContract(AssertionError):
    """A policy, an attack or an environment does not do what it must."""


def ensure(condition: bool, sentence: str) -> None:
    """Raise BrokenContract with this sentence unless the condition holds."""
    if not condition:
        raise BrokenContract(sentence)


def check_recipe(recipe: Any) -> None:
    """Check that a recipe is frozen, and can be hashed, compared and converted to JSON and back."""
    name = type(recipe).__name__
    ensure(dataclasses.is_dataclass(recipe), f"{name} is not a dataclass: add @dataclass")
    ensure(recipe == copy.copy(recipe), f"{name} does not equal its own copy")
    try:
        hash(recipe)
    except TypeError:
        raise BrokenContract(f"{name} cannot be hashed: use @dataclass(frozen=True)") from None
    derive = "derive it from robustbandits.extend.Recipe"
    for method in ("to_dict", "from_dict"):
        ensure(hasattr(recipe, method), f"{name} has no {method}: {derive}")
    again = type(recipe).from_dict(json.loads(json.dumps(recipe.to_dict())))
    ensure(again == recipe, f"{name} is not the same after to_dict, JSON and from_dict")


def arrays_of(state: Any) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the arrays of a state, and of the tuples inside it."""
    for value in state:
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, tuple):
            yield from arrays_of(value)


def bits_of(state: Any) -> bytes:
    """Return every bit of a state's arrays."""
    return b"".join(array.tobytes() for array in arrays_of(state))


def check_states(state: Any, other: Any, name: str) -> None:
    """Check two states that a recipe has started for the same problem."""
    ensure(
        isinstance(state, tuple) and hasattr(state, "_fields"),
        f"{name}.start must return a NamedTuple, got {type(state).__name__}",
    )
    for array in arrays_of(state):
        suitable = array.flags.c_contiguous and array.flags.writeable
        ensure(suitable, f"{name}'s state has an array that is not C-contiguous and writable")
    for first in arrays_of(state):
        for second in arrays_of(other):
            ensure(not np.shares_memory(first, second), f"two states of {name} share memory")
    ensure(bits_of(state) == bits_of(other), f"two new states of {name} differ")


def check_signature(state: Any, method: str, model: Any, name: str) -> None:
    """Check that a kernel takes the arguments that a protocol describes."""
    expected = list(inspect.signature(model).parameters)
    found = list(inspect.signature(python_of(getattr(type(state), method))).parameters)
    ensure(found == expected, f"{name}.{method} must take {expected}, it takes {found}")


def check_loops_agree(policy: Policy, attack: Attack, environment: Environment) -> None:
    """Check that the compiled loop and the same loop in Python give the same bits."""
    games = []
    for compiled in (True, False):
        nature = environment.start(ROUNDS, stream(1, NATURE))
        game = Game(policy, attack, nature.problem, 1, ROUNDS)
        if not compiled:
            game.play_in_python()
        game.advance(nature.draw(ROUNDS))
        games.append(game)
    fast, slow = games
    same = all(
        bits_of(getattr(fast, part)) == bits_of(getattr(slow, part))
        for part in ("policy", "attack", "book", "purse")
    )
    ensure(same, f"{policy.name} and {attack.name} play differently compiled and in Python")
