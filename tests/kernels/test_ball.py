"""The smallest and largest bound in a ball, against SciPy, brute force and certificates."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.twins_window import bound, largest_bound, smallest_bound
from robustbandits.compiled.jit import jit_is_on
from robustbandits.kernels.ball import (
    bound_most,
    bounds_at,
    ceiling_at,
    floor_at,
    new_ball,
    tangent_at,
)
from robustbandits.kernels.ball_steps import (
    CENTRE,
    OFFSET,
    climb,
    descend,
    least_in_ball,
    lowest_share,
    most_in_ball,
    new_scratch,
)
from robustbandits.kernels.ridge import Ridge
from robustbandits.kernels.tangents import PRODUCTS

pytestmark = [pytest.mark.slow] if jit_is_on else []


def ball_of(P, theta, beta, error, stretch=None):
    """Return a ball of this inverse and this estimate."""
    gram = np.linalg.inv(P)
    ridge = Ridge(P, gram, gram @ theta, theta, np.zeros(3), 1.0)
    if stretch is None:
        stretch = float(np.linalg.eigvalsh(P)[-1] * (1 + 1e-9))
    return new_ball(ridge, beta, error, stretch)


def case(seed, dim, error, *, spread=2.0, beta=1.2, size=1.0):
    """Return a centre, the ball around it and the kernels' scratch, with no offset."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
    P = basis @ np.diag(10.0 ** rng.uniform(-spread, 1.0, size=dim)) @ basis.T
    P = np.ascontiguousarray(0.5 * (P + P.T))
    theta, centre = rng.normal(size=(2, dim))
    theta *= 0.8 / np.linalg.norm(theta)
    centre *= size / np.linalg.norm(centre)
    return centre, ball_of(P, theta, beta, error), scratch(centre)


def scratch(centre, offset=0.0):
    work = new_scratch(len(centre))
    work[CENTRE] = centre
    work[OFFSET] = offset
    return work


def value_at(ball, x):
    return float(bound(x, ball.ridge.theta, ball.ridge.inverse, ball.factor))


def look(ball, centre, offset):
    """Return the bound at an offset, and what U⁻ and U⁺ are at least and at most."""
    value, floor, high, steps = descend(ball, scratch(centre, offset), -np.inf, -np.inf, 1.0)
    assert steps == 0.0
    _, ceiling = climb(ball, scratch(centre, offset), 0.0)
    return value, floor, high, ceiling


def recipe(ball):
    return ball.error, ball.ridge.theta, ball.ridge.inverse, ball.factor


CASES = [(dim, error) for dim in (1, 2, 5) for error in (0.01, 0.1, 0.5, 1.5)]


@pytest.mark.parametrize(("dim", "error"), CASES)
def test_least_is_what_scipy_finds(dim, error):
    for seed in range(8):
        centre, ball, work = case(seed, dim, error)
        expected = smallest_bound(centre, *recipe(ball))
        found = least_in_ball(ball, work)
        assert found >= expected - 2e-7
        if error < 1.0:  # around the origin, where the bound has a kink, steps may end early
            assert found <= expected + 2e-7


@pytest.mark.parametrize(("dim", "error"), CASES)
def test_most_is_what_many_climbs_find(dim, error):
    for seed in range(8):
        centre, ball, work = case(seed, dim, error)
        expected = largest_bound(centre, *recipe(ball))
        assert most_in_ball(ball, work) == pytest.approx(expected, abs=2e-7)


def some_offset(seed, dim, error):
    """Return a point of the ball, on its rim or within it."""
    rng = np.random.default_rng([seed, 1])
    step = rng.normal(size=dim)
    return step * (error * rng.choice([1.0, rng.random()]) / np.linalg.norm(step))


BALLS = given(seed=st.integers(0, 2**32 - 1), dim=st.integers(1, 6), error=st.floats(0.0, 2.0))


@settings(max_examples=60, deadline=None, derandomize=True)
@BALLS
def test_no_point_of_the_ball_is_beyond_the_two(seed, dim, error):
    centre, ball, work = case(seed, dim, error)
    low, high = least_in_ball(ball, work), most_in_ball(ball, scratch(centre))
    steps = np.random.default_rng(seed).normal(size=(50, dim))
    steps *= error / np.linalg.norm(steps, axis=1, keepdims=True)
    points = np.vstack([centre, centre + steps, centre + 0.5 * steps])
    values = np.array([value_at(ball, x) for x in points])
    slack = 1e-6 * (1 + error)
    assert low <= values.min() + slack or error >= 1.0
    assert low <= high + 1e-12
    assert high >= values.max() - slack
    # Convex: what one side of the centre may lose, the other may gain.
    assert low + high >= 2 * values[0] - slack
    assert np.abs(values - values[0]).max() <= ball.rise + 1e-12


@settings(max_examples=60, deadline=None, derandomize=True)
@BALLS
def test_any_place_encloses_the_two(seed, dim, error):
    centre, ball, _ = case(seed, dim, error)
    offset = some_offset(seed, dim, error)
    exact = smallest_bound(centre, *recipe(ball))
    top = largest_bound(centre, *recipe(ball))
    here = value_at(ball, centre + offset)
    value, floor, high, ceiling = look(ball, centre, offset)
    if value != 0.0:  # the ball does not hold the origin, or bounds may be below 0
        assert value == pytest.approx(here, rel=1e-12)
        assert floor <= exact + 1e-6
        assert high <= top + 1e-9
    reached, _ = climb(ball, scratch(centre, offset), 0.0)
    assert reached == pytest.approx(here, rel=1e-12)
    assert ceiling >= top - 1e-9
    columns = [np.ascontiguousarray(np.tile(x, (3, 1)).T) for x in (centre + offset, offset)]
    values, ceilings = np.empty((2, 3))
    bound_most(ball, *columns, np.empty((PRODUCTS, 3)), values, ceilings)
    np.testing.assert_allclose(values, reached, rtol=1e-12)
    np.testing.assert_allclose(ceilings, ceiling, rtol=1e-9)
    bounds_at(ball, columns[0], values, np.empty(3))
    np.testing.assert_allclose(values, reached, rtol=1e-12)
    for offsets in (columns[1], np.ascontiguousarray(columns[1][:, :1])):
        tangent = tangent_at(ball, columns[0], offsets, 2)
        assert tangent.value == pytest.approx(reached, rel=1e-12)
        if value != 0.0:
            assert floor_at(ball, tangent) == pytest.approx(floor, rel=1e-9, abs=1e-9)
        assert ceiling_at(ball, tangent) == pytest.approx(ceiling, rel=1e-9, abs=1e-9)


def test_at_the_highest_peak_the_ceiling_is_the_peak():
    centre, ball, work = case(2, 5, 0.02, spread=0.5)
    top = most_in_ball(ball, work)
    reached, ceiling = climb(ball, work, 50.0)
    assert reached == pytest.approx(top, rel=1e-12)
    assert ceiling == pytest.approx(top, rel=1e-9)
    assert climb(ball, scratch(centre), 0.0)[1] > top + 1e-6  # from the centre less is known


def test_climbs_go_up_with_every_step_and_end_where_they_say():
    for seed in range(20):
        centre, ball, work = case(seed, 5, 0.4)
        value = value_at(ball, centre)
        for _ in range(8):
            reached, ceiling = climb(ball, work, 1.0)
            assert value - 1e-12 <= reached <= ceiling + 1e-12
            assert reached == pytest.approx(value_at(ball, centre + work[OFFSET]), rel=1e-12)
            value = reached
        top, _ = climb(ball, work, 100.0)
        assert top >= value - 1e-12
        assert top == pytest.approx(value_at(ball, centre + work[OFFSET]), rel=1e-12)


def test_leaps_end_a_long_climb_soon():
    # A thin ridge: plain steps gain hardly anything each, and would still be on their way.
    P = np.diag([1.0, 0.96])
    ball = ball_of(P, np.array([0.0, 0.02]), 1.0, 0.5)
    work = scratch(np.array([0.3, 0.0]), [0.5, 0.0])
    plain = np.array([0.5, 1e-3])
    for _ in range(12):
        x = np.array([0.3, 0.0]) + plain
        g = np.array([0.0, 0.02]) + P @ x / math.sqrt(x @ P @ x)
        plain = 0.5 * g / np.linalg.norm(g)
    reached, _ = climb(ball, work, 12.0)
    assert reached >= value_at(ball, np.array([0.3, 0.0]) + plain)


def test_without_error_both_are_the_bound_itself():
    centre, ball, work = case(3, 4, 0.0)
    known = value_at(ball, centre)
    assert least_in_ball(ball, work) == pytest.approx(known, rel=1e-14)
    assert most_in_ball(ball, work) == pytest.approx(known, rel=1e-14)


@pytest.mark.parametrize("error", [5e-324, 1e-300, 1e-140, 1e-18])
def test_a_ball_may_be_too_small_to_see(error):
    centre, ball, work = case(0, 2, error)
    known = value_at(ball, centre)
    assert least_in_ball(ball, work) == pytest.approx(known, rel=1e-12)
    assert most_in_ball(ball, scratch(centre)) == pytest.approx(known, rel=1e-12)


def test_ball_that_holds_the_origin_has_the_least_bound_0():
    _, ball, work = case(0, 3, 1.5, spread=0.0, beta=4.0)
    assert ball.positive
    assert least_in_ball(ball, work) == 0.0


@pytest.mark.parametrize("begin", [0.0, 0.1])
@pytest.mark.parametrize("size", [0.0, 0.1])
def test_there_is_a_way_down_from_the_origin_unless_every_bound_is_positive(size, begin):
    # θᵀVθ = 1.5 β²: the bound is below 0 along -Vθ, and a search must not stay at the kink.
    rng = np.random.default_rng(5)
    root = rng.normal(size=(3, 3))
    P = root @ root.T + 0.1 * np.eye(3)
    theta = rng.normal(size=3)
    theta *= math.sqrt(1.5 / (theta @ np.linalg.inv(P) @ theta))
    ball = ball_of(P, theta, 1.0, 0.5)
    assert not ball.positive
    centre = size * np.array([0.6, 0.0, 0.8])
    down = -ball.ridge.moment / np.linalg.norm(ball.ridge.moment)
    known = min(value_at(ball, centre + ball.error * down), 0.0)
    found = least_in_ball(ball, scratch(centre, -centre if begin == 0.0 else begin * down))
    assert found <= known - (0.0 if size else 1e-3)
    assert found < -1e-3
    expected = smallest_bound(centre, *recipe(ball))
    assert found == pytest.approx(expected, abs=1e-3)


def test_the_longest_axis_is_found_though_another_begins_along_a_coordinate():
    P = np.zeros((5, 5))
    P[0, 0] = 3.0  # the largest entry, and an eigenvalue; but the largest is 11.3
    P[1:, 1:] = 2.8 + 0.1 * np.eye(4)
    centre = np.array([1.2, 0.0, 0.0, 0.0, 0.0])
    ball = ball_of(P, np.zeros(5), 1.0, 1.0)
    assert most_in_ball(ball, scratch(centre)) == pytest.approx(4.1450507576, abs=1e-9)


def test_centre_at_the_origin_has_no_width_and_is_enclosed_all_the_same():
    _, ball, _ = case(4, 3, 0.3)
    origin = np.zeros(3)
    reached, ceiling = climb(ball, scratch(origin), 0.0)
    assert reached == 0.0
    assert ceiling >= largest_bound(origin, *recipe(ball)) - 1e-9
    assert math.isfinite(ceiling)


def test_steps_down_enclose_the_least_bound_ever_closer():
    centre, ball, work = case(1, 5, 0.3)
    exact = least_in_ball(ball, scratch(centre))
    value = value_at(ball, centre)
    assert exact < value - 1e-3  # there is something to search for
    gaps = []
    for _ in range(30):
        reached, below, above, steps = descend(ball, work, np.inf, -np.inf, 1.0)
        assert steps <= 1.0
        assert reached <= above + 1e-15
        assert reached <= value + 1e-15
        assert below <= exact + 1e-10
        assert exact <= reached + 1e-10
        assert np.linalg.norm(work[OFFSET]) <= 0.3 * (1 + 1e-12)
        gaps.append(reached - below)
        value = reached
    assert gaps[-1] < 0.01 * gaps[0]
    here = work[OFFSET].copy()
    known = descend(ball, work, exact - 1.0, -np.inf, 9.0)  # known to be more
    assert known.value == pytest.approx(value)
    assert known.steps == 0.0
    assert np.array_equal(work[OFFSET], here)


def test_descent_ends_when_it_is_low_enough():
    centre, ball, work = case(1, 5, 0.3)
    value, exact = value_at(ball, centre), least_in_ball(ball, scratch(centre))
    least = 0.5 * (value + exact)
    found = descend(ball, work, np.inf, least, 100.0)
    assert exact <= found.value <= least
    assert 1.0 <= found.steps < descend(ball, scratch(centre), np.inf, -np.inf, 100.0).steps


def test_most_finds_the_higher_of_two_peaks():
    # Almost no width at the centre, much to either side of it: theta tips the scale.
    P = np.diag([1e-4, 4.0])
    for tip in (0.05, -0.05):
        theta, centre = np.array([0.5, tip]), np.array([1.0, 0.0])
        expected = largest_bound(centre, 0.2, theta, P, 1.0)
        for start in (0.2, -0.2):  # the foot of either peak
            work = scratch(centre, [0.0, start])
            found = most_in_ball(ball_of(P, theta, 1.0, 0.2), work)
            assert found == pytest.approx(expected, rel=1e-9)


@settings(deadline=None, derandomize=True)
@given(
    slope=st.floats(-3, -0.01),
    factor=st.floats(0, 3),
    square=st.floats(0.01, 4),
    cross=st.floats(-1, 1),
    bend=st.floats(0, 4),
)
def test_lowest_share_is_lowest(slope, factor, square, cross, bend):
    bend = max(bend, cross * cross / square)  # what Cauchy and Schwarz allow

    def height(s):
        return slope * s + factor * np.sqrt(np.maximum(0.0, square + 2 * cross * s + bend * s * s))

    if slope + factor * cross / math.sqrt(square) >= 0:
        return  # it must start downwards
    share = lowest_share(slope, factor, square, cross, bend)
    assert 0.0 <= share <= 1.0
    assert height(share) <= height(np.linspace(0, 1, 101)).min() + 1e-9
