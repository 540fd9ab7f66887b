"""The version, and the paper's Figure 1 from the command line."""

import json

import pytest
from typer.testing import CliRunner

import robustbandits
from robustbandits.cli.app import app
from robustbandits.compiled.jit import jit_is_on
from shared_data import sample

runner = CliRunner()


def test_version_prints_the_package_version():
    result = runner.invoke(app, ["--version"])
    assert result.output.strip() == robustbandits.__version__


@pytest.mark.parametrize("option", [["--rounds", "0"], ["--seeds", "-1"], ["--reading", "loud"]])
def test_a_bad_option_is_a_usage_error(option):
    assert runner.invoke(app, ["reproduce", *option]).exit_code == 2


@pytest.mark.slow
@pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")
def test_reproduce_writes_the_figure_and_the_table(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUSTBANDITS_MOVIELENS", str(sample("ml-100k")))
    monkeypatch.delenv("ROBUSTBANDITS_NETFLIX", raising=False)
    monkeypatch.setenv("ROBUSTBANDITS_DATA", str(tmp_path / "data"))
    size = ["--rounds", "300", "--seeds", "2", "--as-coded-seeds", "3", "--reading", "all"]
    arguments = ["reproduce", *size, "--out", str(tmp_path)]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "as-coded: nothing was compared with the paper." in result.output
    assert (tmp_path / "figure1.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "figure1.svg").read_text(encoding="utf-8")
    verdict = (tmp_path / "reproduction.md").read_text(encoding="utf-8")
    rows = [line for line in verdict.splitlines() if "| BOB-No-Restart |" in line]
    assert len(rows) == 6 + 6 + 9
    assert sum("Netflix (synthetic stand-in)" in row for row in rows) == 2 + 2 + 3
    for reading in ("as-written", "as-coded", "well-specified"):
        assert f"## {reading}\n" in verdict
    assert (tmp_path / "index.html").is_file()
    assert "--seeds 2 --as-coded-seeds 3`" in verdict
    assert (tmp_path / "figure1-as-coded" / "verdict.csv").is_file()
    values = json.loads((tmp_path / "reproduction.json").read_text(encoding="utf-8"))
    assert [(found["reading"], found["seeds"]) for found in values] == [
        ("as-written", 2),
        ("as-coded", 3),
        ("well-specified", 2),
    ]
    again = runner.invoke(app, [*arguments, "--json"])
    assert json.loads(again.stdout) == values
