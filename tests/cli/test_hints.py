"""What the command line says when something is missing: it names the remedy."""

import json
import re
import sys
from pathlib import Path

import pytest

import robustbandits as rb
from cli.commands import invoke, invoke_json
from robustbandits._extras import require_packages
from robustbandits.cli.reproduce import reproduce

SPEC = "[environments.Simulation]\n[policies.LinUCB]\n"


@pytest.fixture
def without_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)


def test_an_attack_without_a_budget_says_how_to_give_one():
    result = invoke("play", "--attack", "Garcelon", code=1)
    assert "Garcelon needs budget, for example budget=100; or add --budget 100" in result.stderr


def test_a_budget_without_an_attack_says_how_to_name_one():
    result = invoke("play", "--budget", 10, code=2)
    assert "a budget needs an attack; add one, for example --attack Garcelon" in result.stderr


def test_a_report_of_a_store_that_does_not_exist_says_how_to_make_one(tmp_path):
    store = tmp_path / "nosuch"
    message = " ".join(invoke("report", store, code=2).stderr.split())
    assert f"there is no folder {store}" in message
    assert f"`robustbandits run SPEC --store {store}` makes one" in message


@pytest.mark.parametrize("text", ["BOB-No-Restart", "BOB-No-Restart(sigma=0.2)"])
def test_a_policy_can_be_named_as_tables_show_it(text):
    facts = invoke_json("play", "--policy", text, "--rounds", 20)
    sigma = "(sigma=0.2)" if "sigma" in text else ""
    assert facts["policy"] == f"BOB-No-Restart{sigma}"
    assert "Guess the attack budget" in invoke("list", "policies", "BOB-No-Restart").stdout


def test_a_spec_without_rounds_says_how_many_it_plays(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SPEC)
    result = invoke("run", path, "--dry-run")
    used = "100,000 rounds in each game and 10 seeds"
    said = f"{path} does not state rounds and seeds; using the defaults: {used}"
    assert said in result.stderr
    path.write_text("rounds = 10\nseeds = 2\n" + SPEC)
    assert "does not state" not in invoke("run", path, "--dry-run").stderr


def test_a_dry_run_needs_no_pyarrow(without_pyarrow, tmp_path):
    result = invoke("run", "smoke", "--dry-run", "--store", tmp_path / "store", "--json")
    assert json.loads(result.stdout)["games"] == 18
    assert "pyarrow is not installed" in result.stderr


def test_reproduce_names_all_missing_packages_before_it_fetches(
    without_pyarrow, monkeypatch, tmp_path
):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setenv("ROBUSTBANDITS_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("ROBUSTBANDITS_MOVIELENS", raising=False)
    result = invoke("reproduce", "--rounds", 10, "--out", tmp_path / "out", code=1)
    assert result.stderr.startswith("error: reproduce needs pyarrow and jinja2: pip install")
    assert "fetched" not in result.output
    assert not (tmp_path / "data").exists()
    assert not (tmp_path / "out").exists()


def test_hints_work_for_a_package_index_and_for_a_checkout():
    with pytest.raises(ImportError) as caught:
        require_packages("this", ["json", "no_such_package", "nor_this"], "lab")
    assert str(caught.value) == (
        "this needs no_such_package and nor_this: pip install 'robustbandits[lab]', or in a "
        "checkout: pip install '.[lab]'"
    )


def test_a_frame_without_pandas_says_how_to_install_it(monkeypatch):
    ledger = rb.simulate(
        environment=rb.environments.Simulation(), policy=rb.policies.Greedy(), rounds=5
    )
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"or in a checkout: pip install '\.\[pandas\]'"):
        ledger.to_pandas()


def test_make_and_the_command_reproduce_the_same_reading():
    makefile = (Path(__file__).parents[2] / "Makefile").read_text()
    (default,) = re.findall(r"^READING \?= (\S+)$", makefile, re.MULTILINE)
    assert default == reproduce.__defaults__[3].value
