"""The catalogue: facts and measured numbers, in the marked parts of a page."""

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

import robustbandits as rb
from experiments.lab import small_spec
from reports.made_up import made_up, slope
from reports.played import written
from robustbandits.experiments.runner import run
from robustbandits.reports.study import Study
from tools import policy_tables
from tools.marked_parts import MarkError, fill, marks
from tools.origin import origin
from tools.policy_tables import (
    budget_table,
    measured_table,
    panel_table,
    parts_of,
    proved_table,
    ratio_table,
    write_catalogue,
)

DOCS = Path(__file__).parents[2] / "docs"
PAGE = """# Title

<!-- proved -->
old
<!-- /proved -->
Between.
<!-- measured: small -->
<!-- /measured -->
<!-- panels: other -->
kept
<!-- /panels -->
End.
"""


def column(table, head):
    k = [one.head for one in table.columns].index(head)
    return {row[0]: row[k] for row in table.rows}


def test_every_exported_policy_has_a_row_of_facts():
    table = proved_table()
    assert sorted(row[0] for row in table.rows) == sorted(rb.policies.__all__)
    assert all(cell for row in table.rows for cell in row)
    settings = [policy_tables.SETTINGS.index(row[1]) for row in table.rows]
    assert settings == sorted(settings)
    assert column(table, "must be told")["RobustLinUCB"] == "budget"
    assert column(table, "must be told")["LinUCB"] == "nothing"


FINALS = {
    ("none", "LinUCB"): [10.0, 20.0],
    ("none", "wary"): [40.0, 60.0],
    ("hard", "LinUCB"): [500.0, 700.0],
    ("hard", "wary"): [45.0, 65.0],
    ("soft", "LinUCB"): [11.0, 21.0],
    ("soft", "wary"): [90.0, 80.0],
}


def experiment(**changes):
    return written(FINALS, environments=("fixed", "fresh"), **changes)


def without(played, environment, policy):
    """Leave a policy out of an environment."""
    kept = [one for one in played.ledgers if (one.environment, one.policy) != (environment, policy)]
    return played._replace(ledgers=kept)


def test_worst_case_and_price_are_those_of_the_ledgers():
    table = measured_table(Study(experiment(), gaps={}))
    for place in ("fixed", "fresh"):
        assert column(table, f"worst, {place}")["LinUCB"].value == 600.0
        assert column(table, f"worst, {place}")["wary"].value == 85.0
        price = column(table, f"price, {place}")
        assert price["LinUCB"] is None
        assert price["wary"].value == 35.0
    assert column(table, "worst panel") == {"LinUCB": "fixed, hard", "wary": "fixed, soft"}


def test_a_policy_that_does_not_play_somewhere_has_a_dash_there():
    table = measured_table(Study(without(experiment(), "fresh", "wary"), gaps={}))
    assert column(table, "worst, fresh")["wary"] is None
    assert column(table, "price, fresh")["wary"] is None
    assert column(table, "worst, fixed")["wary"].value == 85.0
    assert "–" in table.to_markdown()
    means = panel_table(Study(without(experiment(), "fresh", "wary"), gaps={}))
    cells = {row[0]: row[1:] for row in means.rows}
    assert cells["fresh, hard"] == (600.0, None)


def test_without_clean_games_there_is_no_price():
    finals = {key: values for key, values in FINALS.items() if key[0] != "none"}
    crooks = {"hard": rb.attacks.Garcelon(1.0), "soft": rb.attacks.Garcelon(2.0)}
    table = measured_table(Study(written(finals, attacks=crooks), gaps={}))
    assert not [one for one in table.columns if one.head.startswith("price")]


def test_panels_have_their_means_and_the_longer_side_the_rows():
    wide = panel_table(Study(experiment(), gaps={}))
    assert [one.head for one in wide.columns] == ["panel", "LinUCB", "wary"]
    assert wide.rows[0] == ("fixed, none", 15.0, 50.0)
    assert len(wide) == 6
    many = made_up(attacks={"Garcelon": rb.attacks.Garcelon(1.0)})
    tall = panel_table(Study(many, gaps={}))
    assert [one.head for one in tall.columns] == ["policy", "simulation, Garcelon"]
    mean = sum(slope(0, 0, seed) for seed in range(3)) / 3
    assert tall.rows[0] == ("LinUCB", pytest.approx(2000 * mean))


def sweep():
    policies = {
        "LinUCB": rb.policies.LinUCB(),
        "bold": rb.policies.CautiousLinUCB(tolerance=50.0),
        "shy": rb.policies.CautiousLinUCB(tolerance=100.0),
    }
    crooks = {f"Garcelon(budget={b})": rb.attacks.Garcelon(float(b)) for b in (0, 100, 50)}
    return made_up("tolerance", attacks=crooks, policies=policies)


def test_budgets_are_rows_and_policies_columns():
    played = sweep()
    table = budget_table(Study(played, gaps={}), played)
    assert [row[:3] for row in table.rows] == [
        ("simulation", "Garcelon", budget) for budget in (0.0, 50.0, 100.0)
    ]
    pace = sum(slope(2, 1, seed) for seed in range(3)) / 3
    assert table.rows[2][5].value == pytest.approx(2000 * pace)


def test_ratios_are_in_units_of_each_policys_own_tolerance():
    played = sweep()
    table = ratio_table(Study(played, gaps={}), played)
    assert [one.head for one in table.columns[3:]] == ["bold", "shy"]
    rows = {row[2]: row[3:] for row in table.rows}
    assert list(rows) == [0.0, 1.0]  # half of the two were played at 0.5 and at 2, not most
    by_budget = {row[2]: row[3:] for row in budget_table(Study(played, gaps={}), played).rows}
    assert rows[1.0] == (by_budget[50.0][1], by_budget[100.0][2])


def test_attacks_that_come_to_the_same_are_shown_once():
    played = sweep()
    crooks = {f"Garcelon(budget={b}, top=best)": b for b in (0, 100, 50)}
    twins = {name: rb.attacks.Garcelon(float(b), top="best") for name, b in crooks.items()}
    again = [
        dataclasses.replace(one, attack=one.attack.replace(")", ", top=best)"))
        for one in played.ledgers
    ]
    spec = dataclasses.replace(played.spec, attacks={**played.spec.attacks, **twins})
    both = played._replace(spec=spec, ledgers=[*played.ledgers, *again])
    once = budget_table(Study(played, gaps={}), played)
    assert budget_table(Study(both, gaps={}), both).rows == once.rows
    changed = [dataclasses.replace(one, regret=2 * one.regret) for one in again]
    other = both._replace(ledgers=[*played.ledgers, *changed])
    assert len(budget_table(Study(other, gaps={}), other)) == 2 * len(once)


def test_chart_is_drawn_beside_the_page_and_shown_in_it(tmp_path, monkeypatch):
    monkeypatch.setattr(policy_tables, "only_experiment", lambda store: sweep())
    page = tmp_path / "page.md"
    page.write_text("<!-- chart: tolerance -->\n<!-- /chart -->\n", encoding="utf-8")
    write_catalogue(page, tmp_path)
    assert "](page.png)" in page.read_text(encoding="utf-8")
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
    (tmp_path / "page.png").unlink()
    page.write_text("<!-- chart: other -->\n<!-- /chart -->\n", encoding="utf-8")
    write_catalogue(page, tmp_path)
    assert not (tmp_path / "page.png").exists()


def test_parts_are_those_that_the_experiment_has_numbers_for():
    whole = {"measured", "panels", "budgets", "ratios", "exploration"}
    assert set(parts_of(sweep(), "page.md")) == whole
    assert set(parts_of(made_up(), "page.md")) == {"measured", "panels", "exploration"}
    assert set(parts_of(made_up(attacks=[rb.attacks.Garcelon(1.0)]), "page.md")) == {
        "measured",
        "panels",
    }


def test_origin_tells_commit_and_command():
    played = made_up("mine")
    notes = {**played.provenance, "commit": "0123456789abcdef" * 2, "planned": 3, "finished": 3}
    text = origin(played._replace(provenance=notes), "docs/page.md")
    assert "commit `0123456789ab`;" in text
    assert "T = 2,000; 3 seeds" in text
    assert "robustbandits run mine.toml --store STORE\n" in text
    assert "policy_tables STORE docs/page.md" in text
    assert "unfinished" not in text


def test_origin_hides_nothing():
    notes = {"commit": "ab" * 20 + "-dirty", "other_commits": [None], "planned": 4, "finished": 3}
    text = origin(made_up()._replace(provenance=notes), "page.md")
    assert "`abababababab` with changes that were not committed and unknown" in text
    assert "unfinished: 3 of 4 matches" in text


def test_parts_are_filled_and_the_rest_stays():
    page = fill(PAGE, {"proved": "new *text*\n", "measured": "1", "panels": "2"}, "small")
    assert "<!-- proved -->\n\nnew *text*\n\n<!-- /proved -->\nBetween." in page
    assert "<!-- measured: small -->\n\n1\n\n<!-- /measured -->" in page
    assert "<!-- panels: other -->\nkept\n<!-- /panels -->\nEnd.\n" in page
    assert fill(page, {"proved": "new *text*\n", "measured": "1"}, "small") == page
    assert fill(page, {"unknown": "x"}) == page
    assert marks(page) == {"proved": None, "measured": "small", "panels": "other"}


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("no marks", "no marked part"),
        ("<!-- proved --> x", "no marked part"),
        (PAGE + "<!-- budgets -->", "budgets --> has no partner"),
        (PAGE + "<!-- /budgets -->", "/budgets --> has no partner"),
        (PAGE + "<!-- proved --> <!-- /proved -->", "'proved' twice"),
        ("<!-- proved --> <!-- panels --> <!-- /panels --> <!-- /proved -->", "inside another"),
    ],
)
def test_marks_that_do_not_pair_are_refused(page, message):
    with pytest.raises(MarkError, match=message):
        fill(page, {"proved": "x"})


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
    assert "| LinUCB | contextual |" in text
    assert "Regret after 200 rounds" in text
    assert "commit" in text
    assert str(tmp_path) not in text
    assert "kept" in text
    policy_tables.main([str(store), str(page)])
    assert page.read_text(encoding="utf-8") == text


def test_without_a_store_only_the_facts_are_written(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    policy_tables.main([str(page)])
    assert page.read_text(encoding="utf-8") == fill(PAGE, {"proved": proved_table().to_markdown()})


def test_a_store_of_two_experiments_is_refused_and_the_page_stays(tmp_path, capsys):
    for name in ("one", "two"):
        run(small_spec(name=name, seeds=1), tmp_path / "store", progress=False)
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    with pytest.raises(ValueError, match=r"must hold one experiment, and has 2 \(one, two\)"):
        write_catalogue(page, tmp_path / "store")
    with pytest.raises(SystemExit) as ended:
        policy_tables.main([str(tmp_path / "store"), str(page)])
    assert ended.value.code == 1
    assert "must hold one experiment" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == PAGE


@pytest.mark.slow
def test_it_runs_as_a_module(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    command = [sys.executable, "-W", "error", "-m", "tools.policy_tables", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "CautiousLinUCB" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("policies.md", {"proved": None, "measured": "table1", "panels": "table1"}),
        (
            "cautious.md",
            {
                "measured": "cautious",
                "panels": "cautious",
                "chart": "tolerance",
                "budgets": "tolerance",
                "ratios": "tolerance",
            },
        ),
        (
            "presets.md",
            {"exploration": "exploration", "measured": "presets", "panels": "presets"},
        ),
    ],
)
def test_documents_have_their_marks(page, expected):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert marks(text) == expected
    assert fill(text, {}) == text


def test_facts_in_the_documents_are_those_of_the_policies():
    text = (DOCS / "policies.md").read_text(encoding="utf-8")
    body = re.search(r"<!-- proved -->(.*)<!-- /proved -->", text, flags=re.DOTALL)[1].strip()
    # To write it anew: python -m tools.policy_tables docs/policies.md
    assert body in ("", proved_table().to_markdown().strip())
