"""Every policy of the package with example parameters, and which of them the long tests use."""

import dataclasses
from collections.abc import Collection, Iterable
from typing import Any

import pytest

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.facts import policy_facts

#: Policies for tests that combine policies with attacks, files or streams. Not all of them, because
#: each takes seconds to compile. tests/contract tests every policy.
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
    """Make a recipe, with values for the parameters that have no default."""
    for field in dataclasses.fields(kind):
        is_missing = field.default is dataclasses.MISSING and field.name not in values
        if is_missing and field.default_factory is dataclasses.MISSING:
            assert field.name in _REQUIRED, f"give {field.name} a value in tests/catalogue.py"
            values[field.name] = _REQUIRED[field.name]
    return kind(**values)


def policy(name: str, **values: Any) -> Any:
    """Make an exported policy."""
    return example(getattr(rb.policies, name), **values)


def simulation_for(recipe: Any, **settings: Any) -> Any:
    """Return a simulation that a policy can play: with fixed contexts if it needs them."""
    contextual = policy_facts(recipe).setting == "contextual"
    return rb.environments.Simulation(
        **{"arms": 5, "dim": 3, "contexts": "fresh" if contextual else "fixed", **settings}
    )


#: Marks a test that takes long only because its policies must be compiled first.
slow_if_compiled: Any = pytest.mark.slow if jit_is_on else lambda test: test


def compile_few(names: Iterable[Any], few: Collection[Any]) -> list[Any]:
    """Return parameters of a test: those outside the few are marked slow if they are compiled."""
    return [
        pytest.param(name, marks=[] if name in few or not jit_is_on else [pytest.mark.slow])
        for name in names
    ]


#: All names; those outside the core are marked slow, because they take long to compile.
EVERY = compile_few(rb.policies.__all__, CORE)
