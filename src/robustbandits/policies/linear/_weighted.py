"""An optimist that weighs its observations: the wider the arm, the less its reward counts.

What is new to a linear policy is what an attacker wants to teach it. With the weight
``min(1, α / ‖x‖)`` of He, Zhou, Zhang, Gu (2022) no reward moves the estimate by more than α times
its corruption, so corruptions of C in all move it by αC at most, in the norm in which widths are
measured.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
    constant: float  # radius that does not change; below 0: LinUCB's own, which grows

    @kernel
    def choose(self, contexts: Floats, rng: np.random.Generator, memo: Floats) -> int:
        """Play the arm with the largest upper confidence bound."""
        return optimistic_arm(self.optimist, contexts, radius_of(self), rng)

    @kernel
    def learn(
        self, arm: int, context: Floats, reward: float, memo: Floats, rng: np.random.Generator
    ) -> None:
        """Add one observation to the regression, weighed by how wide its arm is."""
        observe_cautiously(self.optimist.ridge, context, reward, self.caution)

    @kernel
    def score(self, contexts: Floats, memo: Floats, means: Floats, bonuses: Floats) -> None:
        """Write each arm's estimated mean and bonus."""
        optimistic_scores(self.optimist, contexts, radius_of(self), means, bonuses)

    @kernel
    def probability(self, contexts: Floats, memo: Floats, out: Floats) -> None:
        """Write 1 for the best arm; equals share it."""
        optimistic_shares(self.optimist, contexts, radius_of(self), out)


@kernel
def radius_of(state: WeightedState) -> float:
    """Return the constant radius, or LinUCB's."""
    if state.constant >= 0.0:
        return state.constant
    return width_factor(state.optimist, 0.0)
