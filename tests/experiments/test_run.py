"""run: only what is missing is played."""

from __future__ import annotations

import threading

import pytest

from experiments.lab import bits, small_plan, small_spec
from robustbandits.experiments import scheduler
from robustbandits.experiments.engines.engine import EngineError, ThreadEngine
from robustbandits.experiments.progress import Watcher, watched
from robustbandits.experiments.runner import run
from robustbandits.experiments.scheduler import Shift
from robustbandits.experiments.store.store import Store
from robustbandits.results import compare

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    return run(small_spec(), tmp_path_factory.mktemp("store"), progress=False)


def quiet():
    return watched("test", visible=False)


def test_a_run_is_what_compare_gives(done):
    spec = small_spec()
    due = compare(
        environments=spec.environments,
        attacks=spec.attacks,
        policies=spec.policies,
        rounds=spec.rounds,
        seeds=list(spec.seeds),
        points=spec.points,
        progress=False,
    )
    assert bits(done.experiment().ledgers) == bits(due.ledgers)


def test_a_second_run_plays_nothing(done):
    again = run(small_spec(), done.store.folder, progress=False)
    assert (again.found, again.played, again.elsewhere, again.damaged) == (3, 0, 0, ())


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_the_number_of_workers_changes_no_bit(workers, done, tmp_path):
    other = run(small_spec(), tmp_path, workers=workers, progress=False)
    assert bits(other.experiment().ledgers) == bits(done.experiment().ledgers)


def test_only_missing_matches_are_played(done, tmp_path, monkeypatch):
    run(small_spec(seeds=[1]), tmp_path, progress=False)
    seeds = []
    submit = ThreadEngine.submit

    def noted(self, part):
        seeds.append(part.seed)
        return submit(self, part)

    monkeypatch.setattr(ThreadEngine, "submit", noted)
    outcome = run(small_spec(), tmp_path, progress=False)
    assert (outcome.found, outcome.played) == (1, 2)
    assert set(seeds) == {0, 2}
    assert bits(outcome.experiment().ledgers) == bits(done.experiment().ledgers)


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
    assert sum(one.played for one in outcomes) == 3
    for one in outcomes:
        assert one.played + one.elsewhere + one.found == 3
        assert bits(one.experiment().ledgers) == bits(done.experiment().ledgers)


class Faltering(ThreadEngine):
    """An engine whose workers die with every part, a few times."""

    losses = (ConnectionError,)

    def __init__(self, deaths):
        super().__init__(2)
        self.deaths = deaths
        self.seen = {}

    def _play(self, part):
        key = (part.seed, len(part.pairs), part.pairs[0])
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] <= self.deaths:
            raise ConnectionError("worker gone")
        return super()._play(part)


def test_what_a_dead_worker_had_is_sent_again(done, tmp_path):
    plan, store = small_plan(), Store(tmp_path)
    store.open()
    with quiet() as watcher:
        one = Shift(plan, store, Faltering(scheduler.MAX_LOSSES - 1), watcher)
        one.play(list(plan.matches))
    assert one.played == 3
    assert bits(store.ledgers(plan)) == bits(done.experiment().ledgers)


def test_a_part_that_kills_every_worker_is_given_up(tmp_path):
    plan, store = small_plan(), Store(tmp_path)
    store.open()
    with quiet() as watcher, pytest.raises(EngineError, match=r"5 workers died.*memory"):
        Shift(plan, store, Faltering(99), watcher).play(list(plan.matches))
    assert all(store.take(match.id) for match in plan.matches)  # nothing stays claimed


def test_a_match_claimed_elsewhere_is_waited_for_and_played_if_it_is_let_go(done, tmp_path):
    plan, store = small_plan(), Store(tmp_path)
    store.open()
    held = plan.matches[0].id
    assert store.take(held)
    release = threading.Timer(1.0, store.give_back, [held])
    release.start()
    outcome = run(plan, tmp_path, progress=False)
    release.join()
    assert outcome.played == 3
    assert bits(outcome.experiment().ledgers) == bits(done.experiment().ledgers)


def test_finished_matches_are_stored_when_the_run_is_interrupted(tmp_path, monkeypatch):
    plan, store = small_plan(), Store(tmp_path)
    store.open()
    finished = Watcher.finish_match

    def interrupt(self):
        finished(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(Watcher, "finish_match", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(plan, store, workers=1, progress=False)
    monkeypatch.undo()
    left = store.missing(plan)
    assert len(left) < 3
    assert run(plan, store, progress=False).played == len(left)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"workers": 0}, "workers must be >= 1"), ({"engine": "steam"}, "engine must be one of")],
)
def test_bad_arguments_touch_nothing(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        run(small_spec(), tmp_path / "store", **changes)
    assert list(tmp_path.iterdir()) == []


def test_a_log_gets_few_lines(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("robustbandits.experiments.progress.SILENCE", 0.0)
    run(small_spec(seeds=40, rounds=20), tmp_path)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10
    assert lines[-1].startswith("small: 40 of 40 matches")
