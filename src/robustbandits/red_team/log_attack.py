"""redteam_log: how far attacks on a log move the policy that is trained on it."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from robustbandits.attacks.oracle_target import OracleTarget
from robustbandits.attacks.promote import Promote
from robustbandits.game import require
from robustbandits.game.defaults import ROUNDS
from robustbandits.game.facts import start_policy
from robustbandits.game.ledger import frame
from robustbandits.game.object_policy import PolicyLike
from robustbandits.kernels.linalg import Floats
from robustbandits.red_team._hijack import smallest_budget
from robustbandits.red_team._suite import choose_attacks, playable, with_budget
from robustbandits.red_team._target import as_target
from robustbandits.red_team._training import Trained, Truth, fit_means, problem_of, train
from robustbandits.red_team.log_file import Log, read_log

if TYPE_CHECKING:
    import pandas

BUDGETS = (10.0, 30.0, 100.0, 300.0)
#: An arm is preferred if the policy chooses it in this share of the logged contexts.
MOST = 0.5
#: The search for the smallest budget begins this far below the largest one.
RANGE = 1000.0


@dataclass(frozen=True)
class LogResult:
    """What an attack with a budget does to the policy that is trained on the log.

    Attributes
    ----------
    attack, budget, spent, changed_rows
        The attack; what it may spend, spends, and in how many rows it changes something.
    changed_choices
        Share of the logged contexts for which the trained policy prefers another arm.
    promoted_share
        Share of the logged contexts for which it prefers the promoted arm.
    mean_shift, largest_shift
        How far its estimates of mean rewards move, over all arms; NaN if not known.
    value, ips_value
        Mean reward of the trained policy, estimated with the clean log by inverse probability
        weights: self-normalised and plain; NaN if the log has no probabilities.
    """

    attack: str
    budget: float
    spent: float
    changed_rows: int
    changed_choices: float
    promoted_share: float
    mean_shift: float
    largest_shift: float
    value: float
    ips_value: float


@dataclass(frozen=True)
class LogReport:
    """How far attacks on a log move the policy that is trained on it.

    Attributes
    ----------
    target, log, rows, arms, dim
        The policy, the log and its size.
    clean
        The policy that is trained on the log as it is.
    results
        Every attack with every budget.
    promoted_arm
        The arm to promote.
    budget_to_promote, promoting_attack
        The smallest budget found that makes the policy prefer that arm in most logged contexts,
        and its attack; infinite and None if no attack does.
    """

    target: str
    log: str
    rows: int
    arms: int
    dim: int
    clean: LogResult
    results: tuple[LogResult, ...]
    promoted_arm: int
    budget_to_promote: float
    promoting_attack: str | None

    @property
    def worst(self) -> LogResult:
        """The attack and budget that change the most choices; of equal ones the least spent."""
        return max(self.results, key=lambda result: (result.changed_choices, -result.spent))

    @property
    def verdict(self) -> str:
        """What was found, in two sentences."""
        worst = self.worst
        harm = (
            f"chooses another arm in {worst.changed_choices:.0%} of the logged contexts if "
            f"{worst.attack} spends {_amount(worst.spent)}"
        )
        if worst.changed_choices == 0.0:
            most = max(result.budget for result in self.results)
            harm = f"chooses the same arms under every attack with a budget of up to {most:g}"
        if math.isfinite(self.budget_to_promote):
            promotion = (
                f"A budget of {_amount(self.budget_to_promote)} makes it prefer arm "
                f"{self.promoted_arm} in most contexts ({self.promoting_attack})."
            )
        else:
            promotion = f"No attack makes it prefer arm {self.promoted_arm} in most contexts."
        return f"{self.target}, trained on {self.log}, {harm}. {promotion}"

    def __str__(self) -> str:
        head = f"{'attack':32}{'budget':>8}{'spent':>9}{'rows':>9}{'choices':>9}"
        lines = [self.verdict, "", f"{self.rows:,} rows, {self.arms} arms, {self.dim} features"]
        promoted = f"arm {self.promoted_arm}"
        lines += ["", f"{head}{promoted:>9}{'shift':>9}{'value':>9}"]
        for result in (self.clean, *self.results):
            lines.append(
                f"{result.attack:32.32}{result.budget:>8g}{result.spent:>9.3g}"
                f"{result.changed_rows:>9,}{result.changed_choices:>9.0%}"
                f"{result.promoted_share:>9.0%}{result.mean_shift:>9.3g}{result.value:>9.4g}"
            )
        lines += [
            "",
            "choices: share of the logged contexts with another choice than without attack; arm:",
            "with that arm as the choice. shift: mean change of the estimates. value: mean reward",
            "of the trained policy, estimated from the clean log by inverse probability weights.",
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; infinite and unknown numbers are None."""
        values = {"verdict": self.verdict, **dataclasses.asdict(self)}
        values["results"] = list(values["results"])
        return dict(_finite(values))

    def to_pandas(self) -> pandas.DataFrame:
        """Return one row for each attack and budget."""
        rows = [dataclasses.asdict(result) for result in (self.clean, *self.results)]
        return frame({name: [row[name] for row in rows] for name in rows[0]})


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

    The policy learns the logged arms and rewards, row by row. An attack changes some of them, and
    is limited by its budget as in a game. Attacks that know the mean rewards are given those of a
    ridge regression of the clean log. What the policy then prefers is asked for all logged
    contexts, unchanged.

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
        The arm for which the smallest budget is searched; by default the one that the policy
        prefers least often without an attack.

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
    chosen = playable(choose_attacks(attacks, allow_import=True), problem)
    grid = sorted({require.positive("budgets", budget) for budget in budgets or BUDGETS})
    clean = train(policy, log, truth)
    arm = _promoted_arm(promote, clean, truth)
    results = []
    for name, attack in chosen.items():
        for budget in grid:
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
        clean=_compare("NoAttack", 0.0, clean, clean, log, arm),
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
            return bool((trained.choices == arm).mean() > MOST)

        high = min(float(len(log)), found[0])  # a row costs 1 at most
        if prefers(high):
            budget = smallest_budget(high / RANGE, high, prefers)
            found = (budget, attack.name) if budget < found[0] else found
    return found


def _amount(value: float) -> str:
    return f"{value:,.0f}" if value >= 100.0 else f"{value:.3g}"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
