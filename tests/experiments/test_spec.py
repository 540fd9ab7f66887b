"""A spec made in Python: what it accepts, what it refuses, and how it is written to JSON."""

import dataclasses
import json
import math
from dataclasses import dataclass

import pytest

import robustbandits as rb
from robustbandits.experiments.labels import MAX_SEEDS, STAND_IN
from robustbandits.experiments.plan import make_plan
from robustbandits.experiments.recipe_json import Outsider
from robustbandits.experiments.runner import run
from robustbandits.experiments.spec import Spec, parse_spec, read_spec, ready_specs
from robustbandits.game.recipe import Recipe

SIMULATION = rb.environments.Simulation()


def spec(**changes):
    values = {
        "name": "test",
        "environments": [SIMULATION],
        "attacks": [rb.attacks.NoAttack(), rb.attacks.Garcelon(10.0)],
        "policies": [rb.policies.LinUCB(), rb.policies.Greedy()],
        "rounds": 100,
        "seeds": 3,
    }
    return Spec(**{**values, **changes})


def from_json(made):
    return Spec.from_dict(json.loads(json.dumps(made.to_dict(), allow_nan=False)))


def test_lists_get_the_recipes_names_as_labels():
    made = spec()
    assert list(made.environments) == ["Simulation"]
    assert list(made.attacks) == ["NoAttack", "Garcelon"]
    assert made.seeds == (0, 1, 2)
    assert made.games == 1 * 2 * 2 * 3


def test_recipes_of_the_same_name_get_their_parameters_as_labels():
    made = spec(attacks=[rb.attacks.Garcelon(1), rb.attacks.Garcelon(2)])
    assert list(made.attacks) == ["Garcelon(budget=1.0)", "Garcelon(budget=2.0)"]


def test_a_mapping_keeps_its_labels_and_their_order():
    made = spec(policies={"z": rb.policies.LinUCB(), "a": rb.policies.Greedy()})
    assert list(made.policies) == ["z", "a"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"environments": []}, "environments is empty"),
        ({"policies": [rb.policies.LinUCB]}, r"policies must be a recipe.*add \(\)"),
        ({"rounds": 10**15}, "rounds must be <= 1,000,000,000,000"),
        ({"seeds": [1, 1]}, "seeds must be different numbers"),
        ({"seeds": "many"}, "seeds must be a whole number"),
        ({"seeds": MAX_SEEDS + 1}, "seeds must be <= 1,000,000"),
        ({"seeds": [2**63]}, "seeds must be <= 9223372036854775807"),
        ({"points": 10**9}, "points must be <= 1,000,000"),
        ({"name": "two\nlines"}, "name must be one line of text"),
        ({"about": 3}, "about must be text"),
        ({"unsupported": "ignore"}, "unsupported must be one of"),
        ({"policies": {" ": rb.policies.LinUCB()}}, "policies: a label must be one line of text"),
        ({"policies": 2 * [rb.policies.LinUCB()]}, "policies has the label 'LinUCB' twice"),
    ],
)
def test_bad_values_are_refused_by_name(changes, message):
    with pytest.raises((ValueError, TypeError), match=message):
        spec(**changes)


def test_replace_makes_a_checked_copy():
    assert dataclasses.replace(spec(), rounds=7).rounds == 7
    with pytest.raises(ValueError, match="rounds"):
        dataclasses.replace(spec(), rounds=0)


@pytest.mark.parametrize("budget", [10.0, math.inf])
def test_a_spec_is_read_back_from_strict_json(budget):
    made = spec(
        attacks=[rb.attacks.Garcelon(budget)],
        policies=[rb.policies.BOBNoRestart(candidates=[0, 1.5]), rb.policies.RobustBandit()],
    )
    again = from_json(made)
    assert again == made
    assert again.id == made.id
    assert hash(again) == hash(made)
    assert list(again.policies) == list(made.policies)


def test_everything_in_a_spec_changes_its_id():
    changed = [
        spec(name="other"),
        spec(about="words"),
        spec(rounds=101),
        spec(seeds=4),
        spec(seeds=[0, 1, 3]),
        spec(points=10),
        spec(unsupported="skip"),
        spec(policies=[rb.policies.LinUCB()]),
        spec(policies={"x": rb.policies.LinUCB(), "Greedy": rb.policies.Greedy()}),
        spec(attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(11.0)]),
    ]
    assert len({made.id for made in [spec(), *changed]}) == len(changed) + 1


def test_missing_and_unknown_values_in_a_dict_are_named():
    values = spec().to_dict()
    with pytest.raises(ValueError, match="and no others; missing or unknown: speed"):
        Spec.from_dict({**values, "speed": 3})
    with pytest.raises(ValueError, match="and no others; missing or unknown: rounds"):
        Spec.from_dict({key: value for key, value in values.items() if key != "rounds"})


def test_an_unknown_recipe_in_a_dict_suggests_a_newer_version():
    values = spec().to_dict()
    values["policies"]["new"] = {"name": "LinUBC"}
    with pytest.raises(
        ValueError, match=r"no policy 'LinUBC'; did you mean LinUCB\?.*newer version"
    ):
        Spec.from_dict(values)


@dataclass(frozen=True, kw_only=True)
class Mine(Recipe):
    level: float = 1.0

    def start(self, problem):
        return None


def test_a_third_party_recipe_is_kept_in_a_file_but_cannot_play_from_it():
    made = spec(policies=[Mine(level=2.0)])
    module = made.to_dict()["policies"]["Mine"]["module"]
    assert module == f"{Mine.__module__}.Mine"  # so that two classes of one name stay apart
    again = from_json(made)
    outsider = again.policies["Mine"]
    assert isinstance(outsider, Outsider)
    assert outsider.name == "Mine"
    assert "level=2.0" in outsider.label
    assert again.to_dict() == made.to_dict()
    assert again.id == made.id
    with pytest.raises(ValueError, match=r"Mine is a third-party class.*in Python"):
        outsider.start(None)


class WithoutParameters:
    name = "WithoutParameters"

    def start(self, problem):
        return rb.policies.LinUCB().start(problem)


def test_a_recipe_without_to_dict_cannot_be_stored(tmp_path):
    made = spec(policies=[WithoutParameters()])
    assert make_plan(made).games == 6
    with pytest.raises(TypeError, match=r"WithoutParameters has no to_dict\(\)"):
        run(made, tmp_path / "store", progress=False)
    assert not (tmp_path / "store").exists()


@dataclass(frozen=True, kw_only=True)
class Imitation(Recipe):
    stand_in = True

    def start(self, rounds, seed):
        return SIMULATION.start(rounds, seed)


@pytest.mark.parametrize("environments", [[Imitation()], {"Netflix": Imitation()}])
def test_the_label_of_a_stand_in_warns(environments):
    made = spec(environments=environments)
    (label,) = made.environments
    assert label.endswith(STAND_IN)
    again = dataclasses.replace(made, rounds=5)
    assert list(again.environments) == [label]  # the warning is added once


@pytest.mark.parametrize("name", list(ready_specs()))
def test_ready_specs_are_valid_and_have_the_name_of_their_file(name):
    made = read_spec(name)
    assert made.name == name
    assert made.about
    assert from_json(made) == made == parse_spec(ready_specs()[name])


def test_about_that_no_report_could_write_is_refused():
    with pytest.raises(ValueError, match="about must be text without lone surrogates"):
        Spec(
            name="s",
            environments=[rb.environments.Simulation()],
            policies=[rb.policies.LinUCB()],
            about="half \ud83d of a sign",
        )
