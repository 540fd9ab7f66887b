"""The figure of regret against the budget in units of the tolerance."""

import re

import pytest

import robustbandits as rb
from reports.made_up import made_up
from robustbandits.reports.ratios import draw_chart, draw_ratios, sweeps_of, tolerances
from robustbandits.reports.styles import KNOWN, ramp

UNITS = {"bold": 50.0, "shy": 100.0}


def sweep(**parts):
    policies = {name: rb.policies.CautiousLinUCB(tolerance=unit) for name, unit in UNITS.items()}
    policies = {"LinUCB": rb.policies.LinUCB(), **policies}
    crooks = {f"Garcelon(budget={b})": rb.attacks.Garcelon(float(b)) for b in (0, 100, 50)}
    return made_up("tolerance", attacks=crooks, policies=policies, **parts)


def figure_of(experiment, monkeypatch, **options):
    """Return the figure that would be saved."""
    figures = []
    monkeypatch.setattr(
        "robustbandits.reports.figures.save", lambda figure, paths, title: figures.append(figure)
    )
    draw_ratios(sweeps_of(experiment), tolerances(experiment.spec), [], **options)
    return figures[0]


def lines(panel):
    return {line.get_color(): line for line in panel.get_lines()}


def test_units_are_the_tolerances_above_zero():
    assert tolerances(sweep().spec) == UNITS
    idle = {"none": rb.policies.CautiousLinUCB(tolerance=0.0)}
    assert not tolerances(made_up(policies=idle).spec)


def test_each_line_is_in_units_of_its_own_tolerance(monkeypatch):
    played = sweep()
    [panel] = figure_of(played, monkeypatch).axes
    found = sweeps_of(played)[0].panels
    for name, style in ramp(list(UNITS)).items():
        line = lines(panel)[style.color]
        assert list(line.get_xdata()) == [0.0, 50.0 / UNITS[name], 100.0 / UNITS[name]]
        means = [float(one.finals[name].mean()) for one in found.values()]
        assert list(line.get_ydata()) == pytest.approx(means)
    assert len(panel.collections) == 2  # bands


def test_reference_has_level_lines_with_their_budgets(monkeypatch):
    played = sweep()
    [panel] = figure_of(played, monkeypatch, reference="LinUCB").axes
    finals = [one.finals["LinUCB"].mean() for one in sweeps_of(played)[0].panels.values()]
    levels = [
        line.get_ydata()[0]
        for line in panel.get_lines()
        if line.get_color() == KNOWN["LinUCB"].color
    ]
    assert levels == pytest.approx([finals[0], finals[-1]])
    assert [text.get_text() for text in panel.texts] == ["LinUCB, C = 0", "LinUCB, C = 100"]


def test_reference_that_did_not_play_is_left_out(monkeypatch):
    played = sweep(skip=lambda environment, attack, policy, seed: policy == "LinUCB")
    [panel] = figure_of(played, monkeypatch, reference="LinUCB").axes
    assert not panel.texts


@pytest.mark.parametrize("seeds", [1, 3])
def test_equal_results_give_equal_files_with_titles_and_legend(tmp_path, seeds):
    first, second = tmp_path / "1.svg", tmp_path / "2.svg"
    assert draw_chart(sweep(seeds=seeds), first) == (
        "![Regret against C / tolerance: bold, shy](1.svg)"
    )
    draw_chart(sweep(seeds=seeds), second)
    assert first.read_bytes() == second.read_bytes()
    words = set(re.findall(r"<!-- (.*) -->", first.read_text(encoding="utf-8")))
    assert {"simulation: Garcelon", "C / tolerance", "final regret", "bold", "shy"} <= words


def test_shades_of_a_ramp_differ():
    assert len({one.color for one in ramp([str(k) for k in range(8)]).values()}) == 8
    assert list(ramp(["alone"])) == ["alone"]
