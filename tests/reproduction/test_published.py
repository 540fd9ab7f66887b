"""The published numbers, and where reports show them."""

import json
import re

from reports.sample_experiments import linear_experiment, three_readings
from robustbandits.metrics.groups import Labels
from robustbandits.reports.page.render import render_page
from robustbandits.reproduction.published import published_in_report, published_regrets


def test_table_has_all_thirty_numbers():
    table = published_regrets()
    assert len(table) == 30
    assert table[Labels("simulation", "garcelon", "LinUCB")] == 95500
    assert all(0 < regret < 1e6 for regret in table.values())


def test_report_shows_them_beside_readings_of_the_same_length_only():
    reading = three_readings()[0].spec
    assert len(published_in_report(reading)) == 30
    assert published_in_report(linear_experiment("figure1-as-written").spec) == {}
    other = linear_experiment("mine", environments=reading.environments, rounds=1_000_000)
    assert published_in_report(other.spec) == {}


def test_page_marks_them_in_the_charts():
    page = render_page(three_readings()[:1], references=published_in_report)
    data = re.search(r'id="data">(.*?)</script>', page, flags=re.DOTALL)[1]
    garcelon, _, clean = json.loads(data)["charts"][:3]
    assert garcelon["curves"][0]["published"] == 95500
    assert {curve["published"] for curve in clean["curves"]} == {None}
