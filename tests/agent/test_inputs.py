"""Contexts and rewards may have any type that holds numbers."""

from fractions import Fraction

import numpy as np
import pytest

from agent.agents import RECIPES, contents, draw_contexts, make_agent, trained_agent

PLAIN = np.round(draw_contexts(np.random.default_rng(21), 5) * 64) / 64  # exact in float32 too


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def unaligned(array):
    raw = np.zeros(array.nbytes + 1, dtype=np.uint8)[1:]
    view = raw.view(np.float64).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


def strided(array):
    wide = np.full((2 * len(array), 2 * array.shape[1]), 9.0)
    wide[::2, ::2] = array
    return wide[::2, ::2]


def data_frame(array):
    return pytest.importorskip("pandas").DataFrame(array, columns=list("abc"))


KINDS = {
    "read-only": read_only,
    "Fortran": np.asfortranarray,
    "float32": lambda array: array.astype(np.float32),
    "longdouble": lambda array: array.astype(np.longdouble),
    "big-endian": lambda array: array.astype(">f8"),
    "list": lambda array: array.tolist(),
    "tuple of arrays": tuple,
    "objects": lambda array: array.astype(object),
    "strided": strided,
    "reversed twice": lambda array: array[::-1].copy()[::-1],
    "unaligned": unaligned,
    "masked, none missing": np.ma.masked_array,
    "pandas": data_frame,
    "pandas, mixed columns": lambda array: data_frame(array).astype({"a": object}),
}


def same_scores(first, second):
    return all(
        getattr(first, name).tobytes() == getattr(second, name).tobytes()
        for name in ("means", "bonuses")
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["LinUCB", "BOBNoRestart"])
def test_every_kind_of_array_gives_the_same_choice(name, kind):
    agent, twin = trained_agent(name), trained_agent(name)
    given = KINDS[kind](PLAIN.copy())
    decision, expected = agent.choose(given), twin.choose(PLAIN.copy())
    assert same_scores(decision, expected)
    assert same_scores(agent.scores(given), twin.scores(PLAIN))
    agent.learn(decision, 0.5)
    twin.learn(expected, 0.5)
    assert contents(agent) == contents(twin)


@pytest.mark.parametrize("kind", ["int64", "int8", "uint16", "bool", "float16"])
def test_whole_numbers_and_half_floats_are_accepted(kind):
    agent, twin = make_agent(), make_agent()
    assert same_scores(agent.choose(np.eye(3).astype(kind)), twin.choose(np.eye(3)))


@pytest.mark.parametrize("name", RECIPES)
def test_contexts_are_never_modified(name):
    contexts, agent = PLAIN.copy(), make_agent(name)
    for _ in range(5):
        agent.scores(contexts)
        agent.learn(agent.choose(contexts), 0.5)
    assert contexts.tobytes() == PLAIN.tobytes()


REWARDS = [0, 1, np.float32(0.5), np.float64(0.5), np.int8(1), np.array(0.5), Fraction(1, 2)]


@pytest.mark.parametrize("reward", REWARDS, ids=repr)
def test_every_kind_of_real_number_is_accepted_as_a_reward(reward):
    agent, twin = make_agent(), make_agent()
    agent.learn(agent.choose(PLAIN), reward)
    twin.learn(twin.choose(PLAIN), float(reward))
    assert contents(agent) == contents(twin)
