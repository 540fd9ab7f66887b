"""BOB: a window for each block, paid what the block earned."""

import math

import numpy as np
import pytest

from reference import twins_window as twins
from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from reference.test_twins import assert_twins
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.problem import Problem
from robustbandits.policies import BOB, LinUCB, RobustBandit
from robustbandits.policies.linear._blocks import (
    CANDIDATE,
    CHANCE,
    CREDITED,
    LEARNED,
    MEMO_BLOCK,
    MEMO_CANDIDATE,
    MEMO_CHANCE,
    NUMBER,
)
from robustbandits.policies.linear._window import NEXT, REMOVED
from robustbandits.policies.linear.bob import windows_up_to

pytestmark = [pytest.mark.slow] if jit_is_on else []

BASE = Problem(arms=20, dim=10, rounds=10**6)

VARIANTS = [
    {},
    {"growing": False, "clip": False},
    {"block": 20, "windows": [3, 20, 7], "alpha": 0.3},
    {"block": 11, "radius": "det", "sigma": 0.3},
    {"block": 40, "windows": [5]},
]


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize(("dim", "arms", "rounds"), [(1, 2, 200), (3, 6, 250)])
def test_bob_plays_like_its_twin(options, dim, arms, rounds):
    assert_twins(BOB(**options), twins.BOB, options, dim, arms, rounds)


@pytest.mark.parametrize("window", [60, 37])
def test_bob_with_a_full_window_is_restarted_linucb(window):
    block = block_of(400, intercept=False, arms=6, dim=4)
    if window == 60:  # RobustBandit with the level 0 alone is LinUCB with restarts
        other = RobustBandit(candidates=[0], epoch=60, delta_split=False)
    else:
        other = BOB(block=60, windows=[60])
    bob, restarted = (agent_for(one, block) for one in (BOB(block=60, windows=[window]), other))
    same = play(bob, block) == play(restarted, block)
    assert same == (window == 60)
    assert same_bits(ridge_of(bob), ridge_of(restarted)) == (window == 60)


def test_bob_of_one_endless_block_is_linucb():
    block = block_of(200, intercept=False, arms=6, dim=4)
    bob = agent_for(BOB(block=1000, windows=[1000]), block)
    linucb = agent_for(LinUCB(ties="first"), block)
    assert play(bob, block) == play(linucb, block)
    assert same_bits(ridge_of(bob), ridge_of(linucb))


def test_bob_golden_constants_at_the_base_point():
    plan = BOB().plan(BASE)
    assert plan.block == 10_000
    assert plan.windows == (1, 2, 6, 15, 39, 100, 251, 630, 1584, 3981, 10_000)
    assert plan.blocks == 100
    assert plan.alpha == pytest.approx(0.3918, abs=5e-5)
    assert plan.alpha == pytest.approx(math.sqrt(11 * math.log(11) / ((math.e - 1) * 100)))
    assert plan.scale == pytest.approx(20121.394, abs=1e-3)


def test_bob_plan_counts_the_last_short_block():
    assert BOB(block=300).plan(Problem(arms=2, dim=2, rounds=1000)).blocks == 4
    # More dimensions than √T: a block cannot be longer than the run.
    assert BOB().plan(Problem(arms=2, dim=50, rounds=100)).block == 100


@pytest.mark.parametrize("block", [1, 2, 3, 7, 8, 27, 64, 1000, 4096, 12_345])
def test_windows_are_the_whole_parts_of_the_roots(block):
    steps = math.ceil(math.log(block))
    exact = set()
    for j in range(steps + 1):
        # ⌊H^(j/Δ)⌋ by whole numbers alone: the largest w with w^Δ <= H^j.
        window = 1
        while (window + 1) ** max(1, steps) <= block**j and steps:
            window += 1
        exact.add(window)
    assert windows_up_to(block) == tuple(sorted(exact))


def test_bob_after_a_block_is_as_fresh_but_for_exp3():
    block = block_of(30, intercept=False, arms=4, dim=3)
    recipe = BOB(block=30, windows=[4, 30], alpha=0.4)
    agent = agent_for(recipe, block)
    play(agent, block)
    state, fresh = agent._state, recipe.start(Problem(arms=4, dim=3, rounds=30))
    assert same_bits(state.optimist, fresh.optimist)
    assert state.diary[[LEARNED, CREDITED, NEXT, REMOVED]].tolist() == [0.0] * 4
    assert state.diary[NUMBER] == 1.0
    assert state.exp3.log_weights.any()


def test_bob_pays_what_the_block_earned_over_its_chance():
    recipe = BOB(block=10, windows=[2, 10], alpha=0.5, sigma=0.2)
    block = block_of(10, intercept=False, arms=1, dim=2)
    agent = agent_for(recipe, block)
    play(agent, block)
    earned = (block.means[:, 0] + block.noise).sum()
    spread = 4 * 0.2 * math.sqrt(10 * math.log(10 / math.sqrt(10)))
    payment = 0.5 + earned / (20 + spread)
    assert agent._state.exp3.log_weights.sum() == pytest.approx(0.5 / 2 * payment / 0.5)


@pytest.mark.parametrize(("clip", "reward", "paid"), [(True, 9.0, 1.0), (True, -9.0, 0.0)])
def test_bob_payment_is_clipped(clip, reward, paid):
    recipe = BOB(block=4, windows=[2, 4], alpha=0.5, clip=clip)
    agent = agent_for(recipe, block_of(4, intercept=False, arms=1, dim=2))
    for _ in range(4):
        agent.learn(agent.choose([[0.5, 0.5]]), reward)
    assert agent._state.exp3.log_weights.sum() == pytest.approx(0.5 / 2 * paid / 0.5)


def test_bob_credits_no_other_block_with_a_late_reward():
    recipe = BOB(block=5, windows=[2, 5], alpha=0.5)
    block = block_of(20, intercept=False, arms=2, dim=2)
    agent = agent_for(recipe, block)
    late = agent.choose(block.contexts[0].T)
    for t in range(1, 6):
        agent.learn(agent.choose(block.contexts[t].T), 0.0)
    assert agent._state.diary[NUMBER] == 1.0
    before = agent._state.exp3.log_weights.copy()
    agent.learn(late, 50.0)
    diary = agent._state.diary
    assert (diary[LEARNED], diary[CREDITED]) == (1.0, 0.0)
    assert np.array_equal(agent._state.exp3.log_weights, before)
    assert ridge_of(agent).moment.any()  # but it teaches


def test_bob_goes_on_when_rewards_are_lost():
    recipe = BOB(block=5, windows=[2, 5], alpha=0.5)
    block = block_of(90, intercept=False, arms=3, dim=2)
    agent = agent_for(recipe, block)
    for t in range(90):
        decision = agent.choose(block.contexts[t].T)
        if t % 3 == 0:
            agent.learn(decision, 0.5)
    assert agent._state.diary[NUMBER] == 6.0


def test_bob_counts_a_lost_reward_as_the_mean_of_the_others():
    # Two of five rewards were for another block: EXP3 is paid for five like the other three.
    state = BOB(block=5, windows=[2, 5], alpha=0.5).start(Problem(arms=3, dim=2, rounds=50))
    rng, memo, paid = np.random.default_rng(0), np.zeros(4), np.zeros(2)
    state.choose(np.eye(2, 3), rng, memo)
    other = memo.copy()
    other[MEMO_BLOCK] = 7.0
    for reward, note in ((0.2, memo), (0.9, other), (0.4, memo), (0.9, other), (0.6, memo)):
        candidate, chance = int(memo[MEMO_CANDIDATE]), memo[MEMO_CHANCE]
        state.learn(0, np.array([0.5, 0.5]), reward, note, rng)
    payment = 0.5 + 5 * 0.4 / state.scale
    paid[candidate] = 0.5 * payment / (2 * chance)  # α r / (N p)
    found = state.exp3.log_weights - state.exp3.log_weights.min()
    np.testing.assert_allclose(found, paid, rtol=1e-12)


def test_bob_keeps_its_window_within_a_block():
    block = block_of(200, intercept=False, arms=3, dim=2)
    agent = agent_for(BOB(block=20, alpha=0.9), block)
    drawn = {}

    def watch(t):
        diary = agent._state.diary
        key = diary[NUMBER]
        drawn.setdefault(key, set()).add((diary[CANDIDATE], diary[CHANCE]))

    play(agent, block, watch)
    assert all(len(found) == 1 for found in drawn.values())
    assert len(drawn) == 11
    assert len(set().union(*drawn.values())) > 2


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"block": 0}, ValueError, "block must be >= 1, got 0"),
        ({"windows": []}, ValueError, r"windows must be a list of whole numbers, got \[\]"),
        ({"windows": "all"}, ValueError, "windows must be a list of whole numbers, got 'all'"),
        ({"windows": [3, 3]}, ValueError, "windows must differ from each other"),
        ({"windows": [0]}, ValueError, "windows must be >= 1, got 0"),
        ({"alpha": 1.5}, ValueError, r"alpha must be between 0 and 1, got 1\.5"),
        ({"clip": 0}, TypeError, "clip must be True or False, got 0"),
        ({"growing": None}, TypeError, "growing must be True or False, got None"),
    ],
)
def test_bob_bad_parameter_is_named(parameters, error, words):
    with pytest.raises(error, match=words):
        BOB(**parameters)


def test_bob_refuses_windows_beyond_the_block():
    with pytest.raises(ValueError, match="windows must not exceed the block of 10 rounds, got 11"):
        BOB(block=10, windows=[11]).start(BASE)


def test_bob_without_a_horizon_says_so():
    with pytest.raises(ValueError, match="BOB needs to know the horizon"):
        BOB().start(Problem(arms=3, dim=2))


def test_bob_check_refuses_a_guess_out_of_range():
    state = BOB().start(BASE)
    state.check(np.empty((0, 4)))
    with pytest.raises(ValueError, match="must"):
        state.check(np.array([[11.0, 0.5, 0.0, 0.0]]))
    state.diary[CANDIDATE] = 11.0
    state.diary[CHANCE] = 0.5
    with pytest.raises(ValueError, match="must"):
        state.check(np.empty((0, 4)))


def test_bob_as_written_takes_payments_as_they_come():
    assert BOB.as_written() == BOB(growing=False, clip=False)
