"""Plays a fixed list of games and prints every bit of them as JSON.

Run as a script it uses the loop of its process: compiled, or plain Python with
``NUMBA_DISABLE_JIT=1``. The tests compare the three ways to play.
"""

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import robustbandits as rb
from property.laws import NAMES, POLICIES, arrays_of, make_attack
from robustbandits.game.match import NATURE, Game, stream

# 13 arms are a tile of eight, a tile of four and a tile of one: see compiled/simd.py.
TILES = rb.environments.Simulation(arms=13, dim=3, noise=0.2)
CATALOGUE = rb.environments.Simulation(arms=13, dim=3, noise=0.2, contexts="fixed", intercept=False)
SMALL = rb.environments.Simulation(arms=2, dim=1)
BALL = rb.environments.UnitBall(dim=4, noise=0.2)


class Setting(NamedTuple):
    """One game."""

    environment: Any
    attack: Any
    policy: Any
    rounds: int


def settings() -> dict[str, Setting]:
    """Return every policy against every attack, other forms of both, and a few long games."""
    games = {
        f"{policy} - {attack}": Setting(TILES, make_attack(attack, 12.5), recipe, 200)
        for policy, recipe in POLICIES.items()
        for attack in NAMES
    }
    linucb, policies, attacks = rb.policies.LinUCB(), rb.policies, rb.attacks
    others = {
        "fixed": Setting(CATALOGUE, attacks.Garcelon(5.0), linucb, 300),
        "det": Setting(TILES, attacks.Oracle(5.0), policies.LinUCB(radius="det"), 200),
        "floor": Setting(TILES, attacks.Garcelon(5.0, replace="floor", purse="skip"), linucb, 200),
        "shift": Setting(TILES, attacks.Oracle(5.0, form="shift", purse="stop"), linucb, 200),
        "overdraw": Setting(TILES, attacks.FlipTheta(5.0, purse="reference"), linucb, 200),
        "every": Setting(TILES, attacks.ContextDilation(5.0, which="every"), linucb, 200),
        "written": Setting(
            TILES, attacks.Garcelon(5.0), policies.RobustBandit.as_written(epoch=30), 200
        ),
        "tight": Setting(CATALOGUE, attacks.Garcelon(5.0), policies.RobustLinUCB(5.0), 300),
        "tight, moved": Setting(
            CATALOGUE, attacks.ContextDilation(5.0), policies.RobustLinUCB(5.0), 300
        ),
        "tight, BOB": Setting(
            CATALOGUE, attacks.Garcelon(5.0), policies.BOBNoRestart(bonus="tight"), 300
        ),
        "coded": Setting(TILES, attacks.Garcelon(5.0), policies.BOBNoRestart.as_coded(), 200),
        "LinUCB, long": Setting(SMALL, attacks.Garcelon(5.0), linucb, 4200),
        "LinTS, long": Setting(SMALL, attacks.Garcelon(5.0), policies.LinTS(), 4200),
    }
    balls = {
        f"ball, {policy}": Setting(BALL, attacks.Garcelon(5.0), recipe, 200)
        for policy, recipe in POLICIES.items()
    }
    for attack in ("Oracle", "FlipTheta"):
        balls[f"ball, {attack}"] = Setting(BALL, make_attack(attack, 5.0), linucb, 200)
    return games | others | balls


def compiled_settings() -> dict[str, Setting]:
    """Return the games that are played with the compiled loop, too."""
    return {
        name: game
        for name, game in settings().items()
        if isinstance(game.policy, rb.policies.LinUCB)
        or isinstance(game.attack, rb.attacks.NoAttack | rb.attacks.Garcelon)
    }


def hexed(array: np.ndarray) -> list[str]:
    """Return numbers as hexadecimal text, without rounding."""
    return [float(value).hex() for value in array.ravel()]


def play_game(setting: Setting, seed: int = 5, *, in_python: bool = False) -> dict[str, Any]:
    """Play a game, with the compiled loop or in Python; return all of its bits."""
    nature = setting.environment.start(setting.rounds, stream(seed, NATURE))
    game = Game(setting.policy, setting.attack, nature.problem, seed, points=50)
    if in_python:
        game.play_in_python()
    for _ in range(4):
        game.advance(nature.draw(setting.rounds // 4))
    return {
        "regret": hexed(game.book.columns[:, 0]),
        "reward": hexed(game.book.columns[:, 1]),
        "spent": hexed(game.book.columns[:, 2]),
        "pulls": game.book.pulls.tolist(),
        "clock": game.book.clock.tolist(),
        "purse": hexed(game.purse.account),
        "policy stream": str(game.policy_rng.bit_generator.state),
        "attack stream": str(game.attack_rng.bit_generator.state),
        **{path: hexed(array) for path, array in arrays_of(game.policy)},
    }


if __name__ == "__main__":
    print(json.dumps({name: play_game(game) for name, game in settings().items()}))
