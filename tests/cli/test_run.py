"""robustbandits run: plan, play and continue an experiment."""

import json

import pytest

from cli.commands import invoke
from experiments.lab import TOML, contents, small_spec
from robustbandits.experiments import runner as run_module
from robustbandits.experiments.store.store import Store

pytest.importorskip("pyarrow")


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(TOML.format(rounds=200, seeds=3), encoding="utf-8")
    return str(path)


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


def run(*arguments, code=0):
    return invoke("run", *arguments, code=code)


def test_a_spec_is_played_and_a_second_run_finds_it(spec, store):
    first = run(spec, "--store", store, "--json")
    facts = json.loads(first.stdout)
    assert (facts["matches"], facts["played"], facts["found"]) == (3, 3, 0)
    (found,) = Store(store).experiments()
    assert found.spec == small_spec()
    second = run(spec, "--store", store)
    assert "0 matches played, 3 found in the store" in second.stdout
    assert f"robustbandits report {store}" in second.stdout


def test_dry_run_shows_the_plan_and_creates_nothing(spec, store):
    result = run(spec, "--store", store, "--dry-run")
    assert "12 games in 3 matches" in result.stdout
    assert not store.exists()


def test_dry_run_counts_stored_matches(spec, store):
    run(spec, "--store", store)
    before = contents(store)
    result = run(spec, "--store", store, "--dry-run", "--json")
    facts = json.loads(result.stdout)
    assert (facts["matches"], facts["missing_matches"], facts["games"]) == (3, 0, 12)
    text = run(spec, "--store", store, "--dry-run").stdout
    assert "0 are missing" in text
    assert "takes about 0 s" in text
    assert contents(store) == before


def test_a_very_large_spec_needs_yes(tmp_path, store):
    path = tmp_path / "huge.toml"
    path.write_text(TOML.format(rounds=200, seeds=50_000), encoding="utf-8")
    result = run(path, "--store", store, code=2)
    assert "200,000 games" in result.output
    assert "--yes" in result.output
    assert not store.exists()


def test_yes_does_not_help_if_there_are_too_many_games_to_plan(tmp_path, store):
    path = tmp_path / "huger.toml"
    path.write_text(TOML.format(rounds=200, seeds=1_000_000), encoding="utf-8")
    result = run(path, "--store", store, code=2)
    assert "4,000,000 games" in result.output
    assert "--yes plays up to 2,000,000" in result.output
    assert "--dry-run" not in result.output
    run(path, "--store", store, "--yes", code=1)
    assert not store.exists()


def test_a_damaged_file_is_named(spec, store):
    run(spec, "--store", store)
    path = next((store / "matches").iterdir())
    path.write_bytes(b"junk")
    result = run(spec, "--store", store)
    assert "damaged, set aside and played again" in result.output
    assert path.name in result.output


def test_ctrl_c_says_how_to_continue(spec, store, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(run_module, "run", interrupted)
    result = run(spec, "--store", store, code=130)
    assert "run the same command to continue" in result.output


def test_a_policy_that_cannot_play_is_refused_with_a_remedy(tmp_path, store):
    path = tmp_path / "fresh.toml"
    text = 'name = "mine"\nrounds = 50\nseeds = 1\n[environments.Simulation]\n[attacks.NoAttack]\n'
    text += "[policies.Greedy]\n[policies.MLAER]\n"
    path.write_text(text, encoding="utf-8")
    refused = run(path, "--store", store, code=1)
    assert "mine: MLAER needs the same arms in every round" in refused.stderr
    assert 'unsupported = "skip"' in refused.stderr
    path.write_text(f'unsupported = "skip"\n{text}', encoding="utf-8")
    run(path, "--store", store)
