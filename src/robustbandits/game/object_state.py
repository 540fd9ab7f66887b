"""The state of a policy that is a Python object: kernels that call Python from compiled code."""

from __future__ import annotations

import copy
import operator
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import objmode

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats


class Player:
    """A Python object that plays one game, and the contexts that it was shown last."""

    def __init__(self, name: str, arms: int, make: Callable[[int], Any]):
        self._name = name
        self._arms = arms
        self._make = make  # returns a new object for a seed

    def begin(self, rng: np.random.Generator, seed: int) -> None:
        """Make the object; ``rng`` is the stream by which `choose` recognizes the loop."""
        self._object = self._make(seed)
        self._rng = rng

    def choose(self, contexts: Floats, rng: np.random.Generator) -> int:
        """Return the object's choice; if an attack asks, what it would choose."""
        shown = contexts.T.copy()
        if rng is not self._rng:
            return self._check_arm(self._peek(shown))
        self._shown = shown.copy()  # the object may write into its copy
        return self._check_arm(self._call("choose", shown))

    def learn(self, arm: int, reward: float) -> None:
        """Tell the object the reward of the arm that it chose."""
        self._call("learn", self._shown, arm, reward)

    def _call(self, method: str, *arguments: Any) -> Any:
        try:
            return getattr(self._object, method)(*arguments)
        except Exception as error:  # an object may raise anything here
            error.add_note(f"{type(error).__name__} in {self._name}.{method}")
            raise

    def _peek(self, contexts: Floats) -> Any:
        if callable(getattr(self._object, "peek", None)):
            return self._object.peek(contexts)
        try:
            duplicate = copy.deepcopy(self._object)
        except Exception as error:  # an object may raise anything here
            raise TypeError(
                f"the attack looks at what {self._name} would choose, and a copy of it "
                f"cannot be made to ask ({type(error).__name__}: {error}): give it a method "
                f"peek(contexts) that changes nothing, or use another attack"
            ) from error
        return duplicate.choose(contexts)

    def _check_arm(self, arm: Any) -> int:
        try:
            index = operator.index(arm)
        except TypeError:
            index = -1
        if not 0 <= index < self._arms:
            raise ValueError(
                f"{self._name}.choose must return a whole number from 0 to "
                f"{self._arms - 1}, the index of an arm; got {arm!r}"
            )
        return index


class Handle(int):
    """A number by which compiled code finds a player. It keeps the player alive."""

    player: Player

    def __new__(cls, player: Player) -> Handle:
        """Return the number by which kernels find this player."""
        handle = super().__new__(cls, id(player))
        handle.player = player
        _players[id(player)] = player
        return handle

    def __reduce__(self) -> tuple[Any, ...]:
        return Handle, (self.player,)  # a copy is the number of a copied player


_players: weakref.WeakValueDictionary[int, Player] = weakref.WeakValueDictionary()


def _choose(handle: int, contexts: Floats, rng: np.random.Generator) -> int:
    return _players[handle].choose(contexts, rng)


def _learn(handle: int, arm: int, reward: float) -> None:
    _players[handle].learn(arm, reward)


class ObjectState(NamedTuple):
    """The number of a player. Its kernels call Python, also from compiled code."""

    handle: Handle

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Call the object's `choose` with a copy of the contexts."""
        handle = self.handle
        with objmode(arm="int64"):
            arm = _choose(handle, contexts, rng)
        return arm  # noqa: RET504 (Numba does not allow a return inside the block)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Call the object's `learn`."""
        handle = self.handle
        with objmode():
            _learn(handle, arm, reward)
