"""A policy in an environment it is not made for: refused at once, or left out, as the spec says."""

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

import pytest

import robustbandits as rb
from experiments.lab import bits, picture, small_spec
from robustbandits.experiments.estimate import describe, estimate
from robustbandits.experiments.plan import Plan, make_plan
from robustbandits.experiments.runner import run
from robustbandits.experiments.spec import Spec, SpecError, parse_spec
from robustbandits.experiments.store.plan_file import decode_plan, encode_plan, promise_of
from robustbandits.experiments.store.store import Store
from robustbandits.game.problem import UnsupportedProblem
from robustbandits.game.recipe import Recipe
from robustbandits.policies._fixed_arms import refuse_changing_arms
from robustbandits.reports.rerun import to_toml
from robustbandits.reports.write import write_report

FRESH = rb.environments.Simulation(arms=4, dim=2)
FIXED = rb.environments.Simulation(arms=4, dim=2, contexts="fixed")


@dataclass(frozen=True, kw_only=True)
class Homebody(Recipe):
    """Plays as LinUCB does, and only where arms never change."""

    level: float = 1.0

    def start(self, problem) -> Any:
        refuse_changing_arms(problem, self.name)
        return rb.policies.LinUCB(sigma=0.2).start(problem)


def spec(**changes):
    parts = {
        "environments": {"fresh": FRESH, "fixed": FIXED},
        "policies": {
            "LinUCB": rb.policies.LinUCB(),
            "Homebody": Homebody(),
            "Greedy": rb.policies.Greedy(),
        },
        "unsupported": "skip",
        "seeds": 2,
        **changes,
    }
    return small_spec(**parts)


def games_of(plan, place):
    return [
        (game.attack, game.policy)
        for match in plan.matches
        if match.environment == place
        for game in match.games
    ]


def test_refusing_is_the_default_and_changes_no_spec_of_before():
    assert small_spec().unsupported == "refuse"
    assert "unsupported" not in small_spec().to_dict()
    assert Spec.from_dict(small_spec().to_dict()) == small_spec()


def test_skip_is_part_of_the_spec():
    made = spec()
    again = Spec.from_dict(json.loads(json.dumps(made.to_dict())))
    assert again.unsupported == "skip"
    assert again.id == made.id != spec(unsupported="refuse").id


def test_only_two_words_are_known():
    with pytest.raises(ValueError, match="unsupported must be one of"):
        spec(unsupported="ignore")
    text = 'unsupported = "ignore"\n[environments.Simulation]\n[policies.LinUCB]\n'
    with pytest.raises(SpecError, match=r"line 1: unsupported must be one of"):
        parse_spec(text)


def test_toml_says_it_and_reads_it_back():
    made = spec(policies={"LinUCB": rb.policies.LinUCB()})
    assert parse_spec(to_toml(made)).unsupported == "skip"
    assert "unsupported" not in to_toml(dataclasses.replace(made, unsupported="refuse"))


def test_a_refused_policy_is_left_out_there_and_only_there():
    plan = make_plan(spec())
    crooks = list(spec().attacks)
    assert games_of(plan, "fresh") == 2 * [(a, p) for a in crooks for p in ("LinUCB", "Greedy")]
    everybody = ("LinUCB", "Homebody", "Greedy")
    assert games_of(plan, "fixed") == 2 * [(a, p) for a in crooks for p in everybody]
    assert plan.left_out == {"fresh": ["Homebody"]}
    assert plan.games == 2 * 2 * (2 + 3) < spec().games
    assert make_plan(spec()) == plan


def test_ids_of_the_other_games_stay():
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


def test_an_environment_where_nobody_can_play_is_named():
    with pytest.raises(ValueError, match="no policy of small can play in fresh"):
        make_plan(spec(policies={"Homebody": Homebody()}))


@dataclass(frozen=True, kw_only=True)
class Broken(Recipe):
    """Wrong everywhere, not only where arms change."""

    def start(self, problem) -> Any:
        raise ValueError("this is a mistake")


def test_other_mistakes_are_not_skipped():
    with pytest.raises(ValueError, match="this is a mistake"):
        make_plan(spec(policies={"Broken": Broken()}))


def test_dry_run_names_who_is_left_out():
    plan = make_plan(spec())
    assert "in fresh without Homebody" in describe(plan, estimate(plan))
    even = make_plan(small_spec())
    assert "without" not in describe(even, estimate(even))


def test_plans_of_before_keep_their_files():
    even = make_plan(small_spec())
    _, data = encode_plan(even)
    values = json.loads(data)
    assert values["format"] == 1
    assert values["games"] == [[g.attack, g.policy] for g in even.matches[0].games]
    assert decode_plan(data) == promise_of(even)


def test_uneven_plans_are_remembered_place_by_place():
    plan = make_plan(spec())
    _, data = encode_plan(plan)
    assert json.loads(data)["format"] == 2
    assert decode_plan(data) == promise_of(plan)
    assert [len(games) for games in promise_of(plan).games.values()] == [4, 6]
    part = Plan(plan.spec, plan.matches[2:])
    assert list(promise_of(part).games) == ["fixed"]


def test_run_refuses_in_the_policys_own_words_before_anything_is_there(tmp_path):
    with pytest.raises(UnsupportedProblem, match=r"Homebody needs the same arms.*CautiousLinUCB"):
        run(spec(unsupported="refuse"), tmp_path / "store", progress=False)
    assert not (tmp_path / "store").exists()


def test_compare_refuses_before_anything_is_played(monkeypatch):
    monkeypatch.setattr("robustbandits.results.play_matches", None)
    monkeypatch.setattr("robustbandits.results.warm_up", None)
    with pytest.raises(UnsupportedProblem, match="Homebody needs the same arms"):
        rb.compare(environments=[FIXED, FRESH], policies=[Homebody()], rounds=10, seeds=1)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    return run(spec(), tmp_path_factory.mktemp("store"), progress=False)


def test_store_gives_back_every_game_under_its_own_name(outcome):
    found = outcome.experiment()
    who = [(one.environment, one.seed, one.attack, one.policy) for one in found.ledgers]
    assert who == [
        (match.environment, match.seed, game.attack, game.policy)
        for match in outcome.plan.matches
        for game in match.games
    ]
    (read,) = Store(outcome.store.folder).experiments()
    assert bits(read.ledgers) == bits(found.ledgers)
    alone = rb.compare(
        environments={"fixed": FIXED},
        attacks=outcome.plan.spec.attacks,
        policies={"Greedy": rb.policies.Greedy()},
        rounds=200,
        seeds=2,
        points=50,
        progress=False,
    )
    greedy = [one for one in found.ledgers if (one.environment, one.policy) == ("fixed", "Greedy")]
    assert bits(greedy) == bits(alone.ledgers)
    assert run(spec(), outcome.store.folder, progress=False).played == 0


def test_matches_without_their_plan_are_still_one_experiment(outcome, tmp_path):
    for name, data in picture(outcome.store.folder).items():
        if not name.startswith("plans"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(data)
    (found,) = Store(tmp_path).experiments()
    assert bits(found.ledgers) == bits(outcome.experiment().ledgers)


def test_report_has_the_panels_as_they_were_played(outcome, tmp_path):
    write_report(outcome.store.experiments(), tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Homebody" in text
