"""Files cut short, altered, or made to do harm are refused; nothing else happens."""

from __future__ import annotations

import json
import math
import tracemalloc

import numpy as np
import pytest

import robustbandits as rb
from agent.files import MAGIC, pack, seal, unpack
from agent.outsider import Rota
from agent.players import RECIPES, bits, hire, train, veteran
from robustbandits.agent.file import SnapshotError


def file_of(agent, folder):
    agent.save(folder / "good.rb")
    return (folder / "good.rb").read_bytes()


def assert_refused(data, folder, message="", policy=None):
    path = folder / "bad.rb"
    path.write_bytes(data)
    with pytest.raises(SnapshotError, match=rf"(?s)^cannot load .*bad\.rb: .*{message}") as caught:
        rb.Agent.load(path, policy=policy)
    assert len(str(caught.value)) < 1500


@pytest.fixture
def small(tmp_path):
    return file_of(veteran("Greedy", arms=1, dim=1, rounds=2, waiting=1), tmp_path)


# ------------------------------------------------------------------------------------- accidents


def test_every_truncation_is_refused(small, tmp_path):
    for length in range(len(small)):
        assert_refused(small[:length], tmp_path, "cut short")


def test_anything_added_is_refused(small, tmp_path):
    for more in (b"\0", b"x" * 32, small):
        assert_refused(small + more, tmp_path, "altered")


def test_every_changed_byte_is_refused(small, tmp_path):
    dice = np.random.default_rng(31)
    for place in range(len(small)):
        changed = bytearray(small)
        changed[place] ^= int(dice.integers(1, 256))
        assert_refused(bytes(changed), tmp_path)


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"PK\x03\x04" * 50, b"\x80\x04K\x01.", b"{}"])
def test_another_kind_of_file_is_refused(data, tmp_path):
    assert_refused(data, tmp_path, "not a saved agent")


@pytest.mark.parametrize("version", [2, 3, 255])
def test_a_file_of_a_later_format_asks_for_an_update(version, small, tmp_path):
    text = small[16 : 16 + int.from_bytes(small[8:16], "little")]
    data = seal(text, small[16 + len(text) : -32], MAGIC[:7] + bytes([version]))
    message = rf"format {version}, .* reads format 1: update robustbandits"
    assert_refused(data, tmp_path, message)


def test_a_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.rb"):
        rb.Agent.load(tmp_path / "missing.rb")


def test_a_folder_is_the_usual_error(tmp_path):
    with pytest.raises(OSError, match=str(tmp_path)):
        rb.Agent.load(tmp_path)


# ---------------------------------------------------- a header made by an enemy, checksum right


def put(*keys, value):
    """Return an edit that puts a value into the header."""

    def edit(header, arrays):
        for key in keys[:-1]:
            header = header[key]
        header[keys[-1]] = value

    return edit


def drop(*keys):
    def edit(header, arrays):
        for key in keys[:-1]:
            header = header[key]
        del header[keys[-1]]

    return edit


HEADERS = {
    "kind": put("kind", value="ledger"),
    "kind missing": drop("kind"),
    "unknown entry": put("extra", value=1),
    "author a number": put("written_by", value=1),
    "policy missing": drop("policy"),
    "policy a list": put("policy", value=["LinUCB"]),
    "policy a word": put("policy", value="LinUCB"),
    "policy null": put("policy", value=None),
    "policy unnamed": drop("policy", "name"),
    "policy unknown": put("policy", "name", value="os.system"),
    "policy a module": put("policy", "name", value="linucb"),
    "policy private": put("policy", "name", value="__doc__"),
    "policy name a list": put("policy", "name", value=["LinUCB"]),
    "another policy": put("policy", "name", value="LinUCB"),
    "parameter unknown": put("policy", "evil", value=1),
    "parameter a word": put("policy", "ridge", value="0.1"),
    "parameter negative": put("policy", "ridge", value=-1.0),
    "parameter null": put("policy", "ridge", value=None),
    "parameter a list": put("policy", "candidates", value=[[1.0]]),
    "parameter dunder": put("policy", "__class__", value="x"),
    "problem missing": drop("problem"),
    "problem a list": put("problem", value=[4, 3]),
    "problem without dim": drop("problem", "dim"),
    "problem with more": put("problem", "evil", value=1),
    "dim 0": put("problem", "dim", value=0),
    "dim negative": put("problem", "dim", value=-3),
    "dim a float": put("problem", "dim", value=3.0),
    "dim true": put("problem", "dim", value=True),
    "dim another": put("problem", "dim", value=4),
    "dim huge": put("problem", "dim", value=10**6),
    "dim larger than memory": put("problem", "dim", value=10**15),
    "dim giant": put("problem", "dim", value=10**1000),
    "arms huge": put("problem", "arms", value=10**12),
    "arms giant": put("problem", "arms", value=10**1000),
    "rounds null": put("problem", "rounds", value=None),
    "rounds giant": put("problem", "rounds", value=10**1000),
    "rounds another": put("problem", "rounds", value=10**6),
    "context_bound 0": put("problem", "context_bound", value=0),
    "context_bound smaller": put("problem", "context_bound", value=0.01),
    "reward_range a number": put("reward_range", value=1),
    "reward_range words": put("reward_range", value=["0", "1"]),
    "reward_range of three": put("reward_range", value=[0, 1, 2]),
    "reward_range upside down": put("reward_range", value=[1, 0]),
    "reward_range huge": put("reward_range", value=[0, 10**400]),
    "capacity 0": put("capacity", value=0),
    "capacity too small": put("capacity", value=2),
    "capacity a float": put("capacity", value=100.0),
    "capacity null": put("capacity", value=None),
    "next missing": drop("next"),
    "next negative": put("next", value=-1),
    "next before the pending": put("next", value=22),
    "next a word": put("next", value="23"),
    "next giant": put("next", value=10**30),
    "forgotten in the future": put("forgotten", value=10**6),
    "forgotten but pending": put("forgotten", value=20),
    "forgotten negative": put("forgotten", value=-2),
    "stream missing": drop("stream"),
    "stream a word": put("stream", value="PCG64"),
    "stream of another kind": put("stream", "kind", value="MT19937"),
    "stream with more": put("stream", "extra", value=1),
    "stream without state": drop("stream", "state"),
    "stream state a number": put("stream", "state", value=1),
    "stream state too long": put("stream", "state", value=hex(1 << 128)),
    "stream state negative": put("stream", "state", value="-0x1"),
    "stream state no number": put("stream", "state", value="0xzz"),
    "stream state in another spelling": put("stream", "state", value="0x0A"),
    "stream increment even": put("stream", "increment", value="0x2"),
    "stream spare": put("stream", "has_uint32", value=2),
    "stream spare too large": put("stream", "uinteger", value=1 << 32),
    "stream spare a float": put("stream", "uinteger", value=0.0),
    "arrays missing": put("arrays", value=None),
    "arrays a number": put("arrays", value=7),
    "arrays malformed": put("arrays", value=[["state"]]),
    "arrays without shape": put("arrays", value=[["state", None]]),
    "arrays of negative shape": put("arrays", value=[["a", [-1]], ["b", [1]]]),
    "arrays of negative product": put("arrays", value=[["a", [-2, -4]]]),
    "arrays of huge shape": put("arrays", value=[["a", [1 << 39, 1 << 39]]]),
    "arrays of giant shape": put("arrays", value=[["a", [10**300]]]),
    "arrays of impossible shape": put("arrays", value=[["a", [0, 1 << 39, 1 << 39]]]),
    "arrays of many dimensions": put("arrays", value=[["a", [1] * 100]]),
    "arrays of float shape": put("arrays", value=[["a", [1.0]]]),
    "arrays of true shape": put("arrays", value=[["a", [True]]]),
    "arrays twice": put("arrays", value=[["a", [0]], ["a", [0]]]),
    "arrays without end": put("arrays", value=[[str(i), [0]] for i in range(10_001)]),
    "long entry": put("policy", "radius", value="x" * 100_000),
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_hostile_header_is_refused(case, tmp_path):
    header, arrays = unpack(file_of(veteran("BOBNoRestart"), tmp_path))
    HEADERS[case](header, arrays)
    assert_refused(pack(header, arrays), tmp_path)


TEXTS = {
    "deep lists": b"[" * 1_000_000,
    "deep objects": b'{"a":' * 500_000,
    "giant number": b'{"next": ' + b"9" * 1_000_000 + b"}",
    "not UTF-8": b'{"kind": "\xff"}',
    "UTF-16": json.dumps({"kind": "agent"}).encode("utf-16"),
    "nan": b'{"kind": "agent", "capacity": NaN, "arrays": []}',
    "infinity": b'{"kind": "agent", "capacity": -Infinity, "arrays": []}',
    "list": b"[]",
    "number": b"1",
    "empty object": b"{}",
    "nothing": b"",
    "spaces": b" " * 1000,
    "two objects": b"{}{}",
    "no arrays": b'{"kind": "agent"}',
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_header_that_is_no_object_is_refused(case, tmp_path):
    assert_refused(seal(TEXTS[case]), tmp_path)


@pytest.mark.parametrize("word", ["nan", "inf", "-inf"])
def test_a_header_with_words_that_are_not_json_is_refused(word, tmp_path):
    header, arrays = unpack(file_of(veteran(), tmp_path))
    header["written_by"] = float(word)
    assert_refused(pack(header, arrays), tmp_path, "its header is not JSON")


def test_numbers_that_the_header_does_not_list_are_refused(small, tmp_path):
    start = 16 + int.from_bytes(small[8:16], "little")
    data = seal(small[16:start], small[start:-32] + bytes(8))
    assert_refused(data, tmp_path, f"it has {len(small) + 8} bytes where {len(small)} are due")


def test_an_array_listed_twice_is_refused(tmp_path):
    header, arrays = unpack(file_of(veteran(), tmp_path))
    listing = [[name, list(array.shape)] for name, array in arrays.items()]
    doubled = {**arrays, "again": arrays["pending"]}  # its numbers; the list calls it pending too
    data = pack({**header, "arrays": [*listing, listing[-1]]}, doubled)
    assert_refused(data, tmp_path, "its list of arrays is malformed")


@pytest.mark.parametrize("length", [0, 1, 1 << 31, (1 << 63) - 1, (1 << 64) - 1])
def test_a_header_of_another_length_is_refused(length, small, tmp_path):
    assert_refused(small[:8] + length.to_bytes(8, "little") + small[16:], tmp_path)


@pytest.mark.parametrize("case", ["dim huge", "dim giant", "arms huge", "arrays of huge shape"])
def test_a_hostile_size_is_refused_before_memory_is_taken(case, tmp_path):
    header, arrays = unpack(file_of(veteran("BOBNoRestart"), tmp_path))
    HEADERS[case](header, arrays)
    data = pack(header, arrays)
    tracemalloc.start()
    try:
        assert_refused(data, tmp_path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


# ---------------------------------------------------- numbers made by an enemy, checksum right


@pytest.mark.parametrize("trouble", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", RECIPES)
def test_a_state_that_is_not_finite_is_refused(name, trouble, tmp_path):
    header, arrays = unpack(file_of(veteran(name), tmp_path))
    for key, array in arrays.items():
        spoiled = array.copy()
        spoiled.flat[-1] = trouble
        assert_refused(pack(header, {**arrays, key: spoiled}), tmp_path, "not finite")


@pytest.mark.parametrize("name", RECIPES)
def test_an_array_too_few_too_many_or_of_another_shape_is_refused(name, tmp_path):
    header, arrays = unpack(file_of(veteran(name), tmp_path))
    for key, array in arrays.items():
        fewer = {other: value for other, value in arrays.items() if other != key}
        assert_refused(pack(header, fewer), tmp_path, key)
        for other in (array[..., :-1], array.reshape(*array.shape, 1), np.append(array, 0.0)):
            assert_refused(pack(header, {**arrays, key: other}), tmp_path)
    assert_refused(pack(header, {**arrays, "state.evil": np.zeros(1)}), tmp_path, "state.evil")


def row(index, column, value):
    """Return an edit that puts a number into a pending decision."""

    def edit(rows):
        rows[index, column] = value

    return edit


PENDING = {
    "id beyond the next": row(-1, 0, 23),
    "id negative": row(0, 0, -1),
    "id twice": row(1, 0, 20),
    "id out of order": row(0, 0, 22.5),
    "id not whole": row(0, 0, 19.5),
    "id huge": row(-1, 0, 1e300),
    "arm negative": row(0, 1, -1),
    "arm not whole": row(0, 1, 0.5),
    "arm huge": row(0, 1, 1e300),
    "memo nan": row(0, 2, math.nan),
    "memo inf": row(0, 5, math.inf),
    "context nan": row(0, 6, math.nan),
    "context too long": row(0, 6, 1.1),
    "context huge": row(0, 6, 1e300),
}


@pytest.mark.parametrize("case", PENDING)
def test_a_hostile_pending_decision_is_refused(case, tmp_path):
    header, arrays = unpack(file_of(veteran("LinUCB"), tmp_path))
    PENDING[case](arrays["pending"])
    assert_refused(pack(header, arrays), tmp_path, "pending")


GUESSERS = ["BOBNoRestart", "RobustBandit", "RobustBandit(epoch=7)"]
INDICES = [-1.0, 0.5, 7.0, 8.0, 1e6, 1e18, -1e18, 1e300]  # there are 7 candidates


@pytest.mark.parametrize("name", GUESSERS)
@pytest.mark.parametrize("index", INDICES)
def test_a_memo_that_names_no_candidate_is_refused(name, index, tmp_path):
    header, arrays = unpack(file_of(veteran(name), tmp_path))
    assert len(arrays["state.levels"]) == 7
    arrays["pending"][1, 2] = index
    assert_refused(pack(header, arrays), tmp_path, "candidate")


@pytest.mark.parametrize("name", GUESSERS)
@pytest.mark.parametrize("chance", [0.0, -0.1, 1.1, 1e-320 - 1e-300])
def test_a_memo_of_impossible_chance_is_refused(name, chance, tmp_path):
    header, arrays = unpack(file_of(veteran(name), tmp_path))
    arrays["pending"][1, 3] = chance
    assert_refused(pack(header, arrays), tmp_path, "candidate")


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("value", [-2.0, *INDICES[1:]])
def test_a_diary_that_names_no_candidate_is_refused(place, value, tmp_path):
    header, arrays = unpack(file_of(veteran("RobustBandit"), tmp_path))
    if place == 1 and 0 < value <= 1:
        value = 0.0
    arrays["state.diary"][place] = value
    assert_refused(pack(header, arrays), tmp_path, "candidate")


def test_a_guess_that_is_not_made_yet_is_no_harm(tmp_path):
    agent = hire("RobustBandit")  # its diary says -1: no candidate drawn
    data = file_of(agent, tmp_path)
    assert unpack(data)[1]["state.diary"][0] == -1.0
    assert bits(train(rb.Agent.load(tmp_path / "good.rb"), 3)) == bits(train(agent, 3))


def test_a_policy_from_outside_can_check_its_own_memos(tmp_path):
    agent = hire(Rota())
    agent.choose(np.eye(4, 3))
    header, arrays = unpack(file_of(agent, tmp_path))
    assert arrays["pending"].shape == (1, 2 + 4 + 3)  # id, arm; memo; context
    arrays["pending"][0, 5] = 4.0
    assert_refused(pack(header, arrays), tmp_path, "memo names no arm", policy=Rota)


def test_a_memo_of_another_size_is_refused(tmp_path):
    agent = hire(Rota())
    agent.choose(np.eye(4, 3))
    header, arrays = unpack(file_of(agent, tmp_path))
    arrays["pending"] = np.delete(arrays["pending"], 4, axis=1)
    assert_refused(pack(header, arrays), tmp_path, "do not fit its header", policy=Rota)


@pytest.mark.parametrize("value", [0.5, 1e300, math.nan])
def test_whole_numbers_of_a_state_must_be_whole(value, tmp_path):
    header, arrays = unpack(file_of(hire(Rota()), tmp_path))
    arrays["state.pulls"][0] = value
    assert_refused(pack(header, arrays), tmp_path, "state.pulls", policy=Rota)


def test_an_arm_beyond_a_fixed_set_is_refused(tmp_path):
    agent = hire(Rota())
    agent.choose(np.eye(4, 3))
    header, arrays = unpack(file_of(agent, tmp_path))
    arrays["pending"][0, 1] = 4.0
    assert_refused(pack(header, arrays), tmp_path, "arms that do not exist", policy=Rota)


@pytest.mark.parametrize("name", RECIPES)
def test_a_file_taken_apart_and_put_together_is_welcome(name, tmp_path):
    agent = veteran(name)
    data = pack(*unpack(file_of(agent, tmp_path)))
    (tmp_path / "again.rb").write_bytes(data)
    assert bits(rb.Agent.load(tmp_path / "again.rb")) == bits(agent)
