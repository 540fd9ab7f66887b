"""The ledger: the record of a game.

The loop keeps a :class:`Book`, which records sums after at most a thousand of the rounds
(`POINTS`), so that memory does not grow with the length of the game. At the end the book becomes a
:class:`Ledger`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits._extras import missing_package
from robustbandits.compiled.jit import kernel
from robustbandits.game.purse import (
    BAD,
    CLIPPED,
    COMMITTED,
    LONGEST_MOVES,
    ON_CONTEXTS,
    ON_REWARDS,
    RECORDS,
    SPENT,
    SQUARES,
    SWAP_LOSS,
    SWAPS,
    Purse,
)
from robustbandits.kernels.linalg import Floats

if TYPE_CHECKING:
    import pandas

Integers = npt.NDArray[np.int64]

#: Default for the largest number of recorded rounds.
POINTS = 1000

#: How papers count what an attack does. The purse enforces the first, `change`, for every attack;
#: the others are counted.
COSTS = {
    "change": "what the budget pays for: reward_change + context_change + swaps + records",
    "reward_change": "sum of |seen reward - reward|",
    "context_change": "sum over rounds and arms of the length by which a context moved",
    "longest_context_change": "sum over rounds of the longest move of a context in the round",
    "committed_change": "sum over rounds of the largest change over all arms, chosen or not, that "
    "was decided before the choice; reward_change for attacks that decide later",
    "l2_reward_change": "square root of the sum of (seen reward - reward)²",
    "rounds": "rounds in which anything was changed",
    "swaps": "rounds in which another arm was played than the policy chose",
    "swap_regret": "the part of the regret that swaps cause directly: mean rewards of the policy's "
    "choices, minus those of the arms that were played",
    "records": "fake records that the policy was taught",
}
ENFORCED_COST = "change"

REGRET, REWARD, SEEN = range(3)
PLAYED, RECORDED, ATTACKED, LAST_ATTACK = range(4)


class Book(NamedTuple):
    """A ledger while its game is played."""

    marks: Integers  # (points,) after how many rounds to record
    clock: Integers  # (4,) rounds played; marks recorded; rounds attacked; last round attacked
    sums: Floats  # (3,) regret, rewards earned, rewards seen
    pulls: Integers  # (arms,) how often each arm was chosen
    columns: Floats  # (points, 4) at each mark: regret, rewards earned, spent, rounds attacked


def open_book(rounds: int, arms: int, points: int = POINTS) -> Book:
    """Return an empty book for a game of this length."""
    marks = np.unique(np.linspace(0, rounds, min(points, rounds) + 1).round().astype(np.int64)[1:])
    return Book(
        marks=marks,
        clock=np.zeros(4, dtype=np.int64),
        sums=np.zeros(3),
        pulls=np.zeros(arms, dtype=np.int64),
        columns=np.zeros((len(marks), 4)),
    )


@kernel
def record_round(
    book: Book, purse: Purse, arm: int, regret: float, reward: float, seen: float, attacked: bool
) -> None:
    """Record one round."""
    book.sums[REGRET] += regret
    book.sums[REWARD] += reward
    book.sums[SEEN] += seen
    book.pulls[arm] += 1
    book.clock[PLAYED] += 1
    if attacked:
        book.clock[ATTACKED] += 1
        book.clock[LAST_ATTACK] = book.clock[PLAYED]
        purse.account[ON_REWARDS] += abs(seen - reward)
        purse.account[SQUARES] += (seen - reward) * (seen - reward)
    point = book.clock[RECORDED]
    if point < book.marks.shape[0] and book.clock[PLAYED] == book.marks[point]:
        book.columns[point, 0] = book.sums[REGRET]
        book.columns[point, 1] = book.sums[REWARD]
        book.columns[point, 2] = purse.account[SPENT]
        book.columns[point, 3] = book.clock[ATTACKED]
        book.clock[RECORDED] = point + 1


@dataclass(frozen=True, eq=False, repr=False)
class Ledger:
    """The record of a game.

    Attributes
    ----------
    environment, attack, policy, seed
        Names of what was played, and the seed of the match.
    rounds
        Recorded rounds, evenly spaced, counted from 1; the last one is the last of the game.
    regret
        Cumulative pseudo-regret after each recorded round: the sum of the clean mean rewards of
        the best arms, minus that of the arms that were played.
    reward
        Cumulative clean reward after each recorded round.
    spent_so_far, attacked_so_far
        What the attack had spent, and how many rounds it had changed, after each recorded round.
    pulls
        How often each arm was chosen.
    spent
        What the attack spent in all, of which ``spent_on_contexts`` was for contexts.
    attacked_rounds, last_attack
        How many rounds the attack changed, and the last of them (0 if none).
    bad_proposals, clipped_proposals
        Proposals that were ignored because they were not finite or named an arm that does not
        exist, and those that were clipped.
    seen_reward
        Sum of the rewards that the policy saw.
    costs
        What the attack did, counted in each way that papers use (:data:`COSTS`); the budget limits
        :attr:`enforced_cost`. Empty if the game was stored by a version that did not count them.
    """

    environment: str
    attack: str
    policy: str
    seed: int
    rounds: Integers
    regret: Floats
    reward: Floats
    spent_so_far: Floats
    attacked_so_far: Floats
    pulls: Integers
    spent: float
    spent_on_contexts: float
    attacked_rounds: int
    last_attack: int
    bad_proposals: int
    clipped_proposals: int
    seen_reward: float
    costs: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"Ledger(environment={self.environment!r}, attack={self.attack!r}, "
            f"policy={self.policy!r}, seed={self.seed}, rounds={self.rounds[-1]:,}, "
            f"regret={self.final_regret:,.1f}, spent={self.spent:,.1f})"
        )

    @property
    def final_regret(self) -> float:
        """Regret of the whole game."""
        return float(self.regret[-1])

    @property
    def final_reward(self) -> float:
        """Clean reward of the whole game."""
        return float(self.reward[-1])

    @property
    def enforced_cost(self) -> str:
        """Name of the cost that the budget limits: ``costs[enforced_cost]`` equals ``spent``."""
        return ENFORCED_COST

    def rows(self) -> dict[str, Any]:
        """Tidy columns: one row for each recorded round."""
        size = len(self.rounds)
        return {
            "environment": [self.environment] * size,
            "attack": [self.attack] * size,
            "policy": [self.policy] * size,
            "seed": np.full(size, self.seed),
            "round": self.rounds,
            "regret": self.regret,
            "reward": self.reward,
            "spent": self.spent_so_far,
            "attacked_rounds": self.attacked_so_far.astype(np.int64),
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Tidy rows as a data frame."""
        return frame(self.rows())


def frame(columns: dict[str, Any]) -> pandas.DataFrame:
    """Return a data frame; without pandas, raise ImportError that says how to install it."""
    try:
        import pandas
    except ImportError:
        raise missing_package("to_pandas needs", "pandas", "pandas") from None
    return pandas.DataFrame(columns)


def close_book(book: Book, purse: Purse, names: tuple[str, str, str], seed: int) -> Ledger:
    """Turn the book of a finished game into its ledger."""
    environment, attack, policy = names
    regret, reward, spent, attacked = (np.ascontiguousarray(column) for column in book.columns.T)
    return Ledger(
        environment=environment,
        attack=attack,
        policy=policy,
        seed=seed,
        rounds=book.marks,
        regret=regret,
        reward=reward,
        spent_so_far=spent,
        attacked_so_far=attacked,
        pulls=book.pulls,
        spent=float(purse.account[SPENT]),
        spent_on_contexts=float(purse.account[ON_CONTEXTS]),
        attacked_rounds=int(book.clock[ATTACKED]),
        last_attack=int(book.clock[LAST_ATTACK]),
        bad_proposals=int(purse.account[BAD]),
        clipped_proposals=int(purse.account[CLIPPED]),
        seen_reward=float(book.sums[SEEN]),
        costs=_costs(book, purse),
    )


def _costs(book: Book, purse: Purse) -> dict[str, float]:
    """Return what an attack did, counted in each of the ways of :data:`COSTS`."""
    account = purse.account.tolist()
    return {
        "change": account[SPENT],
        "reward_change": account[ON_REWARDS],
        "context_change": account[ON_CONTEXTS],
        "longest_context_change": account[LONGEST_MOVES],
        "committed_change": account[COMMITTED] or account[ON_REWARDS],
        "l2_reward_change": math.sqrt(account[SQUARES]),
        "rounds": float(book.clock[ATTACKED]),
        "swaps": account[SWAPS],
        "swap_regret": account[SWAP_LOSS],
        "records": account[RECORDS],
    }
