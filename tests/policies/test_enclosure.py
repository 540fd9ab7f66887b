"""What is known of a round: the two largest numbers of a row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustbandits._jit import jit_is_on
from robustbandits.policies.enclosure import two_largest

pytestmark = [pytest.mark.slow] if jit_is_on else []

NUMBERS = st.lists(st.sampled_from([-np.inf, -2.5, -0.0, 0.0, 1.0, 3.0]), min_size=1, max_size=9)


@given(NUMBERS)
def test_two_largest(numbers):
    bounds = np.array([np.full(len(numbers), 9.0), numbers])
    best, second = two_largest(bounds, 1)
    assert best == int(np.argmax(numbers))
    others = np.delete(numbers, best)
    assert second == (others.max() if len(others) else -np.inf)
