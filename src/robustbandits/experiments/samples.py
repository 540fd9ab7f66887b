"""Samples: every policy with its defaults, and a simulation in which it can play."""

from __future__ import annotations

from typing import Any

from robustbandits.experiments.registry import MISSING, kinds, nearest, parameters
from robustbandits.game.facts import policy_facts
from robustbandits.game.recipe import Recipe

#: What to tell a policy that insists on being told.
TOLD = {"budget": 100.0}


def sample_policy(name: str, **changes: Any) -> Any:
    """Return an exported policy with its defaults; a budget that it must be told is 100.

    Examples
    --------
    >>> sample_policy("RobustLinUCB").budget
    100.0
    """
    known = kinds("policies")
    if name not in known:
        raise ValueError(f"policies has no {name!r}; {nearest(name, known)}")
    insists = [key for key, one in parameters(known[name]).items() if one.default is MISSING]
    return known[name](**{**{key: TOLD[key] for key in insists}, **changes})


def sample_place(policy: Recipe, **settings: Any) -> Any:
    """Return a simulation in which a policy can play: a catalogue if it needs one."""
    from robustbandits.environments import Simulation

    fresh = policy_facts(policy).setting == "contextual"
    return Simulation(**{"contexts": "fresh" if fresh else "fixed", **settings})
