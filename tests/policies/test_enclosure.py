"""What is known of a round: the two largest numbers of a row, an offset for each arm."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustbandits.compiled.jit import jit_is_on
from robustbandits.policies.linear._enclosure import own_offsets, two_largest

pytestmark = [pytest.mark.slow] if jit_is_on else []

NUMBERS = st.lists(st.sampled_from([-np.inf, -2.5, -0.0, 0.0, 1.0, 3.0]), min_size=1, max_size=9)


@given(NUMBERS)
def test_two_largest(numbers):
    bounds = np.array([np.full(len(numbers), 9.0), numbers])
    best, second = two_largest(bounds, 1)
    assert best == int(np.argmax(numbers))
    others = np.delete(numbers, best)
    assert second == (others.max() if len(others) else -np.inf)


def test_offsets_of_the_arms_are_their_own_or_the_only_one():
    room = np.full((4, 5), np.nan)
    own = np.arange(15.0).reshape(3, 5)
    assert np.array_equal(own_offsets(own, room), own)
    assert np.isnan(room).all()
    shared = np.array([[1.0], [2.0], [3.0]])
    found = own_offsets(shared, room)
    assert np.array_equal(found[:3], np.repeat(shared, 5, axis=1))
    assert np.isnan(room[3]).all()
