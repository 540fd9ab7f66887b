"""Policies that are ordinary Python objects: anything that can ``choose`` and ``learn``.

The compiled loop plays such an object like any other policy (see ``object_state.py``), so it meets
the same rounds and attacks, and has the same purse and ledger.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from robustbandits.game import require
from robustbandits.game.object_state import Handle, ObjectState, Player
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import VERSION_KEY, class_version
from robustbandits.game.verbs import Policy
from robustbandits.kernels.linalg import Floats


class PolicyObject(Protocol):
    """What an object must have to play.

    It may also have ``peek(contexts)``, which returns what ``choose`` would return and changes
    nothing. Attacks that look at the next choice call it; without it, they ask a deep copy.
    """

    def choose(self, contexts: Floats, /) -> int:
        """Return the index of an arm; row ``a`` of contexts (arms, dim) belongs to arm ``a``."""
        ...

    def learn(self, contexts: Floats, arm: int, reward: float, /) -> Any:
        """Learn the reward of an arm that was chosen among these contexts."""
        ...


#: A recipe; or an object that can play; or a class or function that returns a new one.
PolicyLike = Policy | PolicyObject | Callable[..., PolicyObject]

#: What functions and classes are told about a game if they have parameters of these names.
OFFERED = ("arms", "dim", "problem", "seed")

#: Objects that play or have played and still exist, by id: no two games may share one.
_objects_in_use: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()

_NEEDED = "choose(contexts) and learn(contexts, arm, reward)"


@dataclass(frozen=True, eq=False)
class ObjectPolicy:
    """Stands for a Python object where a recipe is expected; every game plays a new object.

    Parameters
    ----------
    source
        A function that returns a new object, a class, or an object, of which every game plays a
        deep copy. Functions and classes are called with those of ``arms``, ``dim``, ``problem`` and
        ``seed`` that are names of their parameters.
    name
        Name for tables and figures.
    origin
        ``module:object``, if a spec names the source so. Only then can games be stored.
    parameters
        Further arguments of the function or class.
    """

    source: Any
    name: str
    origin: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Name and parameters."""
        shown = ", ".join(f"{key}={value!r}" for key, value in self.parameters.items())
        return f"{self.name}({shown})" if shown else self.name

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; raise TypeError for an object that no spec names."""
        if self.origin is None:
            raise TypeError(
                f"{self.name} is a Python object, whose games cannot be stored unless a spec names "
                f'it: write kind = "module:object" in a TOML spec, or run without a store'
            )
        values = {"name": self.name, "parameters": dict(self.parameters)}
        version = class_version(self.source if callable(self.source) else type(self.source))
        return values if version == 1 else {**values, VERSION_KEY: version}

    def start(self, problem: Problem) -> ObjectState:
        """Return a state whose object is made when a game begins."""
        make = functools.partial(self._new_object, problem)
        return ObjectState(Handle(Player(self.name, problem.arms, make)))

    def _new_object(self, problem: Problem, seed: int) -> Any:
        """Return a new object for a game."""
        if not _is_object(self.source):
            values = zip(OFFERED, (problem.arms, problem.dim, problem, seed), strict=True)
            bound = self.source.keywords if isinstance(self.source, functools.partial) else ()
            named = parameters_of(self.source).keys() - bound
            offered = {key: value for key, value in values if key in named}
            policy_object = self.source(**{**offered, **self.parameters})
        else:
            try:
                policy_object = copy.deepcopy(self.source)
            except Exception as error:  # an object may raise anything here
                raise TypeError(
                    f"{self.name} cannot be copied, and every game needs an object of its own: "
                    f"pass its class, or a function that returns a new object, instead "
                    f"({type(error).__name__}: {error})"
                ) from error
        _check_object(self.name, policy_object)
        return policy_object


class ObjectKind:
    """A class, function or object that a spec names. Calling it returns an ObjectPolicy."""

    def __init__(self, source: Any, origin: str):
        self.source, self.origin = source, origin
        self.policy_name = origin  # replaced by the label in a spec
        self.__name__, self.__doc__ = origin, source.__doc__
        known = {} if _is_object(source) else parameters_of(source)
        self.__signature__ = inspect.Signature(
            [
                item.replace(
                    kind=inspect.Parameter.KEYWORD_ONLY,
                    default=None if name in OFFERED else item.default,
                )
                for name, item in known.items()
                if item.kind not in (item.VAR_POSITIONAL, item.VAR_KEYWORD)
            ]
        )

    def __call__(self, **parameters: Any) -> ObjectPolicy:
        """Return a policy with these parameters."""
        return ObjectPolicy(self.source, self.policy_name, self.origin, parameters)


def as_policy(argument: str, value: Any) -> Any:
    """Return a recipe as it is, and any other policy as an :class:`ObjectPolicy`."""
    if hasattr(value, "start"):
        return require.recipe(argument, value, "policy")
    if not callable(value) and not _is_object(value):
        raise TypeError(
            f"{argument} must be a recipe, for example rb.policies.LinUCB(), or an object with "
            f"{_NEEDED}; got {value!r}"
        )
    return ObjectPolicy(value, name_of(value))


def can_make_object(value: Any) -> bool:
    """Whether a value that a spec names can play, or may return an object that can."""
    if isinstance(value, type):
        return not hasattr(value, "start") and _has_methods(value)
    return not hasattr(value, "start") and (callable(value) or _has_methods(value))


def name_of(source: Any) -> str:
    """Return the name of an object, a class or a function, for tables."""
    source = source.func if isinstance(source, functools.partial) else source
    given = getattr(source, "name", None)
    if isinstance(given, str):
        return given
    return str(getattr(source, "__name__", type(source).__name__))


def parameters_of(source: Any) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a function or a class by name; empty if Python does not know."""
    try:
        return inspect.signature(source).parameters
    except ValueError:  # some classes of C extensions
        return {}


def _is_object(value: Any) -> bool:
    """Whether a value can play as it is; a class or a function first returns such an object."""
    return not isinstance(value, type) and _has_methods(value)


def _has_methods(value: Any) -> bool:
    return all(callable(getattr(value, name, None)) for name in ("choose", "learn"))


def _check_object(name: str, policy_object: Any) -> None:
    if not _is_object(policy_object):
        raise TypeError(f"{name} must be or return an object with {_NEEDED}; got {policy_object!r}")
    for method, count in (("choose", 1), ("learn", 3)):
        if not require.takes(getattr(policy_object, method), count):
            raise TypeError(
                f"{name} must have {_NEEDED}; got {method}"
                f"{inspect.signature(getattr(policy_object, method))}"
            )
    if _objects_in_use.get(id(policy_object)) is policy_object:
        raise ValueError(
            f"{name} returned the same object for two games, which would share what they learn: "
            f"return a new object at each call"
        )
    with contextlib.suppress(TypeError):  # an object with slots may have no weak references
        _objects_in_use[id(policy_object)] = policy_object
