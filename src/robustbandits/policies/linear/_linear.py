"""What the linear policies share: the confidence radius, optimistic scores and common parameters.

An optimistic linear policy scores an arm with context x by its estimated mean plus
``(β + κ(C')) ‖x‖``, where the norm is that of the inverse Gram matrix. The radius β covers the
noise; κ(C') covers what an attacker with budget C' may have done to the estimate. LinUCB uses
C' = 0, RobustLinUCB is told C', RobustBandit and BOB-No-Restart guess it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from robustbandits.compiled.jit import kernel
from robustbandits.game.parameters import CheckedRecipe, NonNegative, Positive, Probability
from robustbandits.game.problem import Problem
from robustbandits.game.ridge_limit import smallest_ridge, start_regression
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import (
    COUNT,
    ENERGY,
    LOG_DET,
    Ridge,
    observe,
    reset_ridge,
)
from robustbandits.kernels.sampling import largest, share_of_largest
from robustbandits.kernels.scoring import score_columns
from robustbandits.policies._infinite_arms import ball_of, best_of_ball
from robustbandits.policies.linear._tight import (
    Learned,
    add_harms,
    forget_contexts,
    remember,
    start_learned,
)

#: Bounds on how far corruptions c_1, c_2, ... with Σ|c_s| <= C move the estimate, in the norm in
#: which widths are measured: the paper's Lemma 1 (γ_t C), their l1 norm (C), their l2 norm
#: (√(C·c_max), as no single corruption exceeds c_max). "tight" bounds how far they move the
#: estimate of each arm instead: see _tight.py. All four are valid.
Bonus = Literal["paper", "l1", "l2", "tight"]
BONUSES = get_args(Bonus)
PAPER_BONUS, L1_BONUS, L2_BONUS, TIGHT_BONUS = range(4)

#: How to choose among arms with equal scores.
Ties = Literal["random", "first"]

#: Largest penalty that the theory may ask for; its square must still be finite.
MAX_RIDGE = 1e100


class Radius(NamedTuple):
    """Constants of the confidence radius."""

    by_determinant: bool  # use the log determinant of the Gram matrix, not its bound
    sigma: float
    delta: float
    penalty: float  # λ
    context_bound: float  # L
    theta_bound: float  # S


class Optimist(NamedTuple):
    """A ridge regression with a confidence ellipsoid around its estimate."""

    ridge: Ridge
    radius: Radius
    bonus: int  # index into BONUSES
    max_corruption: float
    first: bool  # among equal scores choose the first arm
    ball: float | None = None  # if given, the arms are all vectors of this length or less
    learned: Learned | None = None  # for the tight bonus: contexts of the learned rewards


# --------------------------------------------------------------------------------------- radius


@kernel
def radius_at(radius: Radius, ridge: Ridge, t: float) -> float:
    """Radius at round ``t``, counted from 1.

    ``trace`` is the paper's Eq. (1): ``σ√(d log((1 + tL²/λ)/δ)) + √λ S``. It is a valid bound for
    d >= 2 only. ``det`` is the tighter bound of Abbasi-Yadkori, Pál, Szepesvári (2011), Theorem 1:
    ``σ√(log det V - log det λI + 2 log(1/δ)) + √λ S``, valid for every d.
    """
    if radius.by_determinant:
        inside = ridge.tally[LOG_DET] + 2.0 * math.log(1.0 / radius.delta)
    else:
        bound = radius.context_bound
        growth = 1.0 + t * (bound * bound) / radius.penalty
        inside = ridge.theta.shape[0] * math.log(growth / radius.delta)
    return radius.sigma * math.sqrt(inside) + math.sqrt(radius.penalty) * radius.theta_bound


@kernel
def corruption_bonus(optimist: Optimist, level: float) -> float:
    """κ: the extra radius that covers corruptions of ``level`` in total.

    It is 0 for the tight bonus, which is added to each arm's bonus instead.
    """
    if optimist.bonus == TIGHT_BONUS:
        return 0.0
    if optimist.bonus == PAPER_BONUS:
        return level * math.sqrt(optimist.ridge.tally[ENERGY])
    if optimist.bonus == L1_BONUS:
        return level
    return min(level, math.sqrt(level * optimist.max_corruption))


@kernel
def width_factor(optimist: Optimist, level: float) -> float:
    """β + κ(level), where the round is one more than the rewards learned."""
    t = optimist.ridge.tally[COUNT] + 1.0
    return radius_at(optimist.radius, optimist.ridge, t) + corruption_bonus(optimist, level)


# ------------------------------------------------------------------------------------- learning


@kernel
def learn_reward(optimist: Optimist, arm: int, context: Floats, reward: float) -> None:
    """Add one observation, and record its context if the bonus needs it."""
    observe(optimist.ridge, context, reward, 1.0)
    remember(optimist.learned, arm, context)


@kernel
def forget_all(optimist: Optimist) -> None:
    """Forget all observations."""
    reset_ridge(optimist.ridge)
    forget_contexts(optimist.learned)


# --------------------------------------------------------------------------------------- scores


@kernel
def widths_to_bonuses(widths: Floats, factor: float) -> None:
    """Turn squared widths into bonuses ``factor · width``, in place."""
    for a in range(widths.shape[0]):
        widths[a] = factor * math.sqrt(max(0.0, widths[a]))


@kernel
def largest_sum(means: Floats, bonuses: Floats, rng: np.random.Generator, first: bool) -> int:
    """Arm with the largest sum of mean and bonus; overwrites ``means`` with the sums."""
    for a in range(means.shape[0]):
        means[a] += bonuses[a]
    return largest(means, rng, first)


@kernel
def choose_largest_sum(
    means: Floats, bonuses: Floats, rng: np.random.Generator, first: bool, out: Floats
) -> int:
    """Arm with the largest sum of mean and bonus; write the probability of each arm."""
    for a in range(means.shape[0]):
        out[a] = means[a] + bonuses[a]
    arm = largest(out, rng, first)
    best, ties = out[arm], 0
    for a in range(means.shape[0]):
        ties += out[a] == best
    share = 0.0 if first else 1.0 / max(1, ties)
    for a in range(means.shape[0]):
        out[a] = share if out[a] == best else 0.0
    if first:
        out[arm] = 1.0
    return arm


@kernel
def share_of_largest_sum(
    means: Floats, bonuses: Floats, first: bool, mass: float, out: Floats
) -> None:
    """Add ``mass`` to ``out`` at the arm that :func:`largest_sum` chooses; equal arms share it.

    Overwrites ``means`` with the sums.
    """
    for a in range(means.shape[0]):
        means[a] += bonuses[a]
    share_of_largest(means, first, mass, out)


@kernel
def optimistic_scores(
    optimist: Optimist,
    contexts: Floats,
    factor: float,
    level: float,
    means: Floats,
    bonuses: Floats,
) -> None:
    """Write each arm's estimated mean and its bonus: ``factor · ‖x‖``, and the tight bonus if any.

    The tight bonus is the one that covers corruptions of ``level`` in total.
    """
    ridge = optimist.ridge
    score_columns(ridge.inverse, ridge.theta, contexts, means, bonuses)
    widths_to_bonuses(bonuses, factor)
    add_harms(optimist.learned, ridge.inverse, contexts, level, bonuses)


@kernel
def optimistic_arm(
    optimist: Optimist, contexts: Floats, factor: float, level: float, rng: np.random.Generator
) -> int:
    """Arm with the largest sum of mean and bonus.

    If the arms are a ball, write it into the only column of the contexts, and return 0.
    """
    ridge = optimist.ridge
    arm = best_of_ball(optimist.ball, ridge, ridge.theta, factor, rng, contexts)
    if arm >= 0:
        return arm
    means = np.empty(contexts.shape[1])
    bonuses = np.empty(contexts.shape[1])
    optimistic_scores(optimist, contexts, factor, level, means, bonuses)
    return largest_sum(means, bonuses, rng, optimist.first)


@kernel
def optimistic_shares(
    optimist: Optimist, contexts: Floats, factor: float, level: float, out: Floats
) -> None:
    """Write 1 for the arm that :func:`optimistic_arm` chooses; equal arms share it."""
    means = np.empty(contexts.shape[1])
    bonuses = np.empty(contexts.shape[1])
    optimistic_scores(optimist, contexts, factor, level, means, bonuses)
    out[:] = 0.0
    share_of_largest_sum(means, bonuses, optimist.first, 1.0, out)


@kernel
def add_mixed_shares(
    optimist: Optimist,
    contexts: Floats,
    factors: Floats,
    levels: Floats,
    probabilities: Floats,
    out: Floats,
) -> None:
    """Add the probability of each arm if candidate j is used with probability ``probabilities[j]``.

    A candidate has a width factor and a level. See :func:`optimistic_shares` for a single one.
    """
    arms = contexts.shape[1]
    means = np.empty(arms)
    widths = np.empty(arms)
    scores = np.empty(arms)
    harms = np.zeros(arms)
    optimistic_scores(optimist, contexts, 1.0, 0.0, means, widths)
    add_harms(optimist.learned, optimist.ridge.inverse, contexts, 1.0, harms)
    for j in range(probabilities.shape[0]):
        if probabilities[j] > 0.0:
            for a in range(arms):
                scores[a] = means[a] + factors[j] * widths[a] + levels[j] * harms[a]
            share_of_largest(scores, optimist.first, probabilities[j], out)


# ------------------------------------------------------------------------------------- recipes


def theory_ridge(problem: Problem, unit: float, formula: str) -> float:
    """Return the penalty (unit/S)², where S is the bound of theta; raise ValueError if unusable."""
    ridge = (unit / problem.theta_bound) * (unit / problem.theta_bound)
    smallest = smallest_ridge(problem)
    if not smallest <= ridge < MAX_RIDGE:
        raise ValueError(
            f"the theory's ridge, {formula}, is {ridge:g} for theta_bound {problem.theta_bound!r} "
            f"and context_bound {problem.context_bound!r}, but must be between {smallest:g} and "
            f"{MAX_RIDGE:g}: pass ridge=..."
        )
    return ridge


@dataclass(frozen=True, kw_only=True)
class LinearRecipe(CheckedRecipe):
    """Parameters that every linear policy has.

    Parameters
    ----------
    ridge
        Penalty λ of the regression.
    delta
        Probability with which the confidence ellipsoid may fail.
    sigma
        Sub-Gaussian level of the noise: its standard deviation if it is Gaussian.
    radius
        ``"trace"``, the paper's Eq. (1), which is a valid bound in two dimensions or more, or
        ``"det"``, which is tighter and valid in any dimension.
    ties
        Among equal scores choose a ``"random"`` arm, or the ``"first"`` as the authors' code does.
    """

    ridge: Positive = 0.1
    delta: Probability = 0.01
    sigma: NonNegative = 0.1
    radius: Literal["trace", "det"] = "trace"
    ties: Ties = "random"

    def start_regression(self, problem: Problem) -> Ridge:
        """Return a regression without observations."""
        return start_regression(problem, self.ridge)

    def start_radius(self, problem: Problem, delta: float | None = None) -> Radius:
        """Return the radius for a problem's bounds."""
        return Radius(
            by_determinant=self.radius == "det",
            sigma=self.sigma,
            delta=self.delta if delta is None else delta,
            penalty=self.ridge,
            context_bound=problem.context_bound,
            theta_bound=problem.theta_bound,
        )

    def start_optimist(
        self,
        problem: Problem,
        *,
        bonus: Bonus = "l2",
        max_corruption: float = 1.0,
        delta: float | None = None,
    ) -> Optimist:
        """Return a regression without observations and the constants of its radius."""
        return Optimist(
            ridge=self.start_regression(problem),
            radius=self.start_radius(problem, delta),
            bonus=BONUSES.index(bonus),
            max_corruption=max_corruption,
            first=self.ties == "first",
            ball=ball_of(problem),
            learned=start_learned(problem) if bonus == "tight" else None,
        )
