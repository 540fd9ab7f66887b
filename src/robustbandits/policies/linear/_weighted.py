"""State of CW-OFUL and CautiousLinUCB: an observation counts less, the wider its arm.

With the weight ``min(1, α / ‖x‖)`` of He, Zhou, Zhang, Gu (2022) no reward moves the estimate by
more than α times its corruption. Corruptions of C in total therefore move it by at most αC, in the
norm in which widths are measured.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy.random import Generator

from robustbandits.compiled.jit import kernel
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.ridge import observe_cautiously
from robustbandits.policies.linear._linear import (
    Optimist,
    optimistic_arm,
    optimistic_scores,
    optimistic_shares,
    width_factor,
)


class WeightedState(NamedTuple):
    """What CW-OFUL and CautiousLinUCB remember."""

    optimist: Optimist
    caution: float  # α; infinity gives every observation its full weight
    constant: float  # constant radius; if negative, LinUCB's growing radius is used

    @kernel
    def choose(self, contexts: Floats, rng: Generator, memo: Floats) -> int:
        return optimistic_arm(self.optimist, contexts, _radius(self), rng)

    @kernel
    def learn(self, arm: int, context: Floats, reward: float, memo: Floats, rng: Generator) -> None:
        observe_cautiously(self.optimist.ridge, context, reward, self.caution)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        optimistic_scores(self.optimist, contexts, _radius(self), means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        optimistic_shares(self.optimist, contexts, _radius(self), out)


@kernel
def _radius(state: WeightedState) -> float:
    if state.constant >= 0.0:
        return state.constant
    return width_factor(state.optimist, 0.0)
