"""A real browser, and a page to open in it."""

import os
import shutil

import pytest

import robustbandits as rb
from browser.limits import HOSTILE, TIMEOUT
from reports.sample_experiments import budget_sweep, linear_experiment
from robustbandits.reports.page.render import render_page

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def _missing(reason):
    if os.environ.get("ROBUSTBANDITS_BROWSER_REQUIRED") == "1":
        pytest.fail(f"{reason}, and ROBUSTBANDITS_BROWSER_REQUIRED=1")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright is not installed")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        _missing("no Chromium on the path: " + ", ".join(NAMES))
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=FLAGS, timeout=TIMEOUT)
        yield running
        running.close()


@pytest.fixture(scope="session")
def file(tmp_path_factory):
    """Two experiments, one of them with hostile names, unfinished and with a sweep."""
    policies = {
        "LinUCB": rb.policies.LinUCB(),
        "Greedy": rb.policies.Greedy(),
        HOSTILE: rb.policies.LinTS(),
    }
    experiments = [
        linear_experiment("first", policies=policies),
        budget_sweep(seeds=3, skip=lambda e, a, p, seed: seed == 2),
    ]
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(render_page(experiments), encoding="utf-8")
    return path


@pytest.fixture
def visit(browser):
    """Open a page offline; any error, warning or request to a server fails the test."""
    contexts, problems = [], []

    def on_console(message):
        if message.type in ("error", "warning"):
            problems.append(f"console: {message.text}")

    def on_request(request):
        if not request.url.startswith(("file:", "data:")):
            problems.append(f"request: {request.url}")

    def open_page(path, **options):
        options = {"viewport": {"width": 1200, "height": 900}, **options}
        context = browser.new_context(reduced_motion="reduce", offline=True, **options)
        contexts.append(context)
        context.set_default_timeout(TIMEOUT)
        page = context.new_page()
        page.on("console", on_console)
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("request", on_request)
        page.on("dialog", lambda dialog: (problems.append("a dialog"), dialog.dismiss()))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []
