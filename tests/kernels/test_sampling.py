"""Random choices have the right probabilities and make no unnecessary draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from robustbandits.compiled.jit import program, python_of
from robustbandits.kernels.sampling import draw, largest, share_of_largest

#: A correct program fails a two-sided check with a smaller probability than this.
FAILURE = 1e-7


@program
def count_largest(values, rng, times, counts):
    for _ in range(times):
        counts[largest(values, rng, False)] += 1


@program
def count_draws(probabilities, rng, times, counts):
    for _ in range(times):
        counts[draw(probabilities, rng)] += 1


def assert_frequency(count, times, chance):
    """Assert that a binomial count is plausible; a false alarm is less likely than FAILURE."""
    low, high = stats.binom.ppf([FAILURE / 2, 1 - FAILURE / 2], times, chance)
    assert low <= count <= high


values = st.lists(st.sampled_from([-1.0, 0.0, 0.25, 1.0, 3.0]), min_size=1, max_size=9)


def position(rng):
    return rng.bit_generator.state["state"]["state"]


@settings(deadline=None)
@given(values)
def test_largest_first_is_argmax_and_draws_nothing(numbers):
    rng = np.random.default_rng(0)
    before = position(rng)
    assert largest(np.array(numbers), rng, True) == np.argmax(numbers)
    assert position(rng) == before


@settings(deadline=None)
@given(values)
def test_largest_draws_only_if_there_are_ties(numbers):
    rng, other = np.random.default_rng(0), np.random.default_rng(0)
    assert numbers[largest(np.array(numbers), rng, False)] == max(numbers)
    if numbers.count(max(numbers)) > 1:
        other.random()
    assert position(rng) == position(other)


def test_largest_among_minus_infinities_is_in_range():
    assert largest(np.full(3, -np.inf), np.random.default_rng(0), False) in range(3)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "numbers", [[1.0, 1.0], [0.0, 2.0, -1.0, 2.0, 2.0], [0.5] * 7, [3.0, 1.0, 3.0]]
)
def test_largest_gives_ties_equal_probabilities(numbers):
    array, times = np.array(numbers), 100_000
    counts = np.zeros(len(numbers), dtype=np.int64)
    count_largest(array, np.random.default_rng(1), times, counts)
    ties = np.flatnonzero(array == array.max())
    assert counts.sum() == counts[ties].sum() == times
    for index in ties:
        assert_frequency(counts[index], times, 1 / len(ties))


@settings(deadline=None)
@given(values, st.floats(0.0, 1.0), st.booleans())
def test_share_of_largest_splits_the_mass_among_the_largest(numbers, mass, first):
    array = np.array(numbers)
    out = np.full(len(numbers), 0.5)
    share_of_largest(array, first, mass, out)
    gained = out - 0.5
    best = np.flatnonzero(array == array.max())
    best = best[:1] if first else best
    expected = np.zeros(len(numbers))
    expected[best] = mass / len(best)
    np.testing.assert_allclose(gained, expected, atol=1e-15)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "probabilities", [[1.0], [0.5, 0.5], [0.1, 0.0, 0.6, 0.3], [0.001, 0.998, 0.001], [0.125] * 8]
)
def test_draw_frequencies_are_the_probabilities(probabilities):
    array, times = np.array(probabilities), 200_000
    counts = np.zeros(len(probabilities), dtype=np.int64)
    count_draws(array, np.random.default_rng(2), times, counts)
    assert counts.sum() == times
    for count, chance in zip(counts, probabilities, strict=True):
        assert_frequency(count, times, chance)


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_draw_compares_one_number_with_the_cumulative_sum(weights, seed):
    probabilities = np.array(weights) / sum(weights)
    rng, other = np.random.default_rng(seed), np.random.default_rng(seed)
    index = draw(probabilities, rng)
    level = other.random()
    assert position(rng) == position(other)
    assert level >= probabilities[:index].sum() - 1e-12
    assert index == len(probabilities) - 1 or level < probabilities[: index + 1].sum() + 1e-12


class Always:
    """A random stream that always returns the same number."""

    def __init__(self, level):
        self.level = level

    def random(self):
        return self.level


def test_draw_returns_the_last_index_if_rounding_leaves_the_sum_below_one():
    almost_one = np.nextafter(1.0, 0.0)
    assert python_of(draw)(np.array([0.3, 0.3, 0.3]), Always(almost_one)) == 2


def test_largest_takes_the_last_tie_if_the_number_drawn_is_just_below_one():
    almost_one = np.nextafter(1.0, 0.0)
    assert python_of(largest)(np.array([2.0, 2.0, 0.0, 2.0]), Always(almost_one), False) == 3
