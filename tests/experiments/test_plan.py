"""A plan depends only on its spec, and a game's id only on what determines its numbers."""

import dataclasses
import hashlib
import json
from dataclasses import dataclass

import pytest

import robustbandits as rb
from robustbandits.experiments import plan as plan_module
from robustbandits.experiments.plan import MAX_GAMES, make_plan
from robustbandits.experiments.spec import Spec, parse_spec
from robustbandits.game.recipe import Recipe

SPEC = Spec(
    name="test",
    environments=[rb.environments.Simulation(), rb.environments.Simulation(contexts="fixed")],
    attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(10.0)],
    policies=[rb.policies.LinUCB(), rb.policies.Greedy(), rb.policies.LinTS()],
    rounds=100,
    seeds=[4, 2],
    points=10,
)


def ids(spec):
    return [game.id for match in make_plan(spec).matches for game in match.games]


def test_a_plan_lists_every_game_once_in_order():
    plan = make_plan(SPEC)
    assert [(match.environment, match.seed) for match in plan.matches] == [
        (label, seed) for label in SPEC.environments for seed in (4, 2)
    ]
    for match in plan.matches:
        assert (match.rounds, match.points) == (100, 10)
        pairs = [(game.attack, game.policy) for game in match.games]
        assert pairs == [(attack, policy) for attack in SPEC.attacks for policy in SPEC.policies]
    assert plan.games == SPEC.games == 24
    assert plan.rounds == 2400
    assert len(set(ids(SPEC))) == 24
    assert len({match.id for match in plan.matches}) == 4


def test_equal_specs_give_equal_plans():
    assert make_plan(SPEC) == make_plan(SPEC)
    again = Spec.from_dict(json.loads(json.dumps(SPEC.to_dict())))
    assert make_plan(again) == make_plan(SPEC)


def test_labels_and_descriptions_do_not_change_ids():
    def numbered(recipes):
        return {f"label {i}": recipe for i, recipe in enumerate(recipes.values())}

    renamed = dataclasses.replace(
        SPEC,
        name="other",
        about="words",
        environments=numbered(SPEC.environments),
        attacks=numbered(SPEC.attacks),
        policies=numbered(SPEC.policies),
    )
    assert ids(renamed) == ids(SPEC)
    old, new = make_plan(SPEC).matches, make_plan(renamed).matches
    assert [match.id for match in new] == [match.id for match in old]


def test_order_and_other_games_do_not_change_an_id():
    fewer = dataclasses.replace(SPEC, policies=list(SPEC.policies.values())[::-1][:2])
    assert set(ids(fewer)) < set(ids(SPEC))


def id_of_game(**changes):
    values = {
        "environments": rb.environments.Simulation(),
        "attacks": rb.attacks.Garcelon(10.0),
        "policies": rb.policies.RobustLinUCB(5.0),
        "rounds": 50,
        "seeds": [3],
        "points": 20,
    }
    (game,) = ids(Spec(name="one", **{**values, **changes}))
    return game


def variants(recipe, **changes):
    """Return a recipe for each change, with only this parameter changed."""
    return [dataclasses.replace(recipe, **{key: value}) for key, value in changes.items()]


def test_every_parameter_changes_the_id():
    simulation, garcelon = rb.environments.Simulation(), rb.attacks.Garcelon(10.0)
    environments = variants(simulation, arms=3, dim=3, noise=0.2, contexts="fixed", intercept=False)
    attacks = variants(garcelon, budget=9, purse="skip", top=0.1, replace="floor", noise=1)
    changes = {"budget": 6, "ridge": 1, "delta": 0.1, "sigma": 1, "radius": "det"}
    changes |= {"ties": "first", "bonus": "l1", "max_corruption": 2}
    policies = variants(rb.policies.RobustLinUCB(5.0), **changes)
    assert set(changes) == {field.name for field in dataclasses.fields(policies[0])}
    changed = [
        *({"environments": environment} for environment in environments),
        *({"attacks": attack} for attack in attacks),
        *({"policies": policy} for policy in [*policies, rb.policies.LinUCB()]),
        {"rounds": 51},
        {"seeds": [4]},
        {"points": 21},
    ]
    found = {id_of_game(), *(id_of_game(**change) for change in changed)}
    assert len(found) == len(changed) + 1


def test_the_kernel_version_is_part_of_the_id(monkeypatch):
    before = id_of_game()
    monkeypatch.setattr(plan_module, "KERNEL_VERSION", "another")
    assert id_of_game() != before


def test_an_id_is_the_hash_of_canonical_json():
    values = {
        "environment": rb.environments.Simulation().to_dict(),
        "attack": rb.attacks.Garcelon(10.0).to_dict(),
        "policy": rb.policies.RobustLinUCB(5.0).to_dict(),
        "rounds": 50,
        "seed": 3,
        "points": 20,
        "kernels": plan_module.KERNEL_VERSION,
    }
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    assert id_of_game() == hashlib.sha256(text.encode()).hexdigest()[:32]


def test_an_id_stays_the_same_over_versions():
    # Stores on users' disks hold it. It may change only together with KERNEL_VERSION.
    policy = rb.policies.RobustLinUCB(5.0, bonus="l2")
    assert id_of_game(policies=policy) == "345166fb04f4a5108c0516184c140e27"


@dataclass(frozen=True, kw_only=True)
class Logged(Recipe):
    """An environment whose data are not in its parameters."""

    path: str = "ratings.csv"

    @property
    def fingerprint(self):
        return CONTENTS[self.path]

    def start(self, rounds, seed):
        return rb.environments.Simulation().start(rounds, seed)


CONTENTS = {"ratings.csv": "aa"}


def test_the_data_behind_a_recipe_are_part_of_the_id(monkeypatch):
    before = id_of_game(environments=Logged())
    assert id_of_game(environments=Logged()) == before
    monkeypatch.setitem(CONTENTS, "ratings.csv", "bb")
    assert id_of_game(environments=Logged()) != before


def test_too_many_games_are_refused_without_listing_them():
    many = str(list(range(1, 2001)))
    text = f"seeds = 1000\n[environments.Simulation]\n[policies.LinUCB]\nsigma = {many}\n"
    spec = parse_spec(text + f"[attacks.Garcelon]\nbudget = {many}\n")
    assert spec.games == 4 * 10**9 > MAX_GAMES
    with pytest.raises(ValueError, match="has 4,000,000,000 games; at most 2,000,000"):
        make_plan(spec)
