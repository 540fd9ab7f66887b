"""Blocks of rounds, and the seeds of an environment's random streams."""

import numpy as np
import pytest

from robustbandits.game.rounds import child_seeds, make_rounds, repeat_round


def test_block_has_the_largest_mean_of_each_round():
    means = np.array([[0.1, 0.4, 0.2], [0.5, 0.0, 0.3]])
    assert make_rounds(np.zeros((2, 1, 3)), means, np.zeros(2)).best.tolist() == [0.4, 0.5]


def test_arrays_that_a_game_can_use_are_not_copied():
    contexts, means, noise = np.zeros((2, 1, 3)), np.zeros((2, 3)), np.zeros(2)
    block = make_rounds(contexts, means, noise)
    assert (block.contexts is contexts, block.means is means, block.noise is noise) == (True,) * 3


def test_other_arrays_are_copied_into_the_layout_that_a_game_needs():
    catalogue = np.broadcast_to(np.arange(6.0, dtype=np.float32).reshape(2, 3), (4, 2, 3))
    block = make_rounds(catalogue, np.zeros((3, 4)).T, np.zeros(4, dtype=int))
    for array in block:
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert np.array_equal(block.contexts, catalogue)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((2, 3), (2, 3), (2,)), r"contexts: expected shape \(rounds, dim, arms\), got \(2, 3\)"),
        (((2, 1, 3), (2, 1), (2,)), r"means: expected shape \(2, 3\).* got \(2, 1\)"),
        (((2, 1, 3), (2, 3), (3,)), r"noise: expected shape \(2,\).* got \(3,\)"),
    ],
)
def test_wrong_shapes_are_refused(shapes, message):
    with pytest.raises(ValueError, match=message):
        make_rounds(*map(np.zeros, shapes))


def test_rounds_that_are_all_the_same_are_stored_once():
    contexts, means = np.arange(6.0).reshape(2, 3), np.array([0.1, 0.4, 0.2])
    block = repeat_round(contexts, means, np.arange(1000.0))
    assert np.array_equal(block.contexts, np.tile(contexts, (1000, 1, 1)))
    assert np.array_equal(block.means, np.tile(means, (1000, 1)))
    assert block.best.tolist() == [0.4] * 1000
    assert [array.strides[0] for array in block[:3]] == [0, 0, 0]
    block.contexts[:] = 7.0
    assert contexts[1, 2] == 5.0


def test_child_seeds_are_the_same_at_each_call_and_differ_from_each_other():
    seed = np.random.SeedSequence(3, spawn_key=(0,))
    first, second = ([s.generate_state(2).tolist() for s in child_seeds(seed, 3)] for _ in range(2))
    assert first == second
    assert len({tuple(state) for state in first}) == 3
