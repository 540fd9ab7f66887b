"""Whatever of other people's code gets into machine code is known: an edit must change the hash."""

from __future__ import annotations

import importlib
import sys

import pytest

import robustbandits as rb
from robustbandits.compiled import jit
from robustbandits.compiled.third_party import outside_of
from robustbandits.game.problem import Problem

POLICY = """
from typing import Any, NamedTuple
import numba
{top}
class State(NamedTuple):
    log: Any
    def choose(self, contexts, rng, memo):
        return {arm}
{bottom}
"""

NUMBER = "LEVEL = {}\n"
FUNCTION = "import numba\n@numba.njit\ndef level():\n    return {}\n"
STATE = """
from typing import Any, NamedTuple
class Other(NamedTuple):
    log: Any
    def choose(self, contexts, rng, memo):
        return {}
"""
MAKE = """
def make(inner):
    @numba.njit
    def made():
        return inner{}
    return made
"""

#: What a policy takes from another file, how, and what it does with it.
WAYS = {
    "a number": (NUMBER, "from far import LEVEL", "LEVEL"),
    "a number of a module": (NUMBER, "import far", "far.LEVEL"),
    "numbers": ("LEVEL = ({}, 0.5)\n", "from far import LEVEL", "LEVEL[0]"),
    "an array": ("import numpy\nLEVEL = numpy.array([{}])\n", "from far import LEVEL", "LEVEL[0]"),
    "a helper": (FUNCTION, "from far import level", "level()"),
    "a helper of a module": (FUNCTION, "import far", "far.level()"),
    "a helper in a lambda": (FUNCTION, "from far import level", "(lambda: level())()"),
    "a helper in a list": (FUNCTION, "from far import level", "[level() for _ in (1,)][0]"),
    "one of several helpers": (FUNCTION, "from far import level\nALL = (level,)", "ALL[0]()"),
    "an enclosed helper": (
        FUNCTION,
        "from far import level" + MAKE.format("()") + "made = make(level)",
        "made()",
    ),
    "an enclosed number": (
        NUMBER,
        "from far import LEVEL" + MAKE.format("") + "made = make(LEVEL)",
        "made()",
    ),
    "a state": (STATE, "from far import Other", "choose(Other(self.log), contexts, rng, memo)"),
}


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A directory of modules that may be edited, and how to take one from it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def load(far: str, near: str):
        for name, text in (("far", far), ("near", near)):
            (tmp_path / f"{name}.py").write_text(text)
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        return importlib.import_module("near")

    yield load
    for name in ("far", "near"):
        sys.modules.pop(name, None)


def name_of_directory(state) -> str:
    outside = outside_of(state)
    files = [jit._file_of(name) for name in outside.modules]
    return jit.source_hash(files, outside.constants)


@pytest.mark.parametrize("way", WAYS)
def test_an_edit_far_away_changes_the_hash(shelf, way):
    far, top, arm = WAYS[way]
    near = POLICY.format(top=top, arm=arm, bottom="")
    one, two, again = (
        name_of_directory(shelf(far.format(level), near).State(None)) for level in (1, 2, 1)
    )
    assert one != two
    assert one == again


def test_an_edit_of_what_is_inherited_changes_the_hash(shelf):
    near = POLICY.format(
        top="from far import Other", arm="0", bottom="class Child(Other):\n    pass\n"
    )
    one, two = (name_of_directory(shelf(STATE.format(level), near).Child(None)) for level in (1, 2))
    assert one != two


def test_what_a_kernel_does_not_name_is_left_out(shelf):
    near = POLICY.format(top="import far", arm="far.LEVEL", bottom="")
    noise = "import time\nSTARTED = time.time_ns()\n"
    one, two = (
        outside_of(shelf(NUMBER.format(1) + noise, near).State(None)).constants for _ in range(2)
    )
    assert one == two


def test_nothing_of_ours_is_outside():
    problem = Problem(arms=3, dim=2, rounds=10, noise=0.1)
    for state in (rb.policies.RobustBandit().start(problem), rb.attacks.Oracle(1.0).start(problem)):
        assert outside_of(state) == ((), ())
