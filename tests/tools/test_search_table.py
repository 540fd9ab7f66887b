"""The table of searches shows what was measured on fresh seeds."""

import pytest

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on
from tools.search_table import search_table


@pytest.mark.skipif(jit_is_on, reason="would compile many attacks; plain Python plays them too")
def test_a_row_has_the_regret_under_the_attack_that_was_found():
    size = {"games": 12, "rounds": 200, "seeds": 2}
    (row,) = search_table([("LinUCB", 20.0)], **size).rows
    found = rb.AdaptiveSearch("LinUCB", 20.0, **size).run()
    assert row == ("LinUCB", "20", found.label, found.clean_regret, found.regret)
