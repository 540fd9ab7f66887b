"""FakeInjection: teach the policy records of visits that never happened."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from robustbandits.attacks._base import ArmIndex, AttackRecipe, check_arm, require_arms
from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import WEAK, knows
from robustbandits.game.parameters import Count, Share
from robustbandits.game.problem import Problem
from robustbandits.game.records import NO_RECORD
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats

# Positions in an account.
RIVAL, MADE = range(2)


@knows(WEAK)
class FakeInjectionState(NamedTuple):
    """What FakeInjection remembers."""

    target: int
    records: int
    every: int
    promotion: float
    account: Floats  # (2,) last chosen arm other than the target, or -1; records made so far

    @kernel
    def propose_record(
        self, scene: Scene, number: int, rng: np.random.Generator
    ) -> tuple[int, float]:
        account = self.account
        if account[RIVAL] < 0.0 or scene.round % self.every != 0 or number >= self.records:
            return NO_RECORD, 0.0
        # Of the first n records, promotion * n rounded up praise the target.
        praised = math.ceil(self.promotion * account[MADE])
        account[MADE] += 1.0
        if math.ceil(self.promotion * account[MADE]) > praised:
            return self.target, 1.0
        return int(account[RIVAL]), 0.0

    @kernel
    def watch(self, scene: Scene, arm: int, reward: float) -> None:
        if arm != self.target:
            self.account[RIVAL] = arm


@dataclass(frozen=True)
class FakeInjection(AttackRecipe):
    """Teach the policy fake records: the best reward for the target, the worst for its rival.

    A record is a context, an arm and a reward that the policy learns as if a visitor had given it;
    no round is played for it. This is the periodic, bounded injection of Zeng et al. (2025): every
    ``every`` rounds, at most ``records`` records, with legal rewards, in the contexts of that
    round. Their records lower every other arm; here they lower only the rival, the last chosen arm
    other than the target, which is ours. The share of records that praise the target, two of three
    by default, is from the offline injection of Zeng et al. (2026). A record costs 1.

    A policy's `learn` needs the memo of a decision, so the policy makes one for each fake visitor,
    with its own random numbers. Then it is taught the arm that the attack names instead.

    Parameters
    ----------
    budget, purse
        See :class:`~robustbandits.attacks._base.AttackRecipe`.
    target
        Index of the arm to promote.
    records
        Most records in one round.
    every
        Rounds from one injection to the next.
    promotion
        Share of the records that praise the target.

    References
    ----------
    Zeng et al. (2025); Zeng et al. (2026).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "fake records",
        "the arms of earlier rounds",
        timing="before the choice",
        knowledge=WEAK,
        goal="promote a target",
        cost="one choice and one update of the policy for each record",
    )

    _: KW_ONLY
    target: ArmIndex = 0
    records: Count = 1
    every: Count = 1
    promotion: Share = 2 / 3

    def start(self, problem: Problem) -> FakeInjectionState:
        require_arms(problem, self.name)
        target = check_arm("target", self.target, problem)
        account = np.array([-1.0, 0.0])
        return FakeInjectionState(target, self.records, self.every, self.promotion, account)
