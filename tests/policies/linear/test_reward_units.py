"""Rewards, noise, bounds and budget in cents give the choices that dollars give."""

from dataclasses import replace

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.rounds import deal

SCALE = 4.0  # a power of two: nothing is rounded


def policies(scale):
    sigma = 0.1 * scale
    return {
        "LinUCB": rb.policies.LinUCB(sigma=sigma),
        "LinTS": rb.policies.LinTS(sigma=sigma),
        "Greedy": rb.policies.Greedy(),
        "RobustLinUCB, l1": rb.policies.RobustLinUCB(5.0 * scale, bonus="l1", sigma=sigma),
        "CWOFUL, known C": rb.policies.CWOFUL(budget=5.0 * scale, sigma=sigma),
        "CautiousLinUCB": rb.policies.CautiousLinUCB(tolerance=30.0, sigma=sigma),
    }


@pytest.mark.parametrize("name", list(policies(1.0)))
@pytest.mark.parametrize("contexts", ["fresh", "fixed"])
def test_a_policy_does_not_care_what_rewards_are_counted_in(name, contexts):
    nature = rb.environments.Simulation(contexts=contexts).start(500, stream(7, NATURE))
    block = nature.draw(500)
    regrets = []
    for scale in (1.0, SCALE):
        problem = replace(
            nature.problem,
            theta_bound=scale * nature.problem.theta_bound,
            noise=scale * nature.problem.noise,
        )
        attack = rb.attacks.FlipTheta(5.0 * scale, form="origin")
        game = Game(policies(scale)[name], attack, problem, 0, 500)
        game.advance(deal(block.contexts, scale * block.means, scale * block.noise))
        regrets.append(game.close("scaled", 0).regret)
    assert np.array_equal(SCALE * regrets[0], regrets[1])
    assert regrets[0][-1] > 0.0
