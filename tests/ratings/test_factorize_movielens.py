"""Factors of MovieLens 100K have the training errors measured with LIBPMF 1.41.

LIBPMF itself is not run here. The tests compare with its training error, known to seven digits
for the default parameters, and with a twin in double precision that follows its published
algorithm from the same start.
"""

import numpy as np
import pytest

from ratings.factor_twins import ccd_twin
from robustbandits.compiled.jit import jit_is_on
from robustbandits.ratings.factorize import factorize, first_factors
from robustbandits.ratings.read import read_ratings
from shared_data import sample

pytestmark = pytest.mark.skipif(not jit_is_on, reason="minutes without compiled code")


@pytest.mark.parametrize(
    ("regularization", "outer", "libpmf"),
    [(0.1, 5, 0.7646173), (0.05, 5, 0.7161), (0.1, 20, 0.7614), (0.05, 20, 0.7101)],
)
def test_training_error_is_that_of_libpmf(regularization, outer, libpmf):
    table = read_ratings(sample("ml-100k/u.data"))
    found = factorize(table, regularization=regularization, outer=outer, cache=False)
    digits = 7 if libpmf == 0.7646173 else 4
    assert round(found.train_rmse, digits) == libpmf
    assert found.effective_rank == 10


@pytest.mark.slow
@pytest.mark.parametrize("regularization", [0.1, 0.05])
def test_factors_are_those_of_the_twin_in_double_precision(regularization):
    table = read_ratings(sample("ml-100k/u.data"))
    found = factorize(table, regularization=regularization, cache=False)
    start = first_factors(table.shape[0], 10, "libpmf")
    users, items = ccd_twin(table, start, regularization, 5, 5)
    np.testing.assert_allclose(found.users, users, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found.items, items, rtol=0, atol=1e-5)
