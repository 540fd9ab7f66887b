"""Games have the same bits compiled, with the loop in Python, and with the JIT off."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from catalogue import compile_few
from parity.games import compiled_settings, play_game, settings
from robustbandits.compiled.jit import jit_is_on

pytestmark = pytest.mark.skipif(not jit_is_on, reason="compares compiled code with plain Python")


@pytest.fixture(scope="module")
def without_jit():
    """Every game, played by a process without the JIT."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("games.py"))],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


FEW = [f"LinUCB - {attack}" for attack in ("NoAttack", "Garcelon")]


@pytest.mark.parametrize("name", compile_few(settings(), FEW))
def test_the_loop_in_python_over_compiled_kernels_plays_as_without_jit(name, without_jit):
    assert play_game(settings()[name], in_python=True) == without_jit[name]


@pytest.mark.parametrize("name", compile_few(compiled_settings(), FEW))
def test_the_compiled_loop_plays_as_without_jit(name, without_jit):
    assert play_game(settings()[name]) == without_jit[name]


def test_the_games_differ_and_are_attacked(without_jit):
    assert sum(float.fromhex(game["spent"][-1]) > 0.0 for game in without_jit.values()) > 30
    assert len({str(game["regret"]) for game in without_jit.values()}) > 30
    assert float.fromhex(without_jit["RobustBandit - NoAttack"]["state.diary"][5]) == 10.0  # epochs
