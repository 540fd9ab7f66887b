"""Any label that a spec accepts survives figures, page, CSV, LaTeX and Markdown."""

import csv
import html
import io
import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import robustbandits as rb
from reports.sample_experiments import linear_experiment
from robustbandits.experiments.labels import check_text
from robustbandits.reports.experiment_tables import make_tables
from robustbandits.reports.figures import FORMATS, draw_budgets, draw_panels
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.page.render import render_page

pytestmark = pytest.mark.filterwarnings("ignore:Glyph")  # fonts lack some signs


def is_accepted(text):
    try:
        return check_text("policies", text) == text
    except ValueError:
        return False


SIGNS = st.sampled_from("$\\{}^_%&#~|<>`*[]()='\"-+@!")
LABELS = st.text(SIGNS | st.characters(), min_size=1, max_size=30).filter(is_accepted)


def examples(test):
    """Add labels that broke something once, or that mean something to Matplotlib or a format."""
    for label in (
        "$\\frac{$",
        "$x^2$",
        "\\$",
        "_nolegend_",
        "=1+1",
        "{{ data }}",
        "</style>",
        "a|b",
        "&lt;",
        "~~a~~",
        "日本",
        "-->",
        "1. a",
        "# a #",
    ):
        test = example(label)(test)
    return test


def labelled(label):
    return linear_experiment(
        label,
        environments={label: rb.environments.Simulation(arms=4, dim=2)},
        attacks={label: rb.attacks.Garcelon(3.0), label + "(budget=5)": rb.attacks.Garcelon(5.0)},
        policies={label: rb.policies.LinUCB()},
        rounds=20,
        points=4,
        seeds=2,
    )


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@examples
@given(LABELS)
def test_figures_can_be_drawn(tmp_path_factory, label):
    folder = tmp_path_factory.mktemp("figures")
    experiment = labelled(label)
    files = [folder / f"figure.{suffix}" for suffix in FORMATS]
    draw_panels([(label, experiment.ledgers)], files, title=label)
    draw_budgets(GroupedGames(experiment).sweeps, [folder / "budgets.svg"], title=label)
    comments = re.findall(r"<!-- (.*?) -->", files[1].read_text(encoding="utf-8"))
    escaped = html.escape(label, quote=False).replace("--", "- -")
    assert sum(shown in (label, escaped) for shown in comments) >= 2  # title and legend
    ElementTree.parse(folder / "budgets.svg")


@settings(max_examples=25, deadline=None)
@examples
@given(LABELS)
def test_page_shows_the_label(label):
    page = render_page([labelled(label)])
    button = re.search(r'<button type="button" class="policy".*?>(.*?)</button>', page, re.DOTALL)
    assert html.unescape(re.sub(r"<[^>]*>", "", button[1])) == label
    assert page.count("</script>") == 2
    assert page.count("</style>") == 1


@settings(max_examples=50, deadline=None)
@examples
@given(LABELS)
def test_tables_show_the_label(label):
    experiment = labelled(label)
    table = make_tables(GroupedGames(experiment))[0]
    row = list(csv.reader(io.StringIO(table.to_csv(), newline="")))[1]
    assert row[0] in (label, "'" + label)
    assert row[0][0] not in "=+-@"
    shown = " ".join(label.split())
    tokens = MarkdownIt("js-default", {"html": True, "linkify": False}).parse(table.to_markdown())
    cells = [token for token in tokens if token.type == "inline"]
    heads = len(table.without_empty_columns().columns)
    assert text_of(cells[1 + heads]) == shown
    line = table.to_latex().splitlines()[5]
    bare = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]|\$\\infty\$", "", line.removesuffix(r" \\"))
    assert bare.count("&") == heads - 1
    assert not re.search(r"[\\%$#_{}~^]", bare)


def text_of(cell):
    """Return the text of a table's cell; anything but text in it is an error."""
    assert {token.type for token in cell.children} <= {"text", "text_special"}
    return "".join(token.content for token in cell.children)
