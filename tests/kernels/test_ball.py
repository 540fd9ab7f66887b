"""Extreme values of a linear function plus a norm in a ball, compared with plain searches.

In two dimensions the whole boundary is searched. In more dimensions SciPy finds the minimum, and
hill climbing from many starts finds the maximum.
"""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from reference.twins_window import bound, largest_bound, search_disc, smallest_bound
from robustbandits.compiled.jit import program
from robustbandits.kernels.ball import Cone, extreme_in_ball, step_down

SMALLEST, LARGEST = 1.0, -1.0


@program
def step(cone, center):
    return step_down(cone, center)


def make_cone(vector, eigenvalues, factor, radius):
    vector, eigenvalues = np.array(vector, dtype=float), np.array(eigenvalues, dtype=float)
    return Cone(vector, eigenvalues, int(np.argmax(eigenvalues)), float(factor), float(radius))


def value_at(cone, x):
    return bound(x, cone.vector, np.diag(cone.eigenvalues), cone.factor)


def change(cone):
    """Return what the ball can change at most: the scale of all errors."""
    longest = np.sqrt(cone.eigenvalues.max())
    return cone.radius * (np.linalg.norm(cone.vector) + cone.factor * longest)


def terms(cone):
    return cone.radius, cone.vector, np.diag(cone.eigenvalues), cone.factor


def random_case(seed, dim, decades, radius, size=1.0):
    rng = np.random.default_rng(seed)
    vector, center = rng.normal(size=(2, dim))
    cone = make_cone(
        vector * rng.choice([0.0, 0.01, 1.0]) / np.linalg.norm(vector),
        10.0 ** rng.uniform(-decades, 0.5, dim),
        rng.uniform(0.1, 2.0),
        radius,
    )
    return cone, center * size / np.linalg.norm(center)


CASES = {
    "seed": st.integers(0, 2**32 - 1),
    "decades": st.sampled_from([0.0, 1.0, 3.0, 8.0]),
    "radius": st.sampled_from([1e-9, 1e-3, 0.1, 0.5, 0.999, 1.0, 1.5, 30.0]),
    "size": st.sampled_from([0.0, 1.0]),
}


@settings(max_examples=150, deadline=None)
@given(**CASES)
def test_extremes_in_two_dimensions_equal_a_search_of_the_boundary(seed, decades, radius, size):
    cone, center = random_case(seed, 2, decades, radius, size)
    for sign in (SMALLEST, LARGEST):
        expected = search_disc(center, *terms(cone), sign, points=20_001)
        tolerance = 1e-8 * change(cone) + 1e-14
        assert extreme_in_ball(cone, center, sign) == pytest.approx(expected, abs=tolerance)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    dim=st.integers(1, 6),
    decades=st.sampled_from([0.0, 1.0, 2.0]),
    radius=st.sampled_from([0.01, 0.1, 0.5, 0.9]),
)
def test_extremes_equal_those_of_scipy_and_of_hill_climbing(seed, dim, decades, radius):
    cone, center = random_case(seed, dim, decades, radius)
    smallest, largest = (extreme_in_ball(cone, center, sign) for sign in (SMALLEST, LARGEST))
    assert smallest == pytest.approx(smallest_bound(center, *terms(cone)), abs=2e-7)
    assert largest == pytest.approx(largest_bound(center, *terms(cone)), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(**CASES, dim=st.integers(1, 12))
@example(seed=0, decades=8.0, radius=1.0, size=1.0, dim=12)
def test_no_point_of_the_ball_is_beyond_the_extremes(seed, decades, radius, size, dim):
    cone, center = random_case(seed, dim, decades, radius, size)
    smallest, largest = (extreme_in_ball(cone, center, sign) for sign in (SMALLEST, LARGEST))
    rng = np.random.default_rng([seed, 1])
    steps = rng.normal(size=(200, dim))
    steps *= radius * rng.random((200, 1)) ** 0.1 / np.linalg.norm(steps, axis=1, keepdims=True)
    values = value_at(cone, np.vstack([center, center + steps]))
    slack = 1e-9 * change(cone) + 1e-14
    assert smallest <= values.min() + slack
    assert largest >= values.max() - slack
    assert values[0] - change(cone) - slack <= smallest
    assert largest <= values[0] + change(cone) + slack
    assert smallest + largest >= 2.0 * values[0] - slack  # f is convex


@pytest.mark.parametrize("radius", [5e-324, 1e-300, 1e-140, 1e-18])
def test_ball_too_small_to_matter_has_the_value_of_its_center(radius):
    cone, center = random_case(0, 3, 2.0, radius)
    for sign in (SMALLEST, LARGEST):
        found = extreme_in_ball(cone, center, sign)
        assert found == pytest.approx(value_at(cone, center), rel=1e-12)
        assert extreme_in_ball(cone, np.zeros(3), sign) == pytest.approx(0.0, abs=1e-17)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), dim=st.integers(1, 6))
def test_step_down_is_between_the_smallest_value_and_that_of_the_center(seed, dim):
    cone, center = random_case(seed, dim, 1.0, 0.01)
    value, below = step(cone, center)
    assert value == pytest.approx(value_at(cone, center), rel=1e-12)
    assert extreme_in_ball(cone, center, SMALLEST) - 1e-12 <= below < value


def test_smallest_value_is_0_if_the_ball_holds_the_origin_and_no_value_is_negative():
    cone = make_cone([0.3, 0.1], [1.0, 0.5], factor=2.0, radius=1.0)
    assert extreme_in_ball(cone, np.array([0.6, 0.8]), SMALLEST) == 0.0
    assert extreme_in_ball(cone, np.zeros(2), SMALLEST) == 0.0


@pytest.mark.parametrize("center", [[0.0, 0.0, 0.0], [0.05, 0.0, 0.1]])
def test_smallest_value_is_found_beyond_the_kink_at_the_origin(center):
    # Σ v²/λ is 1.5 b², so some values are negative, and the smallest is on the boundary.
    vector, eigenvalues = np.array([0.7, -0.2, 0.4]), np.array([0.2, 1.0, 3.0])
    factor = np.sqrt((vector**2 / eigenvalues).sum() / 1.5)
    cone = make_cone(vector, eigenvalues, factor, radius=0.5)
    expected = smallest_bound(
        np.array(center), 0.5, vector, np.diag(eigenvalues), factor, start=-vector / eigenvalues
    )
    assert expected < -1e-3
    assert extreme_in_ball(cone, np.array(center), SMALLEST) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("tip", [0.05, 1e-9, -1e-9, -0.05])
def test_largest_value_is_that_of_the_higher_of_two_peaks(tip):
    # The norm is small at the center and large on both sides of it, so the vector decides.
    cone = make_cone([0.5, tip], [1e-4, 4.0], factor=1.0, radius=0.2)
    for height in (0.0, 1e-9, 0.01, -0.02):
        center = np.array([1.0, height])
        expected = search_disc(center, *terms(cone), LARGEST)
        assert extreme_in_ball(cone, center, LARGEST) == pytest.approx(expected, rel=1e-10)


def test_two_peaks_are_climbed_if_the_distance_jumps_over_the_radius():
    rng = np.random.default_rng(0)
    near_ties = 0
    for _ in range(300):
        # The vector and the center point in opposite directions along the longest axis.
        vector, center = rng.normal(size=2) * [0.1, 0.3], rng.normal(size=2) * [0.3, 0.05]
        vector[1] = -np.copysign(vector[1], center[1])
        cone = make_cone(vector, [0.05, 2.0], factor=1.0, radius=0.3)
        expected = search_disc(center, *terms(cone), LARGEST)
        assert extreme_in_ball(cone, center, LARGEST) == pytest.approx(expected, abs=1e-9)
        ends = [value_at(cone, center + np.array([0.0, end])) for end in (-0.3, 0.3)]
        near_ties += abs(ends[0] - ends[1]) < 0.02
    assert near_ties > 10


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), dim=st.integers(1, 6), turn=st.integers(1, 5))
def test_extremes_do_not_depend_on_the_order_of_the_axes(seed, dim, turn):
    assume(turn < dim)
    cone, center = random_case(seed, dim, 2.0, 0.4)
    turned = make_cone(
        np.roll(cone.vector, turn), np.roll(cone.eigenvalues, turn), cone.factor, cone.radius
    )
    for sign in (SMALLEST, LARGEST):
        found = extreme_in_ball(turned, np.roll(center, turn), sign)
        assert found == pytest.approx(extreme_in_ball(cone, center, sign), rel=1e-11, abs=1e-12)
