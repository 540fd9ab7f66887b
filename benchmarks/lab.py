"""Measure what the lab adds to its games: planning, the engine, the store.

Run as ``python benchmarks/lab.py``. The games are played with and without the lab, interleaved, and
the best of several repetitions counts, because machines are shared and noisy.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable

import robustbandits as rb
from robustbandits._cores import available_cores
from robustbandits.experiments.engines.engine import play_matches, warm_up
from robustbandits.experiments.plan import Plan, make_plan
from robustbandits.experiments.runner import run
from robustbandits.experiments.scheduler import as_match
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.store import Store


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


def overhead(rounds: int, seeds: int, repeats: int) -> dict[str, float]:
    """Time of the lab against the time of the same games without engine and store."""
    plan, workers = make_plan(spec_of(rounds, seeds)), available_cores()
    matches = [as_match(plan, match) for match in plan.matches]
    warm_up(matches, lambda: None)
    games, lab, theirs, own = [], [], [], []
    for _ in range(repeats):
        busy = time.process_time()
        games.append(seconds(lambda: play_matches(matches, workers=workers)))
        theirs.append(time.process_time() - busy)
        with tempfile.TemporaryDirectory() as folder:
            busy = time.thread_time()
            lab.append(seconds(lambda to=folder: run(plan, to, progress=False)))
            own.append(time.thread_time() - busy)
    return {
        "rounds": rounds,
        "matches": seeds,
        "games_s": min(games),
        "lab_s": min(lab),
        "overhead": min(lab) / min(games) - 1,
        # Games are played by other threads: what this one does is all engine and store. Of the
        # processor's time, so that others on the machine disturb it less.
        "own_overhead": min(own) / min(theirs),
    }


def store_speed(plan: Plan) -> dict[str, float]:
    """Milliseconds to write, to find and to read a match of a thousand points a game."""
    matches = [as_match(plan, match) for match in plan.matches]
    played = play_matches(matches, workers=available_cores())
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        store.open()

        def write() -> None:
            for match, ledgers in zip(plan.matches, played, strict=True):
                store.write(plan.spec, match, ledgers)

        count = len(plan.matches) / 1000
        return {
            "games": plan.games / len(plan.matches),
            "write_ms": seconds(write) / count,
            "resume_ms": seconds(lambda: store.missing(plan)) / count,
            "read_ms": seconds(lambda: store.ledgers(plan)) / count,
        }


def planning() -> float:
    """Seconds to plan a hundred thousand games."""
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
    facts = {
        "plan_100000_games_s": planning(),
        "overhead": [overhead(100_000, 16, repeats), overhead(10_000, 64, repeats)],
        "store": store_speed(make_plan(spec_of(2000, 50))),
    }
    print(json.dumps(facts, indent=2))
    for one in facts["overhead"]:
        print(
            f"engine and store add {100 * one['overhead']:.1f} % (wall clock), "
            f"{100 * one['own_overhead']:.1f} % (processor time) to games of {one['rounds']:,} "
            f"rounds; due: < 5 %"
        )


if __name__ == "__main__":
    main()
