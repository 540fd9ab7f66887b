"""Python objects that play in specs: ``kind = "module:object"``, and what is stored of them."""

import json
import sys

import pytest

import robustbandits as rb
from cli.commands import invoke
from experiments.lab import bits
from robustbandits.experiments.estimate import describe, estimate
from robustbandits.experiments.plan import identity, make_plan
from robustbandits.experiments.recipe_text import parse_recipe
from robustbandits.experiments.runner import run
from robustbandits.experiments.spec import Spec, SpecError, parse_spec, read_spec
from robustbandits.experiments.store.store import Store

MODULE = """
class Loyal:
    def __init__(self, arm=0, seed=None):
        assert seed is not None
        self.arm = arm

    def choose(self, contexts):
        return self.arm

    def learn(self, contexts, arm, reward):
        assert arm == self.arm

class Second(Loyal):
    version = 2

def make(arm, arms):
    return Loyal(arm % arms, seed=0)

always_three = Loyal(3, seed=0)

class CannotLearn:
    def choose(self, contexts):
        return 0
"""
TOML = """
rounds = 50
seeds = 2

[environments.Simulation]
arms = 4

[attacks.Garcelon]
budget = 5

[policies.mine]
kind = "myobjects:Loyal"
arm = [1, 2]

[policies.made]
kind = "myobjects:make"
arm = 4

[policies.copied]
kind = "myobjects:always_three"
"""
PULLED = [1, 2, 0, 3]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "myobjects.py").write_text(MODULE)
    (tmp_path / "spec.toml").write_text(TOML)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    sys.modules.pop("myobjects", None)


def test_a_spec_names_classes_functions_and_objects(folder):
    spec = read_spec(folder / "spec.toml", allow_import=True)
    assert list(spec.policies) == ["mine(arm=1)", "mine(arm=2)", "made", "copied"]
    ledgers = run(spec).ledgers()
    assert [ledger.pulls.argmax() for ledger in ledgers] == PULLED * 2
    assert spec.policies["mine(arm=1)"].label == "mine(arm=1)"


def test_the_id_of_an_object_is_its_name_in_the_spec_and_where_it_is_imported_from(folder):
    spec = read_spec(folder / "spec.toml", allow_import=True)
    # Ids are hashes of these texts: a change would orphan stored games.
    expected = '{"module":"myobjects:Loyal","name":"mine","parameters":{"arm":1}}'
    assert identity(spec.policies["mine(arm=1)"]) == expected
    second = parse_spec(TOML.replace("objects:Loyal", "objects:Second"), allow_import=True)
    assert '"class version":2' in identity(second.policies["mine(arm=1)"])
    again = read_spec(folder / "spec.toml", allow_import=True)
    assert make_plan(spec).matches == make_plan(again).matches


def test_an_estimate_says_that_objects_take_longer(folder):
    plan = make_plan(read_spec(folder / "spec.toml", allow_import=True))
    assert "made, copied may take far longer" in describe(plan, estimate(plan))


def test_nothing_is_imported_without_permission(folder):
    with pytest.raises(SpecError, match="'myobjects:Loyal' needs the module myobjects"):
        read_spec(folder / "spec.toml")
    assert "myobjects" not in sys.modules


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('kind = "myobjects:CannotLearn"', "myobjects:CannotLearn is not a recipe class"),
        ('kind = "myobjects:Loyal"\nram = 1', "ram is not a parameter of myobjects:Loyal"),
        ('kind = "myobjects:make"', "myobjects:make needs arm"),
        ('kind = "myobjects:always_three"\narm = 1', "arm is not a parameter of myobjects:always"),
    ],
)
def test_an_error_says_what_is_wrong(folder, table, message):
    text = f"[environments.Simulation]\n[policies.mine]\n{table}"
    with pytest.raises(SpecError, match=message):
        parse_spec(text, allow_import=True)


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_games_of_named_objects_are_stored_continued_and_reported(folder, engine, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{folder}:{':'.join(sys.path)}")
    store = folder / "store"
    spec = read_spec(folder / "spec.toml", allow_import=True)
    outcome = run(spec, store, engine=engine, workers=2)
    assert bits(outcome.ledgers()) == bits(run(spec).ledgers())
    assert run(spec, store).played == 0
    del sys.modules["myobjects"]
    (experiment,) = Store(store).experiments()
    assert [ledger.pulls.argmax() for ledger in experiment.ledgers] == PULLED * 2
    with pytest.raises(ValueError, match="myobjects:make is a third-party class"):
        experiment.spec.policies["made"].start(None)
    assert "myobjects" not in sys.modules


def test_an_object_that_no_spec_names_is_played_but_not_stored(folder):
    class Mine:
        def choose(self, contexts):
            return 1

        def learn(self, contexts, arm, reward):
            pass

    simulation = rb.environments.Simulation(arms=4)
    spec = Spec(name="mine", environments=[simulation], policies=[Mine()], rounds=5, seeds=1)
    assert run(spec).ledgers()[0].pulls.tolist() == [0, 5, 0, 0]
    with pytest.raises(TypeError, match=r"Mine is a Python object.*kind = .*run without a store"):
        run(spec, folder / "store")


def test_an_object_can_be_typed_on_one_line(folder):
    policy = parse_recipe("policies", "myobjects:make(arm=2)", allow_import=True)
    assert policy.label == "myobjects:make(arm=2)"
    arguments = ("--policy", "myobjects:Loyal(arm=2)", "--rounds", 5, "--allow-import", "--json")
    facts = json.loads(invoke("play", *arguments).stdout)
    assert facts["policy"] == "myobjects:Loyal(arm=2)"
    assert facts["most_pulled_share"] == 1.0
