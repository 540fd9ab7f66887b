"""Figures: formats, equal files, colours, odd sizes."""

import dataclasses
import re

import pytest

from reports.played import played
from robustbandits.reports import figures
from robustbandits.reports.canvas import legend_columns
from robustbandits.reports.curves import panels, sweeps
from robustbandits.reports.figures import draw_budgets, draw_panels
from robustbandits.reports.styles import KNOWN, OTHERS, styles_of

MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture(scope="module")
def ledgers():
    return [one for one in played().ledgers if one.attack in ("NoAttack", "Oracle")]


def renamed(ledgers, count):
    """Return the games of as many policies."""
    some = [one for one in ledgers if one.policy == "LinUCB" and one.attack == "Oracle"][:1]
    return [dataclasses.replace(one, policy=f"P{k}") for one in some for k in range(count)]


def test_equal_results_give_equal_files_in_the_format_of_their_suffix(ledgers, tmp_path):
    first = [tmp_path / f"1.{suffix}" for suffix in MAGIC]
    second = [tmp_path / f"2.{suffix}" for suffix in MAGIC]
    draw_panels([("a", ledgers)], first, title="t")
    draw_panels([("a", ledgers)], second[::-1], title="t")
    for one, other, magic in zip(first, second, MAGIC.values(), strict=True):
        assert one.read_bytes().startswith(magic)
        assert one.read_bytes() == other.read_bytes()


def test_other_format_is_refused(ledgers, tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.png, \.svg or \.pdf"):
        draw_panels([("a", ledgers[:1])], [tmp_path / "figure.gif"])


def svg(draw, tmp_path, *arguments, **options):
    draw(*arguments, [tmp_path / "figure.svg"], **options)
    return (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_panel_that_nobody_played_says_so(ledgers, tmp_path):
    rows = [("a", ledgers), ("b", [one for one in ledgers if one.attack == "NoAttack"])]
    text = svg(draw_panels, tmp_path, rows)
    assert text.count("<!-- not played -->") == 1


def test_nothing_at_all_is_still_a_figure(tmp_path):
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
    monkeypatch.setattr(figures, "MOST_LINES", 2)
    rows = [(f"row {k}", renamed(ledgers, 4)) for k in range(3)]
    text = svg(draw_panels, tmp_path, rows, title="Big")
    assert "<!-- Big; 3 of 4 policies; 2 of 3 rows of panels -->" in text


def test_many_attacks_go_on_in_the_next_line(ledgers, tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "MOST_COLUMNS", 2)
    many = [dataclasses.replace(ledgers[0], attack=f"A{k}") for k in range(3)]
    text = svg(draw_panels, tmp_path, [("a", many)])
    assert {f"a: A{k}" for k in range(3)} <= set(re.findall(r"<!-- (.*) -->", text))


def test_shared_scale_spans_all_panels(ledgers, tmp_path, monkeypatch):
    limits = {}

    def look(figure, paths, title):
        limits[len(limits)] = [panel.get_ylim() for panel in figure.axes]

    monkeypatch.setattr("robustbandits.reports.figures.save", look)
    draw_panels([("a", ledgers)], [], share_y=True)
    draw_panels([("a", ledgers)], [], share_y=False)
    largest = max(one.final_regret for one in ledgers)
    assert len(set(limits[0])) == 1
    assert limits[0][0][0] == 0
    assert limits[0][0][1] >= largest / 2
    assert len(set(limits[1])) > 1


def test_budget_figure_has_a_panel_for_each_sweep_with_its_budgets(tmp_path):
    experiment = played()
    found = sweeps(experiment.spec, panels(experiment.spec, experiment.ledgers))
    words = re.findall(r"<!-- (.*) -->", svg(draw_budgets, tmp_path, found))
    assert "Simulation: Garcelon" in words
    assert {"0", "2", "8", "LinUCB", "Greedy"} <= set(words)


def test_budget_figure_of_one_seed_has_no_bars(tmp_path):
    experiment = played(seeds=1)
    found = sweeps(experiment.spec, panels(experiment.spec, experiment.ledgers))
    assert "Simulation: Garcelon" in svg(draw_budgets, tmp_path, found)


def test_style_depends_on_the_name_not_on_the_order():
    names = ["LinUCB", "mine", "yours", "Greedy"]
    assert styles_of(names) == styles_of(reversed(names))
    assert styles_of(["mine"])["mine"] == styles_of(names)["mine"]
    assert styles_of(["LinUCB"])["LinUCB"] == KNOWN["LinUCB"]


def test_policies_of_a_picture_look_different():
    names = [f"LinUCB(sigma={k / 10})" for k in range(len(OTHERS))]
    assert len(set(styles_of(names).values())) == len(names)
    assert len(styles_of([*names, "one more"])) == len(names) + 1


def test_legend_fits_the_width():
    assert legend_columns(["short"] * 5, width=10) == 5
    assert legend_columns(["x" * 200] * 5, width=10) == 1
    assert legend_columns([], width=10) == 1


def test_lines_of_a_legend_have_about_the_same_length():
    assert legend_columns(["x" * 29] * 4, width=10.2) == 2
    assert legend_columns(["x" * 29] * 5, width=10.2) == 3
