"""The version, and the paper's Figure 1 from the command line."""

import json

import pytest

import robustbandits
from cli.commands import invoke, invoke_json
from robustbandits.compiled.jit import jit_is_on
from shared_data import sample


def test_version_prints_the_package_version():
    result = invoke("--version")
    assert result.output.strip() == robustbandits.__version__


@pytest.mark.slow
@pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")
def test_reproduce_writes_the_figure_and_the_table(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUSTBANDITS_MOVIELENS", str(sample("ml-100k")))
    monkeypatch.delenv("ROBUSTBANDITS_NETFLIX", raising=False)
    monkeypatch.setenv("ROBUSTBANDITS_DATA", str(tmp_path / "data"))
    size = ["--rounds", "300", "--seeds", "2", "--as-coded-seeds", "3", "--reading", "all"]
    result = invoke("reproduce", *size, "--out", tmp_path)
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
    assert invoke_json("reproduce", *size, "--out", tmp_path) == values
