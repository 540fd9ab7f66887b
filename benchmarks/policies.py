"""Measure every exported policy: time per round, its growth with the game, and time to compile.

Run by ``make bench``, or as ``python benchmarks/policies.py [POLICY ...]``. The time per round is
also given as a multiple of LinUCB's in the same rounds and the same run. Policies take turns, and
the best of several repetitions counts, because machines are shared and noisy.
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
#: Aims for the time per round, as multiples of LinUCB's on the same arms: by setting, and for
#: policies that do more work per round by design.
MAX_RATIO = {"contextual": 2.5, "MAB": 0.5}
MAX_RATIO_BY_POLICY = {
    "LinTS": 3.0,
    "RobustLinUCB": 3.0,  # the tight bonus compares all arms of a catalogue
    "MultiLevelWeightedOFUL": 4.0,
    "COBE": 4.0,
    "MaxMinUCB": 60.0,
    "MinWD": 90.0,
}
#: Aims for the seconds until all policies have played: compiled for the first time, and loaded
#: from the cache.
MAX_FIRST, MAX_CACHED = 60.0, 2.0
#: Lengths of the games in which kernel policies are measured.
GAME_LENGTHS = (1_000, 3_000, 10_000)
#: Dimensions of the ball of arms; aims for a round in 10: µs, and times a round over 20 arms.
BALLS = (2, 5, 10, 20, 40)
MAX_BALL, MAX_BALL_RATIO = 30.0, 60.0

#: Numbers of arms with which the tight bonus is measured; aim for its round on fresh arms, as a
#: multiple of LinUCB's, and for the exponent of the number of arms on a catalogue.
TIGHT_ARMS = (20, 200, 2_000)
MAX_TIGHT_FRESH, MAX_TIGHT_GROWTH = 1.6, 2.0

#: Run in a new process, because machine code already in memory would hide the cost of loading it.
FIRST_GAMES = """
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

COMPILE_AHEAD = """
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


def blocks_for(
    contexts: str, intercept: bool, rounds: int, count: int, arms: int = 20
) -> tuple[Any, list[Rounds]]:
    dim = 9 if intercept else 10  # the intercept adds one feature
    settings = {"arms": arms, "dim": dim, "contexts": contexts, "intercept": intercept}
    nature = rb.environments.Simulation(**settings).start(rounds * count, stream(0, NATURE))
    return nature.problem, [nature.draw(rounds) for _ in range(count)]


def bench_rounds(names: Sequence[str], repeats: int) -> dict[str, dict[str, float]]:
    """Return microseconds per round and the ratio to LinUCB's, on fresh arms and two catalogues.

    The second catalogue has an intercept. Its arms are more similar, so near ties are more common.
    """
    rows: dict[str, dict[str, float]] = {name: {} for name in names}
    simulations = {
        "fresh": ("fresh", False),
        "fixed": ("fixed", False),
        "intercept": ("fixed", True),
    }
    for key, (contexts, intercept) in simulations.items():
        group = [name for name in names if contexts == "fixed" or setting(name) == "contextual"]
        problem, blocks = blocks_for(contexts, intercept, 1250, 8)
        makers: dict[str, Callable[[], Player]] = {}
        for name in dict.fromkeys(["LinUCB", *group]):
            policy = sample_policy(name)
            makers[name] = lambda p=policy, q=problem: Game(p, ATTACK, q, 0, 1000).advance
        times = fastest(makers, blocks, repeats)
        for name in group:
            rows[name] |= {key: times[name], f"{key}_ratio": times[name] / times["LinUCB"]}
    return rows


def bench_growth(names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return microseconds per round of kernel policies, by the length of the game."""
    rows = {}
    for name in names:
        if "kernel" not in parameters(kinds("policies")[name]):
            continue
        policy = sample_policy(name, kernel="rbf")
        rows[name] = {}
        for rounds in GAME_LENGTHS:
            problem, blocks = blocks_for("fixed", False, rounds, 1)
            times = fastest({name: lambda p=policy, q=problem: _play_once(p, q)}, blocks, repeats=3)
            rows[name][f"{rounds}"] = times[name]
    return rows


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


def bench_tight(repeats: int) -> dict[str, dict[str, dict[str, float]]]:
    """Return microseconds per round of LinUCB and of the tight bonus, by number of arms.

    On a catalogue all arms count as learned from the start, because learned arms are what costs.
    """
    found: dict[str, dict[str, dict[str, float]]] = {}
    recipes = {"LinUCB": rb.policies.LinUCB(), "tight": rb.policies.RobustLinUCB(100.0)}
    for contexts in ("fixed", "fresh"):
        found[contexts] = {}
        for arms in TIGHT_ARMS:
            rounds, count = (1250, 8) if arms == 20 else (100, 2)
            problem, blocks = blocks_for(contexts, False, rounds, count, arms)
            catalogue = blocks[0].contexts[0] if contexts == "fixed" else None
            makers: dict[str, Callable[[], Player]] = {
                name: lambda p=policy, q=problem, c=catalogue: _player_with_known_arms(p, q, c)
                for name, policy in recipes.items()
            }
            times = fastest(makers, blocks, repeats if arms == 20 else 3)
            found[contexts][f"{arms}"] = times
    return found


def _player_with_known_arms(policy: Any, problem: Any, catalogue: Any) -> Player:
    """Return a player; if there is a catalogue, the tight bonus knows all of its arms."""
    game = Game(policy, ATTACK, problem, 0, 1000)
    learned = game.policy.optimist.learned
    if catalogue is not None and learned is not None:
        learned.contexts[:] = catalogue.T
        learned.known[:] = 1.0
    return game.advance


def _play_once(policy: Any, problem: Any) -> Player:
    """Return a player that starts a new game with every block; `fastest` plays the first twice."""

    def play(block: Rounds) -> None:
        Game(policy, ATTACK, problem, 0, 1000).advance(block)

    return play


def bench_start(names: Sequence[str]) -> dict[str, Any]:
    """Return seconds until each policy has played, with an empty cache and with a full one.

    Both wall-clock and processor time are returned, because other programs on the machine disturb
    processor time less. The entry ``ahead`` is the time until all policies are compiled in parallel
    processes, as ``robustbandits cache fill`` does it.
    """
    with tempfile.TemporaryDirectory() as folder:
        ahead = float(_run(COMPILE_AHEAD, names, folder))
    with tempfile.TemporaryDirectory() as folder:
        runs = [json.loads(_run(FIRST_GAMES, names, folder)) for _ in range(3)]
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
    print("Time per round, 20 arms x 10 dimensions, attack Garcelon: us, and multiple of LinUCB's")
    print(f"  {'':37} fresh arms          catalogue           catalogue with intercept")
    for name, row in report["rounds"].items():
        limit = MAX_RATIO_BY_POLICY.get(name, MAX_RATIO.get(setting(name)))
        ratio = max(value for key, value in row.items() if key.endswith("_ratio"))
        missed = "" if limit is None or ratio <= limit else ": MISSED"
        aim = "" if limit is None else f"  aim <= {limit:g}{missed}"
        cells = [
            f"{row[key]:8.3f} {row[key + '_ratio']:7.2f} x" if key in row else f"{'':18}"
            for key in ("fresh", "fixed", "intercept")
        ]
        print(f"  {name:26} {setting(name):10} {'  '.join(cells)}{aim}")
    if report["growth"]:
        print("\nTime per round of kernel policies (RBF), us, by the length of the game")
        for name, row in report["growth"].items():
            cells = "  ".join(f"{length}: {us:.2f}" for length, us in row.items())
            print(f"  {name:26} {cells}")
    show_tight(report["tight"])
    show_balls(report["balls"])
    count = len(report["rounds"])
    print(f"\nSeconds until all {count} policies have played, without the import of the package")
    for cache, limit in (("first", MAX_FIRST), ("cached", MAX_CACHED)):
        row = report["start"][cache]
        processor = f"(processor {row['processor']:.2f})"
        print(f"  {cache:8} {row['wall']:8.2f} {processor}  aim <= {limit:g}")
    ahead = report["start"]["ahead"]
    print(f"  ahead    {ahead['wall']:8.2f} on {ahead['cores']} cores  aim <= {MAX_FIRST:g}")
    seconds = report["start"]["first"]["by_policy"]
    slowest = sorted(seconds, key=lambda name: -seconds[name][1])[:5]
    print("  slowest  " + ", ".join(f"{name} {seconds[name][1]:.1f}" for name in slowest))


def show_tight(rows: dict[str, dict[str, dict[str, float]]]) -> None:
    print(
        "\nRobustLinUCB with the tight bonus, 10 dimensions, us, and multiple of LinUCB's; by arms"
    )
    limits = {"fixed": MAX_RATIO_BY_POLICY["RobustLinUCB"], "fresh": MAX_TIGHT_FRESH}
    for contexts, row in rows.items():
        ratios = {arms: times["tight"] / times["LinUCB"] for arms, times in row.items()}
        cells = [f"{arms}: {row[arms]['tight']:.2f} ({ratios[arms]:.2f} x)" for arms in row]
        missed = "" if ratios["20"] <= limits[contexts] else ": MISSED"
        aim = f"aim <= {limits[contexts]:g} x at 20{missed}"
        print(f"  {contexts:5}  {'  '.join(cells)}  {aim}")
    few, many = (rows["fixed"][f"{arms}"]["tight"] for arms in TIGHT_ARMS[-2:])
    growth = math.log(many / few) / math.log(TIGHT_ARMS[-1] / TIGHT_ARMS[-2])
    missed = "" if growth <= MAX_TIGHT_GROWTH else ": MISSED"
    print(f"  fixed, from 200 to 2,000 arms: K^{growth:.2f}  aim <= {MAX_TIGHT_GROWTH:g}{missed}")


def show_balls(row: dict[str, float]) -> None:
    print("\nLinUCB's round if the arms are a ball, us, by dimension; exponent of d")
    cells = [f"{dim}: {row[f'{dim}']:.2f}" for dim in BALLS]
    for low, high in itertools.pairwise(BALLS):
        growth = math.log(row[f"{high}"] / row[f"{low}"]) / math.log(high / low)
        cells[BALLS.index(high)] += f" (d^{growth:.1f})"
    print("  " + "  ".join(cells) + "  aim <= d^3")
    ratio = row["10"] / row["list"]
    is_met = row["10"] <= MAX_BALL and ratio <= MAX_BALL_RATIO
    print(
        f"  in 10: {ratio:.1f} x its round over 20 arms  aim <= {MAX_BALL:g} us, "
        f"<= {MAX_BALL_RATIO:g} x{'' if is_met else ': MISSED'}"
    )
    print(f"  first compilation of the search for the best arm: {row['compile']:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policies", nargs="*", metavar="POLICY", help="default: all policies")
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    names = options.policies or list(kinds("policies"))
    report = {
        "rounds": bench_rounds(names, options.repeats),
        "growth": bench_growth(names),
        "tight": bench_tight(options.repeats),
        "balls": bench_balls(),
        "start": bench_start(names),
    }
    show(report)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "policies.json"
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {path}")


if __name__ == "__main__":
    main()
