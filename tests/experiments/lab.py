"""A small experiment, and what must be equal whoever played it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

import robustbandits as rb
from robustbandits.experiments.plan import make_plan
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


def small_spec(**changes) -> Spec:
    settings = {
        "name": "small",
        "environments": {"toy": rb.environments.Simulation(arms=4, dim=2)},
        "attacks": {"NoAttack": rb.attacks.NoAttack(), "Garcelon": rb.attacks.Garcelon(5.0)},
        "policies": {"LinUCB": rb.policies.LinUCB(), "Greedy": rb.policies.Greedy()},
        "rounds": 200,
        "seeds": 3,
        "points": 50,
    }
    return Spec(**{**settings, **changes})


def small_plan(**changes):
    return make_plan(small_spec(**changes))


def bits(ledgers: list[Ledger]) -> list[tuple]:
    """Everything in ledgers, to the last bit."""
    return [tuple(_bits(getattr(one, f.name)) for f in dataclasses.fields(one)) for one in ledgers]


def _bits(value):
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return type(value), value.hex() if isinstance(value, float) else value


def picture(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, with its contents."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
