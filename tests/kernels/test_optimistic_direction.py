"""The arm of the unit ball with the largest upper confidence bound, against searches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from property.laws import law
from reference.twins_ball import largest_bound
from robustbandits.compiled.jit import jit_is_on, python_of
from robustbandits.kernels.optimistic_direction import optimistic_direction

#: How much of the best value may be missing.
CLOSE = 1e-9


def bound_of(x, matrix, theta, factor):
    """Upper confidence bound of vectors in the rows of x."""
    return x @ theta + factor * np.sqrt(np.maximum(0.0, ((x @ matrix) * x).sum(axis=-1)))


def direction(matrix, theta, factor, seed=1):
    out = np.full(len(theta), np.nan)
    optimistic_direction(matrix, theta, factor, np.random.default_rng(seed), out)
    np.testing.assert_allclose(np.linalg.norm(out), 1.0, rtol=1e-14)
    return out


def value_of(matrix, theta, factor, seed=1):
    return bound_of(direction(matrix, theta, factor, seed), matrix, theta, factor)


def make_matrix(rng, eigenvalues):
    basis, _ = np.linalg.qr(rng.normal(size=(len(eigenvalues),) * 2))
    matrix = (basis * eigenvalues) @ basis.T
    return np.ascontiguousarray(0.5 * (matrix + matrix.T)), basis


def search_circle(objective):
    """Return the largest value on the unit circle: a fine grid, refined around its maximum."""
    center, reach = 0.0, np.pi
    for _ in range(12):
        angles = center + np.linspace(-reach, reach, 20_001)
        values = objective(np.stack([np.cos(angles), np.sin(angles)], axis=1))
        center, reach = angles[values.argmax()], reach / 1000
    return values.max()


def search_sphere(objective):
    """Return the largest value on the unit sphere: a grid, refined around its maximum."""
    center, reach = np.array([np.pi / 2, 0.0]), np.array([np.pi / 2, np.pi])
    for _ in range(12):
        polar, around = np.meshgrid(
            *(c + np.linspace(-r, r, 301) for c, r in zip(center, reach, strict=True))
        )
        rows = [np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)]
        values = objective(np.stack(rows, axis=-1).reshape(-1, 3))
        best = values.argmax()
        center, reach = np.array([polar.ravel()[best], around.ravel()[best]]), reach / 15
    return values.max()


def climb(matrix, theta, factor, rng, starts=200, steps=3000):
    """Return the largest value that climbs from random points, axes and eigenvectors reach.

    Each step goes to the sphere's best point for the gradient, which never goes down, because the
    bound is convex.
    """
    _, axes = np.linalg.eigh(matrix)
    x = np.concatenate([rng.normal(size=(starts, len(theta))), axes.T, -axes.T])
    for _ in range(steps):
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        image = x @ matrix
        lengths = np.sqrt(np.maximum(1e-300, (x * image).sum(axis=1, keepdims=True)))
        x = theta + factor * image / lengths
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return bound_of(x, matrix, theta, factor).max()


def random_case(rng, dim):
    """Return a matrix, theta and factor. Sometimes theta has no share along the longest axis."""
    eigenvalues = 10.0 ** rng.uniform(-4, 1, dim)
    matrix, basis = make_matrix(rng, eigenvalues)
    along = rng.normal(size=dim)
    if rng.random() < 0.3:
        along[eigenvalues.argmax()] *= rng.choice([0.0, 1e-12, 1e-6])
    return matrix, basis @ along * 10.0 ** rng.uniform(-2, 2), 10.0 ** rng.uniform(-3, 3)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("dim", "search"), [(2, search_circle), (3, search_sphere)])
def test_no_grid_point_of_a_circle_or_sphere_is_better(dim, search, seed):
    case = random_case(np.random.default_rng(seed), dim)
    best = search(lambda x: bound_of(x, *case))
    assert value_of(*case) == pytest.approx(best, rel=CLOSE)
    assert largest_bound(*case) == pytest.approx(best, rel=CLOSE)


@pytest.mark.parametrize("seed", range(20 if jit_is_on else 3))
def test_no_climb_in_ten_dimensions_ends_higher(seed):
    rng = np.random.default_rng(seed)
    case = random_case(rng, 10)
    best = climb(*case, rng)
    assert value_of(*case) >= best - CLOSE * abs(best)
    assert value_of(*case) == pytest.approx(largest_bound(*case), rel=CLOSE)


@law
@given(
    seed=st.integers(0, 2**32 - 1),
    dim=st.integers(1, 12),
    decades=st.sampled_from([0, 1, 6, 11]),
    repeated=st.integers(1, 12),
    factor=st.sampled_from([0.0, 1e-12, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e12]),
    length=st.sampled_from([0.0, 1e-12, 1e-3, 1.0, 1e6]),
    share=st.sampled_from([0.0, 1e-20, 1e-15, 1e-13, 1e-10, 1e-6, 1.0]),
)
def test_value_is_the_largest(seed, dim, decades, repeated, factor, length, share):
    rng = np.random.default_rng(seed)
    eigenvalues = np.sort(10.0 ** -rng.uniform(0, decades, dim))
    eigenvalues[-repeated:] = eigenvalues[-1]
    matrix, basis = make_matrix(rng, eigenvalues)
    along = rng.normal(size=dim)
    along[-repeated:] *= share
    theta = length * (basis @ along)
    best = largest_bound(matrix, theta, factor)
    assert value_of(matrix, theta, factor) == pytest.approx(best, rel=CLOSE, abs=1e-300)


def test_without_a_bonus_the_arm_points_along_theta():
    theta = np.array([0.3, -0.4, 0.0])
    np.testing.assert_allclose(direction(np.eye(3), theta, 0.0), [0.6, -0.8, 0.0], atol=1e-15)


def test_without_theta_the_arm_is_an_eigenvector_of_either_sign():
    matrix, basis = make_matrix(np.random.default_rng(0), np.array([0.1, 0.2, 3.0]))
    signs = [direction(matrix, np.zeros(3), 2.0, seed) @ basis[:, 2] for seed in range(60)]
    np.testing.assert_allclose(np.abs(signs), 1.0, rtol=1e-12)
    assert 10 < sum(sign > 0 for sign in signs) < 50


def test_without_a_share_along_the_longest_axis_either_sign_is_as_good():
    matrix, theta = np.diag([0.5, 4.0]), np.array([1.0, 0.0])
    arms = np.array([direction(matrix, theta, 3.0, seed) for seed in range(60)])
    assert 10 < (arms[:, 1] > 0).sum() < 50
    np.testing.assert_allclose(arms[:, 0], arms[0, 0], rtol=1e-12)
    assert bound_of(arms, matrix, theta, 3.0) == pytest.approx(
        search_circle(lambda x: bound_of(x, matrix, theta, 3.0)), rel=CLOSE
    )


def test_on_a_sphere_of_equals_every_direction_is_drawn():
    arms = np.array([direction(np.eye(3), np.zeros(3), 1.0, seed) for seed in range(200)])
    assert np.linalg.norm(arms.mean(axis=0)) < 0.3
    np.testing.assert_allclose(arms.T @ arms / 200, np.eye(3) / 3, atol=0.1)


def test_a_single_best_arm_needs_no_random_number():
    rng = np.random.default_rng(3)
    matrix, theta, factor = random_case(np.random.default_rng(2), 6)
    before = rng.bit_generator.state
    optimistic_direction(matrix, theta, factor, rng, np.empty(6))
    assert rng.bit_generator.state == before


@pytest.mark.skipif(not jit_is_on, reason="compares compiled code with plain Python")
@pytest.mark.parametrize("seed", range(20))
def test_compiled_code_and_plain_python_give_the_same_bits(seed):
    rng = np.random.default_rng(seed)
    matrix, theta, factor = random_case(rng, 1 + seed % 7)
    theta *= seed % 5 > 0
    out = np.empty(len(theta))
    python_of(optimistic_direction)(matrix, theta, factor, np.random.default_rng(1), out)
    assert out.tobytes() == direction(matrix, theta, factor).tobytes()
