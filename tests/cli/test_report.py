"""``robustbandits report``, as a user types it."""

import json

import pytest

from cli.commands import invoke
from experiments.lab import small_spec
from robustbandits.compiled.jit import jit_is_on
from robustbandits.experiments import Store, make_plan, run


def spec(name="mine", seeds=2):
    return small_spec(name=name, seeds=seeds, rounds=60, points=10)


@pytest.fixture
def store(tmp_path):
    folder = tmp_path / "store"
    run(spec(), folder, workers=1, progress=False)
    return folder


def report(*arguments, code=0):
    return invoke("report", *arguments, code=code)


@pytest.mark.slow
def test_report_writes_files_and_lists_experiments(store, tmp_path):
    out = tmp_path / "out"
    result = report(store, "--out", out)
    assert "mine: 8 games" in result.output
    assert "unfinished" not in result.output
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "2 of 2 matches" in page
    assert (out / "mine" / "figure.pdf").exists()


@pytest.mark.slow
@pytest.mark.skipif(not jit_is_on, reason="does not depend on compiled code")
def test_json_lists_the_files(store, tmp_path):
    result = report(store, "--out", tmp_path / "out", "--json", "--title", "A <title>")
    written = json.loads(result.stdout)
    assert written["page"] in written["files"]
    assert "A &lt;title&gt;" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_unfinished_experiments_and_damaged_files_are_named(store, tmp_path):
    first, second = make_plan(spec()).matches
    Store(store).path_of(second.id).write_bytes(b"PAR1 nonsense")
    result = report(store, "--out", tmp_path / "out")
    assert "1 of 2 matches" in result.output
    assert second.id in result.output  # the damaged file is named
    assert first.id not in result.output
    assert "Unfinished" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(not jit_is_on, reason="does not depend on compiled code")
def test_only_selects_experiments(store, tmp_path):
    run(spec("other", seeds=1), store, workers=1, progress=False)
    result = report(store, "--out", tmp_path / "all")
    assert "mine" in result.output
    assert "other: 4 games" in result.output
    result = report(store, "--out", tmp_path / "one", "--only", "other")
    assert "mine" not in result.output
    assert not (tmp_path / "one" / "mine").exists()
    result = report(store, "--only", "nobody", code=2)
    assert "nobody" in result.output


def test_folder_without_a_store_is_an_error(tmp_path):
    report(tmp_path / "nowhere", code=2)
    for message in ("no store", "not a store"):
        assert message in report(tmp_path, "--out", tmp_path / "out", code=1).output
        (tmp_path / "holiday.jpg").write_bytes(b"")


def test_store_without_experiments_is_an_error(tmp_path):
    folder = tmp_path / "empty"
    Store(folder).open()
    result = report(folder, "--out", tmp_path / "out", code=1)
    assert "no experiments" in result.output
    assert "robustbandits run" in result.output
    assert not (tmp_path / "out").exists()
