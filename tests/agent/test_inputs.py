"""Contexts and rewards of every kind that holds numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from agent.players import RECIPES, bits, contexts_of, hire, veteran

PLAIN = np.round(contexts_of(np.random.default_rng(21), 5) * 64) / 64  # exact in float32 too


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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["LinUCB", "BOBNoRestart"])
def test_every_kind_of_array_gives_the_same_choice(name, kind):
    agent, twin = veteran(name), veteran(name)
    given = KINDS[kind](PLAIN.copy())
    decision, expected = agent.choose(given), twin.choose(PLAIN.copy())
    assert decision._table.tobytes() == expected._table.tobytes()
    assert agent.scores(given)._table.tobytes() == twin.scores(PLAIN)._table.tobytes()
    agent.learn(decision, 0.5)
    twin.learn(expected, 0.5)
    assert bits(agent) == bits(twin)


@pytest.mark.parametrize("kind", KINDS)
def test_machine_code_gets_arrays_of_the_one_kind_it_knows(kind, monkeypatch):
    agent, seen = hire(), []
    decide = agent._decide

    def watch(state, contexts, *rest):
        seen.append(contexts)
        return decide(state, contexts, *rest)

    monkeypatch.setattr(agent, "_decide", watch)
    agent.choose(KINDS[kind](PLAIN.copy()))
    assert type(seen[0]) is np.ndarray
    assert seen[0].dtype == np.float64
    assert seen[0].flags.carray  # in C order, aligned, writable, in the machine's byte order


@pytest.mark.parametrize("kind", ["int64", "int8", "uint16", "bool", "float16"])
def test_whole_numbers_are_numbers(kind):
    agent, twin = hire(), hire()
    decision, expected = agent.choose(np.eye(3).astype(kind)), twin.choose(np.eye(3))
    assert decision._table.tobytes() == expected._table.tobytes()


@pytest.mark.parametrize("name", RECIPES)
def test_contexts_are_never_modified(name):
    contexts, agent = PLAIN.copy(), hire(name)
    for _ in range(5):
        agent.scores(contexts)
        agent.learn(agent.choose(contexts), 0.5)
    assert contexts.tobytes() == PLAIN.tobytes()


REWARDS = [0, 1, np.float32(0.5), np.float64(0.5), np.int8(1), np.array(0.5), Fraction(1, 2)]


@pytest.mark.parametrize("reward", REWARDS, ids=repr)
def test_every_kind_of_number_is_a_reward(reward):
    agent, twin = hire(), hire()
    agent.learn(agent.choose(PLAIN), reward)
    twin.learn(twin.choose(PLAIN), float(reward))
    assert bits(agent) == bits(twin)
