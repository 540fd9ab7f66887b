"""HuberOFUL: one-pass Huber regression, for heavy-tailed and for corrupted rewards.

Hvt-UCB of Wang, Zhang, Zhao, Zhou (2025), with the lower limit of σ for corrupted rewards that
Tani, Futami (2026) announce: the influence of a reward on the estimate is limited, however large
its residual is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from robustbandits.compiled.jit import kernel, program
from robustbandits.game import require
from robustbandits.game.facts import RECONSTRUCTION, PolicyFacts
from robustbandits.game.parameters import NonNegative, Positive
from robustbandits.game.problem import Problem
from robustbandits.game.ridge_limit import refuse_small_ridge
from robustbandits.kernels.linalg import Floats, cholesky, copy, dot, multiply, solve_upper
from robustbandits.kernels.ridge import COUNT, Ridge, absorb, start_ridge
from robustbandits.kernels.scoring import score_columns
from robustbandits.policies._infinite_arms import ball_of, best_of_ball
from robustbandits.policies.linear._linear import (
    LinearRecipe,
    largest_sum,
    share_of_largest_sum,
    widths_to_bonuses,
)

#: The paper's step size: the regression counts an observation as a quarter.
STEP = 4.0


class Huber(NamedTuple):
    """Constants of the loss and of the radius."""

    noise: float  # ν, root of the noise's moment
    least: float  # σ_min
    bend: float  # τ₀: where the loss turns from square to linear
    power: float  # (1-ε)/(2(1+ε)), with which bend and radius grow; 0 for finite variance
    slope: float  # the radius is slope · t^power + base
    base: float
    caution: float  # (C/√κ)^½; 0 when no corruption is expected
    bound: float  # of theta


class HuberState(NamedTuple):
    """What HuberOFUL remembers."""

    ridge: Ridge
    huber: Huber
    first: bool  # among equal scores choose the first arm
    ball: float | None = None  # if given, the arms are all vectors of this length or less

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        radius = _radius(self.huber, self.ridge.tally[COUNT])
        arm = best_of_ball(self.ball, self.ridge, self.ridge.theta, radius, rng, contexts)
        if arm >= 0:
            return arm
        means = np.empty(contexts.shape[1])
        bonuses = np.empty(contexts.shape[1])
        _scores(self, contexts, means, bonuses)
        return largest_sum(means, bonuses, rng, self.first)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        """Take one mirror-descent step along the Huber loss of this reward."""
        _descend(self.ridge, self.huber, context, reward)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        _scores(self, contexts, means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        means = np.empty(contexts.shape[1])
        bonuses = np.empty(contexts.shape[1])
        _scores(self, contexts, means, bonuses)
        out[:] = 0.0
        share_of_largest_sum(means, bonuses, self.first, 1.0, out)


@kernel
def _growth(huber: Huber, t: float) -> float:
    """t^power."""
    return math.exp(huber.power * math.log(t))


@kernel
def _radius(huber: Huber, learned: float) -> float:
    """β after this many rewards."""
    return huber.slope * _growth(huber, max(1.0, learned)) + huber.base


@kernel
def _scores(state: HuberState, contexts: Floats, means: Floats, bonuses: Floats) -> None:
    score_columns(state.ridge.inverse, state.ridge.theta, contexts, means, bonuses)
    widths_to_bonuses(bonuses, _radius(state.huber, state.ridge.tally[COUNT]))


@kernel
def scale_at(huber: Huber, learned: float, width: float) -> float:
    """σ: the divisor of an observation of this width."""
    growth = _growth(huber, learned + 1.0)
    radius = _radius(huber, learned)
    sigma = math.sqrt(2.0 * radius / (huber.bend * math.sqrt(STEP) * growth)) * width
    return max(max(huber.noise, huber.least), max(sigma, huber.caution * math.sqrt(width)))


@program
def _descend(ridge: Ridge, huber: Huber, x: Floats, y: float) -> None:
    """Take one mirror-descent step.

    A step V⁻¹∇ℓ is a step of recursive least squares for a reward whose residual is clipped by the
    Huber loss and multiplied by the step size, so the same regression is used.
    """
    direction = np.empty(x.shape[0])
    multiply(ridge.inverse, x, direction)
    leverage = dot(x, direction)
    width = math.sqrt(max(0.0, leverage))
    learned = ridge.tally[COUNT]
    sigma = scale_at(huber, learned, width)
    mean = dot(x, ridge.theta)
    residual = (y - mean) / sigma
    share = width / (sigma * math.sqrt(STEP))
    if share > 0.0:
        limit = huber.bend * math.sqrt(1.0 + share * share) / share
        limit *= _growth(huber, learned + 1.0)
        residual = min(limit, max(-limit, residual))
    target = mean + STEP * sigma * residual
    absorb(ridge, x, target, 1.0 / (STEP * sigma * sigma), direction, leverage)
    if dot(ridge.theta, ridge.theta) > huber.bound * huber.bound:
        project(ridge, huber.bound)


@program
def project(ridge: Ridge, bound: float) -> None:
    """Move theta to the nearest point, in the norm of V, no longer than ``bound``.

    That is ``p = (V + μI)⁻¹ V θ`` for the μ at which ‖p‖ equals the bound. Newton's method on the
    inverse of the length finds it from μ = 0 in a few increasing steps.
    """
    dim = ridge.theta.shape[0]
    point = ridge.theta.copy()
    slopes = np.empty(dim)
    shifted = np.empty((dim, dim))
    factor = np.empty((dim, dim))
    multiply(ridge.inverse, point, slopes)
    shift = 0.0
    for _ in range(50):
        square = dot(point, point)
        length = math.sqrt(square)
        if length <= bound * (1.0 + 1e-12):
            break
        shift += square / dot(point, slopes) * (length - bound) / bound
        copy(ridge.gram, shifted)
        for i in range(dim):
            shifted[i, i] += shift
        if not cholesky(shifted, factor):
            break
        _solve(factor, ridge.moment, point)
        _solve(factor, point, slopes)
    trim = min(1.0, bound / math.sqrt(dot(point, point)))
    for i in range(dim):
        ridge.theta[i] = trim * point[i]
    multiply(ridge.gram, ridge.theta, ridge.moment)


@program
def _solve(factor: Floats, x: Floats, out: Floats) -> None:
    """Solve ``RᵀR y = x``."""
    dim = x.shape[0]
    for i in range(dim):
        total = x[i]
        for j in range(i):
            total -= factor[j, i] * out[j]
        out[i] = total / factor[i, i]
    solve_upper(factor, out)


@dataclass(frozen=True, kw_only=True)
class HuberOFUL(LinearRecipe):
    """Optimism with a Huber regression that processes each reward once (Hvt-UCB).

    For noise of which only a moment of order 1 + ε is finite. The loss is quadratic up to a bend
    and linear beyond it, so the influence of a reward is bounded. The estimate takes one
    mirror-descent step for each reward, ``θ̂ ← Π(θ̂ - V⁻¹∇ℓ(θ̂))`` with V = λI + ¼Σxxᵀ/σ², and stays
    within the bound S of theta. With κ = d ln(1 + L²T/(4σ_min²λd)), w = ‖x/σ‖/2 and
    g = t^((1-ε)/(2(1+ε))):

    - bend τ = τ₀ g √(1+w²)/w, τ₀ = √(2κ) (ln 3T)^((1-ε)/(2(1+ε))) / (ln(2T²/δ))^(1/(1+ε));
    - scale σ = max{ν, σ_min, √(2β/(2τ₀g)) ‖x‖}, σ_min = 1/√T;
    - radius β = 107 ln(2T²/δ) τ₀ g + √(λ(2 + 4S²)).

    With ``budget`` C above 0, σ is also at least ``√(C/√κ) ‖x‖^½``: then no reward weighs more than
    √κ/(C‖x‖), as in CW-OFUL, and √κ is added to the radius for corruptions of C in total.

    Parameters
    ----------
    budget
        C: 0 (default) if there is heavy-tailed noise but no attacker; None for √T.
    moment
        1 + ε, order of the noise's finite moment, above 1 and at most 2.
    sigma
        ν, the (1+ε)-th root of that moment: the standard deviation for ``moment=2``.
    radius_scale
        Factor on the radius. With 1, the theory's, the radius is about 12,000, and exploration does
        not end.
    ridge
        λ; None for the theory's d.
    delta, ties
        As for every linear policy, see :class:`LinearRecipe`; ``radius`` has no effect.

    Notes
    -----
    Hvt-UCB is reconstructed from notes and from memory; the constants 107 and ¼ are the least
    certain. The lower limit of σ is that of AdaOFUL's and GAdaOFUL's code. Its use in the one-pass
    step is what Tani and Futami (2026) announce; we have seen only their abstract.

    References
    ----------
    Wang, Zhang, Zhao, Zhou, "Heavy-tailed linear bandits: Huber regression with one-pass update"
    (ICML 2025); Tani, Futami (2026).
    """

    facts: ClassVar[PolicyFacts] = PolicyFacts(
        setting="contextual",
        needs=("horizon", "moment of the noise"),
        adversary="heavy tails; strong, rewards, with budget",
        regret="dT^(1/(1+ε)) + dC",
        cost="Kd²",
        provenance=RECONSTRUCTION,
        reference="Wang, Zhang, Zhao, Zhou (2025); Tani, Futami (2026)",
        infinite_arms=True,
    )

    budget: NonNegative | None = 0.0
    moment: float = 2.0
    radius_scale: Positive = 1.0
    ridge: Positive | None = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        super().__post_init__()
        moment = require.between("moment", self.moment, 1.0, 2.0)
        if not moment > 1.0:
            raise ValueError(f"moment must be above 1, got {self.moment!r}")
        self._set(moment=moment)

    @classmethod
    def practical(cls, **changes: Any) -> Self:
        """Use three thousandths of the theory's radius.

        Of the scales in ``docs/presets.md`` it has the smallest worst case. The attacks there do
        not harm it, and succeed at the next smaller scale.
        """
        return cls(**{"radius_scale": 0.003, **changes})

    def start(self, problem: Problem) -> HuberState:
        rounds = problem.horizon(self.name)
        dim, bound = problem.dim, problem.theta_bound
        ridge = float(dim) if self.ridge is None else self.ridge
        least = 1.0 / math.sqrt(rounds)
        refuse_small_ridge(problem, ridge, weight=1.0 / (STEP * max(self.sigma, least) ** 2))
        reach = problem.context_bound**2 * float(rounds) ** 2 / (STEP * ridge * dim)
        potential = dim * math.log1p(reach)
        level = math.sqrt(rounds) if self.budget is None else self.budget
        power = (2.0 - self.moment) / (2.0 * self.moment)
        tail = math.log(2.0 * float(rounds) ** 2 / self.delta)
        bend = math.sqrt(2.0 * potential) * math.log(3.0 * rounds) ** power
        bend /= tail ** (1.0 / self.moment)
        base = math.sqrt(ridge * (2.0 + 4.0 * bound * bound))
        if level > 0.0:
            base += math.sqrt(potential)
        huber = Huber(
            noise=self.sigma,
            least=least,
            bend=bend,
            power=power,
            slope=self.radius_scale * 107.0 * tail * bend,
            base=self.radius_scale * base,
            caution=math.sqrt(level / math.sqrt(potential)),
            bound=bound,
        )
        return HuberState(start_ridge(dim, ridge), huber, self.ties == "first", ball_of(problem))
