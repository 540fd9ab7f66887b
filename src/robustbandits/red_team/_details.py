"""What the worst attack does to the target, and what attackers of each level of knowledge do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits.attacks._base import count_top
from robustbandits.attacks.oracle_target import OracleTarget
from robustbandits.attacks.wrappers.shadow import Shadow
from robustbandits.game.knowledge import BLACK_BOX, OMNISCIENT, knowledge_of
from robustbandits.game.ledger import Ledger
from robustbandits.game.problem import UnsupportedProblem
from robustbandits.game.simulate import simulate
from robustbandits.kernels.linalg import Floats
from robustbandits.metrics.audit import attacked_rounds, spent
from robustbandits.metrics.damage import amplification
from robustbandits.metrics.groups import final_regrets
from robustbandits.metrics.recovery_times import recovery
from robustbandits.metrics.regret import late_rate
from robustbandits.red_team._suite import BLACKBOX

if TYPE_CHECKING:
    from robustbandits.red_team.report import RedTeamReport


class Details(NamedTuple):
    """What the worst attack does to the target; means over seeds."""

    regret: float
    clean_regret: float  # without attack
    control_regret: float  # under random changes with the same budget; NaN if not played
    per_unit: float  # excess regret for each unit that was spent
    spent: float
    attacked_rounds: float
    mean_change: float  # of an attacked round
    lost: float  # over the last tenth, as a share of what uniform play loses
    recovered: float  # share of the games that recover after the last attack
    recovery: float  # median time to recovery in rounds; infinite if fewer than half recover
    best_arm: float  # share of rounds in which the best arm is played; NaN if arms are not fixed
    clean_best_arm: float
    wanted_arms: float  # share of rounds in which the attacker gets an arm that it wants; or NaN
    clean_wanted_arms: float


class Knowledge(NamedTuple):
    """The worst attack of a group: those that are at most black-box, or those that know more."""

    attack: str
    regret: float  # of the target with the largest budget, mean over seeds
    budget: float  # the smallest budget of the grid with which one of them hijacks, or infinite


def measure(report: RedTeamReport) -> Details:
    """Return what the worst attack does to the target."""
    clean, games = report.clean_games, report.worst_games
    gap = float(np.mean([report.gaps[seed] for seed in report.seeds]))
    late = np.mean(late_rate.by_seed(games)) - np.mean(late_rate.by_seed(clean))
    recoveries = recovery(games, clean, tolerance=0.01 * gap)
    cost, attacked = np.mean(spent.by_seed(games)), np.mean(attacked_rounds.by_seed(games))
    control = report.control_games
    best_arm, clean_best_arm = (_share(report, group, _best) for group in (games, clean))
    wanted, clean_wanted = (_share(report, group, wanted_arms) for group in (games, clean))
    return Details(
        regret=float(final_regrets(games).mean()),
        clean_regret=float(final_regrets(clean).mean()),
        control_regret=float(final_regrets(control).mean()) if control else math.nan,
        per_unit=amplification(games, clean).value,
        spent=float(cost),
        attacked_rounds=float(attacked),
        mean_change=float(cost / attacked) if attacked else math.nan,
        lost=float(late / gap) if gap else math.nan,
        recovered=float(recoveries.recovered.mean()) if len(recoveries.recovered) else math.nan,
        recovery=recoveries.median,
        best_arm=best_arm,
        clean_best_arm=clean_best_arm,
        wanted_arms=wanted,
        clean_wanted_arms=clean_wanted,
    )


def _share(report: RedTeamReport, games: Sequence[Ledger], arms: Any) -> float:
    """Return the share of rounds with one of these arms; NaN if arms are not fixed or unknown."""
    shares = []
    for ledger in games:
        _, means = report.catalogue(ledger.seed)
        chosen = None if means is None else arms(report.worst_recipe, means)
        if chosen is None:
            return math.nan
        shares.append(float(ledger.pulls[chosen].sum()) / report.rounds)
    return float(np.mean(shares))


def _best(attack: Any, means: Floats) -> npt.NDArray[np.intp]:
    return np.array([means.argmax()])


def wanted_arms(attack: Any, means: Floats) -> npt.NDArray[np.intp] | None:
    """Return the arms that an attack wants to be played: its target, or all but the best ones.

    None if it wants none in particular, or finds its target only in the game.
    """
    if hasattr(attack, "attack"):  # an attack around another one
        return wanted_arms(attack.attack, means)
    if isinstance(attack, OracleTarget) and attack.target is None:
        return np.array([means.argmin()])
    if hasattr(attack, "target"):
        return None if attack.target is None else np.array([attack.target])
    if hasattr(attack, "top"):
        return np.argsort(-means, kind="stable")[count_top(attack.top, len(means)) :]
    return None


def by_knowledge(report: RedTeamReport) -> dict[str, Knowledge]:
    """Return the worst attack that is at most black-box, and the worst that knows more."""
    groups: dict[str, list[str]] = {BLACK_BOX: [], OMNISCIENT: []}
    for name in report.attacks:
        level = knowledge_of(report.recipe(name).start(report.problem))
        groups[BLACK_BOX if level in BLACKBOX else OMNISCIENT].append(name)
    return {level: _worst(report, names) for level, names in groups.items() if names}


def shadow_regret(report: RedTeamReport) -> float:
    """Return the mean regret under the worst attack with estimates of what outsiders cannot see."""
    attack = report.worst_recipe
    if knowledge_of(attack.start(report.problem)) in BLACKBOX:
        return math.nan
    try:
        shadow = Shadow(attack)
        shadow.start(report.problem)
    except (ValueError, TypeError, UnsupportedProblem):  # it cannot be played with estimates
        return math.nan
    environment = report.experiment.spec.environments[report.environment]
    regrets = [
        simulate(
            environment=environment,
            attack=shadow,
            policy=report.policy,
            rounds=report.rounds,
            seed=seed,
            points=1,
        ).final_regret
        for seed in report.seeds
    ]
    return float(np.mean(regrets))


def _worst(report: RedTeamReport, names: Sequence[str]) -> Knowledge:
    regrets = {name: report.matrix[name][report.target].value for name in names}
    attack = max(regrets, key=lambda name: regrets[name])
    return Knowledge(attack, regrets[attack], report.smallest_hijack(report.target, names))
