"""robustbandits cache: shows what is on disk, and clears only files of this package."""

import os
import subprocess
import sys

import pytest

from cli.commands import invoke, invoke_json
from robustbandits.compiled.jit import jit_is_on

OWN = "own-" + "0" * 20
FACTORS = "a" * 40 + ".npz"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Return a cache folder with machine code, factors, and files of the user."""
    monkeypatch.setenv("ROBUSTBANDITS_CACHE", str(tmp_path))
    (tmp_path / OWN / "inner").mkdir(parents=True)
    (tmp_path / OWN / "inner" / "code").write_bytes(b"x" * 100)
    (tmp_path / "own-notes").mkdir()
    (tmp_path / "thesis.txt").write_text("words")
    (tmp_path / "factors").mkdir()
    (tmp_path / "factors" / FACTORS).write_bytes(b"y" * 50)
    (tmp_path / "factors" / "mine.npz").write_bytes(b"z")
    return tmp_path


def shown():
    return {row["name"]: row for row in invoke_json("cache")}


def test_cache_shows_folders_and_sizes(root):
    rows = shown()
    assert rows["kernels"]["bytes"] == 100
    assert rows["kernels"]["folder"] == str(root)
    assert rows["factors"]["bytes"] == 50
    assert rows["factors"]["folder"] == str(root / "factors")
    assert "data" in rows
    text = invoke("cache").output
    assert "100 bytes" in text
    assert str(root) in text


def test_clear_deletes_only_files_of_this_package(root):
    result = invoke("cache", "clear")
    assert "kernels: 1 deleted, 100 bytes" in result.output
    left = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    assert left == ["factors", "factors/mine.npz", "own-notes", "thesis.txt"]
    assert shown()["kernels"]["bytes"] == 0


def test_clear_deletes_only_the_named_kind(root):
    invoke("cache", "clear", "factors")
    assert (root / OWN).is_dir()
    assert not (root / "factors" / FACTORS).exists()


def test_a_link_is_removed_but_not_followed(root, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "precious").write_text("words")
    (root / ("outside-" + "1" * 20)).symlink_to(elsewhere, target_is_directory=True)
    invoke("cache", "clear")
    assert (elsewhere / "precious").read_text() == "words"
    assert not (root / ("outside-" + "1" * 20)).exists()


def test_an_absent_cache_is_empty(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUSTBANDITS_CACHE", str(tmp_path / "nothing"))
    assert shown()["kernels"]["bytes"] == 0
    invoke("cache", "clear")


@pytest.mark.slow
@pytest.mark.parametrize("obstacle", ["a file in the way", "no JIT"])
def test_fill_fails_if_machine_code_cannot_be_kept(tmp_path, obstacle):
    environment = {**os.environ, "ROBUSTBANDITS_CACHE": str(tmp_path)}
    if obstacle == "no JIT":
        environment["NUMBA_DISABLE_JIT"] = "1"
    else:
        (tmp_path / "file").write_text("")
        environment["ROBUSTBANDITS_CACHE"] = str(tmp_path / "file" / "kernels")
    command = [sys.executable, "-m", "robustbandits", "cache", "fill", "Greedy"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 1
    assert "error: machine code cannot be kept on disk" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not jit_is_on, reason="without the JIT nothing is compiled")
def test_a_cache_that_cannot_be_written_to_gives_one_warning_for_all_workers(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "spec.toml").write_text(
        "rounds = 10\nseeds = 2\n[environments.Simulation]\n[policies.Greedy]\n"
    )
    command = [sys.executable, "-m", "robustbandits", "run", "spec.toml", "--store", "store"]
    done = subprocess.run(
        [*command, "--engine", "processes", "--workers", "2"],
        env={**os.environ, "ROBUSTBANDITS_CACHE": str(tmp_path / "file" / "kernels")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert done.stderr.count("every process compiles code") == 1


@pytest.mark.slow
@pytest.mark.skipif(not jit_is_on, reason="without the JIT nothing is compiled")
def test_games_and_agents_use_what_fill_compiled(tmp_path):
    # In separate processes, because this one has its machine code in memory.
    environment = {**os.environ, "ROBUSTBANDITS_CACHE": str(tmp_path)}
    command = [sys.executable, "-m", "robustbandits", "cache", "fill", "Greedy", "EXP3"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    assert "compiled Greedy" in done.stdout
    assert "compiled 2 policies and all attacks" in done.stdout
    before = sorted(tmp_path.rglob("*.nbc"))
    assert before
    code = """
import numpy as np
import robustbandits as rb
for name in ("Greedy", "EXP3"):
    policy = getattr(rb.policies, name)()
    for attack in (rb.attacks.Garcelon(1.0), rb.attacks.FlipTheta(1.0), rb.attacks.NoAttack()):
        catalogue = rb.environments.Simulation(contexts="fixed")
        rb.simulate(environment=catalogue, policy=policy, attack=attack, rounds=10)
    agent = rb.Agent(policy, arms=3, dim=2, rounds=10)
    agent.learn(agent.choose(np.zeros((3, 2))), 0.5)
"""
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=300)
    assert sorted(tmp_path.rglob("*.nbc")) == before
