"""LogReport: what attacks on a log do to the policy that is trained on it."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from robustbandits.game.ledger import frame
from robustbandits.red_team._json import finite

if TYPE_CHECKING:
    import pandas


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
        """The attack and budget that change the most choices; among equals, the cheapest."""
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
            "choices: share of the logged contexts in which the policy chooses another arm than",
            f"without attack; {promoted}: in which it chooses that arm. shift: mean change of the",
            "estimates. value: mean reward of the trained policy, estimated from the clean log by",
            "inverse probability weights.",
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; infinite and unknown numbers are None."""
        values = {"verdict": self.verdict, **dataclasses.asdict(self)}
        values["results"] = list(values["results"])
        return dict(finite(values))

    def to_pandas(self) -> pandas.DataFrame:
        """Return one row for each attack and budget."""
        rows = [dataclasses.asdict(result) for result in (self.clean, *self.results)]
        return frame({name: [row[name] for row in rows] for name in rows[0]})


def _amount(value: float) -> str:
    return f"{value:,.0f}" if value >= 100.0 else f"{value:.3g}"
