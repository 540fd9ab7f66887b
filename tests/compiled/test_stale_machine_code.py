"""Machine code on disk is reused by the next process, but never after an edit of its source."""

import pytest

from compiled.package_copy import GREEDY, LOYAL, THIRD_PARTY, WRAPPED, PackageCopy
from robustbandits.compiled.jit import jit_is_on

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="without the JIT nothing is compiled or cached"),
]


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> PackageCopy:
    return PackageCopy(tmp_path_factory.mktemp("package")).create()


@pytest.fixture(scope="module")
def first(package):
    """Results of the first games, which compile."""
    return {"greedy": package.run(GREEDY), "loyal": package.run(LOYAL)}


def test_the_first_process_compiles_and_writes(package, first):
    assert first["greedy"]["misses"] == 1
    assert first["greedy"]["hits"] == 0
    assert first["greedy"]["numba setting unchanged"]
    assert package.machine_code()


def test_the_second_process_uses_the_cache(package, first):
    before = package.machine_code()
    again = package.run(GREEDY)
    assert (again["hits"], again["misses"]) == (1, 0)
    assert again["regret"] == first["greedy"]["regret"]
    assert package.machine_code() == before


def test_the_second_process_uses_the_cache_for_a_third_party_policy(package, first):
    before = package.machine_code()
    assert package.run(LOYAL) == first["loyal"]
    assert package.machine_code() == before


def test_an_edited_helper_in_another_file_changes_the_number(package, first):
    # Greedy then plays the arm that looks worst.
    with package.edited("robustbandits/kernels/linalg.py", "= vector[i]", "= -vector[i]"):
        edited = package.run(GREEDY)
    assert float.fromhex(edited["regret"]) > 2 * float.fromhex(first["greedy"]["regret"])
    # The old machine code is still there for the old source.
    again = package.run(GREEDY)
    assert again["regret"] == first["greedy"]["regret"]
    assert again["misses"] == 0


def test_an_edit_outside_the_kernel_sources_compiles_nothing(package, first):
    with package.edited("robustbandits/results.py", '"""compare: play', '"""Compare: play'):
        again = package.run(GREEDY)
    assert again["regret"] == first["greedy"]["regret"]
    assert again["misses"] == 0


def test_an_edited_third_party_policy_changes_the_game(package, first):
    assert first["loyal"]["pulls"] == [30, 0, 0]
    with package.edited("third_party.py", "favorite() + 0", "favorite() + 2"):
        assert package.run(LOYAL)["pulls"] == [0, 0, 30]
    with package.edited("helper.py", "return 0", "return 1"):
        assert package.run(LOYAL)["pulls"] == [0, 30, 0]
    assert package.run(LOYAL)["pulls"] == [30, 0, 0]


def test_an_edited_policy_inside_a_wrapper_changes_the_game(package):
    assert package.run(WRAPPED)["pulls"] == [30, 0, 0]
    with package.edited("third_party.py", "favorite() + 0", "favorite() + 2"):
        assert package.run(WRAPPED)["pulls"] == [0, 0, 30]


def test_without_a_cache_that_can_be_written_games_are_played_with_a_warning(package, first):
    (package.root / "file").write_text("")
    catch = "import warnings\nwarnings.simplefilter('error')\n"
    cache = package.root / "file" / "kernels"
    with pytest.raises(AssertionError, match=r"every process compiles .* cannot be written to"):
        package.run(catch + LOYAL, cache=cache)
    assert package.run(LOYAL, cache=cache) == first["loyal"]


def test_a_policy_defined_without_a_file_can_be_played(package):
    typed = THIRD_PARTY + LOYAL.replace("from third_party import Loyal\n", "")
    assert package.run(typed)["pulls"] == [30, 0, 0]


def test_a_policy_from_a_module_that_is_not_in_sys_modules_can_be_played(package):
    load = """
import importlib.util
spec = importlib.util.spec_from_file_location("plugin", "third_party.py")
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)
Loyal = plugin.Loyal
"""
    assert (
        package.run(load + LOYAL.replace("from third_party import Loyal\n", ""))["pulls"][0] == 30
    )
