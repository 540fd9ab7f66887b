"""The page of a red team in a real Chromium."""

import pytest

import robustbandits as rb
from browser.steps import BROKEN, open_all, until

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BUDGETS = [3.0, 30.0]
LIMIT_HEIGHTS = """box => {
  const bottom = Number(box.querySelector('.cross').getAttribute('y2'));
  const points = box.querySelector('.limit').getAttribute('d').slice(1).split('L');
  return points.map(point => bottom - Number(point.split(' ')[1]));
}"""


@pytest.fixture(scope="session")
def report():
    return rb.redteam(
        "LinUCB",
        rb.environments.Simulation(arms=6, dim=3, contexts="fixed"),
        attacks="Garcelon, FlipTheta",
        budgets=BUDGETS,
        rounds=1000,
        seeds=3,
        yardsticks=["CautiousLinUCB(120)"],
    )


@pytest.fixture(scope="session")
def redteam_file(report, tmp_path_factory):
    return report.save(tmp_path_factory.mktemp("redteam"))[0]


def budget_charts(page):
    return page.locator(".chart").filter(has_text="budget of the attack")


def test_the_page_opens_with_the_verdict(visit, report, redteam_file):
    page = visit(redteam_file)
    until(page.locator("h1"), contain_text="LinUCB is hijacked with a budget of")
    until(page.locator(".verdict"), have_count=1)
    verdict = page.locator(".verdict")
    until(verdict.locator("p").first, have_text=report.verdict)
    until(verdict.locator("p").last, contain_text=report.advice)
    box = verdict.bounding_box()
    assert box["y"] + box["height"] < 900


def test_every_chart_of_budgets_has_the_limit(visit, redteam_file):
    page = visit(redteam_file)
    until(budget_charts(page), have_count=2)
    until(page.locator(".chart .limit"), have_count=2)
    until(page.locator(".chart .limit-name"), have_count=2)
    for chart in budget_charts(page).all():
        none, low, high = chart.evaluate(LIMIT_HEIGHTS)
        assert none == pytest.approx(0.0, abs=0.1)
        assert high > 2.0
        assert low == pytest.approx(high * BUDGETS[0] / BUDGETS[1], abs=0.2)


def test_the_limit_stays_if_policies_are_hidden_and_axes_are_logarithmic(visit, redteam_file):
    page = visit(redteam_file)
    page.locator("#none").click()
    until(page.locator(".chart .line"), have_count=0)
    page.locator("#log-y").click()
    until(page.locator(".chart .limit"), have_count=2)
    for line in page.locator(".chart .limit").all():
        assert "NaN" not in line.get_attribute("d")


def test_the_limit_is_read_out_with_the_values(visit, report, redteam_file):
    page = visit(redteam_file)
    budget_charts(page).first.focus()
    page.keyboard.press("End")
    until(page.locator("#say"), contain_text="budget 30: ")
    shown = f"{float(f'{report.limit * BUDGETS[1]:.4g}'):,}"
    until(page.locator("#say"), contain_text=f"limit {shown}")
    until(page.locator("#tip"), contain_text=f"limit {shown}")


def test_the_tables_of_the_red_team_are_shown(visit, redteam_file):
    page = visit(redteam_file)
    headings = page.locator("h3").all_inner_texts()
    for words in ("against LinUCB", "attacker's knowledge", "hijacks a policy"):
        assert any(words in heading for heading in headings)
    row = page.locator("tr").filter(has_text="Largest change of a round")
    assert 0.0 < float(row.locator("td").inner_text()) <= 2.0
    until(page.locator("tr").filter(has_text="Limit").first, be_attached=None)


@pytest.mark.parametrize("width", [320, 390, 1600])
def test_the_page_of_a_red_team_fits_the_width(visit, redteam_file, width):
    page = visit(redteam_file, viewport={"width": width, "height": 800})
    open_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width > 320:
        assert page.evaluate(BROKEN) == []
