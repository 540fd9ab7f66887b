"""The page in a real Chromium: it draws, reacts to input, and requests nothing.

Each test waits for what it expects to see, never for a fixed time.
"""

import pytest

import robustbandits as rb
from browser.limits import HOSTILE
from browser.steps import BROKEN, open_all, until
from reports.sample_experiments import budget_sweep, linear_experiment
from robustbandits.reports.page.render import render_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LINE = ".chart .line"


def policy(page, name):
    return page.locator("button.policy").filter(has_text=name)


def test_every_curve_is_drawn_with_its_band(visit, file):
    page = visit(file)
    # 3 panels of 3 policies; 4 panels and a chart of budgets of 2 policies.
    until(page.locator(LINE), have_count=3 * 3 + 4 * 2 + 2)
    until(page.locator(".chart .band"), have_count=3 * 3 + 4 * 2)
    until(page.locator(".chart .whisker"), have_count=4 * 2)
    for path in page.locator(LINE).all():
        assert "NaN" not in path.get_attribute("d")
        assert path.evaluate("path => path.getTotalLength()") > 50


def test_curves_are_drawn_at_their_values(visit, file):
    page = visit(file)
    tops = page.locator(".chart").first.evaluate(
        "box => [...box.querySelectorAll('.line')].map(line => "
        "line.getPointAtLength(line.getTotalLength()).y)"
    )
    # Each policy has more regret than the one before, so its line ends higher.
    assert tops == sorted(tops, reverse=True)
    low, middle, high = tops
    assert low - middle == pytest.approx(middle - high, rel=0.02)  # slopes 1, 2, 3


def test_button_hides_and_shows_a_policy_in_all_panels(visit, file):
    page = visit(file)
    button = policy(page, "LinUCB")
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    until(page.locator(LINE), have_count=3 * 2 + 4 + 1)
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    until(page.locator(LINE), have_count=19)


def test_none_and_all_hide_and_show_every_policy(visit, file):
    page = visit(file)
    page.locator("#none").click()
    until(page.locator(LINE), have_count=0)
    assert page.locator("button.policy[aria-pressed=true]").count() == 0
    page.locator("#all").click()
    until(page.locator(LINE), have_count=19)


@pytest.mark.parametrize("switch", ["log-y", "log-x"])
def test_logarithmic_axes_bend_the_lines(visit, file, switch):
    page = visit(file)
    line = page.locator(LINE).first
    straight = line.get_attribute("d")
    button = page.locator(f"#{switch}")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    bent = page.locator(LINE).first.get_attribute("d")
    assert bent != straight
    assert "NaN" not in bent
    button.click()
    assert page.locator(LINE).first.get_attribute("d") == straight


def test_same_scale_makes_panels_comparable(visit, file):
    page = visit(file)
    end = (
        "boxes => boxes.slice(0, 3).map(box => { const line = box.querySelector('.line');"
        " return line.getPointAtLength(line.getTotalLength()).y; })"
    )
    apart = page.locator(".chart").evaluate_all(end)
    assert max(apart) - min(apart) < 1  # each panel is as high as its own highest line
    page.locator("#same").click()
    shared = page.locator(".chart").evaluate_all(end)
    assert shared == sorted(shared, reverse=True)  # attacks have growing regret
    assert shared[0] - shared[2] > 5


def test_pointer_shows_values(visit, file):
    page = visit(file)
    box = page.locator(".chart").first
    tip = page.locator("#tip")
    assert tip.is_hidden()
    size = box.bounding_box()
    box.hover(position={"x": size["width"] - 20, "y": size["height"] / 2})
    until(tip, contain_text="round")
    assert tip.is_visible()
    assert tip.locator("tr").count() == 3
    # The largest first: the third policy, slope 0.03, 2000 rounds, seeds at 1, 1.1 and 1.2.
    assert HOSTILE in tip.locator("tr").first.inner_text()
    box.hover(position={"x": size["width"] - 15, "y": size["height"] / 2})
    page.locator("h1").hover()
    until(page.locator("#tip:visible"), have_count=0)


def test_arrow_keys_announce_values_to_screen_readers(visit, file):
    page = visit(file)
    page.locator(".chart").first.focus()
    page.keyboard.press("Home")
    until(page.locator("#say"), contain_text="round 20:")
    page.keyboard.press("End")
    until(page.locator("#say"), contain_text="round 2,000:")
    until(page.locator("#say"), contain_text="LinUCB 22")  # 0.01 x 2000 x 1.1
    page.keyboard.press("Escape")
    until(page.locator("#tip:visible"), have_count=0)


def test_hostile_names_are_shown_as_text(visit, file):
    page = visit(file)
    assert page.locator("img").count() == 0
    assert policy(page, HOSTILE).count() == 1


BACKGROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT = "rgb(255, 255, 255)"


def test_dark_follows_the_system_and_the_button(visit, file):
    page = visit(file, color_scheme="dark")
    assert page.evaluate(BACKGROUND) != LIGHT
    button = page.locator("#dark")
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert page.evaluate(BACKGROUND) == LIGHT
    assert button.get_attribute("aria-pressed") == "false"
    assert visit(file, color_scheme="light").evaluate(BACKGROUND) == LIGHT


CONTRASTS = """() => {
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    let hex = style.getPropertyValue(name).trim().slice(1);
    if (hex.length === 3) hex = [...hex].map(c => c + c).join("");
    const parts = [0, 2, 4].map(i => parseInt(hex.slice(i, i + 2), 16) / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const ratio = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + .05) / (low + .05);
  };
  const lines = [...Array(16).keys()].map(k => ratio(`--c${k}`, "--card"));
  const words = ["--ink", "--soft", "--link"]
    .flatMap(name => [ratio(name, "--paper"), ratio(name, "--card")]);
  return { lines: Math.min(...lines), words: Math.min(...words, ratio("--warn-ink", "--warn")) };
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_lines_have_enough_contrast(visit, file, scheme):
    found = visit(file, color_scheme=scheme).evaluate(CONTRASTS)
    assert found["words"] >= 4.5  # WCAG 2.2, level AA
    assert found["lines"] >= 3.0


SCROLLING = """() => [...document.querySelectorAll('.scroll')].map(box => ({
  hidden: box.scrollWidth - box.clientWidth,
  hint: getComputedStyle(box.parentElement.querySelector('.hint')).display !== 'none',
  fade: getComputedStyle(box.parentElement, '::after').content !== 'none',
  value: Math.min(
    ...[...box.querySelectorAll('td')].map(cell => cell.getBoundingClientRect().right)
  ),
}))"""


@pytest.fixture(scope="session")
def wide_file(tmp_path_factory):
    """Long names, a sweep of a policy's parameter, and many columns."""
    policies = {
        "LinUCB": rb.policies.LinUCB(),
        "BOB-No-Restart": rb.policies.BOBNoRestart(),
        "MultiLevelWeightedOFUL": rb.policies.MultiLevelWeightedOFUL(),
        **{
            f"CautiousLinUCB(tolerance={k})": rb.policies.CautiousLinUCB(tolerance=k)
            for k in (100, 300)
        },
    }
    path = tmp_path_factory.mktemp("page") / "wide.html"
    experiments = [linear_experiment(policies=policies, seeds=6), budget_sweep()]
    path.write_text(render_page(experiments), encoding="utf-8")
    return path


def test_tables_on_a_phone_show_a_value_and_hint_that_they_scroll(visit, wide_file):
    page = visit(wide_file, viewport={"width": 390, "height": 800})
    open_all(page)
    until(page.locator("details .table.wide").first, be_visible=None)
    tables = page.evaluate(SCROLLING)
    assert sum(table["hidden"] > 1 for table in tables) > 3
    for table in tables:
        assert table["hint"] == table["fade"] == (table["hidden"] > 1)
        assert table["value"] <= 390
    last = page.locator(".table.wide").first
    last.locator(".scroll").evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    until(last, not_have_class="table wide more")


@pytest.mark.parametrize("width", [390, 1600])
def test_names_do_not_break_inside_words(visit, wide_file, width):
    page = visit(wide_file, viewport={"width": width, "height": 800})
    open_all(page)
    assert page.evaluate(BROKEN) == []


def test_desktop_uses_the_width(visit, wide_file):
    page = visit(wide_file, viewport={"width": 1600, "height": 900})
    right = "elements => Math.max(...elements.map(e => e.getBoundingClientRect().right))"
    assert page.locator("figure").evaluate_all(right) > 1500
    assert page.locator(".notes").evaluate_all(right) > 1200  # beside their tables
    assert page.locator(".verdicts").evaluate_all(right) > 1500


def test_both_axes_have_titles(visit, wide_file):
    page = visit(wide_file)
    titles = page.locator(".chart").evaluate_all(
        "boxes => boxes.map(box => box.querySelector('.y-title').textContent)"
    )
    assert set(titles) == {"cumulative regret", "final regret"}
    assert page.locator(".chart", has_text="budget of the attack").count() == 1


@pytest.mark.parametrize("width", [390, 1200])
def test_tooltip_shows_swept_values_in_full(visit, wide_file, width):
    page = visit(wide_file, viewport={"width": width, "height": 900})
    box = page.locator(".chart", has_not_text="budget of the attack").first
    box.scroll_into_view_if_needed()
    size = box.bounding_box()
    box.hover(position={"x": size["width"] - 20, "y": size["height"] / 2})
    cells = page.locator("#tip td:nth-child(2)")
    until(cells.first, be_visible=None)
    assert "CautiousLinUCB(tolerance=300)" in cells.all_inner_texts()
    cut = "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth + 1).length"
    assert cells.evaluate_all(cut) == 0
    sweep = page.locator(".chart", has_text="budget of the attack")
    sweep.focus()
    page.keyboard.press("End")
    until(page.locator("#tip"), contain_text="budget 1,000")


def test_page_opens_with_a_verdict(visit, wide_file):
    page = visit(wide_file)
    box = page.locator(".verdict").first.bounding_box()
    assert box["y"] + box["height"] < 900
    until(page.locator(".verdict").first, contain_text="has the lowest regret")


@pytest.mark.parametrize("width", [320, 390])
def test_page_on_a_phone_does_not_scroll_sideways(visit, file, width):
    page = visit(file, viewport={"width": width, "height": 700}, has_touch=True)
    open_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    until(page.locator(LINE), have_count=19)
    page.locator(".chart").first.tap()
    until(page.locator("#tip"), contain_text="round")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_printed_page_shows_everything_in_light_colors(visit, file):
    page = visit(file, color_scheme="dark", viewport={"width": 794, "height": 1100})
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(BACKGROUND) == LIGHT
    assert page.locator("#log-y").is_hidden()
    assert policy(page, "LinUCB").is_visible()  # it is the legend
    assert page.evaluate("document.documentElement.scrollWidth") <= 794
    closed = page.locator("details:not([open])").count()
    assert closed > 0
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() == closed
    assert page.pdf(format="A4").startswith(b"%PDF")


WITHOUT_NAME = """() => [...document.querySelectorAll('a, button, summary, [tabindex]')]
  .filter(element => !(element.getAttribute('aria-label') || element.textContent).trim())
  .map(element => element.outerHTML)"""


def test_every_control_has_a_name(visit, file):
    page = visit(file)
    assert page.evaluate(WITHOUT_NAME) == []
    charts = page.locator(".chart > svg")
    assert charts.count() == 8
    for chart in charts.all():
        assert chart.get_attribute("role") == "img"
        assert len(chart.get_attribute("aria-label")) > 20
    for name in ("main", "navigation", "contentinfo", "banner"):
        assert page.get_by_role(name).count() == 1
    assert page.get_by_role("button", name="LinUCB").count() == 1


def test_focus_is_visible(visit, file):
    page = visit(file)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"


def test_forty_policies_have_forty_different_looks(visit, tmp_path):
    many = {f"LinUCB {i}": rb.policies.LinUCB(ridge=0.1 + i) for i in range(40)}
    file = tmp_path / "many.html"
    file.write_text(render_page([linear_experiment(policies=many, seeds=1)]), encoding="utf-8")
    page = visit(file)
    until(page.locator(LINE), have_count=3 * 40)
    assert page.locator(".chart .band").count() == 0  # one seed
    looks = page.locator(".chart").first.evaluate(
        "box => [...box.querySelectorAll('.line')].map(line => getComputedStyle(line).stroke"
        " + ' ' + line.getAttribute('stroke-dasharray'))"
    )
    assert len(set(looks)) == 40


def test_page_without_experiments_has_a_note_and_no_errors(visit, tmp_path):
    file = tmp_path / "empty.html"
    file.write_text(render_page([]), encoding="utf-8")
    page = visit(file)
    assert page.locator(".note").first.is_visible()


def test_page_without_javascript_shows_the_tables(browser, file):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("noscript").first.is_visible()
    assert page.locator("table").count() > 5
    context.close()
