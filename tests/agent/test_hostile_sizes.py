"""Loading a small file with large numbers in its header needs little memory and time."""

import os
import subprocess
import sys
import time
import tracemalloc
import warnings

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import file_of, train
from agent.files import pack, unpack
from catalogue import CORE, EVERY, compile_few, policy
from robustbandits.agent import SnapshotError

#: Parameters that keep a file small.
SMALL = {"RobustRegressionUCB": {"memory": 10}, "RobustUCB": {"bins": 16}}
HUGE = [10**4, 10**8, 10**400]


def saved(name):
    """Return the header and the arrays of a small agent."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # references for games warn in an agent
        agent = rb.Agent(policy(name, **SMALL.get(name, {})), arms=4, dim=3, rounds=1000)
    return unpack(file_of(agent))


def numbers_in(values, path=()):
    """Yield the path of every number in a header, and of every null that may become one."""
    for key, value in values.items() if isinstance(values, dict) else enumerate(values):
        if isinstance(value, dict | list):
            yield from numbers_in(value, (*path, key))
        elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            yield (*path, key)


def put(header, path, value):
    for key in path[:-1]:
        header = header[key]
    header[path[-1]] = value


@pytest.mark.parametrize("name", EVERY)
def test_no_number_of_a_header_makes_loading_expensive(name, tmp_path):
    header, arrays = saved(name)
    path, loaded = tmp_path / "bad.rb", 0
    assert (tmp_path / "bad.rb").write_bytes(pack(header, arrays)) < 10_000
    rb.Agent.load(path)  # compile first
    tracemalloc.start()
    try:
        for keys in numbers_in({key: header[key] for key in ("policy", "problem")}):
            for value in HUGE:
                changed, _ = unpack(pack(header, arrays))
                put(changed, keys, value)
                path.write_bytes(pack(changed, arrays))
                tracemalloc.reset_peak()
                began = time.process_time()
                try:
                    rb.Agent.load(path)
                    loaded += 1  # for example a larger capacity
                except SnapshotError:
                    pass
                assert time.process_time() - began < 1.0, (keys, value)
                assert tracemalloc.get_traced_memory()[1] < 10_000_000, (keys, value)
    finally:
        tracemalloc.stop()
    assert loaded > 0


LARGE = ["COBE", "LinUCB", "BARBAR", "MLAER", "RobustPhasedElimination"]
REFUSED = r"file allows|do not fit its header|must have shape|expected shape"


@pytest.mark.parametrize("name", compile_few(LARGE, CORE))
def test_two_huge_numbers_do_not_make_loading_expensive(name, tmp_path):
    header, arrays = saved(name)
    for sizes in ({"dim": 3000, "rounds": 10**15}, {"arms": 10**8, "dim": 10**4}):
        header["problem"] |= sizes
        (tmp_path / "bad.rb").write_bytes(pack(header, arrays))
        tracemalloc.start()
        try:
            with pytest.raises(SnapshotError, match=REFUSED):
                rb.Agent.load(tmp_path / "bad.rb")
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
        finally:
            tracemalloc.stop()


LOAD = """
import resource, sys
import robustbandits as rb
rb.Agent(rb.policies.Greedy(), arms=2, dim=2).choose([[1.0, 0.0], [0.0, 1.0]])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 64 * 1024**2,) * 2)
for path in sys.argv[1:]:
    try:
        rb.Agent.load(path)
        print("loaded")
    except rb.agent.SnapshotError as error:
        print("the header is damaged" in str(error))
"""
SMALL_FILES = {
    "COBE": {"problem": {"dim": 3000, "rounds": 10**15}},
    "MultiLayerGPUCB": {"policy": {"layers": 10**7}},
    "RobustRegressionUCB": {"policy": {"memory": 10**8}},
    "BARBAR": {"problem": {"arms": 33 * 10**6}},
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and resource limits")
def test_small_hostile_files_are_refused_within_a_memory_limit(tmp_path):
    paths = []
    for name, changes in SMALL_FILES.items():
        header, arrays = saved(name)
        for entry, values in changes.items():
            header[entry] |= values
        paths.append(tmp_path / f"{name}.rb")
        paths[-1].write_bytes(pack(header, arrays))
        assert paths[-1].stat().st_size < 10_000
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", LOAD, *map(str, paths)]
    outcome = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert outcome.stdout.split() == ["True"] * 4, outcome.stderr


def test_a_large_agent_is_loaded_from_its_own_file(tmp_path):
    agent = train(rb.Agent(rb.policies.LinUCB(), arms=2, dim=400), 1)  # 160,000 numbers each
    agent.save(tmp_path / "agent.rb")
    loaded = rb.Agent.load(tmp_path / "agent.rb")
    np.testing.assert_array_equal(loaded.scores(np.eye(400)).means, agent.scores(np.eye(400)).means)
