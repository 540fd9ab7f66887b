"""Measure choose + learn of other libraries and of our agent in the same rounds, 20 x 10.

Run by ``make bench``. Libraries that are not installed are left out. All but ours and NumPy are
called through ``rb.adapters``, which adds a few microseconds.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

import robustbandits as rb
from robustbandits.game.match import NATURE, stream

ARMS, DIM = 20, 10
PEERS: dict[str, dict[str, Any]] = {
    "vowpalwabbit:cb_explore_adf": {"epsilon": 0.05, "layout": "joint"},
    "river:LinUCBDisjoint": {"layout": "shared"},
    "coba:LinUCBLearner": {"alpha": 0.3, "features": ["a"], "layout": "joint"},
    "contextualbandits:LinUCB": {"alpha": 0.3, "beta_prior": None, "layout": "per-arm"},
    "mabwiser:LinUCB": {"alpha": 0.3, "layout": "joint"},
    "bayesianbandits:ThompsonSampling": {"layout": "shared"},
}


class Ours:
    """LinUCB in our agent."""

    def __init__(self) -> None:
        self._agent = rb.Agent(rb.policies.LinUCB(), arms=ARMS, dim=DIM)

    def choose(self, contexts: Any) -> int:
        """Return an arm."""
        self._decision = self._agent.choose(contexts)
        return self._decision.arm

    def learn(self, contexts: Any, arm: int, reward: float) -> None:
        """Learn the reward of the last choice."""
        self._agent.learn(self._decision, reward)


class InNumPy:
    """LinUCB in vectorized NumPy."""

    def __init__(self) -> None:
        self._inverse, self._theta, self._rounds = np.eye(DIM) / 0.1, np.zeros(DIM), 0

    def choose(self, contexts: Any) -> int:
        """Return an arm."""
        self._rounds += 1
        beta = 0.1 * math.sqrt(DIM * math.log((1 + self._rounds / 0.1) / 0.01)) + math.sqrt(0.1)
        widths = np.sqrt(np.einsum("ad,ad->a", contexts @ self._inverse, contexts))
        return int(np.argmax(contexts @ self._theta + beta * widths))

    def learn(self, contexts: Any, arm: int, reward: float) -> None:
        """Learn the reward of the last choice."""
        x = contexts[arm]
        image = self._inverse @ x
        shrink = 1 / (1 + x @ image)
        self._theta += shrink * (reward - x @ self._theta) * image
        self._inverse -= shrink * np.outer(image, image)


def players() -> dict[str, Any]:
    """Return our agent, NumPy, and the peers that are installed."""
    found: dict[str, Any] = {"robustbandits:LinUCB": Ours(), "NumPy:LinUCB": InNumPy()}
    for name, parameters in PEERS.items():
        try:
            found[name] = rb.adapters.named(name, **parameters)(arms=ARMS, seed=1)
        except ImportError as error:
            print(f"{name} is left out: {error}")
    return found


def measure(rounds: int, slices: int) -> dict[str, float]:
    """Return microseconds per round; players take turns, and the best slice of rounds counts."""
    nature = rb.environments.Simulation(arms=ARMS, dim=DIM, intercept=False).start(
        rounds, stream(0, NATURE)
    )
    block = nature.draw(rounds)
    shown = [np.ascontiguousarray(contexts.T) for contexts in block.contexts]
    found = players()
    best = dict.fromkeys(found, float("inf"))
    for part in np.array_split(np.arange(rounds), slices):
        for name, player in found.items():
            start = time.perf_counter()
            for t in part:
                arm = player.choose(shown[t])
                player.learn(shown[t], arm, float(block.means[t, arm] + block.noise[t]))
            best[name] = min(best[name], (time.perf_counter() - start) / len(part) * 1e6)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--rounds", type=int, default=1000)
    arguments = parser.parse_args()
    times = measure(arguments.rounds, slices=20)
    print(f"\nChoose + learn, {ARMS} x {DIM}, same rounds")
    for name, value in sorted(times.items(), key=lambda item: item[1]):
        ratio = value / times["robustbandits:LinUCB"]
        print(f"  {name:34s} {value:10.1f} µs{ratio:8.1f} x ours")
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "peers.json"
    path.write_text(json.dumps(times, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {path}")


if __name__ == "__main__":
    main()
