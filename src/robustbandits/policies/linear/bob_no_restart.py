"""BOB-No-Restart: LinUCB with a new guess of the attack budget in every round.

Algorithm 3 of Ding, Hsieh, Sharpnack (2022): EXP3 draws the guess, all guesses share one
regression, and nothing is forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.game.facts import PAPER, PolicyFacts
from robustbandits.game.parameters import Flag, Positive, Share
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.sampling import draw
from robustbandits.policies._exp3 import (
    Exp3,
    exp3_alpha,
    exp3_probabilities,
    exp3_update,
    start_exp3,
)
from robustbandits.policies._state_checks import check_index, check_probabilities
from robustbandits.policies.linear._candidates import (
    candidate_levels,
    candidates_for,
    check_candidates_without_epochs,
)
from robustbandits.policies.linear._linear import (
    Bonus,
    LinearRecipe,
    Optimist,
    add_mixed_shares,
    learn_reward,
    optimistic_arm,
    optimistic_scores,
    width_factor,
)

# Fields of the memo.
MEMO_CANDIDATE, MEMO_CHANCE = range(2)


class BOBNoRestartState(NamedTuple):
    """What BOB-No-Restart remembers."""

    optimist: Optimist
    exp3: Exp3
    levels: Floats  # (candidates,) possible attack budgets
    clip: bool  # EXP3 is paid the reward clipped to [0, 1]
    offset: float = 0.0  # taken off the rewards that are learned, but not off what EXP3 is paid

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        """Draw a candidate and play LinUCB's arm for it."""
        probabilities = np.empty(self.levels.shape[0])
        exp3_probabilities(self.exp3, probabilities)
        candidate = draw(probabilities, rng)
        memo[MEMO_CANDIDATE] = candidate
        memo[MEMO_CHANCE] = probabilities[candidate]
        level = self.levels[candidate]
        factor = width_factor(self.optimist, level)
        return optimistic_arm(self.optimist, contexts, factor, level, rng)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Add one observation, and pay the candidate that was drawn."""
        learn_reward(self.optimist, arm, context, reward)
        payment = reward + self.offset
        if self.clip:
            payment = min(1.0, max(0.0, payment))
        exp3_update(self.exp3, int(memo[MEMO_CANDIDATE]), payment, memo[MEMO_CHANCE])

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean and bonus for the decision's candidate."""
        level = self.levels[int(max(0.0, memo[MEMO_CANDIDATE]))]
        factor = width_factor(self.optimist, level)
        optimistic_scores(self.optimist, contexts, factor, level, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write the probability of each arm over the draw of the candidate."""
        size = self.levels.shape[0]
        probabilities = np.empty(size)
        factors = np.empty(size)
        exp3_probabilities(self.exp3, probabilities)
        for j in range(size):
            factors[j] = width_factor(self.optimist, self.levels[j])
        out[:] = 0.0
        add_mixed_shares(self.optimist, contexts, factors, self.levels, probabilities, out)

    def check(self, memos: Floats) -> None:
        check_index("candidate", memos[:, MEMO_CANDIDATE], 0, len(self.levels))
        check_probabilities("probability of a candidate", memos[:, MEMO_CHANCE])


@dataclass(frozen=True, kw_only=True)
class BOBNoRestart(LinearRecipe):
    """Guess the attack budget again in each round, and never restart (Algorithm 3, BOB-No-Restart).

    All candidates share one regression; EXP3 draws a candidate C' in every round and is paid that
    round's reward. Nothing is proved about this policy, but it works best in the paper's
    experiments. Needs the horizon.

    Parameters
    ----------
    candidates
        Levels for C': ``{0, 1, 2, 4, ...}`` up to √T (``"sqrtT"``, the default, ours), T (``"T"``,
        the paper's for infinitely many arms, and the default there) or 2KT (``"2KT"``, Algorithm
        3); or a sequence of levels. ``"2KT-floor"`` is that of the authors' code.
    bonus, max_corruption
        As for :class:`~robustbandits.policies.RobustLinUCB`.
    clip
        Whether the reward that EXP3 is paid is clipped to [0, 1].
    alpha
        EXP3's share of uniform exploration; computed from the horizon if None.
    ridge, delta, sigma, radius, ties
        As for every linear policy, see :class:`LinearRecipe`.

    References
    ----------
    Ding, Hsieh, Sharpnack (2022), Algorithm 3.
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("horizon",),
        adversary="nothing proved",
        regret="none",
        cost="Kd² + log T",
        provenance=PAPER,
        reference="Ding, Hsieh, Sharpnack (2022), Algorithm 3",
        infinite_arms=True,
    )

    candidates: str | tuple[float, ...] = "sqrtT"
    bonus: Bonus = "l2"
    max_corruption: Positive = 1.0
    clip: Flag = True
    alpha: Share | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(candidates=check_candidates_without_epochs(self.candidates, self.name))

    @property
    def name(self) -> str:
        """The name as the paper spells it."""
        return "BOB-No-Restart"

    @classmethod
    def as_written(cls, **changes: Any) -> Self:
        """Follow Algorithm 3 exactly: candidates up to 2KT, the paper's bonus, raw rewards."""
        return cls(**{"candidates": "2KT", "bonus": "paper", "clip": False, **changes})

    @classmethod
    def as_coded(cls, **changes: Any) -> Self:
        """Do what the published code does: as written, with noise 0.01 and one candidate fewer."""
        reading = {"sigma": 0.01, "candidates": "2KT-floor", "ties": "first"}
        return cls.as_written(**{**reading, **changes})

    def start(self, problem: Problem) -> BOBNoRestartState:
        needs_horizon = self.alpha is None or isinstance(self.candidates, str)
        rounds = problem.horizon(self.name) if needs_horizon else problem.rounds
        levels = candidate_levels(candidates_for(self, problem), arms=problem.arms, rounds=rounds)
        if self.alpha is not None:
            alpha = self.alpha
        else:
            assert rounds is not None
            alpha = exp3_alpha(len(levels), rounds)
        return BOBNoRestartState(
            optimist=self.start_optimist(
                problem, bonus=self.bonus, max_corruption=self.max_corruption
            ),
            exp3=start_exp3(len(levels), alpha),
            levels=np.array(levels),
            clip=self.clip,
            offset=problem.offset,
        )
