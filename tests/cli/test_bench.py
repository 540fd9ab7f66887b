"""robustbandits bench: it measures, whatever the machine."""

import json

import pytest
from typer.testing import CliRunner

from robustbandits.cli.app import app

runner = CliRunner()


@pytest.mark.slow
def test_bench_measures_each_policy():
    result = runner.invoke(app, ["bench", "--rounds", "50", "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["policies"]
    names = [row["policy"] for row in rows]
    assert names == ["LinUCB", "LinTS", "Greedy", "RobustBandit", "BOB-No-Restart"]
    assert all(row["rounds_per_second"] > 0 for row in rows)
    text = runner.invoke(app, ["bench", "--rounds", "50"]).output
    assert "M rounds/s" in text
    assert text.count("\n") == 1 + len(rows)


@pytest.mark.slow
def test_bench_measures_the_policies_that_are_named():
    result = runner.invoke(app, ["bench", "RobustLinUCB", "CautiousLinUCB", "--rounds", "50"])
    assert result.exit_code == 0, result.output
    rows = result.stdout.splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["RobustLinUCB", "CautiousLinUCB"]


def test_bench_knows_what_was_meant():
    result = runner.invoke(app, ["bench", "LinUBC"])
    assert result.exit_code == 2
    assert "LinUCB" in result.output
