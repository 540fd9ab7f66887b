"""An edit of any third-party code that gets into machine code must change the hash."""

import importlib
import sys

import pytest

import robustbandits as rb
from robustbandits.compiled.cache import file_of, source_hash
from robustbandits.compiled.third_party import third_party_code
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

#: The other file, how a policy imports it, and the expression that uses it.
WAYS = {
    "a number": (NUMBER, "from far import LEVEL", "LEVEL"),
    "a number of a module": (NUMBER, "import far", "far.LEVEL"),
    "a number in a tuple": ("LEVEL = ({}, 0.5)\n", "from far import LEVEL", "LEVEL[0]"),
    "an array": ("import numpy\nLEVEL = numpy.array([{}])\n", "from far import LEVEL", "LEVEL[0]"),
    "a helper": (FUNCTION, "from far import level", "level()"),
    "a helper of a module": (FUNCTION, "import far", "far.level()"),
    "a helper in a lambda": (FUNCTION, "from far import level", "(lambda: level())()"),
    "a helper in a list": (FUNCTION, "from far import level", "[level() for _ in (1,)][0]"),
    "a helper in a tuple": (FUNCTION, "from far import level\nALL = (level,)", "ALL[0]()"),
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
def load_modules(tmp_path, monkeypatch):
    """A function that writes the modules `far` and `near`, and imports `near`."""
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


def hash_of(state) -> str:
    code = third_party_code(state)
    return source_hash([file_of(name) for name in code.modules], code.constants)


@pytest.mark.parametrize("way", WAYS)
def test_an_edit_of_an_imported_module_changes_the_hash(load_modules, way):
    far, top, arm = WAYS[way]
    near = POLICY.format(top=top, arm=arm, bottom="")
    before, edited, undone = (
        hash_of(load_modules(far.format(level), near).State(None)) for level in (1, 2, 1)
    )
    assert before != edited
    assert before == undone


def test_an_edit_of_a_base_class_changes_the_hash(load_modules):
    near = POLICY.format(
        top="from far import Other", arm="0", bottom="class Child(Other):\n    pass\n"
    )
    before, edited = (
        hash_of(load_modules(STATE.format(level), near).Child(None)) for level in (1, 2)
    )
    assert before != edited


def test_constants_that_no_kernel_uses_are_left_out(load_modules):
    near = POLICY.format(top="import far", arm="far.LEVEL", bottom="")
    noise = "import time\nSTARTED = time.time_ns()\n"
    first, second = (
        third_party_code(load_modules(NUMBER.format(1) + noise, near).State(None)).constants
        for _ in range(2)
    )
    assert first == second


def test_our_own_states_use_no_third_party_code():
    problem = Problem(arms=3, dim=2, rounds=10, noise=0.1)
    for state in (rb.policies.RobustBandit().start(problem), rb.attacks.Oracle(1.0).start(problem)):
        assert third_party_code(state) == ((), ())
