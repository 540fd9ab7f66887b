"""A small experiment, and comparisons of what it produced."""

import dataclasses
from pathlib import Path

import numpy as np

import robustbandits as rb
from robustbandits.experiments.plan import Plan, make_plan
from robustbandits.experiments.spec import Spec
from robustbandits.game.ledger import Ledger

TOML = """
name = "small"
rounds = {rounds}
seeds = {seeds}
points = 50

[environments.toy]
kind = "Simulation"
arms = 4
dim = 2

[attacks.NoAttack]

[attacks.Garcelon]
budget = 5.0

[policies.LinUCB]

[policies.Greedy]
"""
TOY = rb.environments.Simulation(arms=4, dim=2)


def small_spec(**changes) -> Spec:
    settings = {
        "name": "small",
        "environments": {"toy": TOY},
        "attacks": {"NoAttack": rb.attacks.NoAttack(), "Garcelon": rb.attacks.Garcelon(5.0)},
        "policies": {"LinUCB": rb.policies.LinUCB(), "Greedy": rb.policies.Greedy()},
        "rounds": 200,
        "seeds": 3,
        "points": 50,
    }
    return Spec(**{**settings, **changes})


def small_plan(**changes) -> Plan:
    return make_plan(small_spec(**changes))


class Failing:
    """An environment that raises an error in all matches but those of seed 0."""

    name = "Failing"

    def __init__(self, error: BaseException):
        self.error = error

    def to_dict(self):
        return {}

    def start(self, rounds, seed):
        if seed.entropy > 0:
            raise self.error
        return TOY.start(rounds, seed)


def bits(ledgers: list[Ledger]) -> list[tuple]:
    """Return everything in ledgers, to the last bit."""
    names = [field.name for field in dataclasses.fields(Ledger)]
    return [tuple(_bits(getattr(ledger, name)) for name in names) for ledger in ledgers]


def _bits(value):
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return type(value), value.hex() if isinstance(value, float) else value


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, with its contents."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
