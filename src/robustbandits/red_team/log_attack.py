"""redteam_log: how far attacks on a log move the policy that is trained on it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from robustbandits.attacks.oracle_target import OracleTarget
from robustbandits.attacks.promote import Promote
from robustbandits.game import require
from robustbandits.game.defaults import ROUNDS
from robustbandits.game.facts import start_policy
from robustbandits.game.object_policy import PolicyLike
from robustbandits.kernels.linalg import Floats
from robustbandits.red_team._hijack import smallest_budget
from robustbandits.red_team._labels import NO_ATTACK
from robustbandits.red_team._suite import BUDGETS, choose_attacks, playable, with_budget
from robustbandits.red_team._target import as_target
from robustbandits.red_team._training import (
    Trained,
    Truth,
    can_change_logs,
    fit_means,
    problem_of,
    train,
)
from robustbandits.red_team.log_file import Log, read_log
from robustbandits.red_team.log_report import LogReport, LogResult

#: An arm is preferred if the policy chooses it in more than this share of the logged contexts.
PREFERRED_SHARE = 0.5
#: The search for the smallest budget begins at the largest one divided by this.
RANGE = 1000.0


def redteam_log(
    target: PolicyLike | str,
    log: Log | str | os.PathLike[str],
    *,
    attacks: str | Sequence[Any] = "quick",
    budgets: Sequence[float] | None = None,
    rounds: int = ROUNDS,
    promote: int | None = None,
) -> LogReport:
    """Attack a log, and report how far the policy that is trained on it moves.

    The policy learns the log row by row. An attack changes some of the contexts or rewards that it
    learns, and is limited by its budget as in a game. Attacks that know the mean rewards are given
    those of a ridge regression of the clean log. Then the policy is asked which arm it prefers in
    each of the logged contexts, unchanged.

    Parameters
    ----------
    target
        The policy, as for :func:`~robustbandits.red_team.redteam.redteam`.
    log
        A log, or a file: see :func:`~robustbandits.red_team.log_file.read_log`.
    attacks, budgets
        As for :func:`~robustbandits.red_team.redteam.redteam`.
    rounds
        The largest number of rows to use.
    promote
        The arm to promote: the report has the smallest budget with which the policy prefers it in
        more than half of the logged contexts. By default the arm that the policy prefers least
        often without an attack.

    Examples
    --------
    >>> import numpy as np
    >>> import robustbandits as rb
    >>> rng = np.random.default_rng(0)
    >>> arms = rng.integers(2, size=200)
    >>> log = rb.Log(np.broadcast_to(np.eye(2), (200, 2, 2)), arms, 0.8 - 0.4 * arms)
    >>> report = rb.redteam_log("LinUCB", log, attacks="Garcelon", budgets=[100])
    >>> report.promoted_arm, report.worst.changed_choices
    (1, 1.0)
    """
    if not isinstance(log, Log):
        log = read_log(log, rounds)
    log = _first_rows(log, require.count("rounds", rounds))
    label, policy = as_target(target)
    truth = fit_means(log)
    problem = problem_of(log, truth)
    start_policy(policy, problem)
    suite = playable(choose_attacks(attacks, allow_import=True), problem)
    chosen = {name: attack for name, attack in suite.items() if can_change_logs(attack, problem)}
    if not chosen:
        raise ValueError(
            f"attacks must include one that can change a log, such as Garcelon; got "
            f"{', '.join(suite)}"
        )
    sorted_budgets = sorted({require.positive("budgets", budget) for budget in budgets or BUDGETS})
    clean = train(policy, log, truth)
    arm = _promoted_arm(promote, clean, truth)
    results = []
    for name, attack in chosen.items():
        for budget in sorted_budgets:
            trained = train(policy, log, truth, with_budget(attack, budget))
            results.append(_compare(name, budget, trained, clean, log, arm))
    budget, attack_name = _budget_to_promote(policy, log, truth, arm)
    _, arms, dim = log.contexts.shape
    return LogReport(
        target=label,
        log=log.name,
        rows=len(log),
        arms=arms,
        dim=dim,
        clean=_compare(NO_ATTACK, 0.0, clean, clean, log, arm),
        results=tuple(results),
        promoted_arm=arm,
        budget_to_promote=budget,
        promoting_attack=attack_name,
    )


def _first_rows(log: Log, rows: int) -> Log:
    if len(log) <= rows:
        return log
    chances = None if log.probabilities is None else log.probabilities[:rows]
    return Log(log.contexts[:rows], log.arms[:rows], log.rewards[:rows], chances, log.name)


def _compare(
    name: str, budget: float, trained: Trained, clean: Trained, log: Log, arm: int
) -> LogResult:
    shifts = None
    if trained.estimates is not None and clean.estimates is not None:
        shifts = np.abs(trained.estimates - clean.estimates)
    value, ips_value = _values(trained.chances, log)
    return LogResult(
        attack=name,
        budget=budget,
        spent=trained.spent,
        changed_rows=trained.changed_rows,
        changed_choices=float((trained.choices != clean.choices).mean()),
        promoted_share=float((trained.choices == arm).mean()),
        mean_shift=math.nan if shifts is None else float(shifts.mean()),
        largest_shift=math.nan if shifts is None else float(shifts.max()),
        value=value,
        ips_value=ips_value,
    )


def _values(chances: Floats, log: Log) -> tuple[float, float]:
    """Return the self-normalised and the plain estimate of a policy's mean reward."""
    if log.probabilities is None:
        return math.nan, math.nan
    weights = chances / log.probabilities
    total = float(weights.sum())
    gained = float((weights * log.rewards).sum())
    return gained / total if total > 0.0 else math.nan, gained / len(log)


def _promoted_arm(arm: int | None, clean: Trained, truth: Truth) -> int:
    count = truth.means.shape[1]
    if arm is not None:
        if require.count("promote", arm, low=0) >= count:
            raise ValueError(f"promote must be < {count}, the number of arms; got {arm}")
        return arm
    shares = np.bincount(clean.choices, minlength=count)
    return int(np.lexsort((truth.means.mean(axis=0), shares))[0])


def _budget_to_promote(policy: Any, log: Log, truth: Truth, arm: int) -> tuple[float, str | None]:
    """Return the smallest budget found that makes a policy prefer an arm, and its attack."""
    found: tuple[float, str | None] = (math.inf, None)
    for attack in (OracleTarget(1.0, target=arm), Promote(1.0, target=arm)):

        def prefers(budget: float, attack: Any = attack) -> bool:
            trained = train(policy, log, truth, with_budget(attack, budget))
            return bool((trained.choices == arm).mean() > PREFERRED_SHARE)

        high = min(float(len(log)), found[0])  # a row costs 1 at most
        if prefers(high):
            budget = smallest_budget(high / RANGE, high, prefers)
            found = (budget, attack.name) if budget < found[0] else found
    return found
