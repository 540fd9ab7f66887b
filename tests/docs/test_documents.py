"""README, docstrings and examples run as printed."""

import doctest
import importlib
import pkgutil
import re
import runpy
import sys
from pathlib import Path

import pytest

import robustbandits
from robustbandits.compiled.jit import jit_is_on

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MODULES = [
    module.name
    for module in pkgutil.walk_packages(robustbandits.__path__, "robustbandits.")
    if not module.name.endswith("__main__")
]
needs_speed = pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")


@needs_speed
@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 65


@needs_speed
@pytest.mark.slow
def test_python_of_the_readme_runs(tmp_path, monkeypatch):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_links_of_the_documents_lead_somewhere():
    targets = [
        page.parent / target
        for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
        if not target.startswith("http")
    ]
    assert len(targets) > 50
    assert [target for target in targets if not target.exists()] == []


def test_readme_lists_every_policy_and_attack():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in (*robustbandits.policies.__all__, *robustbandits.attacks.__all__):
        assert f"`{name}" in text


def preset_scales(page):
    """Return the table of scales: what each preset changes, and where the worst case was least."""
    line = r"^\| `(\w+)` \| `(\w+)`[^|]* \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$"
    found = re.findall(line, page, flags=re.MULTILINE)
    return {name: (scale, *map(float, values)) for name, scale, *values in found}


def test_page_of_presets_has_the_scales_of_the_policies():
    page = (ROOT / "docs" / "presets.md").read_text(encoding="utf-8")
    listed = preset_scales(page)
    kinds = {name: getattr(robustbandits.policies, name) for name in robustbandits.policies.__all__}
    preset = {name for name, kind in kinds.items() if hasattr(kind, "practical")}
    assert set(listed) == preset - {"RobustPhasedElimination"}  # another threshold, no scale
    assert f"So {len(preset)} policies have" in page
    for name, (scale, theory, preset, _) in listed.items():
        kind = kinds[name]
        assert getattr(kind, scale) == theory, name
        told = {"budget": 100.0} if "budget" in kind.facts.needs else {}
        assert getattr(kind.practical(**told), scale) == preset, name


def test_page_of_presets_says_what_its_own_table_says():
    page = (ROOT / "docs" / "presets.md").read_text(encoding="utf-8")
    measured = re.search(r"<!-- measured: .*?<!-- /measured", page, flags=re.DOTALL)[0]
    worst: dict[str, dict[float, float]] = {}
    for name, value, regret in re.findall(r"\| (\w+)[^(|]*\(.*?=([\d.]+)\) \| ([\d.,]+)", measured):
        worst.setdefault(name, {})[float(value)] = float(regret.replace(",", ""))
    for name, (*_, least) in preset_scales(page).items():
        assert min(worst[name], key=worst[name].get) == least, name
