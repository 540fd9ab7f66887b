"""RobustBandit: the paper's Algorithm 1, LinUCB with restarts and a guessed attack budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from robustbandits.compiled.jit import kernel, program
from robustbandits.game import require
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import COUNT, observe, reset_ridge
from robustbandits.kernels.sampling import draw
from robustbandits.policies._exp3 import (
    Exp3,
    check_guesses,
    exp3_alpha,
    exp3_probabilities,
    exp3_update,
    start_exp3,
)
from robustbandits.policies.linear._candidates import candidate_levels, check_candidates
from robustbandits.policies.linear._linear import (
    BONUSES,
    LinearRecipe,
    Optimist,
    corruption_bonus,
    mixed_shares,
    optimistic_arm,
    optimistic_scores,
)
from robustbandits.policies.linear._radius import radius_at

EPOCHS = ("balanced", "paper", "never")
REWARD_SCALES = ("epoch", "none")
EXP3_HORIZONS = ("epochs", "rounds")
INDICES = ("local", "global")

# Fields of the epoch's diary.
CANDIDATE, CHANCE, LEARNED, CREDITED, EARNED, NUMBER, EVER = range(7)
# Fields of a decision's memo.
MEMO_CANDIDATE, MEMO_CHANCE, MEMO_EPOCH = range(3)


class RobustBanditState(NamedTuple):
    """What RobustBandit remembers."""

    optimist: Optimist
    exp3: Exp3
    levels: Floats  # (candidates,) possible attack budgets
    diary: Floats  # (7,) of this epoch: candidate (-1: not drawn yet), its chance, rewards
    #               learned, those earned under the candidate, their sum; epochs; rewards ever
    length: float  # of an epoch
    restart: bool
    per_round: bool  # EXP3 is paid the mean reward of an epoch, not the sum
    clip: bool
    global_index: bool

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Play LinUCB's arm under the epoch's candidate."""
        memo[MEMO_CANDIDATE] = self.diary[CANDIDATE]
        memo[MEMO_CHANCE] = self.diary[CHANCE]
        memo[MEMO_EPOCH] = self.diary[NUMBER]
        if self.diary[CANDIDATE] < 0.0:
            # Nothing learned yet, and a choice may not change the state: the first reward to
            # come back settles which candidate the first epoch has.
            chances = np.empty(self.levels.shape[0])
            exp3_probabilities(self.exp3, chances)
            candidate = draw(chances, rng)
            memo[MEMO_CANDIDATE] = candidate
            memo[MEMO_CHANCE] = chances[candidate]
        factor = _factor(self, int(memo[MEMO_CANDIDATE]))
        return optimistic_arm(self.optimist, contexts, factor, rng)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add one observation; at the end of an epoch pay EXP3, draw anew, and restart."""
        diary = self.diary
        if diary[CANDIDATE] < 0.0:
            diary[CANDIDATE] = memo[MEMO_CANDIDATE]
            diary[CHANCE] = memo[MEMO_CHANCE]
        # A late reward still teaches the regression, but is not credited to another candidate.
        if memo[MEMO_EPOCH] == diary[NUMBER] and memo[MEMO_CANDIDATE] == diary[CANDIDATE]:
            diary[CREDITED] += 1.0
            diary[EARNED] += reward
        observe(self.optimist.ridge, context, reward, 1.0)
        diary[LEARNED] += 1.0
        diary[EVER] += 1.0
        if diary[LEARNED] >= self.length:
            _next_epoch(self, rng)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean and bonus under the decision's or epoch's candidate."""
        candidate = memo[MEMO_CANDIDATE] if memo[MEMO_CANDIDATE] >= 0.0 else self.diary[CANDIDATE]
        factor = _factor(self, int(max(0.0, candidate)))
        optimistic_scores(self.optimist, contexts, factor, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm, over what is still undrawn."""
        size = self.levels.shape[0]
        chances = np.zeros(size)
        factors = np.empty(size)
        if self.diary[CANDIDATE] < 0.0:
            exp3_probabilities(self.exp3, chances)
        else:
            chances[int(self.diary[CANDIDATE])] = 1.0
        for j in range(size):
            factors[j] = _factor(self, j)
        mixed_shares(self.optimist, contexts, factors, chances, out)

    def check(self, memos: Floats) -> None:
        """Refuse a diary or memos (one a row) that would lead a kernel out of its arrays."""
        size = self.levels.shape[0]
        check_guesses(memos[:, MEMO_CANDIDATE], memos[:, MEMO_CHANCE], size)
        if self.diary[CANDIDATE] != -1.0:
            check_guesses(self.diary[[CANDIDATE]], self.diary[[CHANCE]], size)


@kernel
def _factor(state: RobustBanditState, candidate: int) -> float:
    """β_t + κ(J_j)."""
    t = state.diary[EVER] if state.global_index else state.optimist.ridge.tally[COUNT]
    radius = radius_at(state.optimist.radius, state.optimist.ridge, t + 1.0)
    return radius + corruption_bonus(state.optimist, state.levels[candidate])


@program
def _next_epoch(state: RobustBanditState, rng: np.random.Generator) -> None:
    """Pay EXP3, draw the next candidate, restart."""
    diary = state.diary
    if diary[CREDITED] > 0.0:
        payment = diary[EARNED] / diary[CREDITED] if state.per_round else diary[EARNED]
        if state.clip:
            payment = min(1.0, max(0.0, payment))
        exp3_update(state.exp3, int(diary[CANDIDATE]), payment, diary[CHANCE])
    chances = np.empty(state.levels.shape[0])
    exp3_probabilities(state.exp3, chances)
    candidate = draw(chances, rng)
    diary[CANDIDATE] = candidate
    diary[CHANCE] = chances[candidate]
    diary[LEARNED] = 0.0
    diary[CREDITED] = 0.0
    diary[EARNED] = 0.0
    diary[NUMBER] += 1.0
    if state.restart:
        reset_ridge(state.optimist.ridge)


class Plan(NamedTuple):
    """The constants of a run, worked out from the problem."""

    levels: tuple[float, ...]
    epoch: float
    epochs: int
    alpha: float
    delta: float


@dataclass(frozen=True, kw_only=True)
class RobustBandit(LinearRecipe):
    """Guess the attack budget epoch by epoch, and restart LinUCB in between (Algorithm 1).

    Play is cut into epochs. At the start of each, EXP3 draws a candidate C' for the attack budget,
    the regression forgets everything, and LinUCB plays with its exploration enlarged for C'. At
    the end EXP3 is paid what the epoch earned. Needs the horizon.

    The paper's text and code leave room for several readings; each is an option here. The defaults
    make a policy that can learn: EXP3 is paid in [0, 1], candidates stop at √T, epochs are short
    enough for EXP3 to see many. :meth:`as_written` follows the text to the letter, in which EXP3
    cannot learn at the paper's own size; :meth:`as_coded` does what the published code does, which
    draws one candidate and never restarts.

    Parameters
    ----------
    candidates
        Levels for C': ``{0, 1, 2, 4, ...}`` up to ``"sqrtT"`` (default), ``"T"`` or ``"2KT"``
        (Algorithm 1), or a sequence of levels. ``"2KH-floor"`` and ``"2KT-floor"`` are the code's.
    epoch
        Length of an epoch: ``"balanced"`` (default) balances the two halves of the regret bound;
        ``"paper"`` is the paper's formula, longer by √(N ln N); ``"never"`` is one epoch for the
        whole run; or a whole number of rounds.
    restart
        Whether the regression forgets at the end of an epoch.
    reward_scale
        EXP3 is paid the mean reward of an ``"epoch"`` (default), or with ``"none"`` its sum, as the
        text has it: then the first candidate drawn wins for good.
    exp3_horizon
        EXP3's α counts ``"epochs"`` (default, Algorithm 1) or ``"rounds"`` (Theorem 3).
    bonus, max_corruption
        As for :class:`~robustbandits.policies.RobustLinUCB`.
    index
        Whether β_t counts rounds since the restart (``"local"``) or since the start (``"global"``).
    delta_split
        Whether ``delta`` is shared among all epochs, so that it holds for the whole run.
    clip
        Whether EXP3's copy of the reward is clipped to [0, 1] (with ``reward_scale="epoch"``).
    alpha
        EXP3's share of uniform exploration; worked out from the horizon when None.
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
    )

    candidates: str | tuple[float, ...] = "sqrtT"
    epoch: str | int = "balanced"
    restart: bool = True
    reward_scale: str = "epoch"
    exp3_horizon: str = "epochs"
    bonus: str = "l2"
    max_corruption: float = 1.0
    index: str = "local"
    delta_split: bool = True
    clip: bool = True
    alpha: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            candidates=check_candidates(self.candidates),
            epoch=_check_epoch(self.epoch),
            restart=require.flag("restart", self.restart),
            reward_scale=require.one_of("reward_scale", self.reward_scale, REWARD_SCALES),
            exp3_horizon=require.one_of("exp3_horizon", self.exp3_horizon, EXP3_HORIZONS),
            bonus=require.one_of("bonus", self.bonus, BONUSES),
            max_corruption=require.positive("max_corruption", self.max_corruption),
            index=require.one_of("index", self.index, INDICES),
            delta_split=require.flag("delta_split", self.delta_split),
            clip=require.flag("clip", self.clip),
            alpha=None if self.alpha is None else require.between("alpha", self.alpha, 0.0, 1.0),
        )

    @classmethod
    def as_written(cls, **changes: Any) -> Self:
        """Algorithm 1 to the letter: candidates up to 2KT, long epochs, EXP3 paid raw sums."""
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

        The code restarts when ``t % H == 0`` with an H that is not whole, which is true at t = 0
        only. It also takes 0.01 for the noise, where the text can be read as 0.1. (One detail is
        not copied: the code's β_t counts from 0, Eq. (1) from 1.)
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
        """Work out the constants of a run."""
        whole = self.alpha is None or self.delta_split or isinstance(self.candidates, str)
        needs_horizon = whole or self.epoch in ("balanced", "paper")
        rounds = problem.horizon(self.name) if needs_horizon else problem.rounds
        paper_epoch = None if rounds is None else self._paper_epoch(problem, rounds)
        levels = candidate_levels(
            self.candidates, arms=problem.arms, rounds=rounds, epoch=paper_epoch
        )
        epoch = self._epoch_length(len(levels), paper_epoch, rounds)
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
        """H = β_T γ_{T+1} √T / √(e-1), with the paper's bound in the place of γ_{T+1}."""
        dim, reach = problem.dim, problem.context_bound**2
        radius = self.sigma * math.sqrt(
            dim * math.log((1 + rounds * reach / self.ridge) / self.delta)
        )
        radius += math.sqrt(self.ridge) * problem.theta_bound
        energy = 2 * dim * math.log(1 + rounds * reach / (dim * self.ridge))
        return radius * math.sqrt(energy) * math.sqrt(rounds) / math.sqrt(math.e - 1)

    def _epoch_length(
        self, candidates: int, paper_epoch: float | None, rounds: int | None
    ) -> float:
        """Return a whole number of rounds: a fraction would never be met (see `as_coded`)."""
        if self.epoch == "never" or (self.epoch == "balanced" and candidates == 1):
            return math.inf
        if not isinstance(self.epoch, str):
            return float(self.epoch)
        assert paper_epoch is not None
        if self.epoch == "paper":
            return float(math.ceil(paper_epoch))
        return float(math.ceil(paper_epoch / math.sqrt(candidates * math.log(candidates))))

    def start(self, problem: Problem) -> RobustBanditState:
        """Return a fresh state."""
        plan = self.plan(problem)
        diary = np.zeros(7)
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
        )


def _check_epoch(value: Any) -> str | int:
    if isinstance(value, str):
        return require.one_of("epoch", value, EPOCHS)
    return require.count("epoch", value)
