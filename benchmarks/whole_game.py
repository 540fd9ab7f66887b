"""Compare whole games, drawing of rounds included, with a C program that also draws its rounds.

Run by ``make bench``. It also measures whether memory grows with the length of a game;
``--long`` plays 10⁸ rounds for that, which takes two minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import robustbandits as rb
from yardsticks import c_game, compile_c

ARMS, DIM, ROUNDS = 20, 10, 200_000
#: Aims for the time of `rb.simulate`, as multiples of the C program's.
MAX_RATIO = {"fresh": 2.0, "fixed": 1.3}

PEAK = """
import resource, sys
import robustbandits as rb
rb.simulate(environment=rb.environments.Simulation(), attack=rb.attacks.Garcelon(100.0),
            policy=rb.policies.LinUCB(), rounds=int(sys.argv[1]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def seconds(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def bench_games(repeats: int) -> dict[str, dict[str, float]]:
    """Return microseconds per round of a whole game in C and of `rb.simulate`."""
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        library = compile_c(Path(folder))
        for contexts in MAX_RATIO:
            environment = rb.environments.Simulation(
                arms=ARMS, dim=DIM, contexts=contexts, intercept=False
            )
            jobs: dict[str, Callable[[], object]] = {
                "C": lambda kind=contexts: c_game(
                    library, DIM, ARMS, ROUNDS, fixed=kind == "fixed"
                ),
                "simulate": lambda environment=environment: rb.simulate(
                    environment=environment,
                    attack=rb.attacks.Garcelon(100.0),
                    policy=rb.policies.LinUCB(),
                    rounds=ROUNDS,
                ),
            }
            best = dict.fromkeys(jobs, float("inf"))
            for _ in range(repeats + 1):  # the first time compiles
                for name, job in jobs.items():
                    best[name] = min(best[name], seconds(job) / ROUNDS * 1e6)
            times[contexts] = best
    return times


def peak_memory(rounds: int) -> float:
    """Return the peak memory of a process that plays one game, in MB."""
    command = [sys.executable, "-c", PEAK, str(rounds)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--long", action="store_true")
    arguments = parser.parse_args()
    times = bench_games(arguments.repeats)
    lengths = (100_000, 100_000_000 if arguments.long else 1_000_000)
    memory = {f"{rounds:,} rounds": peak_memory(rounds) for rounds in lengths}
    print(f"\nWhole game, {ARMS} x {DIM}, drawing of rounds included")
    for contexts, found in times.items():
        ratio, aim = found["simulate"] / found["C"], MAX_RATIO[contexts]
        print(
            f"  {contexts:6s} C {found['C']:.3f} µs, rb.simulate {found['simulate']:.3f} µs: "
            f"{ratio:.2f} x C (aim <= {aim})"
        )
    print("Peak memory: " + ", ".join(f"{name} {value:.0f} MB" for name, value in memory.items()))
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "whole_game.json"
    path.write_text(json.dumps({"games": times, "memory": memory}, indent=2) + "\n", "utf-8")
    print(f"\nwritten to {path}")


if __name__ == "__main__":
    main()
