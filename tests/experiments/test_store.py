"""The store: exact bits, in files that describe themselves."""

import io
import json
import os

import numpy as np
import pytest

import robustbandits as rb
from experiments.lab import bits, contents, small_plan, small_spec
from robustbandits import __version__
from robustbandits._atomic import drafts
from robustbandits.experiments.labels import LARGEST_SEED
from robustbandits.experiments.plan import KERNEL_VERSION
from robustbandits.experiments.provenance import provenance
from robustbandits.experiments.runner import add_recipes, run
from robustbandits.experiments.store import match_file
from robustbandits.experiments.store.match_file import StoredMatch, decode, encode
from robustbandits.experiments.store.store import Store, StoreError
from robustbandits.game.ledger import Ledger

pq = pytest.importorskip("pyarrow.parquet")


def play(plan, planned):
    (match,) = add_recipes(plan.spec, [planned])
    return match.play()


def fill(store, plan, matches=None):
    for match in plan.matches if matches is None else matches:
        store.write(plan, [(match, play(plan, match))])


@pytest.fixture(scope="module")
def plan():
    return small_plan()


def test_a_file_is_read_without_arrows_threads(plan, tmp_path, monkeypatch):
    # A process that ended soon after a read was sometimes aborted by Arrow's thread pool.
    store, match, asked, read = Store(tmp_path), plan.matches[0], [], pq.ParquetFile.read

    def spy(self, *args, **options):
        asked.append(options.get("use_threads"))
        return read(self, *args, **options)

    monkeypatch.setattr(pq.ParquetFile, "read", spy)
    fill(store, plan, [match])
    assert store.read(match).match is not None
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
        costs={"change": 5e-324},
    )


@pytest.mark.parametrize("seed", [0, LARGEST_SEED])
def test_odd_numbers_and_names_are_read_back(seed):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2**64, 500, dtype=np.uint64).view(np.float64)
    values = np.concatenate([values[np.isfinite(values)], [-0.0, 0.0, 5e-324, 1e308]])
    ledgers = [odd_ledger(seed, values), odd_ledger(seed, values[::-1].copy())]
    match = StoredMatch("f" * 32, {"a": 1}, provenance(), ("x", "y"), len(values), ledgers)
    again = decode(encode(match))
    assert bits(again.ledgers) == bits(ledgers)
    assert again._replace(ledgers=[]) == match._replace(ledgers=[])


def test_a_file_of_an_older_version_has_no_costs(monkeypatch):
    entry = match_file._entry

    def entry_without_costs(game, ledger):
        return {key: value for key, value in entry(game, ledger).items() if key != "costs"}

    monkeypatch.setattr(match_file, "_entry", entry_without_costs)
    ledger = odd_ledger(0, np.ones(3))
    data = encode(StoredMatch("f" * 32, {}, provenance(), ("x",), 3, [ledger]))
    assert ledger.costs
    assert decode(data).ledgers[0].costs == {}


def test_a_file_has_the_spec_the_seed_and_the_versions(plan, tmp_path):
    store = Store(tmp_path)
    fill(store, plan, plan.matches[:1])
    metadata = pq.read_metadata(store.path_of(plan.matches[0].id)).metadata
    header = json.loads(metadata[b"robustbandits"])
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
    ledgers = store.read(match).match.ledgers
    assert table["regret"] == [value for ledger in ledgers for value in ledger.regret.tolist()]
    assert table["policy"] == [ledger.policy for ledger in ledgers for _ in ledger.rounds]
    assert table["attack"] == [ledger.attack for ledger in ledgers for _ in ledger.rounds]
    assert set(table["environment"]) == {"toy"}
    assert set(table["seed"]) == {match.seed}


def test_a_file_has_the_text_of_a_label_only_once():
    name = "policy-" + "x" * 50
    policies = {name: rb.policies.LinUCB(), "Greedy": rb.policies.Greedy()}
    plan = small_plan(policies=policies)  # each policy plays against two attacks
    match = plan.matches[0]
    games = tuple(game.id for game in match.games)
    stored = StoredMatch(match.id, {}, provenance(), games, match.rounds, play(plan, match))
    column = pq.ParquetFile(io.BytesIO(encode(stored))).metadata.row_group(0).column(2)
    assert column.path_in_schema == "policy"
    assert column.total_uncompressed_size < 5 * len(name)


def test_a_match_is_missing_if_it_is_planned_and_has_no_file(plan, tmp_path):
    store = Store(tmp_path)
    assert store.missing(plan) == list(plan.matches)
    fill(store, plan, [plan.matches[1]])
    assert store.missing(plan) == [plan.matches[0], plan.matches[2]]
    assert {ledger.seed for ledger in store.ledgers(plan)} == {plan.matches[1].seed}


def test_reading_creates_nothing(plan, tmp_path):
    store = Store(tmp_path / "absent")
    assert store.missing(plan) == list(plan.matches)
    assert store.ledgers(plan) == []
    with pytest.raises(StoreError, match="there is no store"):
        store.experiments()
    assert list(tmp_path.iterdir()) == []


def test_ledgers_get_the_labels_of_the_plan_that_reads_them(plan, tmp_path):
    store = Store(tmp_path)
    fill(store, plan)
    spec = plan.spec
    other = small_plan(
        environments={"renamed": spec.environments["toy"]},
        policies={"ours": spec.policies["LinUCB"], "theirs": spec.policies["Greedy"]},
    )
    assert store.missing(other) == []
    found = store.ledgers(other)
    assert {(ledger.environment, ledger.policy) for ledger in found} == {
        ("renamed", "ours"),
        ("renamed", "theirs"),
    }
    assert [ledger.regret.tolist() for ledger in found] == [
        ledger.regret.tolist() for ledger in store.ledgers(plan)
    ]


def test_experiments_are_plans_with_their_ledgers(tmp_path):
    specs = small_spec(name="one"), small_spec(name="two", rounds=100)
    outcomes = [run(spec, tmp_path, progress=False) for spec in specs]
    found = Store(tmp_path).experiments()
    assert sorted(experiment.spec.name for experiment in found) == ["one", "two"]
    for outcome in outcomes:
        (same,) = (experiment for experiment in found if experiment.spec == outcome.plan.spec)
        assert bits(same.ledgers) == bits(outcome.ledgers())
        assert same.provenance["finished"] == same.provenance["planned"] == 3
        assert same.provenance["versions"]["robustbandits"] == __version__


def test_an_unfinished_experiment_counts_its_matches(plan, tmp_path):
    store = Store(tmp_path)
    store.write_plan(plan)
    assert store.experiments() == []
    fill(store, plan, plan.matches[:2])
    (found,) = store.experiments()
    assert (found.provenance["finished"], found.provenance["planned"]) == (2, 3)
    assert len(found.ledgers) == 8


def test_more_seeds_replace_the_smaller_experiment(tmp_path):
    run(small_spec(seeds=2), tmp_path, progress=False)
    outcome = run(small_spec(seeds=3), tmp_path, progress=False)
    assert (outcome.found, outcome.played) == (2, 1)
    (found,) = Store(tmp_path).experiments()
    assert found.spec.seeds == (0, 1, 2)


def test_matches_without_a_plan_are_grouped_by_their_spec(tmp_path):
    outcome = run(small_spec(seeds=[5, 2]), tmp_path, progress=False)
    for path in (tmp_path / "plans").iterdir():
        path.unlink()
    (found,) = Store(tmp_path).experiments()
    assert bits(found.ledgers) == bits(outcome.ledgers())


def test_a_folder_with_other_files_is_refused_and_unchanged(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    before = contents(tmp_path)
    with pytest.raises(StoreError, match=r"is not a store: it contains 'thesis.tex'"):
        Store(tmp_path)
    assert contents(tmp_path) == before
    with pytest.raises(StoreError, match="is a file"):
        Store(tmp_path / "thesis.tex")


@pytest.mark.skipif(os.name != "posix", reason="folders can be flushed on POSIX only")
def test_a_finished_match_and_its_name_are_flushed_to_the_disk(plan, tmp_path, monkeypatch):
    """Without the second flush, a power cut could undo the renaming of the finished file."""
    flush, flushed = os.fsync, []

    def fsync(handle):
        flushed.append((os.fstat(handle).st_ino, {path.name for path in matches.glob("*")}))
        flush(handle)

    matches = Store(tmp_path / "store").folder / "matches"
    monkeypatch.setattr(os, "fsync", fsync)
    run(plan, tmp_path / "store", progress=False)
    for path in matches.iterdir():
        before = [inode for inode, names in flushed if path.name not in names]
        after = [inode for inode, names in flushed if path.name in names]
        assert path.stat().st_ino in before
        assert matches.stat().st_ino in after


def test_drafts_of_dead_processes_are_removed_and_other_files_are_not(plan, tmp_path):
    store = Store(tmp_path)
    fill(store, plan)
    name = f".{plan.matches[0].id}.parquet.0123456789ab.tmp"
    (tmp_path / "matches" / name).write_bytes(b"half")
    (tmp_path / "matches" / ".notes.tmp").write_bytes(b"mine")
    Store(tmp_path).open()
    assert drafts(tmp_path / "matches") == []
    assert (tmp_path / "matches" / ".notes.tmp").exists()
    assert store.missing(plan) == []


def test_the_draft_of_a_plan_is_removed_after_a_day(plan, tmp_path):
    store = Store(tmp_path)
    store.write_plan(plan)
    old, new = (tmp_path / "plans" / f".x.json.{word}.tmp" for word in ("0" * 12, "1" * 12))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    Store(tmp_path).open()
    assert not old.exists()
    assert new.exists()


def test_the_draft_of_a_claimed_match_is_kept(plan, tmp_path):
    store, match = Store(tmp_path), plan.matches[0]
    assert store.claim(match)
    path = tmp_path / "matches" / f".{match.id}.parquet.0123456789ab.tmp"
    path.write_bytes(b"half")
    Store(tmp_path).open()
    assert path.exists()
    store.release(match)
    Store(tmp_path).open()
    assert not path.exists()


def test_a_claim_holds_for_all_stores_of_the_process(plan, tmp_path):
    first, second = Store(tmp_path), Store(tmp_path)
    match, other = plan.matches[:2]
    assert first.claim(match)
    assert not second.claim(match)
    assert second.claim(other)
    del second
    assert not first.claim(match)  # deleting a store releases nothing
    first.release(match)
    assert first.claim(match)
    first.release(match)
    first.release(other)


def test_games_that_do_not_match_the_name_are_damage(plan, tmp_path):
    store, match = Store(tmp_path), plan.matches[0]
    games = (match.games[0]._replace(id="0" * 32), *match.games[1:])
    store.write(plan, [(match._replace(games=games), play(plan, match))])
    found = store.read(match)
    assert found.match is None
    assert "not those of the match" in found.damage
