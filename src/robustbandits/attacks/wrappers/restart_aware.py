"""RestartAware: spend the budget in step with the epochs of a policy that restarts."""

from __future__ import annotations

import functools
import math
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

from robustbandits.attacks.wrappers._schedule import OF_THE_ATTACK, Schedule, rounds_of
from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import OBLIVIOUS, knows
from robustbandits.game.parameters import Positive
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene

EpochIndex = Annotated[int, functools.partial(require.count, low=0)]

#: Value of `RestartGate.only` if a part of the budget is spent in every epoch.
EVERY_EPOCH = -1


@knows(OBLIVIOUS)
class RestartGate(NamedTuple):
    """What each epoch may cost."""

    length: float  # of an epoch, in rounds
    share: float  # what each epoch may cost, in units of the budget
    last: float  # index of the last epoch
    only: int  # index of the only epoch with an attack, or EVERY_EPOCH

    @kernel
    def allowance(self, scene: Scene, arm: int) -> float:
        epoch = math.floor(scene.round / self.length)
        if self.only != EVERY_EPOCH:
            return math.inf if epoch == self.only else 0.0
        if epoch >= self.last:
            return math.inf  # what is left; the purse limits it
        return max(0.0, (epoch + 1.0) * self.share - scene.spent)

    @kernel
    def note(self, scene: Scene, arm: int) -> None:
        pass


@dataclass(frozen=True)
class RestartAware(Schedule):
    """Run an attack in step with a policy's epochs: a part of the budget in each, or all in one.

    A policy that restarts, such as RobustBandit, forgets an attack at the end of the epoch, so the
    attacker must pay again in each epoch, preferably at its start. With ``spend="each"`` every
    epoch has an equal part of the budget, and what an epoch leaves over goes to the next. With
    ``spend="one"`` all is spent in the epoch ``which``: Bogunovic et al. (2021) start late against
    phased elimination, because its first epochs expect much corruption. The attack must be told how
    long epochs are; it does not ask the policy. The schedule for restarts is ours.

    Parameters
    ----------
    attack
        See :class:`~robustbandits.attacks.wrappers._schedule.Schedule`.
    epoch
        Rounds of an epoch; a number below 1 is a share of the horizon.
    spend
        ``"each"`` epoch, or ``"one"``.
    which
        Index of that one epoch, counted from 0.

    References
    ----------
    Bogunovic, Losalka, Krause, Scarlett (2021).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        OF_THE_ATTACK,
        "also the length of epochs",
        OF_THE_ATTACK,
        OF_THE_ATTACK,
        OF_THE_ATTACK,
        OF_THE_ATTACK,
    )

    _: KW_ONLY
    epoch: Positive = 0.1
    spend: Literal["each", "one"] = "each"
    which: EpochIndex = 0

    def start_gate(self, problem: Problem) -> RestartGate:
        length = max(1.0, rounds_of("epoch", self.epoch, problem, self.name))
        if self.spend == "one":
            return RestartGate(length, 0.0, 0.0, self.which)
        rounds = problem.horizon(f"{self.name}(spend='each')")
        epochs = float(max(1, math.ceil(rounds / length)))
        return RestartGate(length, self.budget / epochs, epochs - 1.0, EVERY_EPOCH)
