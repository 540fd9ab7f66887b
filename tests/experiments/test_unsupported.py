"""A policy that cannot play in an environment is refused or skipped, as the spec says."""

import dataclasses
import json

import pytest

import robustbandits as rb
from experiments.lab import TOY, bits, small_spec
from robustbandits.experiments.estimate import describe, estimate
from robustbandits.experiments.plan import Plan, make_plan
from robustbandits.experiments.runner import run
from robustbandits.experiments.spec import Spec, parse_spec
from robustbandits.experiments.store.plan_file import decode_plan, encode_plan
from robustbandits.experiments.store.store import Store
from robustbandits.game.problem import UnsupportedProblem
from robustbandits.reports.rerun import to_toml
from robustbandits.reports.write import write_report

FIXED = rb.environments.Simulation(arms=4, dim=2, contexts="fixed")
POLICIES = [rb.policies.LinUCB(), rb.policies.EXP3(), rb.policies.Greedy()]  # EXP3: fixed arms only


def spec(**changes):
    settings = {
        "environments": {"fresh": TOY, "fixed": FIXED},
        "policies": POLICIES,
        "unsupported": "skip",
        "seeds": 2,
    }
    return small_spec(**{**settings, **changes})


def games_of(plan):
    """Return the id of every game of a plan, by labels and seed."""
    return {
        (match.environment, match.seed, game.attack, game.policy): game.id
        for match in plan.matches
        for game in match.games
    }


def test_refuse_is_the_default_and_does_not_change_older_specs():
    assert small_spec().unsupported == "refuse"
    assert "unsupported" not in small_spec().to_dict()
    assert Spec.from_dict(small_spec().to_dict()) == small_spec()


def test_skip_is_written_and_read_back():
    made = spec()
    assert parse_spec(to_toml(made)) == Spec.from_dict(made.to_dict()) == made
    assert "unsupported" not in to_toml(dataclasses.replace(made, unsupported="refuse"))


def test_a_policy_is_skipped_only_where_it_cannot_play():
    plan = make_plan(spec())
    assert list(games_of(plan)) == [
        (environment, seed, attack, policy)
        for environment in ("fresh", "fixed")
        for seed in (0, 1)
        for attack in plan.spec.attacks
        for policy in ("LinUCB", "EXP3", "Greedy")
        if (environment, policy) != ("fresh", "EXP3")
    ]
    assert plan.skipped == {"fresh": ["EXP3"]}
    assert plan.games == 2 * 2 * (2 + 3) < spec().games
    assert make_plan(spec()) == plan


def test_skipping_does_not_change_the_ids_of_other_games():
    skipping = games_of(make_plan(spec()))
    refusing = games_of(make_plan(spec(unsupported="refuse")))
    assert skipping == {key: refusing[key] for key in skipping}
    able = make_plan(spec(policies=[POLICIES[0], POLICIES[2]]))
    fresh = [match.id for match in able.matches if match.environment == "fresh"]
    assert fresh == [m.id for m in make_plan(spec()).matches if m.environment == "fresh"]


def test_an_environment_that_no_policy_can_play_is_named():
    with pytest.raises(ValueError, match="no policy of small can play in fresh"):
        make_plan(spec(policies=[rb.policies.EXP3()]))


def test_an_attack_is_skipped_only_where_it_cannot_play(tmp_path):
    lie = rb.attacks.ConsistentLie(5.0)
    made = spec(attacks=[rb.attacks.NoAttack(), lie])
    plan = make_plan(made)
    assert plan.skipped == {"fresh": ["ConsistentLie", "EXP3"]}
    assert plan.games == 2 * (2 + 2 * 3)
    outcome = run(made, tmp_path / "store", progress=False)
    write_report(outcome.store.experiments(), tmp_path / "report")
    assert "ConsistentLie" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    with pytest.raises(UnsupportedProblem, match="ConsistentLie needs the same arms"):
        run(spec(attacks=[lie], unsupported="refuse", policies=POLICIES[:1]), progress=False)
    with pytest.raises(ValueError, match="no attack of small can play in fresh"):
        make_plan(spec(attacks=[lie]))


class Broken:
    """A policy that fails in every environment."""

    name = "Broken"

    def start(self, problem):
        raise ValueError("this is a mistake")


def test_other_errors_are_not_skipped():
    with pytest.raises(ValueError, match="this is a mistake"):
        make_plan(spec(policies=[Broken()]))


def test_a_description_names_the_skipped_policies():
    plan = make_plan(spec())
    assert "skipped in fresh: EXP3" in describe(plan, estimate(plan))
    complete = make_plan(small_spec())
    assert "skipped" not in describe(complete, estimate(complete))


@pytest.mark.parametrize(
    ("made", "number", "sizes"),
    [(small_spec(), 1, 4), (spec(), 2, {"fresh": 4, "fixed": 6})],
    ids=["the same games everywhere", "games by environment"],
)
def test_a_plan_is_read_back_from_its_file(made, number, sizes):
    plan = make_plan(made)
    _, data = encode_plan(plan)
    values = json.loads(data)
    assert values["format"] == number
    games = values["games"]
    assert sizes == ({k: len(v) for k, v in games.items()} if number == 2 else len(games))
    matches = [  # the file has no ids of games
        match._replace(games=tuple(game._replace(id="") for game in match.games))
        for match in plan.matches
    ]
    assert decode_plan(data) == Plan(made, tuple(matches))


def test_run_raises_the_policys_error_before_anything_is_written(tmp_path):
    with pytest.raises(UnsupportedProblem, match=r"EXP3 needs the same arms.*CautiousLinUCB"):
        run(spec(unsupported="refuse"), tmp_path / "store", progress=False)
    assert not (tmp_path / "store").exists()


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    return run(spec(), tmp_path_factory.mktemp("store"), progress=False)


def test_the_store_returns_every_game_with_its_labels(outcome):
    found = outcome.ledgers()
    labels = [(item.environment, item.seed, item.attack, item.policy) for item in found]
    assert labels == list(games_of(outcome.plan))
    (read,) = Store(outcome.store.folder).experiments()
    assert bits(read.ledgers) == bits(found)
    alone = run(spec(environments={"fixed": FIXED}, policies=POLICIES[2:]), progress=False)
    greedy = [item for item in found if (item.environment, item.policy) == ("fixed", "Greedy")]
    assert bits(greedy) == bits(alone.ledgers())
    assert run(spec(), outcome.store.folder, progress=False).played == 0


def test_a_report_shows_the_policy_where_it_played(outcome, tmp_path):
    write_report(outcome.store.experiments(), tmp_path)
    assert "EXP3" in (tmp_path / "index.html").read_text(encoding="utf-8")
