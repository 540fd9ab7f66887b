"""Every policy of the package, ready to play; and which of them go through the long tests too."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on

#: They stand for the others where a test crosses policies with attacks, files or streams: each
#: policy costs seconds to compile. Every policy goes through tests/contract.
CORE = (
    "LinUCB",
    "LinTS",
    "Greedy",
    "RobustLinUCB",
    "RobustBandit",
    "BOBNoRestart",
    "CautiousLinUCB",
)

#: Parameters that have no default.
_REQUIRED = {"budget": 5.0}


def example(kind: type, **values: Any) -> Any:
    """Make a recipe, filling in the parameters that it insists on."""
    for field in dataclasses.fields(kind):
        nothing = field.default is dataclasses.MISSING and field.name not in values
        if nothing and field.default_factory is dataclasses.MISSING:
            assert field.name in _REQUIRED, f"tell catalogue.py how to fill {field.name}"
            values[field.name] = _REQUIRED[field.name]
    return kind(**values)


def policy(name: str, **values: Any) -> Any:
    """Make an exported policy."""
    return example(getattr(rb.policies, name), **values)


def place_for(recipe: Any, **settings: Any) -> Any:
    """Return a simulation in which a policy may play: a catalogue if it needs one."""
    contextual = type(recipe).facts.setting == "contextual"
    return rb.environments.Simulation(
        **{"arms": 5, "dim": 3, "contexts": "fresh" if contextual else "fixed", **settings}
    )


#: All names, those outside the core marked slow: compiling them takes most of a minute or two.
EVERY = [
    pytest.param(name, marks=[] if name in CORE or not jit_is_on else [pytest.mark.slow])
    for name in rb.policies.__all__
]
