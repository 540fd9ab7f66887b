"""The page as text: its content, its size, and that no name can break it."""

import itertools
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import robustbandits as rb
from reports.sample_experiments import (
    POLICIES,
    budget_sweep,
    experiment_with_finals,
    linear_experiment,
    slope,
    three_readings,
)
from robustbandits.experiments.store.load import merge_provenance
from robustbandits.metrics.groups import Labels
from robustbandits.metrics.intervals import half_width
from robustbandits.reports.citations import citations
from robustbandits.reports.page.render import render_page
from robustbandits.reports.styles import PALETTE, styles_of
from robustbandits.reports.write import write_report

HOSTILE = "</script><b>&\"'{{ data }}{% raw %}"


class Reader(HTMLParser):
    """Elements, their attributes and texts."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self.data, self.style, self._in = [], [], "", "", None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._in = (tag, dict(attrs))

    def handle_endtag(self, tag):
        self._in = None

    def handle_data(self, data):
        if self._in and self._in[0] == "script":
            if self._in[1].get("type") == "application/json":
                self.data += data
        elif self._in and self._in[0] == "style":
            self.style += data
        else:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())

    @property
    def charts(self):
        return json.loads(self.data)["charts"]

    def count(self, tag, **attributes):
        wanted = {key.rstrip("_"): value for key, value in attributes.items()}
        return sum(name == tag and wanted.items() <= found.items() for name, found in self.tags)


def read(*experiments, **options):
    return Reader(render_page(experiments, **options))


@pytest.fixture(scope="module")
def readings():
    return render_page(three_readings())


def test_three_readings_stay_small(readings):
    assert len(readings.encode()) < 1_500_000  # docs/decisions/0012 allows 6 MB


def test_references_are_marked_in_their_panel_only():
    def references(spec):
        return {Labels("simulation", "Oracle", "LinTS"): 123.0} if spec.name == "mine" else {}

    page = read(linear_experiment(), linear_experiment("other"), references=references)
    published = [[curve["published"] for curve in chart["curves"]] for chart in page.charts]
    assert published[1] == [None, 123.0, None, None, None]
    assert [marks for i, marks in enumerate(published) if i != 1] == [[None] * 5] * 5
    assert page.text.count("◀ published") == 1


def test_every_panel_has_a_chart_and_every_policy_a_curve(readings):
    charts = Reader(readings).charts
    assert len(charts) == 27
    assert {len(chart["curves"]) for chart in charts} == {5}
    assert len({chart["id"] for chart in charts}) == 27


def test_page_refers_to_nothing_outside_itself(readings):
    for tag, attributes in Reader(readings).tags:
        for key in ("src", "href", "action", "srcset", "data"):
            link = attributes.get(key) or "#"
            assert link.startswith(("#", "data:")), (tag, link)
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", readings))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, never fetched
    assert "default-src 'none'" in readings
    assert "@import" not in readings
    assert "url(" not in readings


def test_curves_are_means_with_intervals_over_seeds():
    chart = read(linear_experiment(seeds=3)).charts[1]
    rounds = np.array(chart["x"])
    assert rounds[0] == 20
    assert rounds[-1] == 2000
    for p, curve in enumerate(chart["curves"]):
        values = np.array([slope(p, 1, seed) * rounds for seed in range(3)])
        np.testing.assert_allclose(curve["y"], values.mean(axis=0), rtol=1e-3)
        np.testing.assert_allclose(curve["half"], half_width(values), rtol=1e-3)
        assert curve["end"] == 200  # the same for all seeds


def test_one_seed_has_no_bands_and_says_so():
    page = read(linear_experiment(seeds=1))
    assert {curve["half"] for chart in page.charts for curve in chart["curves"]} == {None}
    assert "no bands" in page.text


def test_labels_cannot_break_the_page():
    label = HOSTILE + " (synthetic stand-in)"
    page = read(
        linear_experiment(
            HOSTILE,
            about=HOSTILE,
            environments={label: rb.environments.Simulation(arms=4, dim=2)},
            attacks={HOSTILE: rb.attacks.Garcelon(3.0), "idle": rb.attacks.NoAttack()},
            policies={HOSTILE: rb.policies.LinUCB(), "Greedy": rb.policies.Greedy()},
        ),
        title=HOSTILE,
    )
    assert page.count("b") == 0
    assert page.count("script") == 2
    names = json.loads(page.data)["policies"]
    assert HOSTILE in [policy["name"] for policy in names.values()]
    shown = page.text
    assert shown.count(HOSTILE) >= 8  # heading, about, environment, attack, policy, tables, spec
    assert "&amp;amp;" not in render_page([linear_experiment(HOSTILE)])


def test_missing_jinja_is_named_with_the_command_that_installs_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'robustbandits\[lab\]'"):
        write_report([linear_experiment()], tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_unfinished_experiment_says_how_much_is_there():
    page = read(linear_experiment(seeds=4, skip=lambda e, a, p, seed: seed == 3))
    assert "Unfinished" in page.text
    assert "3 of 4 matches" in page.text
    assert "Unfinished" not in read(linear_experiment()).text


def test_page_without_experiments_says_how_to_run_one():
    page = read()
    assert "robustbandits run" in page.text
    assert page.count("button") == 0


def test_stand_in_is_marked():
    class Pretend(rb.environments.Simulation):
        stand_in = True

    page = read(linear_experiment(environments={"Netflix": Pretend(arms=4, dim=2)}))
    assert "made-up data with the shape of the real data" in page.text
    assert page.text.count("Netflix (synthetic stand-in)") >= 3
    assert "Netflix Prize" not in page.text  # it is not to be cited either


def test_policy_may_be_missing_from_a_panel():
    page = read(
        linear_experiment(skip=lambda e, attack, policy, s: (attack, policy) == ("Oracle", "LinTS"))
    )
    assert [len(chart["curves"]) for chart in page.charts] == [5, 4, 5]
    assert page.count("button", class_="policy") == 5


def test_page_and_figures_draw_a_policy_in_the_same_color():
    experiments = [
        linear_experiment(policies=names) for names in (POLICIES, {"Mine": rb.policies.LinUCB()})
    ]
    page = read(*experiments)
    policies = json.loads(page.data)["policies"].values()
    styles = styles_of([*POLICIES, "Mine"])
    assert {policy["name"] for policy in policies} == set(styles)
    for policy in policies:
        style = styles[policy["name"]]
        assert PALETTE[policy["color"]] == (style.color, style.dark)
        assert policy["dash"] == " ".join(map(str, style.dash))
    for k, (light, dark) in enumerate(PALETTE):
        assert page.style.count(f"--c{k}: {light};") == 2  # and for printing
        assert page.style.count(f"--c{k}: {dark};") == 2  # by the system, and by the button


def test_sweep_has_a_chart_of_final_regrets_by_budget():
    chart = read(budget_sweep()).charts[-1]
    assert chart["kind"] == "budget"
    assert chart["x"] == [0, 10, 100, 1000]
    # "no attack" is the first attack of the spec, 1000 the second, 10 the third, 100 the fourth.
    paces = [np.mean([slope(0, a, seed) for seed in range(3)]) for a in (0, 2, 3, 1)]
    np.testing.assert_allclose(chart["curves"][0]["y"], 2000 * np.array(paces), rtol=1e-3)


def test_data_are_cited_where_they_were_used():
    def cited(label, recipe):
        spec = linear_experiment(environments={label: recipe}).spec
        return [citation.what for citation in citations([spec])]

    class MovieLens(rb.environments.Simulation):
        """Stands for an environment of that name."""

    plain = rb.environments.Simulation(arms=4, dim=2)
    assert cited("movielens", plain) == ["The paper", "This software"]
    assert "The data: MovieLens" in cited("films", MovieLens(arms=4, dim=2))


def test_structure_suits_screen_readers():
    page = read(budget_sweep())
    assert page.count("main") == page.count("h1") == page.count("header") == 1
    assert page.count("nav") == page.count("footer") == 1
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    for _, attributes in page.tags:
        assert attributes.get("aria-labelledby", ids[0]) in ids
    assert page.count("figure") == page.count("details", **{}) - 1  # and one for the spec
    assert all("LinUCB" in chart["alt"] for chart in page.charts if chart["kind"] == "rounds")


def test_provenance_and_rerun_are_there():
    page = read(linear_experiment("my own"))
    assert "robustbandits run my-own.toml --store STORE" in page.text
    assert "numpy 2.0" in page.text
    assert "Elsewhere" in page.text


def test_lowest_regret_is_bold_only_if_intervals_separate():
    clear = experiment_with_finals({("none", "low"): [1, 2, 1], ("none", "high"): [9, 8, 9]})
    page = read(clear)
    assert page.count("strong") == 1
    assert "bold if its 95 % interval lies below all others" in page.text
    for finals in ([1, 2, 9], [1]):
        overlapping = {("none", "low"): finals, ("none", "high"): [9, 8, 3][: len(finals)]}
        page = read(experiment_with_finals(overlapping))
        assert page.count("strong") == 0
        assert "bold" not in page.text


def test_column_in_which_nothing_is_known_is_left_out():
    games = {("a", "p"): [1.0, 2.0], ("b", "p"): [2.0, 3.0]}
    attacks = {"a": rb.attacks.Garcelon(1.0), "b": rb.attacks.Garcelon(2.0)}
    page = read(experiment_with_finals(games, attacks=attacks))
    assert "Recovery is unknown" in page.text
    assert "median recovery" not in page.text
    assert "median recovery" in read(linear_experiment()).text


def test_warning_of_few_seeds_appears_once_and_only_with_few_seeds():
    warning = "With fewer than 5 seeds they are not reliable."
    assert read(linear_experiment(seeds=3)).text.count(warning) == 1
    assert warning not in read(linear_experiment(seeds=5)).text
    assert warning not in read(linear_experiment(seeds=1)).text  # there are no intervals


def test_first_match_is_shown_before_the_last():
    times = ["2026-01-02T00:00:00+00:00", "2026-01-01T00:00:00+00:00"]
    merged = merge_provenance([{"when": time} for time in times], planned=2)
    shown = read(linear_experiment()._replace(provenance=merged)).text
    assert shown.index("First match 2026-01-01") < shown.index("Last match 2026-01-02")


def test_budgets_are_shown_with_all_digits():
    attacks = {f"b{b}": rb.attacks.Garcelon(b) for b in (0.5, 12345.0)}
    assert read(linear_experiment(attacks=attacks)).charts[-1]["x"] == [0.5, 12345]


def test_page_opens_with_the_verdict():
    text = read(linear_experiment()).text
    verdict = "LinUCB has the lowest regret under its worst attack"
    assert verdict in text
    assert text.index(verdict) < text.index("What this is for.")


def test_charts_of_budgets_show_the_limit_only_where_it_is_known():
    experiment = budget_sweep()
    environment = next(iter(experiment.spec.environments))
    without = read(experiment)
    assert not any("limit" in chart for chart in without.charts)
    assert "The limit is" not in without.text
    page = read(experiment, limits={environment: 2.0, "elsewhere": 3.0})
    swept = [chart for chart in page.charts if chart["kind"] == "budget"]
    assert swept
    for chart in swept:
        assert chart["limit"] == [2.0 * budget for budget in chart["x"]]
    assert page.text.count("dashed: the limit") == len(swept)
    assert page.text.count("The limit is the least regret without attack") == 1
