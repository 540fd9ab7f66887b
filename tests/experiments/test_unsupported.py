"""A policy that cannot play in an environment is refused at once or skipped, as the spec says."""

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

import pytest

import robustbandits as rb
from experiments.lab import bits, contents, small_spec
from robustbandits.experiments.estimate import describe, estimate
from robustbandits.experiments.plan import Plan, make_plan
from robustbandits.experiments.runner import run
from robustbandits.experiments.spec import Spec, parse_spec
from robustbandits.experiments.store.plan_file import decode_plan, encode_plan
from robustbandits.experiments.store.store import Store
from robustbandits.game.problem import UnsupportedProblem
from robustbandits.game.recipe import Recipe
from robustbandits.policies._fixed_arms import refuse_changing_arms
from robustbandits.reports.rerun import to_toml
from robustbandits.reports.write import write_report

FRESH = rb.environments.Simulation(arms=4, dim=2)
FIXED = rb.environments.Simulation(arms=4, dim=2, contexts="fixed")


@dataclass(frozen=True, kw_only=True)
class FixedArmsOnly(Recipe):
    """LinUCB, but only for arms that never change."""

    level: float = 1.0

    def start(self, problem) -> Any:
        refuse_changing_arms(problem, self.name)
        return rb.policies.LinUCB(sigma=0.2).start(problem)


def spec(**changes):
    parts = {
        "environments": {"fresh": FRESH, "fixed": FIXED},
        "policies": {
            "LinUCB": rb.policies.LinUCB(),
            "FixedArmsOnly": FixedArmsOnly(),
            "Greedy": rb.policies.Greedy(),
        },
        "unsupported": "skip",
        "seeds": 2,
        **changes,
    }
    return small_spec(**parts)


def games_of(plan, environment):
    return [
        (game.attack, game.policy)
        for match in plan.matches
        if match.environment == environment
        for game in match.games
    ]


def test_refuse_is_the_default_and_does_not_change_older_specs():
    assert small_spec().unsupported == "refuse"
    assert "unsupported" not in small_spec().to_dict()
    assert Spec.from_dict(small_spec().to_dict()) == small_spec()


def test_skip_is_part_of_the_spec():
    made = spec()
    again = Spec.from_dict(json.loads(json.dumps(made.to_dict())))
    assert again.unsupported == "skip"
    assert again.id == made.id != spec(unsupported="refuse").id


def test_skip_is_written_to_toml_and_read_back():
    made = spec(policies={"LinUCB": rb.policies.LinUCB()})
    assert parse_spec(to_toml(made)).unsupported == "skip"
    assert "unsupported" not in to_toml(dataclasses.replace(made, unsupported="refuse"))


def test_a_policy_is_skipped_only_where_it_cannot_play():
    plan = make_plan(spec())
    attacks = list(spec().attacks)
    able, everyone = ("LinUCB", "Greedy"), ("LinUCB", "FixedArmsOnly", "Greedy")
    assert games_of(plan, "fresh") == 2 * [(a, p) for a in attacks for p in able]
    assert games_of(plan, "fixed") == 2 * [(a, p) for a in attacks for p in everyone]
    assert plan.skipped == {"fresh": ["FixedArmsOnly"]}
    assert plan.games == 2 * 2 * (2 + 3) < spec().games
    assert make_plan(spec()) == plan


def test_skipping_does_not_change_the_ids_of_other_games():
    def ids(plan):
        return {
            (match.environment, match.seed, game.attack, game.policy): game.id
            for match in plan.matches
            for game in match.games
        }

    skipping, refusing = ids(make_plan(spec())), ids(make_plan(spec(unsupported="refuse")))
    assert skipping == {key: refusing[key] for key in skipping}
    alone = spec(policies={"LinUCB": rb.policies.LinUCB(), "Greedy": rb.policies.Greedy()})
    fresh = [match.id for match in make_plan(alone).matches if match.environment == "fresh"]
    assert fresh == [m.id for m in make_plan(spec()).matches if m.environment == "fresh"]


def test_an_environment_that_no_policy_can_play_is_named():
    with pytest.raises(ValueError, match="no policy of small can play in fresh"):
        make_plan(spec(policies={"FixedArmsOnly": FixedArmsOnly()}))


@dataclass(frozen=True, kw_only=True)
class Broken(Recipe):
    """A policy that fails in every environment."""

    def start(self, problem) -> Any:
        raise ValueError("this is a mistake")


def test_other_mistakes_are_not_skipped():
    with pytest.raises(ValueError, match="this is a mistake"):
        make_plan(spec(policies={"Broken": Broken()}))


def test_a_description_names_the_skipped_policies():
    plan = make_plan(spec())
    assert "in fresh without FixedArmsOnly" in describe(plan, estimate(plan))
    even = make_plan(small_spec())
    assert "without" not in describe(even, estimate(even))


def without_game_ids(plan):
    """Return a plan as its file has it."""
    matches = [
        match._replace(games=tuple(game._replace(id="") for game in match.games))
        for match in plan.matches
    ]
    return Plan(plan.spec, tuple(matches))


def test_a_plan_with_the_same_games_everywhere_has_the_first_file_format():
    even = make_plan(small_spec())
    _, data = encode_plan(even)
    values = json.loads(data)
    assert values["format"] == 1
    assert values["games"] == [[game.attack, game.policy] for game in even.matches[0].games]
    assert decode_plan(data) == without_game_ids(even)


def test_a_plan_with_skipped_policies_lists_games_by_environment():
    plan = make_plan(spec(policies={"LinUCB": rb.policies.LinUCB(), "MLAER": rb.policies.MLAER()}))
    _, data = encode_plan(plan)
    values = json.loads(data)
    assert values["format"] == 2
    assert {label: len(games) for label, games in values["games"].items()} == {
        "fresh": 2,
        "fixed": 4,
    }
    assert decode_plan(data) == without_game_ids(plan)


def test_run_raises_the_policys_error_before_anything_is_written(tmp_path):
    message = r"FixedArmsOnly needs the same arms.*CautiousLinUCB"
    with pytest.raises(UnsupportedProblem, match=message):
        run(spec(unsupported="refuse"), tmp_path / "store", progress=False)
    assert not (tmp_path / "store").exists()


def test_compare_raises_before_anything_is_played(monkeypatch):
    monkeypatch.setattr("robustbandits.experiments.runner.Game", None)
    with pytest.raises(UnsupportedProblem, match="FixedArmsOnly needs the same arms"):
        rb.compare(environments=[FIXED, FRESH], policies=[FixedArmsOnly()], rounds=10, seeds=1)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    return run(spec(), tmp_path_factory.mktemp("store"), progress=False)


def test_the_store_returns_every_game_with_its_labels(outcome):
    found = outcome.ledgers()
    labels = [(item.environment, item.seed, item.attack, item.policy) for item in found]
    assert labels == [
        (match.environment, match.seed, game.attack, game.policy)
        for match in outcome.plan.matches
        for game in match.games
    ]
    (read,) = Store(outcome.store.folder).experiments()
    assert bits(read.ledgers) == bits(found)
    alone = rb.compare(
        environments={"fixed": FIXED},
        attacks=outcome.plan.spec.attacks,
        policies={"Greedy": rb.policies.Greedy()},
        rounds=200,
        seeds=2,
        points=50,
        progress=False,
    )
    greedy = [item for item in found if (item.environment, item.policy) == ("fixed", "Greedy")]
    assert bits(greedy) == bits(alone.ledgers)
    assert run(spec(), outcome.store.folder, progress=False).played == 0


def test_matches_without_a_plan_are_one_experiment(outcome, tmp_path):
    for name, data in contents(outcome.store.folder).items():
        if not name.startswith("plans"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(data)
    (found,) = Store(tmp_path).experiments()
    assert bits(found.ledgers) == bits(outcome.ledgers())


def test_a_report_shows_the_policy_where_it_played(outcome, tmp_path):
    write_report(outcome.store.experiments(), tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "FixedArmsOnly" in text
