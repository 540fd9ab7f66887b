"""The figure of regret against the budget in units of the tolerance."""

import re

import pytest

import robustbandits as rb
from reports.sample_experiments import linear_experiment, tolerance_sweep
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.styles import styles_of
from tools.ratio_figure import different_sweeps, draw_chart, draw_ratios, ramp, tolerances

UNITS = {"low": 50.0, "high": 100.0}


def figure_of(experiment, monkeypatch, **options):
    """Return the figure that would be saved."""
    figures = []
    monkeypatch.setattr(
        "robustbandits.reports.figures.save", lambda figure, paths, title: figures.append(figure)
    )
    sweeps = different_sweeps(GroupedGames(experiment))
    draw_ratios(sweeps, tolerances(experiment.spec), [], **options)
    return figures[0]


def finals(experiment, policy):
    (sweep,) = different_sweeps(GroupedGames(experiment))
    return [float(panel.finals[policy].mean()) for panel in sweep.panels.values()]


def test_units_are_the_tolerances_above_zero():
    assert tolerances(tolerance_sweep().spec) == UNITS
    zero = {"none": rb.policies.CautiousLinUCB(tolerance=0.0)}
    assert not tolerances(linear_experiment(policies=zero).spec)


def test_each_line_is_in_units_of_its_own_tolerance(monkeypatch):
    experiment = tolerance_sweep()
    (panel,) = figure_of(experiment, monkeypatch).axes
    lines = {line.get_color(): line for line in panel.get_lines()}
    for policy, style in ramp(list(UNITS)).items():
        line = lines[style.color]
        assert list(line.get_xdata()) == [0.0, 50.0 / UNITS[policy], 100.0 / UNITS[policy]]
        assert list(line.get_ydata()) == pytest.approx(finals(experiment, policy))
    assert len(panel.collections) == 2  # bands


def test_reference_has_horizontal_lines_with_their_budgets(monkeypatch):
    experiment = tolerance_sweep()
    (panel,) = figure_of(experiment, monkeypatch, reference="LinUCB").axes
    expected = finals(experiment, "LinUCB")
    levels = [
        line.get_ydata()[0]
        for line in panel.get_lines()
        if line.get_color() == styles_of(["LinUCB"])["LinUCB"].color
    ]
    assert levels == pytest.approx([expected[0], expected[-1]])
    assert [text.get_text() for text in panel.texts] == ["LinUCB, C = 0", "LinUCB, C = 100"]


@pytest.mark.parametrize("seeds", [1, 3])
def test_equal_results_give_equal_files_with_titles_and_legend(tmp_path, seeds):
    first, second = tmp_path / "1.svg", tmp_path / "2.svg"
    games = GroupedGames(tolerance_sweep(seeds=seeds))
    shown = "![Regret against C / tolerance, for tolerances of 50, 100](1.svg)"
    assert draw_chart(games, first) == shown
    draw_chart(games, second)
    assert first.read_bytes() == second.read_bytes()
    words = set(re.findall(r"<!-- (.*) -->", first.read_text(encoding="utf-8")))
    assert {"simulation: Garcelon", "C / tolerance", "final regret", "low", "high"} <= words
