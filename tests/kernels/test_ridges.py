"""A stack of regressions is as many single ones."""

import numpy as np
import pytest

from robustbandits.compiled.jit import jit_is_on, python_of
from robustbandits.kernels.ridge import observe, start_ridge
from robustbandits.kernels.ridges import reset_ridges, ridge_at, start_ridges

pytestmark = [pytest.mark.slow] if jit_is_on else []

FIELDS = ("inverse", "gram", "moment", "theta", "tally")


def test_ridges_learn_as_single_ones_do_bit_for_bit():
    rng = np.random.default_rng(0)
    stack, single = start_ridges(3, 4, 0.3), [start_ridge(4, 0.3) for _ in range(3)]
    for _ in range(100):
        which, x, y = int(rng.integers(3)), rng.normal(size=4), float(rng.normal())
        observe(python_of(ridge_at)(stack, which), x, y, 0.7)
        observe(single[which], x, y, 0.7)
    for which in range(3):
        for field in FIELDS:
            assert np.array_equal(getattr(stack, field)[which], getattr(single[which], field))


def test_ridges_reset_forgets_everything():
    stack = start_ridges(2, 3, 0.5)
    observe(python_of(ridge_at)(stack, 1), np.ones(3), 2.0, 1.0)
    reset_ridges(stack)
    for mine, fresh in zip(stack[:5], start_ridges(2, 3, 0.5)[:5], strict=True):
        assert np.array_equal(mine, fresh)
