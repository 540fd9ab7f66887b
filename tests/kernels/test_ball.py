"""The smallest and largest bound in a ball, against SciPy, brute force and certificates."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.twins_window import bound, largest_bound, smallest_bound
from robustbandits._jit import jit_is_on
from robustbandits.kernels.ball import (
    AXIS,
    CENTRE,
    POINT,
    UNIT,
    Ball,
    find_axis,
    first_step,
    least_in_ball,
    lowest_share,
    most_in_ball,
    most_of_sum,
    new_scratch,
    step_down,
)

pytestmark = [pytest.mark.slow] if jit_is_on else []


def case(seed, dim, error, *, spread=2.0, beta=1.2, size=1.0):
    """Return a centre, the ball around it and the kernels' scratch."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
    P = basis @ np.diag(10.0 ** rng.uniform(-spread, 1.0, size=dim)) @ basis.T
    P = np.ascontiguousarray(0.5 * (P + P.T))
    theta, centre = rng.normal(size=(2, dim))
    theta *= 0.8 / np.linalg.norm(theta)
    centre *= size / np.linalg.norm(centre)
    reach = math.sqrt(np.linalg.eigvalsh(P)[-1]) * (1 + 1e-9)
    positive = bool(theta @ np.linalg.solve(P, theta) <= beta**2)
    ball = Ball(P, theta, beta, error, reach, positive)
    work = new_scratch(dim)
    work[CENTRE][:] = centre
    work[UNIT][:] = theta / np.linalg.norm(theta)
    return centre, ball, work


def least(ball, work):
    start = work[CENTRE] - ball.error * work[UNIT]
    known = float(bound(start, ball.theta, ball.inverse, ball.factor))
    return least_in_ball(ball, work, known)


CASES = [(dim, error) for dim in (1, 2, 5) for error in (0.01, 0.1, 0.5, 1.5)]


@pytest.mark.parametrize(("dim", "error"), CASES)
def test_least_is_what_scipy_finds(dim, error):
    for seed in range(8):
        centre, ball, work = case(seed, dim, error)
        expected = smallest_bound(centre, error, ball.theta, ball.inverse, ball.factor)
        found = least(ball, work)
        assert found >= expected - 2e-7
        if error < 1.0:  # around the origin, where the bound has a kink, steps may end early
            assert found <= expected + 2e-7


@pytest.mark.parametrize(("dim", "error"), CASES)
def test_most_is_what_many_climbs_find(dim, error):
    for seed in range(8):
        centre, ball, work = case(seed, dim, error)
        expected = largest_bound(centre, error, ball.theta, ball.inverse, ball.factor)
        assert most_in_ball(ball, work) == pytest.approx(expected, abs=2e-7)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), dim=st.integers(1, 6), error=st.floats(0.0, 2.0))
def test_no_point_of_the_ball_is_beyond_the_two(seed, dim, error):
    centre, ball, work = case(seed, dim, error)
    low, high = least(ball, work), most_in_ball(ball, work)
    steps = np.random.default_rng(seed).normal(size=(50, dim))
    steps *= error / np.linalg.norm(steps, axis=1, keepdims=True)
    points = np.vstack([centre, centre + steps, centre + 0.5 * steps])
    values = bound(points, ball.theta, ball.inverse, ball.factor)
    slack = 1e-6 * (1 + error)
    assert low <= values.min() + slack or error >= 1.0
    assert low <= high
    assert high >= values.max() - slack
    # Convex: what one side of the centre may lose, the other may gain.
    assert low + high >= 2 * values[0] - slack


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), dim=st.integers(1, 6), error=st.floats(0.001, 0.5))
def test_sum_of_the_two_is_bounded(seed, dim, error):
    centre, ball, work = case(seed, dim, error, spread=0.5)
    total = least(ball, work) + most_in_ball(ball, work)
    shown = float(bound(centre, ball.theta, ball.inverse, ball.factor))
    width = math.sqrt(centre @ ball.inverse @ centre)
    sag = ball.factor * (error * ball.reach) ** 2 / width
    closer = most_of_sum(ball, work, sag)
    assert -1e-9 <= total - 2 * shown <= closer + 1e-9
    assert closer <= sag


def test_without_error_both_are_the_bound_itself():
    centre, ball, work = case(3, 4, 0.0)
    known = float(bound(centre, ball.theta, ball.inverse, ball.factor))
    assert least_in_ball(ball, work, known) == known
    assert most_in_ball(ball, work) == pytest.approx(known, rel=1e-14)


def test_ball_that_holds_the_origin_has_the_least_bound_0():
    _, ball, work = case(0, 3, 1.5, spread=0.0, beta=4.0)
    assert ball.positive
    assert least(ball, work) == 0.0


def test_steps_down_enclose_the_least_bound_ever_closer():
    _, ball, work = case(1, 5, 0.3)
    exact = least(ball, work)
    first_step(ball, work)
    value = float(bound(work[POINT], ball.theta, ball.inverse, ball.factor))
    assert exact < value - 1e-3  # there is something to search for
    gaps = []
    for _ in range(30):
        reached, below = step_down(ball, work, value, np.inf)
        assert reached <= value
        assert below <= exact + 1e-12
        assert exact <= reached
        gaps.append(value - below)
        value = reached
    assert gaps[-1] < 0.01 * gaps[0]
    here = work[POINT].copy()
    assert step_down(ball, work, value, exact - 1.0)[0] == value  # known to be more than that
    assert np.array_equal(work[POINT], here)


def test_most_finds_the_higher_of_two_peaks():
    # Almost no width at the centre, much to either side of it: theta tips the scale.
    P = np.diag([1e-4, 4.0])
    for tip in (0.05, -0.05):
        theta = np.array([0.5, tip])
        work = new_scratch(2)
        work[CENTRE][:] = [1.0, 0.0]
        ball = Ball(P, theta, 1.0, 0.2, 2.0, False)
        expected = largest_bound(work[CENTRE], 0.2, theta, P, 1.0)
        assert most_in_ball(ball, work) == pytest.approx(expected, rel=1e-9)


def test_axis_points_where_the_matrix_is_large():
    _, ball, work = case(5, 6, 0.1)
    find_axis(ball, work)
    axis = work[AXIS]
    assert np.linalg.norm(axis) == pytest.approx(1.0)
    assert axis @ ball.inverse @ axis > 0.7 * np.linalg.eigvalsh(ball.inverse)[-1]


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
