"""The page as text: what it says, that nothing breaks it, and how large it is."""

import itertools
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from reports.made_up import (
    ATTACKS,
    POLICIES,
    made_up,
    slope,
    sweep_of_budgets,
    three_readings,
)
from robustbandits.reports.citations import citations
from robustbandits.reports.curves import panels, points_each, policy_numbers, sweeps, thinned
from robustbandits.reports.intervals import half_width
from robustbandits.reports.page.markup import Html, element, safe, script_data
from robustbandits.reports.page.render import fill, render_page

NASTY = "</script><b>&\"'{{data}}"


class Reader(HTMLParser):
    """Elements, their attributes and texts."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self.data, self._in = [], [], "", None
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
        elif not (self._in and self._in[0] == "style"):
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
    assert len(readings.encode()) < 1_500_000  # the promise is 6 MB


def test_every_panel_has_a_chart_and_every_policy_a_curve(readings):
    charts = Reader(readings).charts
    assert len(charts) == 27
    assert {len(chart["curves"]) for chart in charts} == {5}
    assert len({chart["id"] for chart in charts}) == 27


def test_page_names_nothing_outside_itself(readings):
    for tag, attributes in Reader(readings).tags:
        for key in ("src", "href", "action", "srcset", "data"):
            link = attributes.get(key) or "#"
            assert link.startswith(("#", "data:")), (tag, link)
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", readings))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, never fetched
    assert "default-src 'none'" in readings
    assert "@import" not in readings
    assert "url(" not in readings


def test_paper_is_marked_only_at_its_own_length_and_panels(readings):
    garcelon, _, clean = Reader(readings).charts[:3]
    assert garcelon["curves"][0]["published"] == 95500
    assert {curve["published"] for curve in clean["curves"]} == {None}
    other = read(made_up("figure1-as-written")).charts
    assert {curve["published"] for chart in other for curve in chart["curves"]} == {None}


def test_curves_are_means_with_intervals_over_seeds():
    chart = read(made_up(seeds=3)).charts[1]
    rounds = np.array(chart["x"])
    assert rounds[0] == 20
    assert rounds[-1] == 2000
    for p, curve in enumerate(chart["curves"]):
        values = np.array([slope(p, 1, seed) * rounds for seed in range(3)])
        np.testing.assert_allclose(curve["y"], values.mean(axis=0), rtol=1e-3)
        np.testing.assert_allclose(curve["half"], half_width(values), rtol=1e-3)
        assert curve["end"] == 200  # of all seeds alike


def test_one_seed_has_no_bands_and_says_so():
    page = read(made_up(seeds=1))
    assert {curve["half"] for chart in page.charts for curve in chart["curves"]} == {None}
    assert "no bands" in page.text


def test_labels_cannot_break_the_page():
    label = NASTY + " (synthetic stand-in)"
    page = read(
        made_up(
            NASTY,
            about=NASTY,
            environments={label: rb.environments.Simulation(arms=4, dim=2)},
            attacks={NASTY: rb.attacks.Garcelon(3.0), "idle": rb.attacks.NoAttack()},
            policies={NASTY: rb.policies.LinUCB(), "Greedy": rb.policies.Greedy()},
        ),
        title=NASTY,
    )
    assert page.count("b") == 0
    assert page.count("script") == 2
    names = json.loads(page.data)["policies"]
    assert NASTY in names.values()
    shown = page.text
    assert shown.count(NASTY) >= 8  # heading, about, environment, attack, policy, tables, spec
    assert "&amp;amp;" not in render_page([made_up(NASTY)])


def test_template_is_filled_at_once():
    assert fill("{{a}}{{b}}", {"a": "{{b}}", "b": "x"}) == "{{b}}x"


@given(st.text())
def test_escaped_text_reads_as_itself(text):
    heard = []
    reader = HTMLParser(convert_charrefs=True)
    reader.handle_data = heard.append
    reader.handle_starttag = reader.handle_endtag = lambda *_: pytest.fail("became an element")
    reader.feed(safe(text))
    reader.close()
    assert "".join(heard) == text
    assert safe(Html("<i>")) == "<i>"


@given(st.dictionaries(st.text(), st.text()))
def test_data_in_a_script_survive_and_cannot_end_it(values):
    text = script_data(values)
    assert not set(text) & set("<>&")
    assert json.loads(text) == values


def test_attributes_are_escaped():
    assert element("p", title='"<') == '<p title="&quot;&lt;"></p>'


def test_unfinished_experiment_says_how_much_is_there():
    page = read(made_up(seeds=4, skip=lambda e, a, p, seed: seed == 3))
    assert "Unfinished" in page.text
    assert "3 of 4 matches" in page.text
    assert "Unfinished" not in read(made_up()).text


def test_experiment_without_any_game_is_named():
    page = read(made_up("hollow", skip=lambda *_: True))
    assert "hollow" in page.text
    assert "0 of 3 matches" in page.text
    assert page.charts == []


def test_nothing_at_all_says_how_to_begin():
    page = read()
    assert "robustbandits run" in page.text
    assert page.count("button") == 0


def test_stand_in_is_marked():
    class Pretend(rb.environments.Simulation):
        stand_in = True

    page = read(made_up(environments={"Netflix": Pretend(arms=4, dim=2)}))
    assert "not the real thing" in page.text
    assert page.text.count("Netflix (synthetic stand-in)") >= 3
    assert "Netflix Prize" not in page.text  # it is not to be cited either


def test_policy_may_be_missing_from_a_panel():
    page = read(made_up(skip=lambda e, attack, policy, s: (attack, policy) == ("Oracle", "LinTS")))
    assert [len(chart["curves"]) for chart in page.charts] == [5, 4, 5]
    assert page.count("button", class_="policy") == 5


def test_forty_policies_have_a_button_and_a_number_each():
    many = {f"LinUCB {i}": rb.policies.LinUCB(ridge=0.1 + i) for i in range(40)}
    page = read(made_up(policies=many))
    assert page.count("button", class_="policy") == 40
    assert {len(chart["curves"]) for chart in page.charts} == {40}


def test_policies_of_several_experiments_share_their_buttons():
    page = read(made_up("one"), made_up("two", policies={"LinUCB": rb.policies.LinUCB()}))
    assert page.count("button", class_="policy") == len(POLICIES)


def test_known_policies_keep_their_look_in_any_company():
    numbers = policy_numbers(["Mine", "Greedy", "BOBNoRestart", "BOB-No-Restart", "Yours"])
    assert numbers["Greedy"] == policy_numbers(["Greedy"])["Greedy"]
    assert len(set(numbers.values())) == 5


def test_budgets_are_in_order_and_no_attack_is_budget_zero():
    experiment = sweep_of_budgets()
    (sweep,) = sweeps(experiment.spec, panels(experiment.spec, experiment.ledgers))
    assert sweep.attack == "Garcelon"
    assert list(sweep.panels) == [0.0, 10.0, 100.0, 1000.0]
    assert sweep.panels[0.0].attack == "no attack"
    chart = read(experiment).charts[-1]
    assert chart["kind"] == "budget"
    assert chart["x"] == [0, 10, 100, 1000]
    # "no attack" is the first attack of the spec, 1000 the second, 10 the third, 100 the fourth.
    paces = [np.mean([slope(0, a, seed) for seed in range(3)]) for a in (0, 2, 3, 1)]
    np.testing.assert_allclose(chart["curves"][0]["y"], 2000 * np.array(paces), rtol=1e-3)


def test_one_budget_is_no_sweep():
    experiment = made_up()
    assert sweeps(experiment.spec, panels(experiment.spec, experiment.ledgers)) == []


def test_panels_follow_the_spec():
    experiment = made_up()
    shuffled = sorted(experiment.ledgers, key=lambda one: (one.policy, one.attack))
    found = panels(experiment.spec, shuffled)
    assert [panel.attack for panel in found] == list(ATTACKS)
    assert [list(panel.groups) for panel in found] == [list(POLICIES)] * 3


@given(st.integers(1, 3000), st.integers(8, 300))
def test_thinned_rounds_keep_both_ends(size, points):
    chosen = thinned(np.arange(1, size + 1), points)
    assert chosen[0] == 0
    assert chosen[-1] == size - 1
    assert (np.diff(chosen) > 0).all()
    assert len(chosen) <= points


def test_many_curves_have_fewer_points():
    assert points_each(1) > points_each(1000) > 20


def test_data_are_cited_where_they_were_used():
    def cited(label, recipe):
        spec = made_up(environments={label: recipe}).spec
        return [one.what for one in citations([spec])]

    class MovieLens(rb.environments.Simulation):
        """Stands for an environment of that name."""

    plain = rb.environments.Simulation(arms=4, dim=2)
    assert cited("movielens", plain) == ["The paper", "This software"]
    assert "The data: MovieLens" in cited("films", MovieLens(arms=4, dim=2))


def test_page_can_be_heard():
    page = read(sweep_of_budgets())
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
    page = read(made_up("my own"))
    assert "robustbandits run my-own.toml --store STORE" in page.text
    assert "numpy 2.0" in page.text
    assert "Elsewhere" in page.text
