"""Figures: formats, equal files, colors, unusual sizes."""

import dataclasses
import re

import pytest

from reports.sample_experiments import played_experiment
from robustbandits.reports import figures
from robustbandits.reports.figures import draw_budgets, draw_panels, legend_columns
from robustbandits.reports.grouped_games import GroupedGames

MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture(scope="module")
def ledgers():
    shown = ("NoAttack", "Oracle")
    return [ledger for ledger in played_experiment().ledgers if ledger.attack in shown]


def renamed(ledgers, count):
    """Return one game for each of this many policies."""
    return [dataclasses.replace(ledgers[0], policy=f"P{k}") for k in range(count)]


def test_equal_results_give_equal_files_in_the_format_of_their_suffix(ledgers, tmp_path):
    first = [tmp_path / f"1.{suffix}" for suffix in MAGIC]
    second = [tmp_path / f"2.{suffix}" for suffix in MAGIC]
    draw_panels([("a", ledgers)], first, title="t")
    draw_panels([("a", ledgers)], second[::-1], title="t")
    for file, again, magic in zip(first, second, MAGIC.values(), strict=True):
        assert file.read_bytes().startswith(magic)
        assert file.read_bytes() == again.read_bytes()


def test_other_format_is_refused(ledgers, tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.png, \.svg or \.pdf"):
        draw_panels([("a", ledgers[:1])], [tmp_path / "figure.gif"])


def svg(draw, tmp_path, *arguments, **options):
    draw(*arguments, [tmp_path / "figure.svg"], **options)
    return (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_panel_without_games_says_so(ledgers, tmp_path):
    rows = [("a", ledgers), ("b", [game for game in ledgers if game.attack == "NoAttack"])]
    text = svg(draw_panels, tmp_path, rows)
    assert text.count("<!-- not played -->") == 1


def test_no_games_give_an_empty_figure(tmp_path):
    assert "<svg" in svg(draw_panels, tmp_path, [])
    assert "<svg" in svg(draw_panels, tmp_path, [("a", [])])
    assert "<svg" in svg(draw_budgets, tmp_path, [])


@pytest.mark.parametrize("count", [1, 40])
def test_every_policy_is_in_the_legend(ledgers, tmp_path, count):
    text = svg(draw_panels, tmp_path, [("a", renamed(ledgers, count))])
    assert {f"P{k}" for k in range(count)} <= set(re.findall(r"<!-- (P\d+) -->", text))
    assert " of " not in "".join(re.findall(r"<!-- (.*) -->", text))


def test_title_says_what_was_left_out(ledgers, tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "MOST_POLICIES", 3)
    monkeypatch.setattr(figures, "MOST_ROWS", 2)
    rows = [(f"row {k}", renamed(ledgers, 4)) for k in range(3)]
    text = svg(draw_panels, tmp_path, rows, title="Big")
    assert "<!-- Big; 3 of 4 policies; 2 of 3 rows of panels -->" in text


def test_many_attacks_continue_in_the_next_line(ledgers, tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "MOST_COLUMNS", 2)
    many = [dataclasses.replace(ledgers[0], attack=f"A{k}") for k in range(3)]
    text = svg(draw_panels, tmp_path, [("a", many)])
    assert {f"a: A{k}" for k in range(3)} <= set(re.findall(r"<!-- (.*) -->", text))


def test_budget_figure_has_a_panel_for_each_sweep_with_its_budgets(tmp_path):
    sweeps = GroupedGames(played_experiment()).sweeps
    words = re.findall(r"<!-- (.*) -->", svg(draw_budgets, tmp_path, sweeps))
    assert "Simulation: Garcelon" in words
    assert {"0", "2", "8", "LinUCB", "Greedy"} <= set(words)


def test_label_that_begins_with_an_underscore_is_in_the_legend(ledgers, tmp_path):
    text = svg(draw_panels, tmp_path, [("a", [dataclasses.replace(ledgers[0], policy="_mine")])])
    assert "<!-- _mine -->" in text


def test_y_axis_of_each_row_has_a_title(ledgers, tmp_path):
    rows = [("a", ledgers), ("b", ledgers)]
    assert svg(draw_panels, tmp_path, rows).count("<!-- cumulative regret -->") == 2
    sweeps = GroupedGames(played_experiment()).sweeps
    assert svg(draw_budgets, tmp_path, sweeps).count("<!-- final regret -->") == 1


@pytest.mark.parametrize(
    ("names", "width", "columns"),
    [
        (["short"] * 5, 10, 5),
        (["x" * 200] * 5, 10, 1),
        ([], 10, 1),
        # Lines have about the same length: 2 + 2 names, not 3 + 1.
        (["x" * 29] * 4, 10.2, 2),
        (["x" * 29] * 5, 10.2, 3),
    ],
)
def test_legend_fits_the_width(names, width, columns):
    assert legend_columns(names, width) == columns


def test_shared_scale_spans_all_panels(ledgers, tmp_path, monkeypatch):
    limits = {}

    def record(figure, paths, title):
        limits[len(limits)] = [panel.get_ylim() for panel in figure.axes]

    monkeypatch.setattr("robustbandits.reports.figures.save", record)
    draw_panels([("a", ledgers)], [], share_y=True)
    draw_panels([("a", ledgers)], [], share_y=False)
    largest = max(ledger.final_regret for ledger in ledgers)
    assert len(set(limits[0])) == 1
    assert limits[0][0][0] == 0
    assert limits[0][0][1] >= largest / 2
    assert len(set(limits[1])) > 1
