"""Plays a game and an agent while an internal of Numba is hidden, and prints all bits as JSON.

Run as a script, with the names of the parts to hide. They are hidden from robustbandits only: Numba
itself needs them.
"""

from __future__ import annotations

import builtins
import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.callconv import CPUCallConv
from numba.core.dispatcher import Dispatcher


def hide_import(module: str, name: str, importer: str) -> Callable[[], None]:
    """Return what makes `from module import name` fail in one module of the package."""

    def hide() -> None:
        really_import = builtins.__import__

        def import_(target, names=None, local=None, wanted=(), level=0):
            asked = (names or {}).get("__name__"), target
            if asked == (f"robustbandits.compiled.{importer}", module) and name in (wanted or ()):
                raise ImportError(f"cannot import name {name!r}")
            return really_import(target, names, local, wanted, level)

        builtins.__import__ = import_

    return hide


class Hidden:
    """An attribute that robustbandits cannot read."""

    def __init__(self, name: str, value: Any = None):
        self.name = name
        self.value = value

    def __get__(self, instance: Any, owner: Any) -> Any:
        if sys._getframe(1).f_globals.get("__name__", "").startswith("robustbandits"):
            raise AttributeError(f"no attribute {self.name!r}")
        return instance.__dict__[self.name] if self.value is None else self.value.__get__(instance)

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.name] = value


def rename_parameters() -> None:
    """Let the method that calls machine code take other arguments than expected."""
    call = CPUCallConv.call_function
    CPUCallConv.call_function = lambda self, *arguments, **more: call(self, *arguments, **more)


#: How to hide each part.
PARTS: dict[str, Callable[[], None]] = {
    "state pointers": hide_import("numba.np.arrayobj", "populate_array", "state_pointer"),
    "rng pointers": hide_import("numba.core.datamodel", "default_manager", "rng_pointer"),
    "calls": hide_import("numba.core.callconv", "CPUCallConv", "calls"),
    "calls, other parameters": rename_parameters,
    "entry points": lambda: setattr(Dispatcher, "compile", Hidden("compile", Dispatcher.compile)),
    "events": hide_import("numba.core.event", "Listener", "jit"),
    "options": hide_import("numba.core.cpu", "CPUTargetOptions", "jit"),
    "cache": hide_import("numba.core.caching", "FunctionCache", "checked_cache"),
    "tiles": hide_import("numba.core", "cgutils", "simd"),
}


def play() -> dict[str, Any]:
    """Play a game, and let an agent decide, often between equal arms; return all bits."""
    import robustbandits as rb
    from robustbandits.compiled.jit import keeps_machine_code

    policy = rb.policies.LinUCB()
    ledger = rb.simulate(
        environment=rb.environments.Simulation(arms=13, dim=3),
        policy=policy,
        attack=rb.attacks.ContextDilation(20.0),
        rounds=300,
    )
    agent = rb.Agent(policy, arms=4, dim=3, seed=1)
    rng = np.random.default_rng(2)
    arms = []
    for arms_shown in [4, 1] * 25:
        contexts = np.tile(rng.uniform(-0.5, 0.5, (arms_shown, 3)), (4 // arms_shown, 1))
        decision = agent.choose(contexts)
        agent.learn(decision, rng.uniform(0, 1))
        arms.append(decision.arm)
    return {
        "regret": [value.hex() for value in ledger.regret.tolist()],
        "spent": ledger.spent.hex(),
        "arms": arms,
        "scores": [value.hex() for value in agent.scores(contexts).scores.tolist()],
        "keeps machine code": keeps_machine_code(),
    }


if __name__ == "__main__":
    for part in sys.argv[1:]:
        PARTS[part]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = play()
    print(json.dumps({**result, "warnings": [str(warning.message) for warning in caught]}))
