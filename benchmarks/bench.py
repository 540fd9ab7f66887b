"""Measure speed compared with hand-written C in the same run, and write the results as JSON.

Run by ``make bench``. The reference is a LinUCB round written in C and compiled for this machine.
Policies take turns and the best of several repetitions counts, because machines are shared and
noisy.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np

import robustbandits as rb
from robustbandits._cores import available_cores
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.rounds import Rounds
from yardsticks import Player, c_player, compile_c, numpy_player

POLICIES = {
    "LinUCB": rb.policies.LinUCB(),
    "LinTS": rb.policies.LinTS(),
    "Greedy": rb.policies.Greedy(),
    "RobustLinUCB": rb.policies.RobustLinUCB(100.0),
    "RobustBandit": rb.policies.RobustBandit(),
    "BOBNoRestart": rb.policies.BOBNoRestart(),
    "BOBNoRestart as written": rb.policies.BOBNoRestart.as_written(),
}
#: The five policies of the paper's Figure 1.
FIGURE1 = ("LinUCB", "LinTS", "Greedy", "RobustBandit", "BOBNoRestart")
ATTACK = rb.attacks.Garcelon(100.0)


def blocks_of(arms: int, dim: int, rounds: int, count: int) -> tuple[Any, list[Rounds]]:
    nature = rb.environments.Simulation(arms=arms, dim=dim, intercept=False).start(
        rounds * count, stream(0, NATURE)
    )
    return nature.problem, [nature.draw(rounds) for _ in range(count)]


def fastest(
    makers: dict[str, Callable[[], Player]], blocks: list[Rounds], repeats: int
) -> dict[str, float]:
    """Return microseconds per round; players take turns, and the best time of each block counts."""
    best = {name: [float("inf")] * len(blocks) for name in makers}
    for _ in range(repeats):
        for name, make in makers.items():
            play = make()
            play(blocks[0])
            for k, block in enumerate(blocks):
                start = time.perf_counter()
                play(block)
                best[name][k] = min(best[name][k], time.perf_counter() - start)
    rounds = sum(len(block.noise) for block in blocks)
    return {name: sum(seconds) / rounds * 1e6 for name, seconds in best.items()}


def bench_loop(library: Any, repeats: int) -> dict[str, float]:
    problem, blocks = blocks_of(20, 10, 1250, 8)
    makers: dict[str, Callable[[], Player]] = {"C": lambda: c_player(library, 10, 20)}
    for name, policy in POLICIES.items():
        makers[name] = lambda policy=policy: Game(policy, ATTACK, problem, 0, 1000).advance
    makers["LinUCB, no attack"] = lambda: (
        Game(rb.policies.LinUCB(), rb.attacks.NoAttack(), problem, 0, 1000).advance
    )
    times = fastest(makers, blocks, repeats)
    numpy_times = fastest({"NumPy": lambda: numpy_player(10, 20)}, blocks[:2], 3)
    return {**times, **numpy_times}


def bench_scaling(library: Any) -> dict[str, dict[str, float]]:
    shapes = [(20, 10), (200, 10), (2000, 10), (20, 40), (20, 160)]
    times = {}
    for arms, dim in shapes:
        rounds = max(4, 250_000 // (arms * dim))
        problem, blocks = blocks_of(arms, dim, rounds, 4)
        makers: dict[str, Callable[[], Player]] = {
            "C": lambda arms=arms, dim=dim: c_player(library, dim, arms),
            "LinUCB": lambda problem=problem: (
                Game(rb.policies.LinUCB(), ATTACK, problem, 0, 1000).advance
            ),
            "LinTS": lambda problem=problem: (
                Game(rb.policies.LinTS(), ATTACK, problem, 0, 1000).advance
            ),
        }
        times[f"{arms} x {dim}"] = fastest(makers, blocks, 7)
    return times


def bench_agent(repeats: int, decisions: int = 3000) -> dict[str, float]:
    """Return the best microseconds for one choose and one learn of a live agent."""
    contexts = np.random.default_rng(0).uniform(-0.3, 0.3, (decisions, 20, 10))
    best = {}
    for name, policy in POLICIES.items():
        agent = rb.Agent(policy, arms=20, dim=10, rounds=1_000_000, seed=0)
        best[name] = float("inf")
        for _ in range(repeats):
            start = time.perf_counter()
            for row in contexts:
                agent.learn(agent.choose(row), 0.5)
            best[name] = min(best[name], (time.perf_counter() - start) / decisions * 1e6)
    return best


FIRST_GAME = """
import time; start = time.perf_counter()
import robustbandits as rb
rb.simulate(environment=rb.environments.Simulation(), attack=rb.attacks.Garcelon(100.0),
            policy=rb.policies.LinUCB(), rounds=1000)
print(time.perf_counter() - start)
"""


def bench_start() -> dict[str, float]:
    """Return seconds for a first game without and with a cache, and for --help."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "ROBUSTBANDITS_CACHE": folder}
        command = [sys.executable, "-c", FIRST_GAME]
        runs = [
            subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            for _ in range(4)
        ]
    seconds = [float(run.stdout) for run in runs]
    help_times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "robustbandits", "--help"], check=True, capture_output=True
        )
        help_times.append(time.perf_counter() - start)
    return {"cold": seconds[0], "warm": min(seconds[1:]), "--help": min(help_times)}


def bench_figure(rounds: int = 30_000, seeds: int = 2) -> dict[str, float]:
    """Measure rounds per second of a whole comparison on all cores, drawing of rounds included."""

    def play(rounds: int, seeds: int) -> int:
        results = rb.compare(
            environments=[rb.environments.Simulation()],
            attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(100.0), rb.attacks.Oracle(100.0)],
            policies=[POLICIES[name] for name in FIGURE1],
            rounds=rounds,
            seeds=seeds,
            progress=False,
        )
        return len(results)

    play(10, 1)
    start = time.perf_counter()
    games = play(rounds, seeds)
    rate = games * rounds / (time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"rounds per second": rate, "minutes for 3e8": 3e8 / rate / 60, "peak MB": peak}


def show(title: str, rows: dict[str, float], unit: str, base: float | None = None) -> None:
    print(f"\n{title}")
    for name, value in rows.items():
        ratio = "" if base is None else f"{value / base:8.2f} x C"
        print(f"  {name:26s} {value:12.3f} {unit}{ratio}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--repeats", type=int, default=15)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = compile_c(Path(folder))
        loop = bench_loop(library, arguments.repeats)
        scaling = bench_scaling(library)
    agent = bench_agent(max(3, arguments.repeats // 3))
    figure = bench_figure()
    start = bench_start()
    show("Time per round, 20 arms x 10 dimensions, attack Garcelon", loop, "µs", loop["C"])
    print(f"  NumPy / LinUCB: {loop['NumPy'] / loop['LinUCB']:.1f}")
    for shape, rows in scaling.items():
        show(f"Time per round, {shape}", rows, "µs", rows["C"])
    show("Live decision, choose + learn", agent, "µs")
    show(f"Figure 1 on {available_cores()} cores", figure, "")
    show("First game, from import to result; and --help", start, "s")
    report = {
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "cores": available_cores(),
            "python": platform.python_version(),
            "numba": numba.__version__,
            "numpy": np.__version__,
            "robustbandits": rb.__version__,
        },
        "loop_us": loop,
        "loop_ratio_to_c": {name: value / loop["C"] for name, value in loop.items()},
        "scaling_us": scaling,
        "agent_us": agent,
        "figure": figure,
        "start_s": start,
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "bench.json"
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {path}")


if __name__ == "__main__":
    main()
