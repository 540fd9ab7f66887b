"""Rewards, noise, bounds and budget in other units give the same choices."""

from dataclasses import replace

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import agent_for, block_of, play, ridge_of
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.rounds import Rounds

SCALE = 4.0  # a power of two, so nothing is rounded


def policies(scale):
    sigma = 0.1 * scale
    return {
        "LinUCB": rb.policies.LinUCB(sigma=sigma),
        "LinUCB, det": rb.policies.LinUCB(sigma=sigma, radius="det"),
        "LinTS": rb.policies.LinTS(sigma=sigma),
        "Greedy": rb.policies.Greedy(),
        "RobustLinUCB, l1": rb.policies.RobustLinUCB(5.0 * scale, bonus="l1", sigma=sigma),
        "RobustLinUCB, l2": rb.policies.RobustLinUCB(
            5.0 * scale, max_corruption=scale, sigma=sigma
        ),
        "RobustLinUCB, paper": rb.policies.RobustLinUCB(5.0 * scale, bonus="paper", sigma=sigma),
        "CWOFUL, known C": rb.policies.CWOFUL(budget=5.0 * scale, sigma=sigma),
        "CautiousLinUCB": rb.policies.CautiousLinUCB(tolerance=30.0, sigma=sigma),
    }


@pytest.mark.parametrize("name", list(policies(1.0)))
@pytest.mark.parametrize("contexts", ["fresh", "fixed"])
def test_policy_does_not_depend_on_the_unit_of_rewards(name, contexts):
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
        scaled = (scale * block.means, scale * block.best, scale * block.noise)
        game.advance(Rounds(block.contexts, *scaled))
        regrets.append(game.close("scaled", 0).regret)
    assert np.array_equal(SCALE * regrets[0], regrets[1])
    assert regrets[0][-1] > 0.0


@pytest.mark.parametrize("scale", [0.25, SCALE])
def test_linucb_estimate_scales_with_the_rewards(scale):
    block = block_of(500, arms=6, dim=3)
    scaled = block._replace(means=scale * block.means, noise=scale * block.noise)
    plain = agent_for(policies(1.0)["LinUCB"], block)
    other = agent_for(policies(scale)["LinUCB"], block, theta_bound=scale)
    assert play(plain, block) == play(other, scaled)
    assert np.array_equal(scale * ridge_of(plain).theta, ridge_of(other).theta)
