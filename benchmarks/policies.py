"""Measure every exported policy: its round, its growth, and how long it takes to compile.

Run by ``make bench``, or as ``python benchmarks/policies.py [POLICY ...]``. A round is a ratio to
LinUCB's in the same rounds and the same run; players are interleaved and the best of several
repetitions counts, because machines are shared and noisy.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import robustbandits as rb
from bench import fastest
from robustbandits._cores import available_cores
from robustbandits.experiments.registry import kinds, parameters, sample_policy
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.rounds import Rounds
from yardsticks import Player

ATTACK = rb.attacks.Garcelon(100.0)
#: What a round may cost, in rounds of LinUCB on the same arms: by setting, and for those that do
#: more by design.
DUE = {"contextual": 2.5, "MAB": 0.5}
DUE_BY_NAME = {
    "LinTS": 3.0,
    "MultiLevelWeightedOFUL": 4.0,
    "COBE": 4.0,
    "MaxMinUCB": 60.0,
    "MinWD": 90.0,
}
#: Seconds for the whole catalogue: compiled for the first time, and from the cache.
DUE_FIRST, DUE_CACHED = 60.0, 2.0
GROWTH = (1_000, 3_000, 10_000)
#: Dimensions of the ball of arms; what a round may cost in 10, in µs and in rounds over 20 arms.
BALLS = (2, 5, 10, 20, 40)
DUE_BALL, DUE_BALL_RATIO = 30.0, 60.0

#: Run in a process of its own: a cache in memory would hide what the one on disk costs.
START = """
import json, sys, time
import robustbandits as rb
from robustbandits.experiments.registry import sample_environment, sample_policy
seconds = {}
for name in sys.argv[1:]:
    start = time.perf_counter(), time.process_time()
    policy = sample_policy(name)
    environment, attack = sample_environment(policy), rb.attacks.Garcelon(100.0)
    rb.simulate(environment=environment, attack=attack, policy=policy, rounds=10)
    seconds[name] = time.perf_counter() - start[0], time.process_time() - start[1]
print(json.dumps(seconds))
"""

AHEAD = """
import sys, time
from robustbandits.experiments.precompile import compile_ahead
if __name__ == "__main__":
    start = time.perf_counter()
    compile_ahead(sys.argv[1:], live=False)
    print(time.perf_counter() - start)
"""


KERNEL = """
import sys, time
import numpy as np
from robustbandits.kernels.optimistic_direction import optimistic_direction
start = time.perf_counter()
optimistic_direction(np.eye(2), np.ones(2), 1.0, np.random.default_rng(0), np.empty(2))
print(time.perf_counter() - start)
"""


def setting(name: str) -> str:
    return str(kinds("policies")[name].facts.setting)


def blocks_for(contexts: str, intercept: bool, rounds: int, count: int) -> tuple[Any, list[Rounds]]:
    dim = 9 if intercept else 10  # an intercept is one more
    place = rb.environments.Simulation(arms=20, dim=dim, contexts=contexts, intercept=intercept)
    nature = place.start(rounds * count, stream(0, NATURE))
    return nature.problem, [nature.draw(rounds) for _ in range(count)]


def bench_rounds(names: Sequence[str], repeats: int) -> dict[str, dict[str, float]]:
    """Microseconds of a round, and the ratio to LinUCB's: fresh arms, and two catalogues.

    The second catalogue has an intercept: arms are more alike there, so ties are more often near.
    """
    found: dict[str, dict[str, float]] = {name: {} for name in names}
    places = {"fresh": ("fresh", False), "fixed": ("fixed", False), "intercept": ("fixed", True)}
    for key, (contexts, intercept) in places.items():
        group = [name for name in names if contexts == "fixed" or setting(name) == "contextual"]
        problem, blocks = blocks_for(contexts, intercept, 1250, 8)
        makers: dict[str, Callable[[], Player]] = {}
        for name in dict.fromkeys(["LinUCB", *group]):
            policy = sample_policy(name)
            makers[name] = lambda p=policy, q=problem: Game(p, ATTACK, q, 0, 1000).advance
        times = fastest(makers, blocks, repeats)
        for name in group:
            found[name] |= {key: times[name], f"{key}_ratio": times[name] / times["LinUCB"]}
    return found


def bench_growth(names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Microseconds of a round of kernel policies, over games of growing length."""
    found = {}
    for name in names:
        if "kernel" not in parameters(kinds("policies")[name]):
            continue
        policy = sample_policy(name, kernel="rbf")
        found[name] = {}
        for rounds in GROWTH:
            problem, blocks = blocks_for("fixed", False, rounds, 1)
            times = fastest({"it": lambda p=policy, q=problem: _play_once(p, q)}, blocks, repeats=3)
            found[name][f"{rounds}"] = times["it"]
    return found


def bench_balls() -> dict[str, Any]:
    """Microseconds of LinUCB's round if the arms are a ball, by dimension.

    Beside it are its round over 20 arms, and seconds to compile the search for the best arm.
    """
    policy, rounds = rb.policies.LinUCB(), 1250
    problem, blocks = blocks_for("fresh", False, rounds, 8)
    found: dict[str, Any] = fastest(
        {"list": lambda: Game(policy, ATTACK, problem, 0, 1000).advance}, blocks, repeats=5
    )
    for dim in BALLS:
        nature = rb.environments.UnitBall(dim=dim).start(8 * rounds, stream(0, NATURE))
        of_ball, blocks = nature.problem, [nature.draw(rounds) for _ in range(8)]
        player = {f"{dim}": lambda q=of_ball: Game(policy, ATTACK, q, 0, 1000).advance}
        found |= fastest(player, blocks, repeats=5)
    with tempfile.TemporaryDirectory() as folder:
        found["compile"] = float(_run(KERNEL, [], folder))
    return found


def _play_once(policy: Any, problem: Any) -> Player:
    """Return a player that starts anew with every block: `fastest` plays the first one twice."""

    def play(block: Rounds) -> None:
        Game(policy, ATTACK, problem, 0, 1000).advance(block)

    return play


def bench_start(names: Sequence[str]) -> dict[str, Any]:
    """Seconds until each policy has played, with an empty cache and with a full one.

    The processor's time beside the wall's: others on the machine disturb it less. And until all
    are compiled in processes side by side, as ``robustbandits cache fill`` does it.
    """
    with tempfile.TemporaryDirectory() as folder:
        ahead = float(_run(AHEAD, names, folder))
    with tempfile.TemporaryDirectory() as folder:
        runs = [json.loads(_run(START, names, folder)) for _ in range(3)]
    totals = [[sum(column) for column in zip(*run.values(), strict=True)] for run in runs]
    best = min((1, 2), key=lambda k: totals[k][0])
    return {
        "ahead": {"wall": ahead, "cores": available_cores()},
        "first": {"wall": totals[0][0], "processor": totals[0][1], "by_policy": runs[0]},
        "cached": {"wall": totals[best][0], "processor": totals[best][1], "by_policy": runs[best]},
    }


def _run(code: str, names: Sequence[str], cache: str) -> str:
    environment = {**os.environ, "ROBUSTBANDITS_CACHE": cache}
    command = [sys.executable, "-c", code, *names]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout


def show(report: dict[str, Any]) -> None:
    print("A round, 20 arms x 10 dimensions, Garcelon attacking: us, and x LinUCB")
    print(f"  {'':37} fresh arms          a catalogue         one with an intercept")
    for name, row in report["rounds"].items():
        due = DUE_BY_NAME.get(name, DUE.get(setting(name)))
        ratio = max(value for key, value in row.items() if key.endswith("_ratio"))
        aim = "" if due is None else f"  due <= {due:g}{'' if ratio <= due else ': MISSED'}"
        cells = [
            f"{row[key]:8.3f} {row[key + '_ratio']:7.2f} x" if key in row else f"{'':18}"
            for key in ("fresh", "fixed", "intercept")
        ]
        print(f"  {name:26} {setting(name):10} {'  '.join(cells)}{aim}")
    if report["growth"]:
        print("\nA round of kernel policies (RBF), us, by length of the game")
        for name, row in report["growth"].items():
            cells = "  ".join(f"{length}: {us:.2f}" for length, us in row.items())
            print(f"  {name:26} {cells}")
    show_balls(report["balls"])
    print(f"\nUntil all {len(report['rounds'])} have played, s, after the import of the package")
    for what, due in (("first", DUE_FIRST), ("cached", DUE_CACHED)):
        row = report["start"][what]
        print(f"  {what:8} {row['wall']:8.2f} (processor {row['processor']:.2f})  due <= {due:g}")
    ahead = report["start"]["ahead"]
    print(f"  ahead    {ahead['wall']:8.2f} on {ahead['cores']} cores  due <= {DUE_FIRST:g}")
    seconds = report["start"]["first"]["by_policy"]
    slowest = sorted(seconds, key=lambda name: -seconds[name][1])[:5]
    print("  slowest  " + ", ".join(f"{name} {seconds[name][1]:.1f}" for name in slowest))


def show_balls(row: dict[str, float]) -> None:
    print("\nLinUCB's round if the arms are a ball, us, by dimension; exponent of d")
    cells = [f"{dim}: {row[f'{dim}']:.2f}" for dim in BALLS]
    for low, high in itertools.pairwise(BALLS):
        growth = math.log(row[f"{high}"] / row[f"{low}"]) / math.log(high / low)
        cells[BALLS.index(high)] += f" (d^{growth:.1f})"
    print("  " + "  ".join(cells) + "  due <= d^3")
    ratio = row["10"] / row["list"]
    kept = row["10"] <= DUE_BALL and ratio <= DUE_BALL_RATIO
    print(
        f"  in 10: {ratio:.1f} x its round over 20 arms  due <= {DUE_BALL:g} us, "
        f"<= {DUE_BALL_RATIO:g} x{'' if kept else ': MISSED'}"
    )
    print(f"  first compilation of the search for the best arm: {row['compile']:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policies", nargs="*", metavar="POLICY", help="all by default")
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--repeats", type=int, default=15)
    given = parser.parse_args()
    names = given.policies or list(kinds("policies"))
    report = {
        "rounds": bench_rounds(names, given.repeats),
        "growth": bench_growth(names),
        "balls": bench_balls(),
        "start": bench_start(names),
    }
    show(report)
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "policies.json"
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {path}")


if __name__ == "__main__":
    main()
