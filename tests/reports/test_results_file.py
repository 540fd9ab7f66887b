"""Results in files: save, load and open, without pickle and with limits."""

import io
import json
import zipfile

import numpy as np
import pytest

import robustbandits as rb
from experiments.lab import bits, small_spec
from metrics.sample_ledgers import sample_ledger
from reports.sample_experiments import played_experiment
from robustbandits.experiments import run
from robustbandits.experiments.store import DamagedError, NewerError, match_file
from robustbandits.experiments.store.results_file import FORMAT, HEADER, decode_results


@pytest.fixture(scope="module")
def results():
    return rb.Results.from_experiment(played_experiment())


@pytest.fixture
def saved(results, tmp_path):
    path = tmp_path / "results.rb"
    results.save(path)
    return path


def test_results_are_read_back_bit_for_bit(results, saved):
    loaded = rb.Results.load(saved)
    assert bits(loaded.ledgers) == bits(results.ledgers)
    labels = [(game.environment, game.attack, game.policy, game.seed) for game in loaded.ledgers]
    assert labels == [(g.environment, g.attack, g.policy, g.seed) for g in results.ledgers]
    assert loaded.to_pandas().equals(results.to_pandas())
    assert "attack.budget" in loaded.to_pandas()


def test_old_file_is_replaced(results, saved):
    saved.write_bytes(b"old")
    results.save(saved)
    assert len(rb.Results.load(saved)) == len(results)


def test_order_lengths_and_values_are_kept(tmp_path):
    ledgers = [
        sample_ledger([1.0, 2.0], labels=("e", "a", "p"), rounds=[1, 2]),
        sample_ledger([3.0], labels=("f", "ö|$", "=1"), seed=7),
        sample_ledger([4.0, 5.0], labels=("e", "a", "q"), rounds=[1, 2]),
        sample_ledger([6.0], labels=("e", "a", "p"), seed=2**62),
    ]
    ledgers = [rb.Ledger(**{**vars(game), "pulls": game.rounds[-1:]}) for game in ledgers]
    values = {"policy": {"p": {"x": np.inf, "y": "word", "z": True}}}
    rb.Results(ledgers, values).save(tmp_path / "r")
    loaded = rb.Results.load(tmp_path / "r")
    assert [game.final_regret for game in loaded.ledgers] == [2.0, 3.0, 5.0, 6.0]
    assert [game.policy for game in loaded.ledgers] == ["p", "=1", "q", "p"]
    assert loaded.parameters == values


def test_no_results_can_be_saved(tmp_path):
    rb.Results([]).save(tmp_path / "empty")
    assert len(rb.Results.load(tmp_path / "empty")) == 0


def test_a_flipped_bit_is_found_or_changes_nothing(results, saved):
    data = saved.read_bytes()
    rng = np.random.default_rng(1)
    found = 0
    for position in rng.choice(len(data), 300, replace=False):
        damaged = bytearray(data)
        damaged[position] ^= 1 << rng.integers(8)
        try:
            ledgers, parameters = decode_results(bytes(damaged))
        except (DamagedError, NewerError):
            found += 1
        else:
            assert bits(ledgers) == bits(results.ledgers)
            assert parameters == results.parameters
    assert found > 200


@pytest.mark.parametrize("keep", [0, 1, 30, -1, -30])
def test_truncated_file_is_refused(saved, keep):
    saved.write_bytes(saved.read_bytes()[:keep])
    with pytest.raises(DamagedError, match=r"cannot read .*results\.rb: it is not a file"):
        rb.Results.load(saved)


def rewritten(path, change=lambda header: None, compression=zipfile.ZIP_STORED):
    """Write the archive again with another header or with compression."""
    sink = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(sink, "w", compression) as new:
        header = json.loads(old.read(HEADER))
        change(header)
        new.writestr(HEADER, json.dumps(header))
        for name in old.namelist():
            if name != HEADER:
                new.writestr(name, old.read(name))
    return sink.getvalue()


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.pop("parts"),
        lambda header: header.update(parts=5),
        lambda header: header.update(parts=[[]]),
        lambda header: header.update(parts=[*header["parts"], [0]]),
        lambda header: header["parts"].__setitem__(0, header["parts"][1]),
        lambda header: header["parts"][0].__setitem__(0, "x"),
        lambda header: header.update(parameters=5),
        lambda header: header.update(parameters={"rounds": {}}),
        lambda header: header.update(parameters={"policy": {"p": {"x": [1]}}}),
        lambda header: header.update(format="x"),
    ],
)
def test_wrong_header_is_refused(saved, change):
    with pytest.raises(DamagedError):
        decode_results(rewritten(saved, change))


def test_newer_file_says_what_to_install(saved):
    newer = {"format": FORMAT + 1, "made_by": "robustbandits 9.0"}
    with pytest.raises(NewerError, match=r"made by robustbandits 9\.0"):
        decode_results(rewritten(saved, lambda header: header.update(newer)))


def test_compressed_archive_is_refused_before_it_is_read(saved):
    with pytest.raises(DamagedError, match="compressed"):
        decode_results(rewritten(saved, compression=zipfile.ZIP_DEFLATED))


def test_size_is_limited(results, saved, tmp_path, monkeypatch):
    rows = sum(len(game.rounds) for game in results.ledgers)
    monkeypatch.setattr(match_file, "MAX_ROWS", rows - 1)
    with pytest.raises(DamagedError, match="too much memory"):
        rb.Results.load(saved)
    with pytest.raises(ValueError, match=r"do not fit.*Results\.open"):
        results.save(tmp_path / "large")
    monkeypatch.setattr("robustbandits.results.MAX_BYTES", 100)
    with pytest.raises(DamagedError, match="larger than 100 bytes"):
        rb.Results.load(saved)


def test_load_of_a_folder_names_open(tmp_path):
    with pytest.raises(ValueError, match=r"is a folder; Results\.open reads a store"):
        rb.Results.load(tmp_path)


def test_open_reads_a_store(tmp_path):
    outcome = run(small_spec(), tmp_path, progress=False)
    assert bits(rb.Results.open(tmp_path).ledgers) == bits(outcome.ledgers())


def test_open_asks_for_a_name_if_there_are_several_experiments(tmp_path):
    for name, seeds in (("first", [0]), ("second", [1])):
        run(small_spec(name=name, seeds=seeds), tmp_path, progress=False)
    with pytest.raises(ValueError, match="several experiments; choose one: first, second"):
        rb.Results.open(tmp_path)
    assert {game.seed for game in rb.Results.open(tmp_path, "second").ledgers} == {1}
    with pytest.raises(ValueError, match="no experiment 'third'; the store has first, second"):
        rb.Results.open(tmp_path, "third")


def test_open_of_a_store_without_matches_says_so(tmp_path):
    outcome = run(small_spec(), tmp_path, progress=False)
    for match in outcome.plan.matches:
        outcome.store.path_of(match.id).unlink()
    with pytest.raises(ValueError, match="no finished matches"):
        rb.Results.open(tmp_path)
