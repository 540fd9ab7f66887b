"""A generator behind a pointer draws the same numbers as the generator itself."""

import numpy as np

from robustbandits.compiled.jit import program
from robustbandits.compiled.rng_pointer import rng_at, rng_pointer


@program
def draw(pointer, out):
    rng = rng_at(pointer)
    for i in range(0, out.shape[0], 2):
        out[i] = rng.random()
        out[i + 1] = rng.standard_normal()


def test_rng_at_draws_the_numbers_of_the_generator():
    rng, twin = np.random.default_rng(3), np.random.default_rng(3)
    out = np.empty(1000)
    draw(rng_pointer(rng), out)
    expected = [draw() for _ in range(500) for draw in (twin.random, twin.standard_normal)]
    assert out.tolist() == expected


def test_draws_through_a_pointer_advance_the_generator():
    rng, twin = np.random.default_rng(4), np.random.default_rng(4)
    pointer = rng_pointer(rng)
    for _ in range(3):
        draw(pointer, np.empty(2))
        twin.random()
        twin.standard_normal()
        assert rng.random() == twin.random()


def test_rng_at_accepts_a_generator_too():
    rng, twin = np.random.default_rng(5), np.random.default_rng(5)
    out = np.empty(2)
    draw(rng, out)
    assert out.tolist() == [twin.random(), twin.standard_normal()]
