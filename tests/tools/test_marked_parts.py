"""Marked parts of a page, and the paragraph on the origin of its numbers."""

import pytest

from reports.sample_experiments import linear_experiment
from tools.marked_parts import MarkError, fill, marks
from tools.provenance_note import provenance_note

PAGE = """# Title

<!-- proved -->
old
<!-- /proved -->
Between.
<!-- measured: small -->
<!-- /measured -->
<!-- panels: other -->
kept
<!-- /panels -->
End.
"""


def test_parts_are_filled_and_other_text_stays():
    page = fill(PAGE, {"proved": "new *text*\n", "measured": "1", "panels": "2"}, "small")
    assert "<!-- proved -->\n\nnew *text*\n\n<!-- /proved -->\nBetween." in page
    assert "<!-- measured: small -->\n\n1\n\n<!-- /measured -->" in page
    assert "<!-- panels: other -->\nkept\n<!-- /panels -->\nEnd.\n" in page
    assert fill(page, {"proved": "new *text*\n", "measured": "1"}, "small") == page
    assert fill(page, {"unknown": "x"}) == page
    assert marks(page) == {"proved": None, "measured": "small", "panels": "other"}


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("no marks", "no marked part"),
        ("<!-- proved --> x", "no marked part"),
        (PAGE + "<!-- budgets -->", "budgets --> has no matching mark"),
        (PAGE + "<!-- /budgets -->", "/budgets --> has no matching mark"),
        (PAGE + "<!-- proved --> <!-- /proved -->", "'proved' twice"),
        ("<!-- proved --> <!-- panels --> <!-- /panels --> <!-- /proved -->", "inside another"),
    ],
)
def test_marks_that_do_not_pair_are_refused(page, message):
    with pytest.raises(MarkError, match=message):
        fill(page, {"proved": "x"})


def test_origin_names_commit_and_command():
    experiment = linear_experiment("mine")
    notes = {**experiment.provenance, "commit": "0123456789abcdef" * 2, "planned": 3, "finished": 3}
    text = provenance_note(experiment._replace(provenance=notes), "docs/page.md")
    assert "commit `0123456789ab`;" in text
    assert "T = 2,000; 3 seeds" in text
    assert "robustbandits run mine.toml --store STORE\n" in text
    assert "policy_tables STORE docs/page.md" in text
    assert "unfinished" not in text


def test_origin_names_dirty_unknown_and_unfinished():
    notes = {"commit": "ab" * 20 + "-dirty", "other_commits": [None], "planned": 4, "finished": 3}
    text = provenance_note(linear_experiment()._replace(provenance=notes), "page.md")
    assert "`abababababab` with changes that were not committed and unknown" in text
    assert "unfinished: 3 of 4 matches" in text
