"""The paper's Figure 1, under the readings that its text and code leave open."""

from __future__ import annotations

from typing import NamedTuple

from robustbandits import attacks, environments, policies
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Attack, Policy

BUDGET = 100.0


class Reading(NamedTuple):
    """One way to read the paper."""

    name: str
    about: str
    environments: dict[str, Environment]
    attacks: dict[str, Attack]
    policies: dict[str, Policy]


def _attacks() -> dict[str, Attack]:
    return {
        "Garcelon": attacks.Garcelon(BUDGET),
        "Oracle": attacks.Oracle(BUDGET),
        "no attack": attacks.NoAttack(),
    }


def as_written() -> Reading:
    """Return the reading that follows the text to the letter."""
    return Reading(
        name="as-written",
        about="the paper's text to the letter: no intercept, so the linear model is wrong by 1/2",
        environments={"simulation": environments.Simulation(intercept=False)},
        attacks=_attacks(),
        policies={
            "LinUCB": policies.LinUCB(),
            "LinTS": policies.LinTS(),
            "Greedy": policies.Greedy(),
            "RobustBandit": policies.RobustBandit.as_written(),
            "BOB-No-Restart": policies.BOBNoRestart.as_written(),
        },
    )


def well_specified() -> Reading:
    """Return the reading that a statistician would run: the library's defaults."""
    return Reading(
        name="well-specified",
        about="with an intercept, so the linear model is right; policies with our defaults",
        environments={"simulation": environments.Simulation()},
        attacks=_attacks(),
        policies={
            "LinUCB": policies.LinUCB(),
            "LinTS": policies.LinTS(),
            "Greedy": policies.Greedy(),
            "RobustBandit": policies.RobustBandit(),
            "BOB-No-Restart": policies.BOBNoRestart(),
        },
    )


READINGS = {"as-written": as_written, "well-specified": well_specified}
