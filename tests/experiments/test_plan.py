"""A plan is pure; an id says what a game is, and nothing else."""

import dataclasses
import hashlib
import json
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_plan_lists_every_game_once_in_order():
    plan = make_plan(SPEC)
    assert [(m.environment, m.seed) for m in plan.matches] == [
        (place, seed) for place in SPEC.environments for seed in (4, 2)
    ]
    for match in plan.matches:
        assert (match.rounds, match.points) == (100, 10)
        pairs = [(game.attack, game.policy) for game in match.games]
        assert pairs == [(a, p) for a in SPEC.attacks for p in SPEC.policies]
    assert plan.games == SPEC.games == 24
    assert plan.rounds == 2400
    assert len(set(ids(SPEC))) == 24
    assert len({match.id for match in plan.matches}) == 4


def test_plan_is_pure():
    assert make_plan(SPEC) == make_plan(SPEC)
    again = Spec.from_dict(json.loads(json.dumps(SPEC.to_dict())))
    assert make_plan(again) == make_plan(SPEC)


def test_labels_and_descriptions_do_not_change_ids():
    renamed = dataclasses.replace(
        SPEC,
        name="other",
        about="words",
        environments={f"e{i}": one for i, one in enumerate(SPEC.environments.values())},
        attacks={f"a{i}": one for i, one in enumerate(SPEC.attacks.values())},
        policies={f"p{i}": one for i, one in enumerate(SPEC.policies.values())},
    )
    assert ids(renamed) == ids(SPEC)
    assert [m.id for m in make_plan(renamed).matches] == [m.id for m in make_plan(SPEC).matches]


def test_order_and_company_do_not_change_a_games_id():
    fewer = dataclasses.replace(SPEC, policies=list(SPEC.policies.values())[::-1][:2])
    assert set(ids(fewer)) < set(ids(SPEC))


def one_game(**changes):
    values = {
        "environment": rb.environments.Simulation(),
        "attack": rb.attacks.Garcelon(10.0),
        "policy": rb.policies.RobustLinUCB(5.0),
        "rounds": 50,
        "seed": 3,
        "points": 20,
    }
    values.update(changes)
    spec = Spec(
        name="one",
        environments=[values["environment"]],
        attacks=[values["attack"]],
        policies=[values["policy"]],
        rounds=values["rounds"],
        seeds=[values["seed"]],
        points=values["points"],
    )
    return ids(spec)[0]


def test_every_parameter_changes_the_id():
    places = [{"arms": 3}, {"dim": 3}, {"noise": 0.2}, {"contexts": "fixed"}, {"intercept": False}]
    crooks = [{"budget": 9}, {"purse": "skip"}, {"top": 0.1}, {"replace": "floor"}, {"noise": 1}]
    players = [
        {"budget": 6},
        {"ridge": 1},
        {"delta": 0.1},
        {"sigma": 1},
        {"radius": "det"},
        {"ties": "first"},
        {"bonus": "l1"},
        {"max_corruption": 2},
    ]
    assert {key for one in players for key in one} == {
        field.name for field in dataclasses.fields(rb.policies.RobustLinUCB)
    }
    changed = [
        *({"environment": rb.environments.Simulation(**one)} for one in places),
        *({"attack": rb.attacks.Garcelon(**{"budget": 10.0, **one})} for one in crooks),
        *({"policy": rb.policies.RobustLinUCB(**{"budget": 5.0, **one})} for one in players),
        {"rounds": 51},
        {"seed": 4},
        {"points": 21},
        {"policy": rb.policies.LinUCB()},
    ]
    assert len({one_game(), *(one_game(**one) for one in changed)}) == len(changed) + 1


@settings(deadline=None)
@given(
    st.floats(min_value=0, allow_nan=False, max_value=1e300),
    st.floats(min_value=0, allow_nan=False, max_value=1e300),
)
def test_budgets_that_differ_give_ids_that_differ(one, other):
    same = one_game(attack=rb.attacks.Garcelon(one)) == one_game(attack=rb.attacks.Garcelon(other))
    assert same == (one == other)


def test_kernel_version_is_part_of_the_id(monkeypatch):
    before = one_game()
    monkeypatch.setattr(plan_module, "KERNEL_VERSION", "another")
    assert one_game() != before


def test_id_is_the_hash_of_canonical_json():
    words = {
        "environment": rb.environments.Simulation().to_dict(),
        "attack": rb.attacks.Garcelon(10.0).to_dict(),
        "policy": rb.policies.RobustLinUCB(5.0).to_dict(),
        "rounds": 50,
        "seed": 3,
        "points": 20,
        "kernels": plan_module.KERNEL_VERSION,
    }
    text = json.dumps(words, sort_keys=True, separators=(",", ":"))
    assert one_game() == hashlib.sha256(text.encode()).hexdigest()[:32]


def test_id_stays_what_it_was():
    # Stores on users' disks hold it. It may change only together with KERNEL_VERSION.
    assert one_game() == "345166fb04f4a5108c0516184c140e27"


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


def test_data_behind_a_recipe_are_part_of_the_id(monkeypatch):
    before = one_game(environment=Logged())
    assert one_game(environment=Logged()) == before
    monkeypatch.setitem(CONTENTS, "ratings.csv", "bb")
    assert one_game(environment=Logged()) != before


def test_more_games_than_memory_are_refused_without_listing_them():
    many = str(list(range(1, 2001)))
    text = f"seeds = 1000\n[environments.Simulation]\n[policies.LinUCB]\nsigma = {many}\n"
    spec = parse_spec(text + f"[attacks.Garcelon]\nbudget = {many}\n")
    assert spec.games == 4 * 10**9 > MAX_GAMES
    with pytest.raises(ValueError, match="stands for 4,000,000,000 games; at most 2,000,000"):
        make_plan(spec)
