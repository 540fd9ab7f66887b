"""OracleLinUCB: it is told what the attacker spends, and starts again when the money is gone."""

import numpy as np
import pytest

import robustbandits as rb
from catalogue import compile_few
from reference import twins
from reference.playing import agent_for, block_of, play, same_bits
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import COUNT
from robustbandits.policies import LinUCB, OracleLinUCB
from robustbandits.policies.linear._linear import BONUSES
from robustbandits.policies.linear.oracle_linucb import SPENT


def game_of(policy, attack, blocks, problem):
    game = Game(policy, attack, problem, 0, 10)
    for block in blocks:
        game.advance(block)
    return game


def test_oracle_without_an_attack_is_linucb():
    nature = rb.environments.Simulation(contexts="fixed").start(1500, stream(0, NATURE))
    blocks = [nature.draw(1500)]
    linucb, oracle = (
        game_of(policy, rb.attacks.NoAttack(), blocks, nature.problem).policy
        for policy in (LinUCB(), OracleLinUCB())
    )
    assert same_bits(linucb.optimist, oracle.optimist)


def test_oracle_is_told_what_was_spent():
    nature = rb.environments.Simulation(contexts="fixed").start(1500, stream(0, NATURE))
    game = game_of(OracleLinUCB(), rb.attacks.Garcelon(7.0), [nature.draw(1500)], nature.problem)
    spent = game.close("fixed", 0).spent
    assert game.policy.heard[SPENT] == spent > 0.0


def test_oracle_forgets_everything_when_the_money_is_gone():
    # From then on it is LinUCB on the rounds that are left.
    nature = rb.environments.Simulation(arms=6, dim=3).start(800, stream(0, NATURE))
    blocks = [nature.draw(1) for _ in range(800)]
    attack = rb.attacks.FlipTheta(3.0)
    oracle = Game(OracleLinUCB(ties="first"), attack, nature.problem, 0, 10)
    end = 0
    while oracle.policy.heard[SPENT] < 3.0:
        oracle.advance(blocks[end])
        end += 1
    assert 3 < end < 700
    assert oracle.policy.optimist.ridge.tally[COUNT] == 0.0
    clean = Game(LinUCB(ties="first"), rb.attacks.NoAttack(), nature.problem, 0, 10)
    for block in blocks[end:]:
        oracle.advance(block)
        clean.advance(block)
    assert same_bits(oracle.policy.optimist, clean.policy.optimist)


@pytest.mark.parametrize("bonus", compile_few(BONUSES, ["l2"]))
def test_oracle_plays_like_its_twin(bonus):
    block = block_of(200, arms=6, dim=3, intercept=False)
    state = OracleLinUCB(bonus=bonus).start(Problem(arms=6, dim=3, rounds=200))
    twin = twins.LinUCB(twins.Bounds(6, 3, 200), np.random.default_rng(0), bonus=bonus)
    rng, memo = np.random.default_rng(0), np.zeros(4)
    spent = np.cumsum(np.random.default_rng(1).random(200) < 0.1) * 0.7  # a corruption at times
    for t in range(200):
        arm = state.choose(block.contexts[t], rng, memo)
        assert arm == twin.choose(block.contexts[t].T), f"different arms in round {t}"
        state.overhear(spent[t], False)
        twin.budget = spent[t]
        context, reward = block.contexts[t][:, arm].copy(), block.means[t, arm] + block.noise[t]
        state.learn(arm, context, reward, memo, rng)
        twin.learn(context, reward)
    assert spent[-1] > 5.0


def test_oracle_in_an_agent_warns_and_is_linucb():
    block = block_of(50)
    linucb = agent_for(LinUCB(), block)
    with pytest.warns(UserWarning, match="OracleLinUCB is a reference"):
        oracle = agent_for(OracleLinUCB(), block)
    assert play(linucb, block) == play(oracle, block)
