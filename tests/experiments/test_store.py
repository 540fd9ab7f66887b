"""The store: exact bits, in files that say what they are."""

from __future__ import annotations

import dataclasses
import json
import os

import numpy as np
import pytest

from experiments.lab import bits, picture, small_plan, small_spec
from robustbandits import __version__, _atomic
from robustbandits.experiments.plan import KERNEL_VERSION, PlannedGame
from robustbandits.experiments.provenance import provenance
from robustbandits.experiments.runner import run
from robustbandits.experiments.store.match_file import MatchRecord, decode, encode
from robustbandits.experiments.store.store import Store, StoreError
from robustbandits.game.ledger import Ledger
from robustbandits.game.match import play_match

pq = pytest.importorskip("pyarrow.parquet")


def play(plan, match):
    spec = plan.spec
    pairs = [(spec.attacks[game.attack], spec.policies[game.policy]) for game in match.games]
    place = spec.environments[match.environment]
    return play_match(place, pairs, match.rounds, match.seed, points=match.points)


def fill(store, plan, matches=None):
    for match in plan.matches if matches is None else matches:
        store.write(plan.spec, match, play(plan, match))


@pytest.fixture(scope="module")
def plan():
    return small_plan()


def test_a_match_comes_back_bit_for_bit(plan, tmp_path):
    store = Store(tmp_path / "new" / "store")
    match = plan.matches[1]
    ledgers = play(plan, match)
    store.write(plan.spec, match, ledgers)
    record = store.look(match).record
    named = [dataclasses.replace(one, environment="toy") for one in ledgers]
    assert bits(record.ledgers) == bits(named)


def test_a_file_is_read_without_arrows_threads(plan, tmp_path, monkeypatch):
    # A process that ended soon after a read was now and then aborted by Arrow's thread pool.
    store, match, asked, read = Store(tmp_path), plan.matches[0], [], pq.ParquetFile.read

    def spy(self, *args, **options):
        asked.append(options.get("use_threads"))
        return read(self, *args, **options)

    monkeypatch.setattr(pq.ParquetFile, "read", spy)
    fill(store, plan, [match])
    assert store.look(match).record is not None
    assert asked
    assert set(asked) == {False}


def odd_ledger(seed, values):
    points = len(values)
    return Ledger(
        environment="Ümlaut \N{SNOWMAN}",
        attack='quo"te, comma\n',
        policy="",
        seed=seed,
        rounds=np.arange(1, points + 1),
        regret=values,
        reward=-values,
        spent_so_far=values[::-1].copy(),
        attacked_so_far=np.arange(points) / 3,
        pulls=np.array([points, 0]),
        spent=5e-324,
        spent_on_contexts=-0.0,
        attacked_rounds=2**62,
        last_attack=0,
        bad_proposals=1,
        clipped_proposals=2,
        seen_reward=-1.7976931348623157e308,
    )


@pytest.mark.parametrize("seed", [0, 2**63, 2**200])
def test_odd_numbers_and_names_come_back(seed):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2**64, 500, dtype=np.uint64).view(np.float64)
    values = np.concatenate([values[np.isfinite(values)], [-0.0, 0.0, 5e-324, 1e308]])
    ledgers = [odd_ledger(seed, values), odd_ledger(seed, values[::-1].copy())]
    record = MatchRecord("f" * 32, {"a": 1}, provenance(), ("x", "y"), len(values), ledgers)
    again = decode(encode(record))
    assert bits(again.ledgers) == bits(ledgers)
    assert again._replace(ledgers=[]) == record._replace(ledgers=[])


def test_every_file_says_what_it_is_and_what_made_it(plan, tmp_path):
    store = Store(tmp_path)
    fill(store, plan, plan.matches[:1])
    header = json.loads(
        pq.read_metadata(store.path_of(plan.matches[0].id)).metadata[b"robustbandits"]
    )
    assert header["spec"] == plan.spec.to_dict()
    assert header["seed"] == plan.matches[0].seed
    versions = header["provenance"]["versions"]
    assert versions["robustbandits"] == __version__
    assert versions["kernel"] == KERNEL_VERSION
    assert {"python", "numpy", "numba"} <= set(versions)
    assert header["provenance"]["machine"]["cores"] >= 1


def test_other_tools_read_tidy_rows(plan, tmp_path):
    store = Store(tmp_path)
    match = plan.matches[2]
    fill(store, plan, [match])
    table = pq.read_table(store.path_of(match.id)).to_pydict()
    ledgers = store.look(match).record.ledgers
    assert table["regret"] == [value for one in ledgers for value in one.regret.tolist()]
    assert table["policy"] == [one.policy for one in ledgers for _ in one.rounds]
    assert table["attack"] == [one.attack for one in ledgers for _ in one.rounds]
    assert set(table["environment"]) == {"toy"}
    assert set(table["seed"]) == {match.seed}


def test_missing_is_planned_minus_present(plan, tmp_path):
    store = Store(tmp_path)
    assert store.missing(plan) == list(plan.matches)
    fill(store, plan, [plan.matches[1]])
    assert store.missing(plan) == [plan.matches[0], plan.matches[2]]
    assert {one.seed for one in store.ledgers(plan)} == {plan.matches[1].seed}


def test_looking_creates_nothing(plan, tmp_path):
    store = Store(tmp_path / "not there")
    assert store.missing(plan) == list(plan.matches)
    assert store.ledgers(plan) == []
    with pytest.raises(StoreError, match="there is no store"):
        store.experiments()
    assert list(tmp_path.iterdir()) == []


def test_labels_are_those_of_the_plan_that_asks(plan, tmp_path):
    store = Store(tmp_path)
    fill(store, plan)
    spec = plan.spec
    other = small_plan(
        environments={"renamed": spec.environments["toy"]},
        policies={"ours": spec.policies["LinUCB"], "theirs": spec.policies["Greedy"]},
    )
    assert store.missing(other) == []
    found = store.ledgers(other)
    assert {(one.environment, one.policy) for one in found} == {
        ("renamed", "ours"),
        ("renamed", "theirs"),
    }
    assert [one.regret.tolist() for one in found] == [
        one.regret.tolist() for one in store.ledgers(plan)
    ]


def test_experiments_are_plans_with_their_ledgers(tmp_path):
    first, second = small_spec(name="one"), small_spec(name="two", rounds=100)
    outcomes = [run(spec, tmp_path, progress=False) for spec in (first, second)]
    games = [(one.attack, one.policy) for one in outcomes[0].experiment().ledgers[:4]]
    assert games == [(game.attack, game.policy) for game in outcomes[0].plan.matches[0].games]
    found = Store(tmp_path).experiments()
    assert sorted(one.spec.name for one in found) == ["one", "two"]
    for outcome in outcomes:
        (same,) = (one for one in found if one.spec == outcome.plan.spec)
        assert bits(same.ledgers) == bits(outcome.experiment().ledgers)
        assert same.provenance["finished"] == same.provenance["planned"] == 3
        assert same.provenance["versions"]["robustbandits"] == __version__


def test_an_unfinished_experiment_says_so(plan, tmp_path):
    store = Store(tmp_path)
    store.remember(plan)
    assert store.experiments() == []
    fill(store, plan, plan.matches[:2])
    (found,) = store.experiments()
    assert (found.provenance["finished"], found.provenance["planned"]) == (2, 3)
    assert len(found.ledgers) == 8


def test_more_seeds_replace_the_smaller_experiment_in_the_report(tmp_path):
    run(small_spec(seeds=2), tmp_path, progress=False)
    outcome = run(small_spec(seeds=3), tmp_path, progress=False)
    assert (outcome.found, outcome.played) == (2, 1)
    (found,) = Store(tmp_path).experiments()
    assert found.spec.seeds == (0, 1, 2)


def test_matches_without_their_plan_are_found_by_the_spec_they_carry(tmp_path):
    outcome = run(small_spec(seeds=[5, 2]), tmp_path, progress=False)
    for path in (tmp_path / "plans").iterdir():
        path.unlink()
    (found,) = Store(tmp_path).experiments()
    assert bits(found.ledgers) == bits(outcome.experiment().ledgers)


def test_a_folder_of_something_else_is_refused_and_untouched(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    before = picture(tmp_path)
    with pytest.raises(StoreError, match=r"is not a store: it holds 'thesis.tex'"):
        Store(tmp_path)
    assert picture(tmp_path) == before


def test_a_file_is_no_store(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="is a file"):
        Store(tmp_path / "file")


def test_drafts_of_the_dead_are_swept_and_other_files_are_not(plan, tmp_path):
    store = Store(tmp_path)
    fill(store, plan)
    name = f".{plan.matches[0].id}.parquet.0123456789ab.tmp"
    (tmp_path / "matches" / name).write_bytes(b"half")
    (tmp_path / "matches" / ".notes.tmp").write_bytes(b"mine")
    Store(tmp_path).open()
    assert _atomic.drafts(tmp_path / "matches") == []
    assert (tmp_path / "matches" / ".notes.tmp").exists()
    assert store.missing(plan) == []


def test_the_draft_of_a_plan_goes_when_it_is_old(plan, tmp_path):
    store = Store(tmp_path)
    store.remember(plan)
    old, new = (tmp_path / "plans" / f".x.json.{word}.tmp" for word in ("0" * 12, "1" * 12))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    Store(tmp_path).open()
    assert not old.exists()
    assert new.exists()


def test_the_draft_of_a_claimed_match_stays(plan, tmp_path):
    store = Store(tmp_path)
    store.open()
    assert store.take(plan.matches[0].id)
    path = tmp_path / "matches" / f".{plan.matches[0].id}.parquet.0123456789ab.tmp"
    path.write_bytes(b"half")
    Store(tmp_path).open()
    assert path.exists()
    store.give_back(plan.matches[0].id)
    Store(tmp_path).open()
    assert not path.exists()


def test_a_claim_holds_against_every_store_of_the_process_and_closing_none_ends_it(plan, tmp_path):
    one, other = Store(tmp_path), Store(tmp_path)
    one.open()
    other.open()
    match = plan.matches[0].id
    assert one.take(match)
    assert not other.take(match)
    assert other.take(plan.matches[1].id)
    del other
    assert not Store(tmp_path).exists or not one.take(match)
    one.give_back(match)
    assert one.take(match)
    one.give_back(match)
    one.give_back(plan.matches[1].id)


def test_games_are_checked_against_the_name(plan, tmp_path):
    store = Store(tmp_path)
    fill(store, plan, plan.matches[:1])
    match = plan.matches[0]
    games = (PlannedGame("0" * 32, "NoAttack", "LinUCB"), *match.games[1:])
    found = store.look(match._replace(games=games))
    assert found.record is None
    assert "other games" in found.damage
