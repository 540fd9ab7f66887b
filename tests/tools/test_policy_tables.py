"""Tables of measured numbers, in the marked parts of a page."""

import dataclasses
import re
from pathlib import Path

import pytest

import robustbandits as rb
from experiments.lab import small_spec
from reports.sample_experiments import (
    experiment_with_finals,
    linear_experiment,
    slope,
    tolerance_sweep,
)
from robustbandits.experiments import ready_specs, run
from robustbandits.reports.grouped_games import GroupedGames
from tools import policy_tables
from tools.derived_tables import DERIVED
from tools.marked_parts import fill, marks
from tools.policy_tables import (
    budget_table,
    measured_table,
    panel_table,
    parts_of,
    ratio_table,
    write_tables,
)

DOCS = Path(__file__).parents[2] / "docs"
PAGE = """# Title

<!-- measured: small -->
<!-- /measured -->
<!-- panels: other -->
not changed
<!-- /panels -->
"""


def column(table, head):
    k = [column.head for column in table.columns].index(head)
    return {row[0]: row[k] for row in table.rows}


FINALS = {
    ("none", "LinUCB"): [10.0, 20.0],
    ("none", "wary"): [40.0, 60.0],
    ("hard", "LinUCB"): [500.0, 700.0],
    ("hard", "wary"): [45.0, 65.0],
    ("soft", "LinUCB"): [11.0, 21.0],
    ("soft", "wary"): [90.0, 80.0],
}


def grouped(skip=None):
    """Return the games with these final regrets, without those of an environment and policy."""
    experiment = experiment_with_finals(FINALS, environments=("fixed", "fresh"))
    ledgers = [game for game in experiment.ledgers if (game.environment, game.policy) != skip]
    return GroupedGames(experiment._replace(ledgers=ledgers), gaps={})


def test_worst_case_and_price_are_those_of_the_ledgers():
    table = measured_table(grouped())
    for environment in ("fixed", "fresh"):
        assert column(table, f"worst, {environment}")["LinUCB"].value == 600.0
        assert column(table, f"worst, {environment}")["wary"].value == 85.0
        price = column(table, f"price, {environment}")
        assert price["LinUCB"] is None
        assert price["wary"].value == 35.0
    assert column(table, "worst panel") == {"LinUCB": "fixed, hard", "wary": "fixed, soft"}


def test_policy_without_games_in_an_environment_has_a_dash_there():
    games = grouped(skip=("fresh", "wary"))
    table = measured_table(games)
    assert column(table, "worst, fresh")["wary"] is None
    assert column(table, "price, fresh")["wary"] is None
    assert column(table, "worst, fixed")["wary"].value == 85.0
    assert "–" in table.to_markdown()
    cells = {row[0]: row[1:] for row in panel_table(games).rows}
    assert cells["fresh, hard"] == (600.0, None)


def test_panels_have_their_means_and_the_longer_side_the_rows():
    wide = panel_table(grouped())
    assert [column.head for column in wide.columns] == ["panel", "LinUCB", "wary"]
    assert wide.rows[0] == ("fixed, none", 15.0, 50.0)
    assert len(wide) == 6
    many = linear_experiment(attacks={"Garcelon": rb.attacks.Garcelon(1.0)})
    tall = panel_table(GroupedGames(many, gaps={}))
    assert [column.head for column in tall.columns] == ["policy", "simulation, Garcelon"]
    mean = sum(slope(0, 0, seed) for seed in range(3)) / 3
    assert tall.rows[0] == ("LinUCB", pytest.approx(2000 * mean))


def test_budgets_are_rows_and_policies_columns():
    table = budget_table(GroupedGames(tolerance_sweep()))
    assert [row[:3] for row in table.rows] == [
        ("simulation", "Garcelon", budget) for budget in (0.0, 50.0, 100.0)
    ]
    mean = sum(slope(2, 1, seed) for seed in range(3)) / 3
    assert table.rows[2][5].value == pytest.approx(2000 * mean)


def test_ratios_are_in_units_of_each_policys_own_tolerance():
    games = GroupedGames(tolerance_sweep())
    table = ratio_table(games)
    assert [column.head for column in table.columns[3:]] == ["low", "high"]
    rows = {row[2]: row[3:] for row in table.rows}
    assert list(rows) == [0.0, 1.0]  # half of the two were played at 0.5 and at 2, not most
    by_budget = {row[2]: row[3:] for row in budget_table(games).rows}
    assert rows[1.0] == (by_budget[50.0][1], by_budget[100.0][2])


def test_attacks_with_the_same_results_are_shown_once():
    experiment = tolerance_sweep()
    budgets = {f"Garcelon(budget={b}, top=best)": float(b) for b in (0, 100, 50)}
    twins = {name: rb.attacks.Garcelon(budget, top="best") for name, budget in budgets.items()}
    spec = dataclasses.replace(experiment.spec, attacks={**experiment.spec.attacks, **twins})

    def table_with(factor):
        again = [
            dataclasses.replace(
                game, attack=game.attack.replace(")", ", top=best)"), regret=factor * game.regret
            )
            for game in experiment.ledgers
        ]
        both = experiment._replace(spec=spec, ledgers=[*experiment.ledgers, *again])
        return budget_table(GroupedGames(both))

    once = budget_table(GroupedGames(experiment))
    assert table_with(1).rows == once.rows
    assert len(table_with(2)) == 2 * len(once)


def test_chart_is_drawn_beside_the_page_and_shown_in_it(tmp_path, monkeypatch):
    monkeypatch.setattr(policy_tables, "only_experiment", lambda store: tolerance_sweep())
    page = tmp_path / "page.md"
    page.write_text("<!-- chart: tolerance -->\n<!-- /chart -->\n", encoding="utf-8")
    write_tables(page, tmp_path)
    assert "](page.png)" in page.read_text(encoding="utf-8")
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
    (tmp_path / "page.png").unlink()
    page.write_text("<!-- chart: other -->\n<!-- /chart -->\n", encoding="utf-8")
    write_tables(page, tmp_path)
    assert not (tmp_path / "page.png").exists()


def test_experiment_fills_the_parts_that_it_has_numbers_for():
    whole = {"measured", "panels", "budgets", "ratios", "exploration", "growth"}
    assert set(parts_of(tolerance_sweep(), "page.md")) == whole
    assert set(parts_of(linear_experiment(), "page.md")) == whole - {"budgets", "ratios"}
    assert set(parts_of(linear_experiment(attacks=[rb.attacks.Garcelon(1.0)]), "page.md")) == {
        "measured",
        "panels",
    }


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("catalogue") / "store"
    run(small_spec(), folder, progress=False)
    return folder


def test_page_is_written_from_a_store(store, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    policy_tables.main([str(store), str(page)])
    text = page.read_text(encoding="utf-8")
    assert "Regret after 200 rounds" in text
    assert "commit" in text
    assert str(tmp_path) not in text
    assert "not changed" in text
    policy_tables.main([str(store), str(page)])
    assert page.read_text(encoding="utf-8") == text


def test_store_of_two_experiments_is_refused_and_the_page_stays(tmp_path, capsys):
    for name in ("one", "two"):
        run(small_spec(name=name, seeds=1), tmp_path / "store", progress=False)
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        policy_tables.main([str(tmp_path / "store"), str(page)])
    assert ended.value.code == 1
    assert re.search(r"expected one experiment .* got 2 \(one, two\)", capsys.readouterr().err)
    assert page.read_text(encoding="utf-8") == PAGE


PARTS = {"measured", "panels", "budgets", "ratios", "exploration", "chart", "search", *DERIVED}
LIMITS_PARTS = {"limits", "efficiency", "bonuses", "lies", "limitchart"}


@pytest.mark.parametrize(
    "page", ["policies.md", "cautious.md", "presets.md", "experiments.md", "attacks.md", "data.md"]
)
def test_marks_of_the_documents_name_known_parts_and_ready_specs(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    found = marks(text)
    assert found
    assert set(found) <= PARTS | LIMITS_PARTS
    assert {source for source in found.values() if source} <= set(ready_specs())
    assert fill(text, {}) == text
