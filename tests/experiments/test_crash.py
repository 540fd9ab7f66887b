"""kill -9, Ctrl-C, dying workers, two processes on one store: nothing is lost, nothing doubled.

Whatever moment a signal hits, these must hold: every file is whole and was planned; running again
completes the plan; the ledgers are those of an undisturbed run, bit for bit.
"""

from __future__ import annotations

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
    pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them"),
]

SIZE = {"rounds": 20_000, "seeds": 16}
PATIENCE = 240.0
#: What starts tests in the background may ignore Ctrl-C, and children inherit that.
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from robustbandits.cli.app import main
main()
"""


@pytest.fixture(scope="module")
def due(tmp_path_factory):
    """The ledgers of an undisturbed run; it also compiles what the others will need."""
    outcome = run(small_plan(**SIZE), tmp_path_factory.mktemp("undisturbed"), progress=False)
    return bits(outcome.experiment().ledgers)


@pytest.fixture
def start(tmp_path):
    """Start the command line on a store, as often as wanted; nothing outlives the test."""
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
    """Wait for something that must happen, for as long as a busy machine may need."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


def stored(folder):
    return list((folder / "matches").glob("*.parquet"))


def wait_for_matches(process, folder, count):
    wait_until(lambda: process.poll() is not None or len(stored(folder)) >= count)


def check_every_file(folder, plan):
    planned = {match.id: match for match in plan.matches}
    store = Store(folder)
    for path in stored(folder):
        assert store.look(planned[path.stem]).record is not None


def check_completion(start, folder, due, *options):
    """Running once more completes the plan, and only what is missing is played."""
    plan = small_plan(**SIZE)
    check_every_file(folder, plan)
    missing = len(Store(folder).missing(plan))
    process = start(*options)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    told = json.loads(out)
    assert (told["played"], told["found"]) == (missing, len(plan.matches) - missing)
    check_result(folder, due)


def check_result(folder, due):
    plan = small_plan(**SIZE)
    assert bits(Store(folder).ledgers(plan)) == due
    assert {path.stem for path in stored(folder)} == {match.id for match in plan.matches}
    assert drafts(folder / "matches") == []
    assert list((folder / "damaged").iterdir()) == []


@pytest.mark.parametrize(("engine", "moments"), [("threads", (0, 1, 4, 9)), ("processes", (1, 6))])
def test_kill_9_at_any_moment_loses_no_finished_match(engine, moments, start, tmp_path, due):
    folder = tmp_path / "store"
    for count in moments:
        process = start("--engine", engine)
        wait_for_matches(process, folder, count)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
        check_every_file(folder, small_plan(**SIZE))
    check_completion(start, folder, due)


def test_workers_die_with_a_killed_main_process(start, tmp_path):
    process = start("--engine", "processes", seeds=2000)
    wait_for_matches(process, tmp_path / "store", 1)
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert alive == []


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(engine, start, tmp_path, due):
    # Work for minutes, interrupted after the first match. Its first seeds are the usual plan.
    folder = tmp_path / "store"
    process = start("--engine", engine, seeds=2000)
    wait_for_matches(process, folder, 1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, 130), err  # 0: the signal came after the end
    if process.returncode == 130:
        assert "the same command goes on where it stopped" in err
        assert "Traceback" not in err
    check_every_file(folder, small_plan(**{**SIZE, "seeds": 2000}))
    second = start("--engine", engine)
    _, err = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0, err
    assert bits(Store(folder).ledgers(small_plan(**SIZE))) == due
    assert drafts(folder / "matches") == []


def test_two_processes_on_one_store_play_every_match_once(start, tmp_path, due):
    processes = [start(), start()]
    told = []
    for process in processes:
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        told.append(json.loads(out))
    for one in told:
        assert one["played"] + one["found"] + one["played_elsewhere"] == SIZE["seeds"]
    assert sum(one["played"] for one in told) == SIZE["seeds"]
    check_result(tmp_path / "store", due)


def test_one_of_two_processes_is_killed_and_the_other_completes(start, tmp_path, due):
    doomed, other = start(), start()
    wait_for_matches(doomed, tmp_path / "store", 2)
    doomed.send_signal(signal.SIGKILL)
    _, err = other.communicate(timeout=PATIENCE)
    assert other.returncode == 0, err
    doomed.wait(PATIENCE)
    # Only a draft of the killed one can be left; it goes when the store is opened again.
    Store(tmp_path / "store").open()
    check_result(tmp_path / "store", due)


class Assassin(threading.Thread):
    """Kills one process, chosen by a function, once a store has its first match."""

    def __init__(self, folder: Path, choose):
        super().__init__()
        self.folder = folder
        self.choose = choose
        self.call_off = threading.Event()

    def run(self):
        while not stored(self.folder) and not self.call_off.is_set():
            time.sleep(0.002)
        with contextlib.suppress(psutil.Error):  # gone already: the run was quicker
            for victim in self.choose()[:1]:
                victim.kill()


def run_with_assassin(folder, choose, engine):
    assassin = Assassin(folder, choose)
    assassin.start()
    try:
        return run(small_plan(**SIZE), folder, engine=engine, workers=2, progress=False)
    finally:
        assassin.call_off.set()
        assassin.join()


def pool_workers():
    children = psutil.Process().children()
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


def test_a_killed_pool_worker_loses_nothing(tmp_path, due):
    outcome = run_with_assassin(tmp_path / "store", pool_workers, "processes")
    assert outcome.played == SIZE["seeds"]
    check_result(tmp_path / "store", due)


def test_a_killed_dask_worker_loses_nothing(tmp_path, due):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        victim = psutil.Process(cluster.workers[0].process.pid)
        address = cluster.scheduler_address.replace("tcp://", "dask://")
        outcome = run_with_assassin(tmp_path / "store", lambda: [victim], address)
    assert outcome.played == SIZE["seeds"]
    check_result(tmp_path / "store", due)
