"""A leased random stream is the stream itself."""

import numpy as np

from robustbandits.compiled.jit import program
from robustbandits.compiled.rng_pointer import borrow, lease


@program
def draws(leased, out):
    rng = borrow(leased)
    for i in range(0, out.shape[0], 2):
        out[i] = rng.random()
        out[i + 1] = rng.standard_normal()


def test_borrow_a_lease_draws_the_generators_own_numbers():
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    out = np.empty(1000)
    draws(lease(rng), out)
    expected = [draw() for _ in range(500) for draw in (other.random, other.standard_normal)]
    assert out.tolist() == expected


def test_borrow_a_lease_moves_the_generator_along():
    rng, other = np.random.default_rng(4), np.random.default_rng(4)
    leased = lease(rng)
    for _ in range(3):
        draws(leased, np.empty(2))
        other.random()
        other.standard_normal()
        assert rng.random() == other.random()


def test_borrow_a_generator_is_the_generator():
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    out = np.empty(2)
    draws(rng, out)
    assert out.tolist() == [other.random(), other.standard_normal()]
