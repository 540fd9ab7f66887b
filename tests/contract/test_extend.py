"""`robustbandits.extend`: what its guide shows works wherever recipes of the package do."""

from __future__ import annotations

import csv
import importlib
import inspect
import re
import sys
import textwrap
from pathlib import Path

import pytest
from typer.testing import CliRunner

import robustbandits as rb
from robustbandits import extend
from robustbandits.cli.app import app

ROOT = Path(__file__).parents[2]
SPEC = """
name = "mine"
rounds = 300
seeds = 2
[environments.Auction]
kind = "mymodule:Auction"
[attacks.NoAttack]
[attacks.Promote]
kind = "mymodule:Promote"
budget = 5
[policies.Optimist]
kind = "mymodule:Optimist"
width = [0, 1]
"""


def test_every_name_is_documented():
    assert len(set(extend.__all__)) == len(extend.__all__)
    for name in extend.__all__:
        found = getattr(extend, name)
        if inspect.isclass(found) or inspect.isroutine(found):
            assert len(inspect.getdoc(found) or "") > 20, name


def test_guide_names_only_what_the_module_exports():
    names = re.findall(r"\bextend\.(\w+)|:(?:class|func):`(\w+)`", extend.__doc__)
    assert {first or second for first, second in names} <= set(extend.__all__)


def test_documents_import_nothing_deeper_than_extend():
    deeper = r"robustbandits\.(game|kernels|compiled|checks)\b|\._base\b"
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for block in re.findall(r"```\w+\n.*?```", page.read_text("utf-8"), flags=re.DOTALL):
            assert not re.search(deeper, block), page.name


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with `mymodule.py`, which has the code of the guide."""
    blocks = re.findall(r"::\n\n((?:    .*\n|\n)+)", inspect.getdoc(extend))
    assert len(blocks) == 6
    folder = tmp_path_factory.mktemp("guide")
    (folder / "mymodule.py").write_text("".join(map(textwrap.dedent, blocks)))
    return folder


@pytest.fixture(scope="module")
def mine(folder):
    """Return the module of the guide, which checks what it defines when it is imported."""
    sys.path.insert(0, str(folder))
    yield importlib.import_module("mymodule")
    sys.path.remove(str(folder))
    del sys.modules["mymodule"], rb.metrics.METRICS["regret_of_first_half"]


@pytest.mark.slow
def test_recipes_without_facts_play_games(mine):
    kinds = (mine.Optimist, mine.Promote, mine.Auction)
    assert not any(hasattr(kind, "facts") for kind in kinds)
    games = {"environment": mine.Auction(), "policy": mine.Optimist(), "rounds": 1000}
    clean = rb.simulate(**games)
    attacked = rb.simulate(**games, attack=mine.Promote(20.0, target=3))
    assert (clean.spent, attacked.spent) == (0.0, 20.0)
    assert clean.final_regret < attacked.final_regret
    results = rb.compare(
        environments=[mine.Auction()],
        attacks=[rb.attacks.NoAttack(), mine.Promote(20.0, target=3)],
        policies=[mine.Optimist(), rb.policies.LinUCB()],
        rounds=1000,
        seeds=1,
    )
    regrets = {(row.attack, row.policy): row.regret for row in results.summary().rows}
    assert regrets["NoAttack", "Optimist"] == clean.final_regret
    assert regrets["Promote", "Optimist"] == attacked.final_regret


@pytest.mark.slow
def test_policy_without_facts_lives_in_an_agent(mine, tmp_path):
    agent = rb.Agent(mine.Optimist(width=1.0), arms=2, dim=2, seed=0)
    for _ in range(20):
        decision = agent.choose([[1.0, 0.0], [0.0, 1.0]])
        agent.learn(decision, 1.0 if decision.arm == 1 else 0.0)
    assert agent.choose([[1.0, 0.0], [0.0, 1.0]]).arm == 1
    agent.save(tmp_path / "agent.rb")
    again = rb.Agent.load(tmp_path / "agent.rb", policy=mine.Optimist)
    contexts = [[0.5, 0.5], [0.1, 0.9]]
    assert again.scores(contexts).means.tolist() == agent.scores(contexts).means.tolist()


@pytest.mark.slow
def test_recipes_without_facts_are_stored_and_reported_with_a_metric(mine, tmp_path):
    spec = rb.experiments.parse_spec(SPEC, allow_import=True)
    outcome = rb.experiments.run(spec, tmp_path / "store", progress=False)
    assert outcome.played == 2
    assert rb.experiments.run(spec, tmp_path / "store", progress=False).found == 2
    (experiment,) = rb.experiments.Store(tmp_path / "store").experiments()
    page, *_ = rb.write_report([experiment], tmp_path / "report")
    assert "Optimist(width=1" in page.read_text("utf-8")
    with (tmp_path / "report/mine/final-regret.csv").open(encoding="utf-8") as file:
        first, *others = csv.DictReader(file)
    assert (first["attack"], len(others)) == ("NoAttack", 3)
    labels = ("NoAttack", first["policy"])
    games = [game for game in outcome.ledgers() if (game.attack, game.policy) == labels]
    assert float(first["first_half"]) == mine.regret_of_first_half(games).value


@pytest.mark.slow
def test_recipes_without_facts_are_listed(mine, folder, monkeypatch):
    monkeypatch.chdir(folder)
    expected = {
        "policies": ("Optimist", "parameters: width=0.5"),
        "attacks": ("Promote", "parameters: budget, target=0, purse=truncate"),
        "environments": ("Auction", "parameters: arms=10, dim=4, noise=0.1"),
    }
    for section, (kind, parameters) in expected.items():
        line = ["list", section, f"mymodule:{kind}", "--allow-import"]
        result = CliRunner().invoke(app, line)
        assert result.exit_code == 0, result.output
        assert parameters in result.stdout
