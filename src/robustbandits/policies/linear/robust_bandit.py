"""RobustBandit: LinUCB with restarts, and a guess of the attack budget for each epoch.

Algorithm 1 of Ding, Hsieh, Sharpnack (2022). EXP3 learns over the epochs which guess earns most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.game import require
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import Flag, Positive, Share
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import COUNT
from robustbandits.policies._exp3 import Exp3, exp3_alpha, exp3_update, start_exp3
from robustbandits.policies.linear._blocks import (
    CANDIDATE,
    CHANCE,
    CREDITED,
    EARNED,
    LEARNED,
    NUMBER,
    begin_block,
    candidate_probabilities,
    check_candidates_of,
    choose_candidate,
    credit,
    described_candidate,
)
from robustbandits.policies.linear._candidates import (
    candidate_levels,
    candidates_for,
    check_candidates,
)
from robustbandits.policies.linear._linear import (
    Bonus,
    LinearRecipe,
    Optimist,
    add_mixed_shares,
    corruption_bonus,
    forget_all,
    learn_reward,
    optimistic_arm,
    optimistic_scores,
    radius_at,
)

EPOCHS = ("balanced", "paper", "never")

# Last field of the diary, after those of _blocks.py: rewards learned in the whole run.
LEARNED_EVER = NUMBER + 1


class RobustBanditState(NamedTuple):
    """What RobustBandit remembers."""

    optimist: Optimist
    exp3: Exp3
    levels: Floats  # (candidates,) possible attack budgets
    diary: Floats  # (7,) of this epoch: see _blocks.py; and rewards learned in the whole run
    length: float  # of an epoch
    restart: bool  # forget all observations at the end of an epoch
    per_round: bool  # EXP3 is paid the mean reward of an epoch, not the sum
    clip: bool  # EXP3 is paid at most 1 and at least 0
    global_index: bool  # the radius counts the rounds of the whole run
    offset: float = 0.0  # already subtracted from rewards; added again to what EXP3 is paid

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Play LinUCB's arm for the epoch's candidate."""
        candidate = choose_candidate(self.exp3, self.diary, rng, memo)
        factor, level = _factor(self, candidate), self.levels[candidate]
        return optimistic_arm(self.optimist, contexts, factor, level, rng)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Add one observation; at the end of an epoch pay EXP3, draw again and restart.

        A reward from an earlier epoch is added to the regression, but credited to no candidate.
        """
        credit(self.diary, reward + self.offset, memo)
        learn_reward(self.optimist, arm, context, reward)
        self.diary[LEARNED_EVER] += 1.0
        if self.diary[LEARNED] >= self.length:
            _next_epoch(self, rng)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean and bonus for the decision's or epoch's candidate."""
        candidate = described_candidate(self.diary, memo)
        factor, level = _factor(self, candidate), self.levels[candidate]
        optimistic_scores(self.optimist, contexts, factor, level, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm, over the draw of a candidate if none is drawn yet."""
        size = self.levels.shape[0]
        probabilities = np.empty(size)
        factors = np.empty(size)
        candidate_probabilities(self.exp3, self.diary, probabilities)
        for j in range(size):
            factors[j] = _factor(self, j)
        out[:] = 0.0
        add_mixed_shares(self.optimist, contexts, factors, self.levels, probabilities, out)

    def check(self, memos: Floats) -> None:
        check_candidates_of(self.diary, memos, len(self.levels))


@kernel
def _factor(state: RobustBanditState, candidate: int) -> float:
    """Return β_t + κ(candidate), the factor on the width of an arm."""
    t = state.diary[LEARNED_EVER] if state.global_index else state.optimist.ridge.tally[COUNT]
    radius = radius_at(state.optimist.radius, state.optimist.ridge, t + 1.0)
    return radius + corruption_bonus(state.optimist, state.levels[candidate])


@program
def _next_epoch(state: RobustBanditState, rng: Generator) -> None:
    """Pay EXP3, draw the next candidate, and restart."""
    diary = state.diary
    if diary[CREDITED] > 0.0:
        payment = diary[EARNED] / diary[CREDITED] if state.per_round else diary[EARNED]
        if state.clip:
            payment = min(1.0, max(0.0, payment))
        exp3_update(state.exp3, int(diary[CANDIDATE]), payment, diary[CHANCE])
    begin_block(state.exp3, diary, rng)
    if state.restart:
        forget_all(state.optimist)


class Plan(NamedTuple):
    """The constants of a run."""

    levels: tuple[float, ...]
    epoch: float
    epochs: int
    alpha: float
    delta: float


@dataclass(frozen=True, kw_only=True)
class RobustBandit(LinearRecipe):
    """Guess the attack budget for each epoch, and restart LinUCB in between (Algorithm 1).

    The run is divided into epochs. At the start of each, EXP3 draws a candidate C' for the attack
    budget, the regression forgets everything, and LinUCB plays with its exploration enlarged for
    C'. At the end EXP3 is paid what the epoch earned. Needs the horizon.

    The paper's text and code allow several readings; each is an option here. With the defaults the
    policy can learn: EXP3 is paid in [0, 1], candidates stop at √T, and epochs are short enough
    that there are many of them. :meth:`as_written` follows the text exactly; EXP3 then cannot learn
    at the paper's own size. :meth:`as_coded` does what the published code does, which draws one
    candidate and never restarts.

    Parameters
    ----------
    candidates
        Levels for C': ``{0, 1, 2, 4, ...}`` up to ``"sqrtT"`` (default; T, as in the paper, if
        there are infinitely many arms), ``"T"`` or ``"2KT"``
        (Algorithm 1), or a sequence of levels. ``"2KH-floor"`` and ``"2KT-floor"`` are the code's.
    epoch
        Length of an epoch: ``"balanced"`` (default) balances the two halves of the regret bound;
        ``"paper"`` is the paper's formula, longer by √(N ln N); ``"never"`` is one epoch for the
        whole run; or a whole number of rounds.
    restart
        Whether the regression forgets everything at the end of an epoch.
    reward_scale
        With ``"epoch"`` (default) EXP3 is paid the mean reward of an epoch; with ``"none"`` the
        sum, as in the text: the first candidate drawn then wins permanently.
    exp3_horizon
        EXP3's α counts ``"epochs"`` (default, Algorithm 1) or ``"rounds"`` (Theorem 3).
    bonus, max_corruption
        As for :class:`~robustbandits.policies.RobustLinUCB`.
    index
        Whether β_t counts rounds since the restart (``"local"``) or since the start (``"global"``).
    delta_split
        Whether ``delta`` is divided among the epochs, so that it holds for the whole run.
    clip
        Whether the reward that EXP3 is paid is clipped to [0, 1] (with ``reward_scale="epoch"``).
    alpha
        EXP3's share of uniform exploration; computed from the horizon if None.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    References
    ----------
    Ding, Hsieh, Sharpnack (2022), Algorithm 1.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("horizon",),
        adversary="strong, rewards or contexts (claimed)",
        regret="√d(C+1)T^¾",
        cost="Kd²",
        provenance=PAPER,
        reference="Ding, Hsieh, Sharpnack (2022), Algorithm 1",
        infinite_arms=True,
    )

    candidates: str | tuple[float, ...] = "sqrtT"
    epoch: str | int = "balanced"
    restart: Flag = True
    reward_scale: Literal["epoch", "none"] = "epoch"
    exp3_horizon: Literal["epochs", "rounds"] = "epochs"
    bonus: Bonus = "l2"
    max_corruption: Positive = 1.0
    index: Literal["local", "global"] = "local"
    delta_split: Flag = True
    clip: Flag = True
    alpha: Share | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.epoch, str):
            require.one_of("epoch", self.epoch, EPOCHS)
        else:
            self._set(epoch=require.count("epoch", self.epoch))
        self._set(candidates=check_candidates(self.candidates))

    @classmethod
    def as_written(cls, **changes: Any) -> Self:
        """Follow Algorithm 1 exactly: candidates up to 2KT, long epochs, EXP3 paid raw sums."""
        reading: dict[str, Any] = {
            "candidates": "2KT",
            "epoch": "paper",
            "reward_scale": "none",
            "bonus": "paper",
            "delta_split": False,
            "clip": False,
        }
        return cls(**{**reading, **changes})

    @classmethod
    def as_coded(cls, **changes: Any) -> Self:
        """Do what the published code does: one C' drawn at the start and kept, no restart.

        The code restarts when ``t % H == 0`` with an H that is not a whole number, which is true at
        t = 0 only. It also uses 0.01 for the noise, where the text can be read as 0.1. (One detail
        is not copied: in the code t starts at 0, in Eq. (1) at 1.)
        """
        reading: dict[str, Any] = {
            "sigma": 0.01,
            "candidates": "2KH-floor",
            "epoch": "never",
            "restart": False,
            "reward_scale": "none",
            "bonus": "paper",
            "index": "global",
            "delta_split": False,
            "clip": False,
            "ties": "first",
        }
        return cls(**{**reading, **changes})

    def plan(self, problem: Problem) -> Plan:
        """Compute the constants of a run."""
        whole_run = self.alpha is None or self.delta_split or isinstance(self.candidates, str)
        needs_horizon = whole_run or self.epoch in ("balanced", "paper")
        rounds = problem.horizon(self.name) if needs_horizon else problem.rounds
        paper_epoch = None if rounds is None else self._paper_epoch(problem, rounds)
        levels = candidate_levels(
            candidates_for(self, problem), arms=problem.arms, rounds=rounds, epoch=paper_epoch
        )
        epoch = self._epoch_length(len(levels), paper_epoch)
        epochs = 1 if rounds is None else max(1, math.ceil(rounds / epoch))
        plays = epochs if self.exp3_horizon == "epochs" else rounds
        if self.alpha is not None:
            alpha = self.alpha
        else:
            assert plays is not None
            alpha = exp3_alpha(len(levels), plays)
        delta = self.delta / epochs if self.delta_split else self.delta
        return Plan(levels, epoch, epochs, alpha, delta)

    def _paper_epoch(self, problem: Problem, rounds: int) -> float:
        """H = β_T γ_{T+1} √T / √(e-1), with the paper's bound in place of γ_{T+1}."""
        dim, reach = problem.dim, problem.context_bound**2
        radius = self.sigma * math.sqrt(
            dim * math.log((1 + rounds * reach / self.ridge) / self.delta)
        )
        radius += math.sqrt(self.ridge) * problem.theta_bound
        energy = 2 * dim * math.log(1 + rounds * reach / (dim * self.ridge))
        return radius * math.sqrt(energy) * math.sqrt(rounds) / math.sqrt(math.e - 1)

    def _epoch_length(self, candidates: int, paper_epoch: float | None) -> float:
        """Return the length of an epoch, rounded up to whole rounds unless it is infinite."""
        if self.epoch == "never" or (self.epoch == "balanced" and candidates == 1):
            return math.inf
        if not isinstance(self.epoch, str):
            return float(self.epoch)
        assert paper_epoch is not None
        if self.epoch == "paper":
            return float(math.ceil(paper_epoch))
        return float(math.ceil(paper_epoch / math.sqrt(candidates * math.log(candidates))))

    def start(self, problem: Problem) -> RobustBanditState:
        plan = self.plan(problem)
        diary = np.zeros(LEARNED_EVER + 1)
        diary[CANDIDATE] = -1.0
        return RobustBanditState(
            optimist=self.start_optimist(
                problem, bonus=self.bonus, max_corruption=self.max_corruption, delta=plan.delta
            ),
            exp3=start_exp3(len(plan.levels), plan.alpha),
            levels=np.array(plan.levels),
            diary=diary,
            length=plan.epoch,
            restart=self.restart,
            per_round=self.reward_scale == "epoch",
            clip=self.clip and self.reward_scale == "epoch",
            global_index=self.index == "global",
            offset=problem.offset,
        )
