"""The benchmark scripts run; tests do not check the times, which need a quiet machine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from robustbandits.compiled.jit import jit_is_on

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="measures compiled code"),
]

FOLDER = Path(__file__).parents[2] / "benchmarks"


def run(script, *words):
    command = [sys.executable, str(FOLDER / script), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_loop_is_compared_with_c_and_numpy(tmp_path):
    shown = run("bench.py", "--repeats", "1", "--out", str(tmp_path))
    found = json.loads((tmp_path / "bench.json").read_text())
    assert {"C", "NumPy", "LinUCB", "RobustBandit"} <= set(found["loop_us"])
    assert all(value > 0.0 for value in found["loop_us"].values())
    assert found["figure"]["rounds per second"] > 0.0
    assert "x C" in shown


def test_policies_are_compared_with_linucb(tmp_path):
    names = ["EXP3", "Greedy", "EnlargedGPUCB"]
    shown = run("policies.py", *names, "--repeats", "1", "--out", str(tmp_path))
    found = json.loads((tmp_path / "policies.json").read_text())
    assert set(found["rounds"]) == set(names)
    assert "fresh" in found["rounds"]["Greedy"]
    assert "fresh" not in found["rounds"]["EXP3"]
    assert list(found["growth"]) == ["EnlargedGPUCB"]
    assert "aim <= 0.5" in shown


def test_agents_are_compared_with_the_loop_and_numpy(tmp_path):
    shown = run("agent.py", "--repeats", "1", "--out", str(tmp_path))
    found = json.loads((tmp_path / "agent.json").read_text())
    assert {"LinUCB", "CautiousLinUCB"} <= set(found["live"])
    assert found["batch"]["choose_many"] > 0.0
    assert 1.0 <= found["memory"] < 2.0
    assert "x NumPy, one thread" in shown


def test_whole_games_are_compared_with_c(tmp_path):
    shown = run("whole_game.py", "--repeats", "1", "--out", str(tmp_path))
    found = json.loads((tmp_path / "whole_game.json").read_text())
    assert set(found["games"]) == {"fresh", "fixed"}
    short, long = found["memory"].values()
    assert long < short + 20.0
    assert "x C (aim <= 2.0)" in shown


def test_peers_play_the_same_rounds_as_our_agent(tmp_path):
    shown = run("peers.py", "--rounds", "20", "--out", str(tmp_path))
    found = json.loads((tmp_path / "peers.json").read_text())
    assert {"robustbandits:LinUCB", "NumPy:LinUCB"} <= set(found)
    assert "1.0 x ours" in shown
