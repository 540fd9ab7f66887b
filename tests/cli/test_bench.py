"""robustbandits bench: the speed of policies."""

import pytest

from cli.commands import invoke, invoke_json


@pytest.mark.slow
def test_bench_measures_the_policies_of_the_paper():
    rows = invoke_json("bench", "--rounds", "50")["policies"]
    names = [row["policy"] for row in rows]
    assert names == ["LinUCB", "LinTS", "Greedy", "RobustBandit", "BOB-No-Restart"]
    assert all(row["rounds_per_second"] > 0 for row in rows)
    text = invoke("bench", "--rounds", "50").output
    assert "M rounds/s" in text
    assert text.count("\n") == 1 + len(rows)


@pytest.mark.slow
def test_bench_measures_the_named_policies():
    result = invoke("bench", "RobustLinUCB", "CautiousLinUCB", "--rounds", "50")
    rows = result.stdout.splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["RobustLinUCB", "CautiousLinUCB"]
