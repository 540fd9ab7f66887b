"""Machine code on disk: reused by the next process, and never after an edit anywhere."""

from __future__ import annotations

import pytest

from compiled.workshop import GREEDY, LOYAL, OUTSIDER, WRAPPED, Workshop
from robustbandits.compiled.jit import jit_is_on

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="without the JIT nothing is compiled or cached"),
]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("workshop")).open()


@pytest.fixture(scope="module")
def first(workshop):
    """The first game of each kind: these compile."""
    return {"greedy": workshop.run(GREEDY), "loyal": workshop.run(LOYAL)}


def test_the_first_process_compiles_and_writes(workshop, first):
    assert first["greedy"]["misses"] == 1
    assert first["greedy"]["hits"] == 0
    assert workshop.machine_code()


def test_the_knob_of_other_users_of_numba_is_left_alone(first):
    assert first["greedy"]["knob untouched"]


def test_the_second_process_starts_from_the_cache(workshop, first):
    before = workshop.machine_code()
    again = workshop.run(GREEDY)
    assert (again["hits"], again["misses"]) == (1, 0)
    assert again["regret"] == first["greedy"]["regret"]
    assert workshop.machine_code() == before


def test_a_policy_from_outside_starts_from_the_cache_too(workshop, first):
    before = workshop.machine_code()
    assert workshop.run(LOYAL) == first["loyal"]
    assert workshop.machine_code() == before


def test_an_edited_helper_in_another_file_changes_the_number(workshop, first):
    # Greedy turns round: it plays the arm that looks worst.
    with workshop.edited("robustbandits/kernels/linalg.py", "= vector[i]", "= -vector[i]"):
        turned = workshop.run(GREEDY)
    assert float.fromhex(turned["regret"]) > 2 * float.fromhex(first["greedy"]["regret"])
    # Undone, the old machine code is good again.
    again = workshop.run(GREEDY)
    assert again["regret"] == first["greedy"]["regret"]
    assert again["misses"] == 0


def test_an_edit_that_no_kernel_can_see_compiles_nothing(workshop, first):
    with workshop.edited(
        "robustbandits/environments/simulation.py", '"""The paper', '"""Our paper'
    ):
        again = workshop.run(GREEDY)
    assert again["regret"] == first["greedy"]["regret"]
    assert again["misses"] == 0


def test_an_edited_policy_from_outside_changes_the_game(workshop, first):
    assert first["loyal"]["pulls"] == [30, 0, 0]
    with workshop.edited("outsider.py", "favourite() + 0", "favourite() + 2"):
        assert workshop.run(LOYAL)["pulls"] == [0, 0, 30]
    assert workshop.run(LOYAL)["pulls"] == [30, 0, 0]


@pytest.mark.usefixtures("first")
def test_an_edited_helper_of_a_policy_from_outside_changes_the_game(workshop):
    with workshop.edited("helper.py", "return 0", "return 1"):
        assert workshop.run(LOYAL)["pulls"] == [0, 30, 0]


def test_an_edited_policy_inside_another_changes_the_game(workshop):
    assert workshop.run(WRAPPED)["pulls"] == [30, 0, 0]
    with workshop.edited("outsider.py", "favourite() + 0", "favourite() + 2"):
        assert workshop.run(WRAPPED)["pulls"] == [0, 0, 30]


def test_a_cache_that_cannot_be_written_is_done_without(workshop, first):
    (workshop.root / "file").write_text("in the way")
    assert workshop.run(LOYAL, cache=workshop.root / "file" / "kernels") == first["loyal"]
    assert (workshop.root / "file").read_text() == "in the way"


def test_a_policy_typed_at_a_prompt_can_be_played(workshop):
    typed = OUTSIDER + LOYAL.replace("from outsider import Loyal\n", "")
    assert workshop.run(typed)["pulls"] == [30, 0, 0]


def test_a_policy_from_a_module_that_is_not_registered_can_be_played(workshop):
    load = """
import importlib.util
spec = importlib.util.spec_from_file_location("plugin", "outsider.py")
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)
Loyal = plugin.Loyal
"""
    assert workshop.run(load + LOYAL.replace("from outsider import Loyal\n", ""))["pulls"][0] == 30
