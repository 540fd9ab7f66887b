"""Write everything that is derived from the classes: tables of pages, and rows of specs.

``make tables`` runs it. It plays no games. It fills the marked parts of the pages that
``tools/derived_tables.py`` has tables for, and everything below the line ``MARK`` of the specs that
play every policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from robustbandits._atomic import write_whole
from robustbandits.experiments.registry import (
    MISSING,
    REQUIRED_VALUES,
    kinds,
    parameters,
    presets,
    required_values,
)
from robustbandits.game.facts import policy_facts
from tools.derived_tables import DERIVED, SETTINGS
from tools.marked_parts import fill, marks

ROOT = Path(__file__).parents[1]
SPECS = ("table1", "exploration")
MARK = "# Below this line: every policy, written by `make tables`.\n"


def spec_rows(policies: Mapping[str, type[Any]]) -> str:
    """Return the rows of policies in TOML, each with the constants of its theory.

    Required parameters get typical values. A policy with an optional budget has a second row, in
    which it knows the budget. A policy with a preset ``practical`` has a row for it.
    """
    parts = []
    for setting, heading in SETTINGS.items():
        names = [name for name, kind in policies.items() if policy_facts(kind).setting == setting]
        rows = [row for name in names for row in _rows_of(name, policies[name])]
        if rows:
            parts.append(f"# {heading}\n" + "\n".join(rows))
    return "\n".join(parts)


def _rows_of(name: str, kind: type[Any]) -> Iterator[str]:
    yield _row(name, required_values(kind))
    budget = parameters(kind).get("budget")
    if budget is not None and budget.default is not MISSING:
        known = {"budget": REQUIRED_VALUES["budget"]}
        yield _row(f"{name} known C", {"kind": name, **required_values(kind), **known})
    if "practical" in presets(kind):
        given = required_values(kind, "practical")
        yield _row(f"{name} practical", {"kind": name, "preset": "practical", **given})


def _row(label: str, values: Mapping[str, Any]) -> str:
    """Return a table of TOML; a label with a space needs quotes."""
    head = f'"{label}"' if " " in label else label
    lines = [f'{k} = "{v}"' if isinstance(v, str) else f"{k} = {v:g}" for k, v in values.items()]
    return "\n".join([f"[policies.{head}]", *lines]) + "\n"


def derived_files(root: Path = ROOT) -> dict[Path, str]:
    """Return the text that each page and spec with derived parts should have."""
    found = {}
    tables = {name: make().to_markdown() for name, make in DERIVED.items()}
    for page in [*sorted(root.glob("*.md")), *sorted((root / "docs").glob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        if set(marks(text)) & set(tables):
            found[page] = fill(text, tables)
    rows = spec_rows(kinds("policies"))
    for name in SPECS:
        spec = root / "src/robustbandits/experiments/specs" / f"{name}.toml"
        head, mark, _ = spec.read_text(encoding="utf-8").partition(MARK)
        if not mark:
            raise ValueError(f"{spec.name} has no line {MARK.strip()!r}; add it above the policies")
        found[spec] = f"{head}{mark}\n{rows}"
    return found


def main(root: Path = ROOT) -> None:
    """Write the files that are out of date."""
    for path, text in derived_files(root).items():
        if path.read_text(encoding="utf-8") != text:
            write_whole(path, text.encode())
            print(f"wrote {path.relative_to(root)}")


if __name__ == "__main__":
    main()
