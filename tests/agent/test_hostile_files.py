"""Files that are cut short, altered or made to do harm raise SnapshotError."""

import json
import math
import tracemalloc

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import RECIPES, contents, file_of, make_agent, trained_agent
from agent.files import MAGIC, pack, seal, unpack
from agent.third_party import RoundRobin
from robustbandits.agent import SnapshotError


def assert_refused(data, folder, message="", policy=None):
    path = folder / "bad.rb"
    path.write_bytes(data)
    with pytest.raises(SnapshotError, match=rf"(?s)^cannot load .*bad\.rb: .*{message}") as caught:
        rb.Agent.load(path, policy=policy)
    assert len(str(caught.value)) < 1500


@pytest.fixture
def small():
    """The bytes of a small file."""
    return file_of(trained_agent("Greedy", arms=1, dim=1, rounds=2, pending=1))


# ---------------------------------------------------------------------------- damaged by accident


def test_every_truncation_is_refused(small, tmp_path):
    for length in range(len(small)):
        assert_refused(small[:length], tmp_path, "cut short")


def test_every_addition_is_refused(small, tmp_path):
    for more in (b"\0", b"x" * 32, small):
        assert_refused(small + more, tmp_path, "altered")


def test_every_changed_byte_is_refused(small, tmp_path):
    rng = np.random.default_rng(31)
    for position in range(len(small)):
        changed = bytearray(small)
        changed[position] ^= int(rng.integers(1, 256))
        assert_refused(bytes(changed), tmp_path)


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"PK\x03\x04" * 50, b"\x80\x04K\x01.", b"{}"])
def test_another_kind_of_file_is_refused(data, tmp_path):
    assert_refused(data, tmp_path, "not a saved agent")


@pytest.mark.parametrize("version", [3, 4, 255])
def test_the_error_for_a_later_format_asks_for_an_update(version, small, tmp_path):
    text = small[16 : 16 + int.from_bytes(small[8:16], "little")]
    data = seal(text, small[16 + len(text) : -32], MAGIC[:7] + bytes([version]))
    message = rf"its format is {version}, but .* reads formats 1 to 2: update robustbandits"
    assert_refused(data, tmp_path, message)


def test_a_missing_file_raises_file_not_found_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.rb"):
        rb.Agent.load(tmp_path / "missing.rb")


def test_a_folder_raises_os_error(tmp_path):
    with pytest.raises(OSError, match=str(tmp_path)):
        rb.Agent.load(tmp_path)


# ------------------------------------------------------- a hostile header with a correct checksum


def put(*keys, value):
    """Return an edit that sets a value in the header."""

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
    "policy unnamed": drop("policy", "name"),
    "policy unknown": put("policy", "name", value="os.system"),
    "policy name a list": put("policy", "name", value=["LinUCB"]),
    "another policy": put("policy", "name", value="LinUCB"),
    "parameter unknown": put("policy", "evil", value=1),
    "parameter negative": put("policy", "ridge", value=-1.0),
    "problem missing": drop("problem"),
    "problem without dim": drop("problem", "dim"),
    "dim negative": put("problem", "dim", value=-3),
    "dim a float": put("problem", "dim", value=3.0),
    "dim another": put("problem", "dim", value=4),
    "dim huge": put("problem", "dim", value=10**6),
    "dim larger than any float": put("problem", "dim", value=10**1000),
    "arms huge": put("problem", "arms", value=10**12),
    "rounds null": put("problem", "rounds", value=None),
    "rounds another": put("problem", "rounds", value=10**6),
    "context_bound smaller": put("problem", "context_bound", value=0.01),
    "reward_range reversed": put("reward_range", value=[1, 0]),
    "reward_range huge": put("reward_range", value=[0, 10**400]),
    "capacity too small": put("capacity", value=2),
    "next missing": drop("next"),
    "next before the pending": put("next", value=22),
    "next huge": put("next", value=10**30),
    "fewer decisions than pending": put("decisions", value=2),
    "forgotten negative": put("forgotten", value=-1),
    "forgotten in the future": put("last_forgotten", value=1 << 51),
    "last_forgotten below -1": put("last_forgotten", value=-2),
    "stream missing": drop("stream"),
    "stream of another kind": put("stream", "kind", value="MT19937"),
    "stream with more": put("stream", "extra", value=1),
    "stream state a number": put("stream", "state", value=1),
    "stream state in another spelling": put("stream", "state", value="0x0A"),
    "stream without state": drop("stream", "state"),
    "stream state too long": put("stream", "state", value=hex(1 << 128)),
    "stream state not hexadecimal": put("stream", "state", value="0xzz"),
    "stream increment even": put("stream", "increment", value="0x2"),
    "stream spare": put("stream", "has_uint32", value=2),
    "stream spare too large": put("stream", "uinteger", value=1 << 32),
    "arrays missing": put("arrays", value=None),
    "arrays malformed": put("arrays", value=[["state"]]),
    "arrays of negative shape": put("arrays", value=[["a", [-1]], ["b", [1]]]),
    "arrays of huge shape": put("arrays", value=[["a", [1 << 39, 1 << 39]]]),
    "arrays of larger shape than any float": put("arrays", value=[["a", [10**300]]]),
    "arrays of impossible shape": put("arrays", value=[["a", [0, 1 << 39, 1 << 39]]]),
    "arrays of many dimensions": put("arrays", value=[["a", [1] * 100]]),
    "arrays of true shape": put("arrays", value=[["a", [True]]]),
    "arrays too many": put("arrays", value=[[str(i), [0]] for i in range(10_001)]),
    "long entry": put("policy", "radius", value="x" * 100_000),
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_hostile_header_is_refused(case, tmp_path):
    header, arrays = unpack(file_of(trained_agent("BOBNoRestart")))
    HEADERS[case](header, arrays)
    assert_refused(pack(header, arrays), tmp_path)


TEXTS = {
    "deep lists": b"[" * 1_000_000,
    "deep objects": b'{"a":' * 500_000,
    "giant number": b'{"next": ' + b"9" * 1_000_000 + b"}",
    "not UTF-8": b'{"kind": "\xff"}',
    "UTF-16": json.dumps({"kind": "agent"}).encode("utf-16"),
    "nan": b'{"kind": "agent", "capacity": NaN, "arrays": []}',
    "list": b"[]",
    "nothing": b"",
    "no arrays": b'{"kind": "agent"}',
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_header_that_is_not_a_json_object_is_refused(case, tmp_path):
    assert_refused(seal(TEXTS[case]), tmp_path)


def test_numbers_that_the_header_does_not_list_are_refused(small, tmp_path):
    start = 16 + int.from_bytes(small[8:16], "little")
    data = seal(small[16:start], small[start:-32] + bytes(8))
    assert_refused(data, tmp_path, f"expected {len(small)} bytes, got {len(small) + 8}")


def test_an_array_listed_twice_is_refused(tmp_path):
    header, arrays = unpack(file_of(trained_agent()))
    listing = [[name, list(array.shape)] for name, array in arrays.items()]
    doubled = {**arrays, "again": arrays["pending"]}  # the list calls it pending, too
    data = pack({**header, "arrays": [*listing, listing[-1]]}, doubled)
    assert_refused(data, tmp_path, "its list of arrays is malformed")


@pytest.mark.parametrize("length", [0, 1, 1 << 31, (1 << 63) - 1, (1 << 64) - 1])
def test_a_wrong_length_of_the_header_is_refused(length, small, tmp_path):
    assert_refused(small[:8] + length.to_bytes(8, "little") + small[16:], tmp_path)


@pytest.mark.parametrize(
    "case", ["dim huge", "dim larger than any float", "arms huge", "arrays of huge shape"]
)
def test_a_huge_size_is_refused_before_memory_is_allocated(case, tmp_path):
    header, arrays = unpack(file_of(trained_agent("BOBNoRestart")))
    HEADERS[case](header, arrays)
    data = pack(header, arrays)
    tracemalloc.start()
    try:
        assert_refused(data, tmp_path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


# --------------------------------------------------------- hostile numbers with a correct checksum


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", RECIPES)
def test_a_state_that_is_not_finite_is_refused(name, value, tmp_path):
    header, arrays = unpack(file_of(trained_agent(name)))
    for key, array in arrays.items():
        changed = array.copy()
        changed.flat[-1] = value
        assert_refused(pack(header, {**arrays, key: changed}), tmp_path, "not finite")


@pytest.mark.parametrize("name", RECIPES)
def test_missing_unknown_and_misshapen_arrays_are_refused(name, tmp_path):
    header, arrays = unpack(file_of(trained_agent(name)))
    for key, array in arrays.items():
        fewer = {other: value for other, value in arrays.items() if other != key}
        assert_refused(pack(header, fewer), tmp_path, key)
        for other in (array[..., :-1], array.reshape(*array.shape, 1), np.append(array, 0.0)):
            assert_refused(pack(header, {**arrays, key: other}), tmp_path)
    assert_refused(pack(header, {**arrays, "state.evil": np.zeros(1)}), tmp_path, "state.evil")


def row(index, column, value):
    """Return an edit that sets a number of a pending decision."""

    def edit(rows):
        rows[index, column] = value

    return edit


PENDING = {
    "id beyond the next": row(-1, 0, 1 << 51),
    "id negative": row(0, 0, -1),
    "id before the first session": row(0, 0, 1 << 47),
    "id not whole": row(0, 0, (1 << 50) + 0.5),
    "id huge": row(-1, 0, 1e300),
    "arm negative": row(0, 1, -1),
    "arm not whole": row(0, 1, 0.5),
    "memo nan": row(0, 2, math.nan),
    "context nan": row(0, 6, math.nan),
    "context too long": row(0, 6, 1.1),
}


@pytest.mark.parametrize("case", PENDING)
def test_a_hostile_pending_decision_is_refused(case, tmp_path):
    header, arrays = unpack(file_of(trained_agent()))
    PENDING[case](arrays["pending"])
    assert_refused(pack(header, arrays), tmp_path, "pending")


@pytest.mark.parametrize(("array", "index"), [("pending", (1, 2)), ("state.diary", 0)])
def test_a_number_that_names_no_candidate_is_refused(array, index, tmp_path):
    """Such numbers of every policy are in tests/contract/test_saved_states.py."""
    header, arrays = unpack(file_of(trained_agent("RobustBandit")))
    arrays[array][index] = len(arrays["state.levels"])
    assert_refused(pack(header, arrays), tmp_path, "candidate")


@pytest.fixture
def round_robin():
    """Header and arrays of a third-party policy with a pending decision."""
    agent = make_agent(RoundRobin())
    agent.choose(np.eye(4, 3))
    return unpack(file_of(agent))


def test_a_third_party_policy_checks_its_own_memos(round_robin, tmp_path):
    header, arrays = round_robin
    assert arrays["pending"].shape == (1, 2 + 4 + 3)  # id, arm; memo; context
    arrays["pending"][0, 5] = 4.0
    assert_refused(pack(header, arrays), tmp_path, "memo names no arm", policy=RoundRobin)


def test_a_memo_of_another_size_is_refused(round_robin, tmp_path):
    header, arrays = round_robin
    arrays["pending"] = np.delete(arrays["pending"], 4, axis=1)
    assert_refused(pack(header, arrays), tmp_path, "do not fit its header", policy=RoundRobin)


@pytest.mark.parametrize("value", [0.5, 1e300, math.nan])
def test_whole_numbers_of_a_state_must_be_whole(value, round_robin, tmp_path):
    header, arrays = round_robin
    arrays["state.pulls"][0] = value
    assert_refused(pack(header, arrays), tmp_path, "state.pulls", policy=RoundRobin)


def test_an_arm_that_a_policy_with_fixed_arms_does_not_have_is_refused(round_robin, tmp_path):
    header, arrays = round_robin
    arrays["pending"][0, 1] = 4.0
    assert_refused(pack(header, arrays), tmp_path, "arms that do not exist", policy=RoundRobin)


@pytest.mark.parametrize("name", RECIPES)
def test_a_file_written_by_another_program_is_accepted(name, tmp_path):
    agent = trained_agent(name)
    (tmp_path / "again.rb").write_bytes(pack(*unpack(file_of(agent))))
    assert contents(rb.Agent.load(tmp_path / "again.rb")) == contents(agent)
