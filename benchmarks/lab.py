"""Measure the overhead of experiments: planning, scheduling and the store.

Run by ``make bench``, or as ``python benchmarks/lab.py``. The same games are played alternately
with and without `run`, and the best of several repetitions counts, because machines are shared and
noisy.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable

import robustbandits as rb
from robustbandits._cores import available_cores
from robustbandits.experiments.engines.threads import ThreadEngine
from robustbandits.experiments.plan import Plan, make_plan
from robustbandits.experiments.runner import add_recipes, run
from robustbandits.experiments.scheduler import split
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.store import Store
from robustbandits.game.ledger import Ledger


def seconds(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def spec_of(rounds: int, seeds: int) -> Spec:
    return Spec(
        name="lab",
        environments={"simulation": rb.environments.Simulation()},
        attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(100.0)],
        policies=[rb.policies.LinUCB(), rb.policies.Greedy()],
        rounds=rounds,
        seeds=seeds,
    )


def play_plain(plan: Plan) -> list[Ledger]:
    """Play a plan on threads, without a scheduler and without a store."""
    engine = ThreadEngine(available_cores())
    parts = split(add_recipes(plan.spec, plan.matches), engine.workers)
    futures = [engine.submit(part) for _, part in parts]
    ledgers = [ledger for future in futures for ledger in future.result()]
    engine.stop()
    return ledgers


def overhead(rounds: int, seeds: int, repeats: int) -> dict[str, float]:
    """Compare the time of a run with that of the same games without scheduler and store."""
    plan = make_plan(spec_of(rounds, seeds))
    play_plain(make_plan(spec_of(1, 1)))  # compiles
    games, runs, games_busy, scheduler_busy = [], [], [], []
    for _ in range(repeats):
        busy = time.process_time()
        games.append(seconds(lambda: play_plain(plan)))
        games_busy.append(time.process_time() - busy)
        with tempfile.TemporaryDirectory() as folder:
            busy = time.thread_time()
            runs.append(seconds(lambda to=folder: run(plan, to, progress=False)))
            scheduler_busy.append(time.thread_time() - busy)
    return {
        "rounds": rounds,
        "matches": seeds,
        "games_s": min(games),
        "lab_s": min(runs),
        "overhead": min(runs) / min(games) - 1,
        # Other threads play the games; this thread only schedules and stores. Measured in
        # processor time, which other programs on the machine disturb less.
        "own_overhead": min(scheduler_busy) / min(games_busy),
    }


def store_speed(plan: Plan) -> dict[str, float]:
    """Return milliseconds to write, check and read a match with 1,000 points per game."""
    ledgers = iter(play_plain(plan))
    ledgers_by_match = [[next(ledgers) for _ in match.games] for match in plan.matches]
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        store.open()

        def write() -> None:
            for match, ledgers in zip(plan.matches, ledgers_by_match, strict=True):
                store.write(plan, [(match, ledgers)])

        count = len(plan.matches) / 1000  # thousands, so seconds / count is in milliseconds
        return {
            "games": plan.games / len(plan.matches),
            "write_ms": seconds(write) / count,
            "resume_ms": seconds(lambda: store.missing(plan)) / count,
            "read_ms": seconds(lambda: store.ledgers(plan)) / count,
        }


def planning() -> float:
    """Return the seconds to plan 100,000 games."""
    spec = Spec(
        name="large",
        environments=[rb.environments.Simulation(arms=arms) for arms in range(2, 12)],
        attacks=[rb.attacks.Garcelon(float(budget)) for budget in range(100)],
        policies=[rb.policies.LinUCB(sigma=sigma / 10) for sigma in range(1, 11)],
        seeds=10,
    )
    assert spec.games == 100_000
    return seconds(lambda: make_plan(spec))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    report = {
        "plan_100000_games_s": planning(),
        "overhead": [overhead(100_000, 16, repeats), overhead(10_000, 64, repeats)],
        "store": store_speed(make_plan(spec_of(2000, 50))),
    }
    print(json.dumps(report, indent=2))
    for row in report["overhead"]:
        print(
            f"scheduler and store add {100 * row['overhead']:.1f} % (wall clock), "
            f"{100 * row['own_overhead']:.1f} % (processor time) to games of {row['rounds']:,} "
            f"rounds; aim: < 5 %"
        )


if __name__ == "__main__":
    main()
