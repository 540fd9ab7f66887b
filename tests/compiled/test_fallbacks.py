"""If an internal of Numba is missing, everything still works: more slowly, with a warning."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import robustbandits
from compiled.hidden_parts import PARTS
from robustbandits.compiled import fallback
from robustbandits.compiled.fallback import PerformanceWarning, check_parameters, has_internals
from robustbandits.compiled.jit import jit_is_on

PACKAGE = Path(robustbandits.__file__).parent
#: What the warning says is slower.
SLOWER = {
    "state pointers": "states are passed by value",
    "rng pointers": "a live decision takes several microseconds longer",
    "calls": "every pair of a policy and an attack is compiled separately",
    "calls, other parameters": "every pair of a policy and an attack is compiled separately",
    "entry points": "live decisions are slower",
    "events": "compiling takes a tenth longer",
    "options": "compiling takes longer",
    "cache": "machine code is not kept on disk",
    "tiles": "linear policies take about twice as long to choose",
}


def play_without(cache: Path, *parts: str) -> dict[str, Any]:
    """Play in a new process, with a cache of its own."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("hidden_parts.py")), *parts],
        env={**os.environ, "ROBUSTBANDITS_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


NEEDS_JIT = pytest.mark.skipif(not jit_is_on, reason="fallbacks are for compiled code")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def expected(cache):
    """What is played with all parts."""
    result = play_without(cache)
    assert result.pop("warnings") == []
    return result


@NEEDS_JIT
@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_games_and_agents_keep_their_bits_without_a_part_of_numba(part, expected, cache, tmp_path):
    # Machine code that was compiled with tiles would be used again.
    result = play_without(tmp_path if part == "tiles" else cache, part)
    (warning,) = result.pop("warnings")
    assert SLOWER[part] in warning
    assert "The results are the same" in warning
    assert result == {**expected, "keeps machine code": part != "cache"}


@NEEDS_JIT
@pytest.mark.slow
def test_games_and_agents_keep_their_bits_without_all_parts_of_numba(expected, tmp_path):
    result = play_without(tmp_path, *PARTS)
    assert len(result.pop("warnings")) >= 5
    assert result == {**expected, "keeps machine code": False}


def test_a_failed_check_gives_one_warning_that_names_the_reason():
    def check() -> None:
        raise ImportError("cannot import name 'x'")

    message = r"differs from .* \(ImportError: cannot import name 'x'\): it is slow. The results"
    with pytest.warns(PerformanceWarning, match=message):
        assert not has_internals(check, "it is slow")
    assert not has_internals(check, "it is slow")  # no second warning: it would be an error here


def test_parameters_are_compared_by_name_and_order():
    check_parameters(fallback.warn_once, "subject", "message")
    check_parameters(fallback.warn_once, "subject")
    for names in (("message", "subject"), ("subject", "message", "more")):
        with pytest.raises(TypeError, match=r"warn_once has the parameters \['subject', 'message'"):
            check_parameters(fallback.warn_once, *names)


def imports_of(path: Path) -> set[str]:
    """Modules that a file imports."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom)}


def test_only_the_folder_compiled_imports_private_parts_of_numba():
    public = {"numba", "numba.extending"}
    folders = set()
    for path in PACKAGE.rglob("*.py"):
        names = {name for name in imports_of(path) if name and name.startswith(("numba", "llvm"))}
        if not names <= public:
            folders.add(path.parent)
    assert folders == {PACKAGE / "compiled"}
