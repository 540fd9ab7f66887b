"""Variances of Gaussian processes keep six digits for every ridge that is accepted."""

from fractions import Fraction

import numpy as np
import pytest

import exact_ridge
from robustbandits.compiled.jit import jit_is_on, program
from robustbandits.kernels.gaussian_process import MAX_RATIO, Posterior, measure, predict_measured

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="a million rounds of plain Python"),
]


@program
def feed(post, prior, block, rounds, means, widths):
    """Measure 0.5 at two points in turn, each for a block of rounds; then predict both."""
    for t in range(rounds):
        measure(post, prior, t // block % 2, 0.5)
    for point in range(2):
        predict_measured(post, point, means, widths)


@pytest.mark.parametrize("rounds", [1000, 100_000, 1_000_000])
@pytest.mark.parametrize("blocks", [2, 100, 1000])
@pytest.mark.parametrize("apart", [1e-6, 1e-3, 0.3])
def test_the_smallest_noise_keeps_six_digits_for_similar_points(apart, blocks, rounds):
    other = np.exp(-0.5 * apart * apart)
    prior = np.array([[1.0, other], [other, 1.0]])
    noise = rounds / MAX_RATIO
    post = Posterior(*np.zeros((1, 2, 2)), *np.zeros((4, 2)), noise)
    means, widths = np.empty(2), np.empty(2)
    feed(post, prior, rounds // blocks, rounds, means, widths)

    kernel = [[Fraction(value) for value in row] for row in prior.tolist()]
    ratios = [Fraction(noise) / int(count) for count in post.counts]
    pairs = range(2)
    matrix = [[kernel[a][b] + (ratios[a] if a == b else 0) for b in pairs] for a in pairs]
    solved = exact_ridge.solve(matrix, [[Fraction(1, 2), *kernel[a]] for a in pairs])
    for a in pairs:
        mean = sum(kernel[a][b] * solved[b][0] for b in pairs)
        variance = 1 - sum(kernel[a][b] * solved[b][1 + a] for b in pairs)
        assert means[a] == pytest.approx(float(mean), rel=1e-6)
        assert widths[a] ** 2 * noise == pytest.approx(float(variance), rel=1e-6)
