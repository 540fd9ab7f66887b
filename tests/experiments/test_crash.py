"""kill -9, Ctrl-C, dying workers, two processes on one store: nothing is lost or played twice.

At whatever moment a signal arrives, every file must be whole and planned, running again must
complete the plan, and the ledgers must be those of an undisturbed run, bit for bit.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from experiments.lab import TOML, bits, small_plan
from robustbandits._atomic import drafts
from robustbandits.compiled.jit import jit_is_on
from robustbandits.experiments.runner import run
from robustbandits.experiments.store.store import Store

psutil = pytest.importorskip("psutil")  # comes with Dask
pytest.importorskip("pyarrow")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code"),
    pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals"),
]

SIZE = {"rounds": 20_000, "seeds": 16}
TIMEOUT = 240.0
#: The program that started the tests may ignore Ctrl-C, and its children would inherit that.
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from robustbandits.cli.app import main
main()
"""


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return the ledgers of an undisturbed run; it also compiles what the other runs need."""
    outcome = run(small_plan(**SIZE), tmp_path_factory.mktemp("undisturbed"), progress=False)
    return bits(outcome.ledgers())


@pytest.fixture
def start(tmp_path):
    """Return a function that starts the command line; no process outlives the test."""
    started = []

    def begin(*options, **changes):
        spec = tmp_path / f"spec-{len(started)}.toml"
        spec.write_text(TOML.format(**{**SIZE, **changes}), encoding="utf-8")
        command = [sys.executable, "-c", COMMAND, "run", str(spec), "--json"]
        process = subprocess.Popen(
            [*command, "--store", str(tmp_path / "store"), "--workers", "2", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def wait_until(happened):
    """Wait for something that must happen; a busy machine may need long."""
    end = time.monotonic() + TIMEOUT
    while not happened():
        assert time.monotonic() < end, "timeout"
        time.sleep(0.005)


def stored(folder):
    return list((folder / "matches").glob("*.parquet"))


def wait_for_matches(process, folder, count):
    wait_until(lambda: process.poll() is not None or len(stored(folder)) >= count)


def check_every_file(folder, plan):
    planned = {match.id: match for match in plan.matches}
    store = Store(folder)
    for path in stored(folder):
        assert store.read(planned[path.stem]).match is not None


def check_completion(start, folder, expected):
    """Check that running again completes the plan and plays only what is missing."""
    plan = small_plan(**SIZE)
    check_every_file(folder, plan)
    missing = len(Store(folder).missing(plan))
    process = start()
    out, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, err
    facts = json.loads(out)
    assert (facts["played"], facts["found"]) == (missing, len(plan.matches) - missing)
    check_result(folder, expected)


def check_result(folder, expected):
    plan = small_plan(**SIZE)
    assert bits(Store(folder).ledgers(plan)) == expected
    assert {path.stem for path in stored(folder)} == {match.id for match in plan.matches}
    assert drafts(folder / "matches") == []
    assert list((folder / "damaged").iterdir()) == []


@pytest.mark.parametrize(("engine", "moments"), [("threads", (0, 1, 4, 9)), ("processes", (1, 6))])
def test_kill_9_loses_no_finished_match(engine, moments, start, tmp_path, expected):
    folder = tmp_path / "store"
    for count in moments:
        process = start("--engine", engine)
        wait_for_matches(process, folder, count)
        process.send_signal(signal.SIGKILL)
        process.wait(TIMEOUT)
        check_every_file(folder, small_plan(**SIZE))
    check_completion(start, folder, expected)


def test_workers_die_with_a_killed_main_process(start, tmp_path):
    process = start("--engine", "processes", seeds=2000)
    wait_for_matches(process, tmp_path / "store", 1)
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.wait(TIMEOUT)
    _, alive = psutil.wait_procs(family, timeout=TIMEOUT)
    assert alive == []


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_ctrl_c_stops_cleanly_and_the_same_command_continues(engine, start, tmp_path, expected):
    # Work for minutes, interrupted after the first match. Its first seeds are the small plan.
    folder = tmp_path / "store"
    process = start("--engine", engine, seeds=2000)
    wait_for_matches(process, folder, 1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=TIMEOUT)
    assert process.returncode in (0, 130), err  # 0: the signal came after the end
    if process.returncode == 130:
        assert "run the same command to continue" in err
        assert "Traceback" not in err
    check_every_file(folder, small_plan(**{**SIZE, "seeds": 2000}))
    second = start("--engine", engine)
    _, err = second.communicate(timeout=TIMEOUT)
    assert second.returncode == 0, err
    assert bits(Store(folder).ledgers(small_plan(**SIZE))) == expected
    assert drafts(folder / "matches") == []


def test_two_processes_on_one_store_play_every_match_once(start, tmp_path, expected):
    processes = [start(), start()]
    played = 0
    for process in processes:
        out, err = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0, err
        facts = json.loads(out)
        assert facts["played"] + facts["found"] + facts["played_elsewhere"] == SIZE["seeds"]
        played += facts["played"]
    assert played == SIZE["seeds"]
    check_result(tmp_path / "store", expected)


def test_one_of_two_processes_is_killed_and_the_other_completes(start, tmp_path, expected):
    doomed, other = start(), start()
    wait_for_matches(doomed, tmp_path / "store", 2)
    doomed.send_signal(signal.SIGKILL)
    _, err = other.communicate(timeout=TIMEOUT)
    assert other.returncode == 0, err
    doomed.wait(TIMEOUT)
    # The killed process may leave a draft, which is removed when the store is opened again.
    Store(tmp_path / "store").open()
    check_result(tmp_path / "store", expected)


class Killer(threading.Thread):
    """Kills a process, chosen by a function, when a store has its first match."""

    def __init__(self, folder: Path, choose):
        super().__init__()
        self.folder = folder
        self.choose = choose
        self.cancelled = threading.Event()

    def run(self):
        while not stored(self.folder) and not self.cancelled.is_set():
            time.sleep(0.002)
        with contextlib.suppress(psutil.Error):  # the run was faster
            for victim in self.choose()[:1]:
                victim.kill()


def run_with_killer(folder, choose, engine):
    killer = Killer(folder, choose)
    killer.start()
    try:
        return run(small_plan(**SIZE), folder, engine=engine, workers=2, progress=False)
    finally:
        killer.cancelled.set()
        killer.join()


def pool_workers():
    children = psutil.Process().children()
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


def test_a_killed_pool_worker_loses_nothing(tmp_path, expected):
    outcome = run_with_killer(tmp_path / "store", pool_workers, "processes")
    assert outcome.played == SIZE["seeds"]
    check_result(tmp_path / "store", expected)


def test_a_killed_dask_worker_loses_nothing(tmp_path, expected):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        victim = psutil.Process(cluster.workers[0].process.pid)
        address = cluster.scheduler_address.replace("tcp://", "dask://")
        outcome = run_with_killer(tmp_path / "store", lambda: [victim], address)
    assert outcome.played == SIZE["seeds"]
    check_result(tmp_path / "store", expected)
