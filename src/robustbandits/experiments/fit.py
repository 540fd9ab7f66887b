"""Fit: who can play where. Some policies need the same arms in every round, and say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from robustbandits.game.match import NATURE, stream
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Policy

if TYPE_CHECKING:
    from robustbandits.experiments.engines.engine import Match


def problem_of(environment: Environment, rounds: int, seed: int) -> Problem:
    """Return the problem that an environment will pose; no round is drawn."""
    return environment.start(rounds, stream(seed, NATURE)).problem


def able(policies: Mapping[str, Policy], problem: Problem) -> list[str]:
    """Return the labels of the policies that do not refuse a problem for its kind.

    Whatever else is wrong with a recipe is raised: it would fail in every environment.
    """
    found = []
    for label, policy in policies.items():
        try:
            policy.start(problem)
        except UnsupportedProblem:
            continue
        found.append(label)
    return found


def check_fit(matches: Iterable[Match]) -> None:
    """Start every policy in every environment, so that one which refuses does so at once."""
    seen: list[Environment] = []
    for match in matches:
        if match.environment in seen:
            continue
        seen.append(match.environment)
        problem = problem_of(match.environment, match.rounds, match.seed)
        for policy in {id(policy): policy for _, policy in match.pairs}.values():
            policy.start(problem)
