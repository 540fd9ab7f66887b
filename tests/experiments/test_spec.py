"""A spec made in Python: what it accepts, what it refuses, and its way through JSON."""

import dataclasses
import json
import math
from dataclasses import dataclass

import pytest

import robustbandits as rb
from robustbandits.experiments.labels import MAX_SEEDS, STAND_IN
from robustbandits.experiments.recipe_json import Outsider
from robustbandits.experiments.spec import Spec, parse_spec, read_spec, ready_specs
from robustbandits.game.recipe import Recipe

PLACE = rb.environments.Simulation()


def spec(**changes):
    values = {
        "name": "test",
        "environments": [PLACE],
        "attacks": [rb.attacks.NoAttack(), rb.attacks.Garcelon(10.0)],
        "policies": [rb.policies.LinUCB(), rb.policies.Greedy()],
        "rounds": 100,
        "seeds": 3,
    }
    return Spec(**{**values, **changes})


def test_lists_get_the_recipes_names_as_labels():
    made = spec()
    assert list(made.environments) == ["Simulation"]
    assert list(made.attacks) == ["NoAttack", "Garcelon"]
    assert made.seeds == (0, 1, 2)


def test_recipes_of_one_name_are_told_apart_by_their_parameters():
    made = spec(attacks=[rb.attacks.Garcelon(1), rb.attacks.Garcelon(2)])
    assert list(made.attacks) == ["Garcelon(budget=1.0)", "Garcelon(budget=2.0)"]


def test_mapping_keeps_its_labels_and_their_order():
    made = spec(policies={"z": rb.policies.LinUCB(), "a": rb.policies.Greedy()})
    assert list(made.policies) == ["z", "a"]


def test_no_attack_is_the_default():
    assert list(spec(attacks=None).attacks.values()) == [rb.attacks.NoAttack()]


def test_games_are_counted():
    assert spec().games == 1 * 2 * 2 * 3


def test_a_billion_games_are_counted_without_being_listed():
    many = {f"p{i}": rb.policies.LinUCB(sigma=i / 1000) for i in range(1000)}
    crooks = {f"a{i}": rb.attacks.Garcelon(i) for i in range(1000)}
    assert spec(policies=many, attacks=crooks, seeds=1000).games == 10**9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"environments": []}, "environments is empty"),
        ({"policies": {}}, "policies is empty"),
        ({"policies": [rb.policies.LinUCB]}, r"policies must be a recipe.*add \(\)"),
        ({"rounds": 0}, "rounds must be >= 1, got 0"),
        ({"rounds": 2.5}, "rounds must be a whole number"),
        ({"seeds": [1, 1]}, "seeds must be different numbers"),
        ({"seeds": []}, "seeds must be different numbers"),
        ({"seeds": -1}, "seeds must be >= 1, got -1"),
        ({"seeds": "many"}, "seeds must be a whole number"),
        ({"seeds": MAX_SEEDS + 1}, "seeds must be <= 1,000,000"),
        ({"seeds": [2**63]}, "seeds must be <= 9223372036854775807"),
        ({"points": 0}, "points must be >= 1"),
        ({"points": 10**9}, "points must be <= 1,000,000"),
        ({"rounds": 10**15}, "rounds must be <= 1,000,000,000,000"),
        ({"name": ""}, "label of name must be a line of text"),
        ({"name": "two\nlines"}, "label of name must be a line of text"),
        ({"about": 3}, "about must be text"),
        ({"policies": {" ": rb.policies.LinUCB()}}, "label of policies must be a line of text"),
        (
            {"policies": [rb.policies.LinUCB(), rb.policies.LinUCB()]},
            "policies has 'LinUCB' twice",
        ),
        (
            {"policies": {"a": rb.policies.LinUCB(), "b": rb.policies.LinUCB()}},
            "'a' and 'b' are one and the same recipe",
        ),
    ],
)
def test_bad_values_are_refused_by_name(changes, message):
    with pytest.raises((ValueError, TypeError), match=message):
        spec(**changes)


def test_spec_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec().rounds = 5


def test_replace_makes_a_checked_copy():
    assert dataclasses.replace(spec(), rounds=7).rounds == 7
    with pytest.raises(ValueError, match="rounds"):
        dataclasses.replace(spec(), rounds=0)


@pytest.mark.parametrize("budget", [10.0, math.inf])
def test_spec_comes_back_from_strict_json_equal(budget):
    made = spec(
        attacks=[rb.attacks.Garcelon(budget)],
        policies=[rb.policies.BOBNoRestart(candidates=[0, 1.5]), rb.policies.RobustBandit()],
    )
    text = json.dumps(made.to_dict(), allow_nan=False)
    again = Spec.from_dict(json.loads(text))
    assert again == made
    assert again.id == made.id
    assert hash(again) == hash(made)
    assert list(again.policies) == list(made.policies)


def test_id_changes_with_everything_the_spec_says():
    changed = [
        spec(name="other"),
        spec(about="words"),
        spec(rounds=101),
        spec(seeds=4),
        spec(seeds=[0, 1, 3]),
        spec(points=10),
        spec(policies=[rb.policies.LinUCB()]),
        spec(policies={"x": rb.policies.LinUCB(), "Greedy": rb.policies.Greedy()}),
        spec(attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(11.0)]),
    ]
    assert len({one.id for one in [spec(), *changed]}) == len(changed) + 1


def test_unknown_values_in_a_dict_are_named():
    values = spec().to_dict()
    with pytest.raises(ValueError, match="not the values of a spec: speed"):
        Spec.from_dict({**values, "speed": 3})
    with pytest.raises(ValueError, match="not the values of a spec: rounds"):
        Spec.from_dict({key: value for key, value in values.items() if key != "rounds"})


def test_unknown_recipe_in_a_dict_suggests_a_newer_version():
    values = spec().to_dict()
    values["policies"]["new"] = {"name": "LinUBC"}
    with pytest.raises(ValueError, match=r"no 'LinUBC'; did you mean LinUCB\?.*newer version"):
        Spec.from_dict(values)


@dataclass(frozen=True, kw_only=True)
class Mine(Recipe):
    level: float = 1.0

    def start(self, problem):
        return None


class Nameless:
    name = "Nameless"

    def start(self, problem):
        return None


def test_an_outsiders_recipe_is_kept_but_cannot_play_from_a_file():
    made = spec(policies=[Mine(level=2.0)])
    again = Spec.from_dict(json.loads(json.dumps(made.to_dict())))
    outsider = again.policies["Mine"]
    assert isinstance(outsider, Outsider)
    assert outsider.name == "Mine"
    assert "level=2.0" in outsider.label
    assert again.to_dict() == made.to_dict()
    assert again.id == made.id
    with pytest.raises(ValueError, match=r"Mine is not part of robustbandits.*in Python"):
        outsider.start(None)


def test_two_outsiders_of_one_name_are_not_mixed_up():
    values = spec(policies=[Mine()]).to_dict()["policies"]["Mine"]
    assert values["module"].endswith(".Mine")
    assert values["module"] != "Mine"


def test_a_recipe_that_cannot_be_written_down_is_refused():
    with pytest.raises(TypeError, match=r"Nameless has no to_dict\(\)"):
        spec(policies=[Nameless()])


@dataclass(frozen=True, kw_only=True)
class Imitation(Recipe):
    stand_in = True

    def start(self, rounds, seed):
        return PLACE.start(rounds, seed)


@pytest.mark.parametrize("environments", [[Imitation()], {"Netflix": Imitation()}])
def test_a_stand_in_says_so_in_its_label(environments):
    made = spec(environments=environments)
    (label,) = made.environments
    assert label.endswith(STAND_IN)
    again = dataclasses.replace(made, rounds=5)
    assert list(again.environments) == [label]  # said once


@pytest.mark.parametrize("name", ["smoke", "budget-sweep"])
def test_ready_specs_are_valid_and_carry_their_own_name(name):
    made = read_spec(name)
    assert made.name == name
    assert made.about
    assert Spec.from_dict(json.loads(json.dumps(made.to_dict()))) == made
    assert made == parse_spec(ready_specs()[name])


def test_budget_sweep_covers_the_budgets_on_a_fixed_catalogue():
    made = read_spec("budget-sweep")
    (place,) = made.environments.values()
    assert place.contexts == "fixed"
    for kind in ("Garcelon", "Oracle"):
        budgets = [one.budget for one in made.attacks.values() if one.name == kind]
        assert budgets == [0.0, 10.0, 100.0, 1000.0]
