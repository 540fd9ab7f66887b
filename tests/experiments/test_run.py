"""run: only missing matches are played."""

import os
import sys
import threading
import time
from concurrent.futures import Future

import pytest

from experiments.lab import bits, small_plan, small_spec
from robustbandits.experiments import scheduler
from robustbandits.experiments.engines.engine import EngineError
from robustbandits.experiments.engines.threads import ThreadEngine
from robustbandits.experiments.progress import Progress, show_progress
from robustbandits.experiments.runner import add_recipes, run
from robustbandits.experiments.scheduler import Scheduler
from robustbandits.experiments.store.store import Store

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    return run(small_spec(), tmp_path_factory.mktemp("store"), progress=False)


def test_a_run_without_a_store_gives_the_same_experiment(done, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # memory needs no files
    outcome = run(small_spec(), progress=False)
    assert (outcome.found, outcome.played) == (0, 3)
    monkeypatch.undo()
    experiment, stored = outcome.experiment(), done.experiment()
    assert bits(experiment.ledgers) == bits(stored.ledgers)
    assert experiment.spec == stored.spec
    for key in ("planned", "finished", "versions", "machine", "commit"):
        assert experiment.provenance[key] == stored.provenance[key]


def test_a_second_run_plays_nothing(done):
    again = run(small_spec(), done.store.folder, progress=False)
    assert (again.found, again.played, again.elsewhere, again.damaged) == (3, 0, 0, ())


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_the_number_of_workers_changes_no_bit(workers, done, tmp_path):
    other = run(small_spec(), tmp_path, workers=workers, progress=False)
    assert bits(other.ledgers()) == bits(done.ledgers())


def test_two_runs_in_one_process_share_the_work(done, tmp_path):
    outcomes = []
    threads = [
        threading.Thread(
            target=lambda: outcomes.append(run(small_spec(), tmp_path, workers=1, progress=False))
        )
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 2
    assert sum(outcome.played for outcome in outcomes) == 3
    for outcome in outcomes:
        assert outcome.played + outcome.elsewhere + outcome.found == 3
        assert bits(outcome.ledgers()) == bits(done.ledgers())


class EngineWithDeaths(ThreadEngine):
    """An engine in which each part kills this many workers before it is played."""

    worker_died_errors = (ConnectionError,)

    def __init__(self, deaths):
        super().__init__(2)
        self.deaths = deaths
        self.seen = {}

    def submit(self, part):
        key = (part.seed, part.names[0])
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] > self.deaths:
            return super().submit(part)
        future = Future()
        future.set_exception(ConnectionError("worker gone"))
        return future


def play_with(engine, plan, store):
    matches = add_recipes(plan.spec, plan.matches)
    used_scheduler = Scheduler(plan, plan.matches, matches, store)
    with show_progress("test", visible=False) as progress:
        used_scheduler.play(engine, progress)
    return used_scheduler


def test_the_part_of_a_dead_worker_is_submitted_again(done, tmp_path):
    plan, store = small_plan(), Store(tmp_path)
    played = play_with(EngineWithDeaths(scheduler.MAX_DEATHS - 1), plan, store).played
    assert played == 3
    assert bits(store.ledgers(plan)) == bits(done.ledgers())


def test_a_part_that_kills_every_worker_is_given_up(tmp_path):
    plan, store = small_plan(), Store(tmp_path)
    with pytest.raises(EngineError, match=r"5 workers in a row died.*memory"):
        play_with(EngineWithDeaths(99), plan, store)
    assert all(store.claim(match) for match in plan.matches)  # nothing stays claimed


def test_a_match_claimed_by_another_run_is_played_when_it_is_released(done, tmp_path):
    plan, store = small_plan(), Store(tmp_path)
    assert store.claim(plan.matches[0])
    release = threading.Timer(1.0, store.release, [plan.matches[0]])
    release.start()
    outcome = run(plan, tmp_path, progress=False)
    release.join()
    assert outcome.played == 3
    assert bits(outcome.ledgers()) == bits(done.ledgers())


@pytest.mark.skipif(os.name != "posix", reason="folders can be flushed on POSIX only")
def test_matches_that_finish_together_share_a_flush_and_are_reported_after_it(
    tmp_path, monkeypatch
):
    flush, report, events = os.fsync, Progress.finish_match, []
    monkeypatch.setattr(scheduler, "GATHER", 60.0)  # all are written when nothing is left to play

    def fsync(handle):
        flush(handle)
        if os.path.samestat(os.fstat(handle), matches.stat()):
            events.append("flush")

    def finish_match(self):
        events.append("report")
        report(self)

    store = Store(tmp_path)
    store.open()
    matches = tmp_path / "matches"
    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Progress, "finish_match", finish_match)
    assert run(small_plan(), store, progress=False).played == 3
    assert events == ["flush", "report", "report", "report"]


class SlowForTheLastSeed(ThreadEngine):
    """An engine that plays the last match only after the other two are stored."""

    def __init__(self, matches):
        super().__init__(2)
        self.matches = matches
        self.stored_in_time = False

    def submit(self, part):
        return self._pool.submit(self.play, part)

    def play(self, part):
        end = time.monotonic() + 30.0
        while part.seed == 2 and not self.stored_in_time and time.monotonic() < end:
            self.stored_in_time = len(list(self.matches.glob("*.parquet"))) == 2
            time.sleep(0.01)
        return part.play()


def test_finished_matches_are_written_while_a_long_one_is_played(done, tmp_path):
    plan, store = small_plan(), Store(tmp_path)
    engine = SlowForTheLastSeed(tmp_path / "matches")
    assert play_with(engine, plan, store).played == 3
    assert engine.stored_in_time
    assert bits(store.ledgers(plan)) == bits(done.ledgers())


def test_finished_matches_are_stored_when_the_run_is_interrupted(tmp_path, monkeypatch):
    plan, store = small_plan(), Store(tmp_path)
    finished = Progress.finish_match

    def interrupt(self):
        finished(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "finish_match", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(plan, store, workers=1, progress=False)
    monkeypatch.undo()
    missing = store.missing(plan)
    assert len(missing) < 3
    assert run(plan, store, progress=False).played == len(missing)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"workers": 0}, "workers must be >= 1"), ({"engine": "steam"}, "engine must be one of")],
)
def test_a_bad_argument_leaves_no_files(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        run(small_spec(), tmp_path / "store", **changes)
    assert list(tmp_path.iterdir()) == []


def test_a_log_gets_a_line_for_each_tenth_of_the_matches(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("robustbandits.experiments.progress.LOG_INTERVAL", 0.0)
    run(small_spec(seeds=40, rounds=20), tmp_path)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10
    assert lines[-1].startswith("small: 40 of 40 matches")
