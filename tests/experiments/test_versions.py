"""The version of a class is part of the ids of that class's games, and of no others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

import robustbandits as rb
from experiments.lab import bits, small_plan, small_spec
from robustbandits.experiments.engines.threads import ThreadEngine
from robustbandits.experiments.plan import make_plan
from robustbandits.experiments.runner import run
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.match_file import read_game_ids
from robustbandits.experiments.store.store import Store, StoreError
from robustbandits.game.recipe import Recipe, class_version


def ids(plan):
    """Return the ids of games, by seed, attack and policy."""
    return {
        (match.seed, game.attack, game.policy): game.id
        for match in plan.matches
        for game in match.games
    }


@pytest.mark.parametrize(
    ("kind", "position", "label"),
    [(rb.policies.Greedy, 2, "Greedy"), (rb.attacks.Garcelon, 1, "Garcelon")],
)
def test_a_new_version_changes_the_ids_of_that_class_only(kind, position, label, monkeypatch):
    before = ids(small_plan())
    monkeypatch.setattr(kind, "version", 1)
    assert ids(small_plan()) == before  # the first version is not part of an id
    monkeypatch.setattr(kind, "version", 2)
    second = ids(small_plan())
    assert {game for game in before if second[game] != before[game]} == {
        game for game in before if game[position] == label
    }
    monkeypatch.setattr(kind, "version", 3)
    assert not set(ids(small_plan()).values()) & (set(before.values()) ^ set(second.values()))


def test_a_new_version_of_an_environment_changes_the_ids_of_its_games(monkeypatch):
    before = ids(small_plan())
    monkeypatch.setattr(rb.environments.Simulation, "version", 2)
    assert not set(ids(small_plan()).values()) & set(before.values())


@dataclass(frozen=True, kw_only=True)
class Named(Recipe):
    """A recipe with a parameter that happens to be called version."""

    version: int = 7


def test_a_parameter_named_version_is_not_the_version_of_the_class():
    assert class_version(Named) == 1
    assert Named(version=3).to_dict() == {"name": "Named", "version": 3}


@pytest.mark.parametrize("version", [0, -1, 1.5, "2", None, True])
def test_a_version_that_is_no_positive_whole_number_is_refused(version, monkeypatch):
    monkeypatch.setattr(rb.policies.Greedy, "version", version)
    with pytest.raises(TypeError, match=r"Greedy.version must be a whole number, at least 1, got"):
        small_plan()


@pytest.fixture
def played(monkeypatch):
    """The labels and seeds of all games that an engine plays."""
    names, submit = [], ThreadEngine.submit

    def noted(self, part):
        names.extend((part.seed, attack, policy) for _, attack, policy in part.names)
        return submit(self, part)

    monkeypatch.setattr(ThreadEngine, "submit", noted)
    return names


def test_a_store_plays_only_the_games_of_the_changed_class(tmp_path, monkeypatch, played):
    pytest.importorskip("pyarrow")
    before = run(small_spec(), tmp_path, progress=False)
    played.clear()
    monkeypatch.setattr(rb.policies.Greedy, "version", 2)
    after = run(small_spec(), tmp_path, progress=False)
    assert sorted(played) == sorted(game for game in ids(after.plan) if game[2] == "Greedy")
    assert (after.found, after.played, after.reused) == (0, 3, 6)
    assert bits(after.ledgers()) == bits(before.ledgers())  # the kernels did not really change
    provenance = after.experiment().provenance
    assert provenance["versions"]["recipes"] == "Greedy 2"
    assert all("recipes" not in versions for versions in provenance["other_versions"])
    played.clear()
    again = run(small_spec(), tmp_path, progress=False)
    assert (again.found, again.played, again.reused, played) == (3, 0, 0, [])


def test_an_added_policy_is_played_alone_and_a_removed_one_needs_no_play(tmp_path, played):
    pytest.importorskip("pyarrow")
    run(small_spec(), tmp_path, progress=False)
    played.clear()
    more = {"RobustLinUCB": rb.policies.RobustLinUCB(5.0), "renamed": rb.policies.Greedy()}
    outcome = run(small_spec(policies=more), tmp_path, progress=False)
    assert {policy for _, _, policy in played} == {"RobustLinUCB"}
    assert bits(outcome.ledgers()) == bits(run(small_spec(policies=more), progress=False).ledgers())
    played.clear()
    fewer = run(small_spec(policies=[rb.policies.Greedy()]), tmp_path, progress=False)
    assert (fewer.played, fewer.reused, played) == (3, 6, [])
    assert Store(tmp_path).missing(fewer.plan) == []


def test_matches_of_two_versions_without_a_plan_are_two_experiments(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    run(small_spec(), tmp_path, progress=False)
    monkeypatch.setattr(rb.policies.Greedy, "version", 2)
    run(small_spec(), tmp_path, progress=False)
    for path in (tmp_path / "plans").iterdir():
        path.unlink()
    found = Store(tmp_path).experiments()
    assert [len(experiment.ledgers) for experiment in found] == [12, 12]


def test_a_damaged_match_lends_no_games(tmp_path, monkeypatch, played):
    pytest.importorskip("pyarrow")
    plan = small_plan(seeds=1)
    run(plan, tmp_path, progress=False)
    (path,) = (tmp_path / "matches").iterdir()
    data, size = path.read_bytes(), 0
    while read_game_ids(path) and Store(tmp_path).read(plan.matches[0]).match is not None:
        size += 50  # until the numbers are damaged, but not the list of games
        path.write_bytes(data[:4] + bytes(size) + data[4 + size :])
    assert read_game_ids(path)
    played.clear()
    monkeypatch.setattr(rb.policies.Greedy, "version", 2)
    outcome = run(small_spec(seeds=1), tmp_path, progress=False)
    assert (outcome.reused, len(played)) == (0, 4)


def test_a_source_that_vanishes_during_the_run_is_a_clear_error(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    plan = make_plan(small_spec(seeds=1))
    run(plan, tmp_path, progress=False)
    source = Store(tmp_path).path_of(plan.matches[0].id)
    play = ThreadEngine.submit

    def remove(self, part):
        source.unlink()
        return play(self, part)

    monkeypatch.setattr(ThreadEngine, "submit", remove)
    monkeypatch.setattr(rb.policies.Greedy, "version", 2)
    with pytest.raises(StoreError, match=r"was removed or damaged .* run the same command again"):
        run(small_spec(seeds=1), tmp_path, workers=1, progress=False)


def test_a_spec_does_not_depend_on_versions(monkeypatch):
    before = small_spec()
    monkeypatch.setattr(rb.policies.Greedy, "version", 2)
    assert before.id == small_spec().id
    assert Spec.from_dict(before.to_dict()) == replace(before)
