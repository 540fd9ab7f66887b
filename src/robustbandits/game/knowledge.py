"""What an attack may know: it is given only what its level allows, and NaN for the rest.

The state of an attack declares its level with the decorator :func:`knows`. A state without one,
such as that of an attack of your own, is given everything. An attack around another one (its fields
``inner`` and ``gate``) has the highest level of its parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from numba.extending import overload

from robustbandits.kernels.linalg import Floats

#: Each level knows what the levels before it know. `oblivious` knows only sizes and the budget.
#: `weak` also sees the contexts, and the arms and rewards of earlier rounds. `black-box` also sees
#: the arm and the reward of this round. `white-box` can also ask the policy what it would choose.
#: `omniscient` also knows the mean rewards.
LEVELS = ("oblivious", "weak", "black-box", "white-box", "omniscient")
OBLIVIOUS, WEAK, BLACK_BOX, WHITE_BOX, OMNISCIENT = LEVELS


State = TypeVar("State", bound=type[Any])


def knows(level: str) -> Callable[[State], State]:
    """Decorate the state of an attack that is to be given no more than its level allows."""

    def declare(state: State) -> State:
        state.knowledge = level
        return state

    return declare


class NoPolicy(NamedTuple):
    """Given to an attack instead of the policy, if its level does not allow it to ask."""

    nothing: int


#: Fields of an attack's state whose levels count: those of an attack around another one.
_PARTS = ("inner", "gate")


def knowledge_of(state: Any) -> str:
    """Return the level of an attack's state."""
    return LEVELS[_rank_of_state(state)]


def _rank_of_state(state: Any) -> int:
    parts = [getattr(state, name) for name in _PARTS if hasattr(state, name)]
    return max(_own_rank(type(state)), *map(_rank_of_state, parts), 0)


def _rank_of_type(state: Any) -> int:
    """Return the level, as an index, of a state that is known by its type in compiled code."""
    parts = [kind for name, kind in zip(state.fields, state.types, strict=True) if name in _PARTS]
    return max(_own_rank(state.instance_class), *map(_rank_of_type, parts), 0)


def _own_rank(kind: Any) -> int:
    return LEVELS.index(getattr(kind, "knowledge", OMNISCIENT))


def _first(attack: Any, value: Any, substitute: Any) -> Any:
    return value


def _second(attack: Any, value: Any, substitute: Any) -> Any:
    return substitute


def known_contexts(attack: Any, contexts: Floats, substitute: Floats) -> Floats:
    """Return the contexts, or what is shown instead to an attack that may not see them."""
    return contexts if knowledge_of(attack) != OBLIVIOUS else substitute


def known_means(attack: Any, means: Floats, substitute: Floats) -> Floats:
    """Return the mean rewards, or what is shown instead to an attack that may not see them."""
    return means if knowledge_of(attack) == OMNISCIENT else substitute


def known_policy(attack: Any, policy: Any, substitute: Any) -> Any:
    """Return the policy, or what is given instead to an attack that may not ask it."""
    return policy if _rank_of_state(attack) >= LEVELS.index(WHITE_BOX) else substitute


def _show_from(function: Any, level: str) -> None:
    """Let compiled code show a value to attacks of this level and higher."""

    def implementation(attack: Any, value: Any, substitute: Any) -> Any:
        return _first if _rank_of_type(attack) >= LEVELS.index(level) else _second

    overload(function, strict=False)(implementation)


_show_from(known_contexts, WEAK)
_show_from(known_means, OMNISCIENT)
_show_from(known_policy, WHITE_BOX)
