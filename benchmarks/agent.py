"""Measure agents, large decisions and the drawing of rounds; compare with the loop and with BLAS.

Run by ``make bench``. BLAS uses one thread. What is compared takes turns, and the best of several
repetitions counts.
"""

from __future__ import annotations

import argparse
import json
import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"  # before NumPy is imported

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import robustbandits as rb
from robustbandits._cores import available_cores
from robustbandits.game.match import NATURE, Game, stream

SHAPES = [(1_000, 32), (20_000, 64), (2_000, 256), (200, 512), (100_000, 32)]
LIVE = [rb.policies.LinUCB(), rb.policies.CautiousLinUCB(), rb.policies.LinTS()]


def take_turns(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Return the best microseconds of each call."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            best[name] = min(best[name], (time.perf_counter() - start) * 1e6)
    return best


def bench_live(repeats: int, decisions: int = 200) -> dict[str, float]:
    """Return microseconds for choose and learn at 20 x 10."""
    shown = list(np.random.default_rng(0).uniform(-0.3, 0.3, (decisions, 20, 10)))

    def play(agent: rb.Agent) -> None:
        for contexts in shown:
            agent.learn(agent.choose(contexts), 0.5)

    calls = {}
    for policy in LIVE:
        agent = rb.Agent(policy, arms=20, dim=10, rounds=10**6)
        calls[policy.name] = lambda agent=agent: play(agent)
    times = take_turns(calls, 20 * repeats)
    return {name: value / decisions for name, value in times.items()}


def bench_batch(repeats: int, decisions: int = 1000) -> dict[str, float]:
    """Return microseconds per decision of batches, and of the loop with attack and learning."""
    shown = np.random.default_rng(0).uniform(-0.3, 0.3, (decisions, 20, 10))
    agent = rb.Agent(rb.policies.LinUCB(), arms=20, dim=10, pending=decisions)
    nature = rb.environments.Simulation(intercept=False).start(decisions, stream(0, NATURE))
    block = nature.draw(decisions)
    attack = rb.attacks.Garcelon(100.0)
    game = Game(rb.policies.LinUCB(), attack, nature.problem, 0, 1000)
    batches: list[Any] = []
    rewards = np.full(decisions, 0.5)
    calls = {
        "loop": lambda: game.advance(block),
        "choose_many": lambda: batches.append(agent.choose_many(shown)),
        "learn_many": lambda: agent.learn_many(batches.pop(), rewards),
    }
    times = take_turns(calls, 10 * repeats)
    return {name: value / decisions for name, value in times.items()}


def bench_large(repeats: int) -> dict[str, dict[str, float]]:
    """Return microseconds of one choose on one core, on all cores, and in NumPy.

    A batch of a single decision is scored on one core.
    """
    times = {}
    for arms, dim in SHAPES:
        rng = np.random.default_rng(0)
        contexts = rng.standard_normal((arms, dim)) / (2 * dim**0.5)
        agent = rb.Agent(rb.policies.LinUCB(), arms=arms, dim=dim)
        inverse, theta = np.eye(dim) + 0.01 * rng.standard_normal((dim, dim)), np.ones(dim)

        def in_numpy(x: Any = contexts, inverse: Any = inverse, theta: Any = theta) -> Any:
            widths = np.sqrt(np.einsum("ad,ad->a", x @ inverse, x))
            return np.argmax(x @ theta + 2.0 * widths)

        calls = {
            "one core": lambda agent=agent, x=contexts[np.newaxis]: agent.choose_many(x),
            "all cores": lambda agent=agent, x=contexts: agent.choose(x),
            "NumPy, one thread": in_numpy,
        }
        times[f"{arms:,} x {dim}"] = take_turns(calls, 10 * repeats)
    return times


MEMORY = """
import resource, sys
import numpy as np
import robustbandits as rb
unit = 1 if sys.platform == "darwin" else 1024
agent = rb.Agent(rb.policies.LinUCB(), arms=100_000, dim=64)
agent.choose(np.full((5_000, 64), 0.1))
contexts = np.full((100_000, 64), 0.1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
agent.choose(contexts)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit / contexts.nbytes)
"""


def bench_memory() -> float:
    """Return the peak memory of one choose at 100,000 x 64, in units of its contexts."""
    run = subprocess.run([sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True)
    return 1.0 + float(run.stdout)


def bench_draw(repeats: int, rounds: int = 1250) -> dict[str, float]:
    """Return microseconds to draw a round of a simulation at 20 x 10."""
    calls = {}
    for kind in ("fresh", "fixed"):
        nature = rb.environments.Simulation(contexts=kind).start(10**9, stream(0, NATURE))
        calls[kind] = lambda nature=nature: nature.draw(rounds)
    return {name: value / rounds for name, value in take_turns(calls, 10 * repeats).items()}


def show(title: str, rows: dict[str, float], base: str | None = None) -> None:
    print(f"\n{title}")
    for name, value in rows.items():
        ratio = "" if base is None else f"{value / rows[base]:8.2f} x {base}"
        print(f"  {name:26s} {value:12.3f} µs{ratio}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--repeats", type=int, default=10)
    arguments = parser.parse_args()
    live = bench_live(arguments.repeats)
    batch = bench_batch(arguments.repeats)
    large = bench_large(arguments.repeats)
    memory = bench_memory()
    draw = bench_draw(arguments.repeats)
    show("Live decision, choose + learn, 20 x 10 (aim <= 5)", live)
    show("1,000 decisions at once, per decision (aim: choose_many <= 1.3 x loop)", batch, "loop")
    for shape, rows in large.items():
        show(f"Agent.choose, {shape}, {available_cores()} cores", rows, "NumPy, one thread")
    print(f"\nMemory of a choose, 100,000 x 64: {memory:.2f} x its contexts (aim <= 2)")
    show("Drawing a round, 20 x 10 (aim: fresh <= 0.9, fixed <= 0.05)", draw)
    report = {"live": live, "batch": batch, "large": large, "memory": memory, "draw": draw}
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "agent.json"
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {path}")


if __name__ == "__main__":
    main()
