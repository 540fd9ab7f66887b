"""Documents: examples run as printed, links lead somewhere, lines are short."""

import ast
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
from robustbandits.game.facts import RECONSTRUCTION

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
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
def test_example_is_short_imports_nothing_deep_and_asserts_what_it_shows(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 65
    nodes = list(ast.walk(ast.parse(text)))
    assert any(isinstance(node, ast.Assert) for node in nodes)
    imported = {
        alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
    }
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    ours = {name for name in imported if name.startswith("robustbandits")}
    assert ours <= {"robustbandits", "robustbandits.extend"}
    others = {name.split(".")[0] for name in imported - ours} - sys.stdlib_module_names
    assert others <= {"numpy", "matplotlib"}


@needs_speed
@pytest.mark.slow
def test_python_of_the_readme_prints_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    programs = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    (shown,) = re.findall(r"```text\n(.*?)```", README, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for program in programs:
        exec(compile(program, "README.md", "exec"), names)
    assert capsys.readouterr().out == shown


def test_readme_fits_130_lines():
    assert len(README.splitlines()) <= 130


def rows_of(page, heads):
    """Return the rows of the table of a page that begins with these heads, up to their number."""
    _, table = page.split("| " + " | ".join(heads) + " |", 1)
    lines = table.split("\n\n", 1)[0].splitlines()[2:]
    return [tuple(cell.strip() for cell in line.split("|")[1 : len(heads) + 1]) for line in lines]


def test_readme_recommends_the_policies_of_the_page_on_policies():
    heads = ("setting", "what you know", "policy")
    page = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
    shown = rows_of(README, heads)
    assert shown == rows_of(page.replace("policy | worst mean regret measured", "policy"), heads)
    names = {name: getattr(robustbandits.policies, name) for name in robustbandits.policies.__all__}
    for *_, policy in shown:
        call, note = policy.removeprefix("`").split("`")
        recipe = eval(call, {**names, "C": 100.0})
        assert (note == ", experimental") == (recipe.facts.provenance == RECONSTRUCTION)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name):
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if "robustbandits[adapters]" not in str(error):
            raise
        pytest.skip(str(error))
    failed, _ = doctest.testmod(module)
    assert failed == 0


def anchors(page):
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_document_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8"))
    for target, anchor in links:
        if target.startswith("http"):
            continue
        path = page.parent / target if target else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), f"{target}#{anchor}"


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_of_a_document_have_at_most_120_characters(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    long = [line for line in lines if len(line) > 120 and not line.startswith("|")]
    assert long == []


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
    assert preset
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
