"""What adapters share: layouts, names, and hints about missing libraries."""

import subprocess
import sys

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.adapters._layouts import blocks, library, shared_row

CONTEXTS = np.array([[1.0, 2.0], [3.0, 4.0]])


def test_blocks_give_one_theta_per_arm():
    found = blocks(np.array([2.0, 3.0]), 2)
    assert found.tolist() == [[2.0, 3.0, 0.0, 0.0], [0.0, 0.0, 2.0, 3.0]]


def test_a_shared_context_is_the_mean_or_all_contexts():
    assert shared_row("shared", CONTEXTS).tolist() == [[2.0, 3.0]]
    assert shared_row("flat", CONTEXTS).tolist() == [[1.0, 2.0, 3.0, 4.0]]


def test_a_missing_library_is_named_with_the_command_that_installs_it():
    message = r"not-there is needed here .*pip install not-there, or .*'robustbandits\[adapters\]'"
    with pytest.raises(ImportError, match=message):
        library("not_there", "not-there")


@pytest.mark.parametrize("name", ["LinUCB", "sklearn:LinUCB", ""])
def test_an_unknown_library_is_refused(name):
    with pytest.raises(ValueError, match="name must be library:policy, with a library of mabwiser"):
        rb.adapters.named(name)


def test_an_unknown_layout_is_refused():
    with pytest.raises(ValueError, match=r"layout must be .*'joint'.*got 'wide'"):
        rb.adapters.VowpalWabbit(layout="wide")
    with pytest.raises(ValueError, match="arguments must have --cb_explore_adf, got '--quiet'"):
        rb.adapters.VowpalWabbit("--quiet")


def test_importing_the_adapters_imports_no_library():
    others = ["mabwiser", "river", "coba", "vowpalwabbit", "gymnasium", "sklearn", "numba"]
    program = (
        f"import sys, robustbandits as rb; rb.adapters; print(set(sys.modules) & {{*{others}}})"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert result.stdout == b"set()\n"
