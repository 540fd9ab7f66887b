"""Tables and specs that are derived from the classes: complete, and up to date in the files."""

import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

import robustbandits as rb
from robustbandits.cli.app import VERBS
from robustbandits.experiments.registry import kinds
from robustbandits.game.facts import PolicyFacts
from robustbandits.game.recipe import Recipe
from robustbandits.metrics import METRICS
from tools import make_tables
from tools.derived_tables import DERIVED, SETTINGS, commands_table, proved_table
from tools.marked_parts import marks

ROOT = Path(__file__).parents[2]
SPECS = Path("src/robustbandits/experiments/specs")
#: Files with derived parts, besides the README.
FILES = {
    Path("docs/policies.md"),
    Path("docs/attacks.md"),
    Path("docs/data.md"),
    Path("docs/experiments.md"),
    SPECS / "table1.toml",
    SPECS / "exploration.toml",
}


def test_derived_parts_are_up_to_date():
    derived = make_tables.derived_files()
    assert {path.relative_to(ROOT) for path in derived} >= FILES
    for path, text in derived.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `make tables`"


@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("policies", rb.policies.__all__),
        ("proved", rb.policies.__all__),
        ("attacks", [*kinds("attacks")]),
        ("environments", kinds("environments")),
        ("metrics", METRICS),
    ],
)
def test_table_has_a_row_for_everything_that_is_exported(part, names):
    rows = DERIVED[part]().rows
    assert rows
    assert sorted(row[0] for row in rows) == sorted(names)
    assert all(cell for row in rows for cell in row)


def test_every_derived_table_is_in_a_document():
    pages = [path for path in make_tables.derived_files() if path.suffix == ".md"]
    assert set(DERIVED) <= {mark for page in pages for mark in marks(page.read_text("utf-8"))}


def test_table_of_commands_has_every_verb():
    rows = commands_table().rows
    assert VERBS
    assert {name.split()[1] for name, _ in rows} == set(VERBS)
    assert all(about for _, about in rows)


def test_policies_are_ordered_by_setting_and_say_what_they_must_be_told():
    rows = {row[0]: row[1:] for row in proved_table().rows}
    settings = [[*SETTINGS].index(setting) for setting, *_ in rows.values()]
    assert settings == sorted(settings)
    assert rows["RobustLinUCB"][1] == "budget"
    assert rows["LinUCB"][1] == "nothing"


class Policy(Recipe):
    @classmethod
    def practical(cls, **changes):
        return cls(**changes)


@dataclass(frozen=True, kw_only=True)
class Contextual(Policy):
    budget: float | None = None


@dataclass(frozen=True, kw_only=True)
class FixedArms(Policy):
    facts = PolicyFacts(setting="fixed arms")
    budget: float

    @classmethod
    def practical(cls, budget, **changes):
        return cls(budget=budget, **changes)


@dataclass(frozen=True, kw_only=True)
class Plain(Recipe):
    width: float = 1.0


def test_spec_has_rows_for_theory_known_budget_and_preset():
    policies = {"FixedArms": FixedArms, "Contextual": Contextual, "Plain": Plain}
    rows = tomllib.loads(make_tables.spec_rows(policies))["policies"]
    assert list(rows.items()) == [
        ("Contextual", {}),
        ("Contextual known C", {"kind": "Contextual", "budget": 100}),
        ("Contextual practical", {"kind": "Contextual", "preset": "practical"}),
        ("Plain", {}),
        ("FixedArms", {"budget": 100}),
        ("FixedArms practical", {"kind": "FixedArms", "preset": "practical", "budget": 100}),
    ]


@pytest.fixture
def copy(tmp_path):
    """Return a folder with the files that have derived parts."""
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def test_missing_rows_are_written_and_other_text_stays(copy, capsys):
    assert set(make_tables.derived_files(copy)) == {copy / file for file in FILES}
    rows = {
        copy / "docs/policies.md": "| LinTS | contextual |",
        copy / SPECS / "table1.toml": "[policies.LinTS]",
    }
    whole = {path: path.read_text(encoding="utf-8") for path in rows}
    for path, row in rows.items():
        lines = whole[path].splitlines(keepends=True)
        others = [line for line in lines if not line.startswith(row)]
        assert len(others) == len(lines) - 1
        path.write_text("".join(others), encoding="utf-8")
    make_tables.main(copy)
    assert {path: path.read_text(encoding="utf-8") for path in rows} == whole
    written = [f"wrote {path.relative_to(copy)}" for path in rows]
    assert capsys.readouterr().out.splitlines() == written
    make_tables.main(copy)
    assert capsys.readouterr().out == ""


def test_spec_without_the_mark_is_refused(copy):
    (copy / SPECS / "table1.toml").write_text('name = "table1"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"table1.toml has no line '# Below this line"):
        make_tables.main(copy)
