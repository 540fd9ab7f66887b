"""robustbandits bench: the speed of policies."""

import json

import pytest
from typer.testing import CliRunner

from robustbandits.cli.app import app

runner = CliRunner()


@pytest.mark.slow
def test_bench_measures_the_policies_of_the_paper():
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
def test_bench_measures_the_named_policies():
    result = runner.invoke(app, ["bench", "RobustLinUCB", "CautiousLinUCB", "--rounds", "50"])
    assert result.exit_code == 0, result.output
    rows = result.stdout.splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["RobustLinUCB", "CautiousLinUCB"]
