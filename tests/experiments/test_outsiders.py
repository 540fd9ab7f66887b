"""Third-party recipes in specs and on the command line: ``module:Class``, with permission only."""

import importlib
import json
import subprocess
import sys

import pytest

import robustbandits as rb
from cli.commands import invoke
from experiments.lab import bits
from robustbandits.experiments.engines.engine import EngineError, MatchPart
from robustbandits.experiments.engines.messages import pack_match, play_message
from robustbandits.experiments.plan import identity, make_plan
from robustbandits.experiments.recipe_text import parse_recipe
from robustbandits.experiments.runner import run
from robustbandits.experiments.spec import Spec, SpecError, parse_spec, read_spec
from robustbandits.experiments.store.store import Store

MODULE = '''
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
import numpy as np
import robustbandits as rb
from robustbandits.extend import Recipe, kernel
from myhelper import neighbor

Path(__file__).with_name("imported").touch()

class LoyalState(NamedTuple):
    arm: int
    count: np.ndarray

    @kernel
    def choose(self, contexts, rng, memo):
        return neighbor(self.arm)

    @kernel
    def learn(self, arm, context, reward, memo, rng):
        self.count[0] += 1.0

@dataclass(frozen=True, kw_only=True)
class Loyal(Recipe):
    """Play the same arm in every round."""

    arm: int = 0

    def __post_init__(self):
        if self.arm < 0:
            raise ValueError(f"arm must be >= 0, got {self.arm}")

    @classmethod
    def third(cls):
        return cls(arm=2)

    def start(self, problem):
        return LoyalState(self.arm, np.zeros(1))

class Outer:
    @dataclass(frozen=True, kw_only=True)
    class Inner(Loyal):
        """A class inside a class."""

@dataclass(frozen=True)
class Pest(rb.attacks.Garcelon):
    """An attack."""

@dataclass(frozen=True, kw_only=True)
class Little(rb.environments.Simulation):
    """An environment."""

class NoRecipe:
    pass
'''

HELPER = """
from robustbandits.extend import kernel

@kernel
def neighbor(arm):
    return arm + 0
"""

TOML = """
rounds = 200
seeds = 1

[environments.Mine]
kind = "mymodule:Little"
arms = 4

[attacks.Mine]
kind = "mymodule:Pest"
budget = 5

[policies.Mine]
kind = "mymodule:Loyal"
arm = [1, 2]

[policies.nested]
kind = "mymodule:Outer.Inner"
preset = "third"
"""
SPEC = "[environments.Simulation]\n[policies.LinUCB]\n[policies.Mine]\n{}"


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a module and a spec. Python does not look for modules there."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mymodule.py").write_text(MODULE)
    (folder / "myhelper.py").write_text(HELPER)
    (folder / "broken.py").write_text("1 / 0\n")
    (folder / "spec.toml").write_text(TOML)
    return folder


@pytest.fixture
def path(monkeypatch):
    """Undo what a test adds to Python's path and imports from there."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield sys.path
    for name in ("mymodule", "myhelper", "broken"):
        sys.modules.pop(name, None)


@pytest.fixture
def on_path(folder, path):
    path.insert(0, str(folder))


@pytest.mark.parametrize(
    ("section", "kind", "line"),
    [("environments", "Little", 6), ("attacks", "Pest", 10), ("policies", "Loyal", 14)],
)
def test_nothing_is_imported_without_permission(folder, on_path, section, kind, line):
    text = TOML
    for name, own in (("Little", "Simulation"), ("Pest", "Garcelon")):
        if name != kind:
            text = text.replace(f"mymodule:{name}", own)
    with pytest.raises(SpecError, match=rf"'mymodule:{kind}' needs the module mymodule") as caught:
        parse_spec(text)
    assert caught.value.line == line
    for remedy in ("--allow-import", "allow_import=True"):
        assert remedy in str(caught.value)
    with pytest.raises(ValueError, match="allow_import=True"):
        parse_recipe(section, f"mymodule:{kind}")
    assert "mymodule" not in sys.modules
    assert not (folder / "imported").exists()


def test_toml_and_python_give_the_same_recipes_and_ids(folder, on_path):
    read = read_spec(folder / "spec.toml", allow_import=True)
    mine = importlib.import_module("mymodule")
    made = Spec(
        name="spec",
        environments={"Mine": mine.Little(arms=4)},
        attacks={"Mine": mine.Pest(5)},
        policies={
            "Mine(arm=1)": mine.Loyal(arm=1),
            "Mine(arm=2)": mine.Loyal(arm=2),
            "nested": mine.Outer.Inner(arm=2),
        },
        rounds=200,
        seeds=1,
    )
    assert read == made
    assert read.id == made.id
    assert make_plan(read).matches == make_plan(made).matches
    # Ids are hashes of these texts: a change would orphan stored games.
    inner = '{"arm":2,"module":"mymodule.Outer.Inner","name":"Inner"}'
    assert identity(read.policies["nested"]) == inner


@pytest.mark.parametrize(
    ("table", "line", "message"),
    [
        ('kind = "nowhere:Loyal"', 4, "cannot import 'nowhere:Loyal': ModuleNotFoundError: No mod"),
        ('kind = "broken:Loyal"', 4, "cannot import 'broken:Loyal': ZeroDivisionError: division"),
        ('kind = "mymodule:Royal"', 4, "AttributeError: module 'mymodule' has no attribute 'Roya"),
        ('kind = "mymodule:"', 4, "mymodule: is not a recipe class; expected a dataclass derived"),
        ('kind = "mymodule:NoRecipe"', 4, "mymodule:NoRecipe is not a recipe class"),
        ('kind = "my-module:Loyal"', 4, "cannot import 'my-module:Loyal': ValueError: invalid"),
        ('kind = "mymodule:Pest"\nbudget = 1', 3, "policies must be a policy.*got an attack"),
        ('kind = "mymodule:Loyal"\nram = 1', 5, "ram is not a parameter of Loyal; did you mean"),
        ('kind = "mymodule:Loyal"\narm = -1', 5, "arm must be >= 0, got -1"),
        ('kind = "mymodule:Loyal"\npreset = "first"', 5, "Loyal has no preset 'first'"),
    ],
)
def test_an_error_names_the_line_and_the_reason(on_path, table, line, message):
    with pytest.raises(SpecError, match=message) as caught:
        parse_spec(SPEC.format(table), allow_import=True)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "kind", "arm"),
    [
        ("mymodule:Loyal", "Loyal", 0),
        (" mymodule:Loyal(arm=1) ", "Loyal", 1),
        ("mymodule:Loyal.third", "Loyal", 2),
        ("mymodule:Outer.Inner(arm=3)", "Inner", 3),
        ("mymodule:Outer.Inner.third()", "Inner", 2),
    ],
)
def test_a_third_party_recipe_can_be_typed_on_one_line(on_path, text, kind, arm):
    recipe = parse_recipe("policies", text, allow_import=True)
    assert (type(recipe).__name__, recipe.arm) == (kind, arm)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mymodule:Loyal.first", "has no attribute 'first'"),
        ("mymodule:Loyal.start", "Loyal has no preset 'start'"),
        ("mymodule:Pest(5)", "got an attack"),
        ("mymodule:Loyal().third", "is not a recipe"),
        ("mymodule:", "is not a recipe"),
    ],
)
def test_text_that_is_not_a_third_party_recipe_is_refused(on_path, text, message):
    with pytest.raises(ValueError, match=message):
        parse_recipe("policies", text, allow_import=True)


def test_a_worker_without_the_module_says_so(on_path, monkeypatch):
    policy = parse_recipe("policies", "mymodule:Loyal", allow_import=True)
    simulation = rb.environments.Simulation(arms=4)
    match = MatchPart(simulation, [(rb.attacks.NoAttack(), policy)], [("", "", "")], 10, 0, 10)
    message = pack_match(match)
    assert play_message(message)[0].pulls.tolist() == [10, 0, 0, 0]
    monkeypatch.delitem(sys.modules, "mymodule")
    monkeypatch.setattr(sys, "path", sys.path[1:])
    with pytest.raises(EngineError, match=r"No module named 'mymodule'; put the same modules on"):
        play_message(message)


def test_a_store_is_continued_with_permission_and_reported_without_it(folder, path, tmp_path):
    spec, store, report = folder / "spec.toml", tmp_path / "store", tmp_path / "report"
    refused = invoke("run", spec, "--store", store, code=1)
    assert f"{spec}, line 6: kind: 'mymodule:Little' needs the module mymodule" in refused.stderr
    assert str(folder) not in path
    for seeds in (1, 2):
        spec.write_text(TOML.replace("seeds = 1", f"seeds = {seeds}"))
        result = invoke("run", spec, "--store", store, "--allow-import", "--json")
        facts = json.loads(result.stdout)
        assert (facts["played"], facts["found"]) == (1, seeds - 1)

    del sys.modules["mymodule"]
    (experiment,) = Store(store).experiments()
    assert [ledger.pulls.argmax() for ledger in experiment.ledgers] == [1, 2, 2] * 2
    with pytest.raises(ValueError, match=r"mymodule\.Loyal is a third-party class.*--allow-import"):
        experiment.spec.policies["Mine(arm=1)"].start(None)
    invoke("report", store, "--out", report)
    assert "Mine(arm=2)" in (report / "index.html").read_text()
    assert "mymodule" not in sys.modules


def test_play_and_list_find_a_module_in_the_current_folder(folder, path, monkeypatch):
    monkeypatch.chdir(folder)
    recipe = ["play", "--policy", "mymodule:Loyal(arm=1)", "--rounds", "20"]
    listing = ["list", "policies", "mymodule:Loyal"]
    for arguments in (recipe, listing):
        refused = invoke(*arguments, code=1)
        assert "'mymodule:Loyal' needs the module mymodule" in refused.stderr
    assert "most pulled share  1\n" in invoke(*recipe, "--allow-import").stdout
    assert invoke(*listing, "--allow-import").stdout == (
        "mymodule:Loyal: Play the same arm in every round.\n"
        "    parameters: arm=0\n    presets: third\n\n"
    )


def command(cwd, *arguments):
    """Run the command line as its console script does: without the current folder on the path."""
    line = [sys.executable, "-P", "-m", "robustbandits", *map(str, arguments)]
    done = subprocess.run(line, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["threads", "processes", "dask"])
def test_every_engine_plays_third_party_recipes(engine, folder, on_path, tmp_path):
    if engine == "dask":
        pytest.importorskip("distributed")
    options = ("--allow-import", "--engine", engine, "--workers", 1, "--json")
    facts = command(tmp_path, "run", folder / "spec.toml", "--store", "store", *options)
    assert (facts["played"], facts["found"]) == (1, 0)
    (experiment,) = Store(tmp_path / "store").experiments()
    expected = run(read_spec(folder / "spec.toml", allow_import=True), progress=False)
    assert len(experiment.ledgers) == 3
    assert bits(experiment.ledgers) == bits(expected.ledgers())
