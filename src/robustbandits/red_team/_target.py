"""The policy under attack, and where it plays: a recipe, an object, or the name of either."""

from __future__ import annotations

from typing import Any

from robustbandits.adapters.by_name import LIBRARIES, named
from robustbandits.environments.simulation import Simulation
from robustbandits.experiments.recipe_text import parse_call, parse_recipe
from robustbandits.game import require
from robustbandits.game.object_policy import ObjectPolicy, as_policy
from robustbandits.game.rounds import Environment


def as_target(target: Any) -> tuple[str, Any]:
    """Return the label and the policy of a target.

    Text is a policy of this package, ``CautiousLinUCB(300)``; one of another library,
    ``mabwiser:LinUCB(alpha=1.0)``; or ``module:object``, which is imported.
    """
    if not isinstance(target, str):
        policy = as_policy("target", target)
    elif target.partition(":")[0] in LIBRARIES and ":" in target:
        policy = _of_library(target)
    else:
        policy = parse_recipe("policies", target, allow_import=True)
    return policy.label, policy


def as_environment(environment: Environment | str | None) -> Any:
    """Return an environment: a recipe, or the one that a text names; a catalogue by default."""
    if environment is None:
        return Simulation(contexts="fixed")
    if isinstance(environment, str):
        return parse_recipe("environments", environment, allow_import=True)
    return require.recipe("environment", environment, "environment")


def _of_library(text: str) -> ObjectPolicy:
    """Return a policy of another library; its games can be stored under that name."""
    name, parameters = parse_call(text)
    maker = named(name, **parameters)
    return ObjectPolicy(maker, maker.name, origin=name)


def is_object(policy: Any) -> bool:
    """Whether a policy is a Python object, whose rounds take far longer than compiled ones."""
    return isinstance(policy, ObjectPolicy)
