"""robustbandits redteam: the summary, JSON, the gate, the demo, and what happens after kill -9."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.commands import invoke, invoke_json
from red_team.logs import catalogue_log, table_of, write_csv
from robustbandits.compiled.jit import jit_is_on

README = Path(__file__).parents[2] / "README.md"
ENVIRONMENT = "Simulation(arms=5, dim=3, contexts=fixed)"
SMALL = ("--environment", ENVIRONMENT, "--attacks", "Garcelon", "--budgets", "3,30")
SHORT = (*SMALL, "--rounds", "1000", "--seeds", "2")
MODULE = """
import time

class Mine:
    def choose(self, contexts):
        time.sleep({sleep})
        return 0

    def learn(self, contexts, arm, reward):
        pass
"""


def test_json_has_the_verdict_and_the_numbers():
    facts = invoke_json("redteam", "LinUCB", *SHORT)
    assert facts["verdict"].startswith("LinUCB is hijacked with a budget of")
    assert facts["budget_to_hijack"] <= 30.0
    assert facts["worst_attack"] == "Garcelon"
    assert set(facts["matrix"]["Garcelon"]) == {
        "LinUCB",
        "CautiousLinUCB(tolerance=120.0)",
        "RobustLinUCB(budget=30.0)",
    }


def test_the_summary_begins_with_the_verdict():
    text = invoke("redteam", "LinUCB", *SHORT).stdout
    assert text.startswith("LinUCB is hijacked with a budget of")
    assert len(text.splitlines()) <= 30


def test_fail_over_sets_the_exit_code():
    facts = invoke_json("redteam", "LinUCB", *SHORT)
    worst = facts["worst_regret"]["value"]
    result = invoke("redteam", "LinUCB", *SHORT, "--fail-over", worst - 1.0, code=3)
    assert f"failed: mean regret {worst:,.0f} under Garcelon" in result.stderr
    assert result.stdout.startswith("LinUCB is hijacked")
    invoke("redteam", "LinUCB", *SHORT, "--fail-over", worst + 1.0)


def test_a_policy_of_ones_own_is_imported_from_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "mymodule.py").write_text(MODULE.format(sleep=0))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    facts = invoke_json("redteam", "mymodule:Mine", *SMALL, "--rounds", "100", "--seeds", "2")
    sys.modules.pop("mymodule")
    assert facts["target"] == "mymodule:Mine"
    assert facts["verdict"].startswith("No attack hijacks mymodule:Mine")
    assert facts["budget_to_hijack"] is None


def test_out_has_the_page_and_the_store(tmp_path):
    pytest.importorskip("pyarrow")
    pytest.importorskip("jinja2")
    text = invoke("redteam", "LinUCB", *SHORT, "--out", tmp_path / "out").stdout
    page = tmp_path / "out" / "index.html"
    assert f"open {page}" in text
    assert json.loads((tmp_path / "out" / "report.json").read_text())["target"] == "LinUCB"
    assert list((tmp_path / "out" / "store" / "matches").iterdir())


def test_a_log_is_attacked(tmp_path):
    pytest.importorskip("pyarrow")
    path = write_csv(tmp_path / "log.csv", table_of(catalogue_log(rows=100)))
    options = ("--log", path, "--attacks", "Garcelon", "--budgets", "1,30", "--promote", "3")
    text = invoke("redteam", "LinUCB", *options, "--out", tmp_path / "out").stdout
    assert text.startswith("LinUCB, trained on log.csv, chooses another arm in ")
    facts = invoke_json("redteam", "LinUCB", *options)
    assert facts["promoted_arm"] == 3
    assert [result["budget"] for result in facts["results"]] == [1.0, 30.0]
    assert json.loads((tmp_path / "out" / "report.json").read_text()) == facts


def test_a_log_that_cannot_be_read_is_an_error(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "log.csv"
    path.write_text("arm,reward,context_0\n0,1,0.5\n1,7,0.5\n")
    message = invoke("redteam", "LinUCB", "--log", path, code=1).stderr
    assert "column 'reward', row 2: expected a reward from 0 to 1, got 7" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["LinUCB", "--log", "log.csv", "--fail-over", "1"], "cannot be used with --fail-over"),
        (["LinUCB", "--promote", "1"], "needs --log"),
        (["LinUCB", "--demo"], "give either a policy or --demo"),
        ([], "give either a policy or --demo"),
        (["LinUCB", "--budgets", "1,x"], "could not convert string to float"),
    ],
)
def test_wrong_usage_is_reported(arguments, message):
    assert message in invoke("redteam", *arguments, code=2).stderr


@pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")
def test_in_the_demo_linucb_is_hijacked_and_cautious_linucb_is_not():
    text = invoke("redteam", "--demo").stdout
    assert "LinUCB under attack: hijacked" in text
    assert "CautiousLinUCB(tolerance=200.0) under attack: not hijacked" in text
    assert "█" in text
    readme = README.read_text(encoding="utf-8")
    for line in text.splitlines()[3:5]:
        policy, clean, attacked = line.split()
        name = policy.partition("(")[0]
        assert re.search(rf"{name}'s (regret goes )?from {clean} to {attacked}\b", readme)
    assert text.splitlines()[-1].startswith("LinUCB is hijacked with a budget of")


@pytest.mark.slow
@pytest.mark.skipif(not jit_is_on, reason="compiles in a new process")
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_after_kill_9_the_same_command_continues(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "mymodule.py").write_text(MODULE.format(sleep=0.002))
    options = (*SMALL, "--rounds", "100", "--seeds", "6", "--minutes", "60", "--json")
    command = [sys.executable, "-m", "robustbandits", "redteam", "mymodule:Mine", *options]
    killed = subprocess.Popen([*command, "--out", "killed"], cwd=tmp_path, stdout=subprocess.PIPE)
    matches = tmp_path / "killed" / "store" / "matches"
    limit = time.monotonic() + 240.0
    try:
        while not (matches.is_dir() and any(matches.glob("*.parquet"))):
            assert killed.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < limit
            time.sleep(0.01)
    finally:
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
    before = {path.name: path.stat().st_mtime_ns for path in matches.glob("*.parquet")}
    facts = [
        json.loads(subprocess.check_output([*command, "--out", folder], cwd=tmp_path))
        for folder in ("killed", "whole")
    ]
    assert facts[0] == facts[1]
    after = {path.name: path.stat().st_mtime_ns for path in matches.glob("*.parquet")}
    assert before.items() <= after.items()
    assert len(after) > len(before)
