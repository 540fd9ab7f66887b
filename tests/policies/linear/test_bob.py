"""BOB: a window for each block, paid what the block earned."""

import math
from pathlib import Path

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import agent_for, assert_same_play, block_of, play, ridge_of, state_of
from robustbandits.agent import SnapshotError
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
from robustbandits.policies.linear.bob import windows_up_to
from robustbandits.policies.linear.sliding_window_linucb import NEXT, REMOVED

pytestmark = [pytest.mark.slow] if jit_is_on else []


def small_block(rounds, *, arms=2, dim=2):
    return block_of(rounds, intercept=False, arms=arms, dim=dim)


def weights_of(agent):
    return state_of(agent).exp3.log_weights


def test_bob_with_a_full_window_is_linucb_with_restarts():
    block = small_block(400, arms=6, dim=4)
    restarted = RobustBandit(candidates=[0], epoch=60, delta_split=False)
    assert_same_play(block, BOB(block=60, windows=[60]), restarted)
    shorter = agent_for(BOB(block=60, windows=[37]), block)
    assert play(shorter, block) != play(agent_for(restarted, block), block)


def test_bob_with_one_block_that_never_ends_is_linucb():
    block = small_block(200, arms=6, dim=4)
    assert_same_play(block, BOB(block=1000, windows=[1000]), LinUCB(ties="first"))


def test_bob_plan_has_the_constants_of_the_paper():
    plan = BOB().plan(Problem(arms=20, dim=10, rounds=10**6))
    assert plan.block == 4641  # ⌊10^⅔ · 1000⌋
    assert plan.windows == (1, 2, 6, 16, 42, 108, 278, 710, 1816, 4641)
    assert plan.blocks == 216
    assert plan.alpha == pytest.approx(0.249, abs=5e-4)
    assert plan.alpha == pytest.approx(math.sqrt(10 * math.log(10) / ((math.e - 1) * 216)))
    spread = math.sqrt(4641 * math.log(10**6 / math.sqrt(4641)))
    assert plan.scale == pytest.approx(2 * 4641 + 4 * 0.1 * spread)


@pytest.mark.parametrize(("dim", "rounds"), [(1, 1), (1, 2), (8, 10**6), (27, 10**8), (7, 12_345)])
def test_bob_block_is_the_integer_part_of_the_root(dim, rounds):
    block = BOB().plan(Problem(arms=2, dim=dim, rounds=rounds)).block
    assert block**6 <= dim**4 * rounds**3 < (block + 1) ** 6


@pytest.mark.parametrize(("window", "radius"), [(4641, 1.88), (1, 1.59)])
def test_bob_as_written_has_the_radius_of_the_paper(window, radius):
    # R√(d ln(T(1 + wL²/λ))) + √λ S, from the first round on; an empty regression has widths 1/√λ.
    state = BOB.as_written(windows=[window]).start(Problem(arms=2, dim=10, rounds=10**6))
    means, bonuses = np.empty(2), np.empty(2)
    state.score(np.eye(10, 2), np.zeros(4), means, bonuses)
    inside = 10**6 * (1 + window / 0.1)
    expected = 0.1 * math.sqrt(10 * math.log(inside)) + math.sqrt(0.1)
    assert expected == pytest.approx(radius, abs=5e-3)
    np.testing.assert_allclose(bonuses * math.sqrt(0.1), expected)


def test_bob_plan_counts_the_last_short_block():
    assert BOB(block=300).plan(Problem(arms=2, dim=2, rounds=1000)).blocks == 4
    # More dimensions than √T: a block cannot be longer than the run.
    assert BOB().plan(Problem(arms=2, dim=50, rounds=100)).block == 100


@pytest.mark.parametrize("block", [1, 2, 3, 7, 8, 27, 64, 1000, 4096, 12_345])
def test_windows_are_the_integer_parts_of_the_roots(block):
    steps = math.ceil(math.log(block))
    exact = []
    for j in range(steps + 1):
        # ⌊H^(j/Δ)⌋ by whole numbers alone: the largest w with w^Δ <= H^j.
        window = 1
        while (window + 1) ** max(1, steps) <= block**j and steps:
            window += 1
        exact.append(window)
    assert windows_up_to(block) == tuple(exact)


def test_bob_agent_file_with_the_older_block_is_refused():
    path = Path(__file__).with_name("bob-with-long-blocks.rb")
    message = r"expected shape \(8, 3\), got \(10, 3\)\. If an older version .* start a new agent"
    with pytest.raises(SnapshotError, match=message):
        rb.Agent.load(path)


def test_bob_refuses_windows_longer_than_the_block():
    with pytest.raises(ValueError, match="windows must not exceed the block of 10 rounds, got 11"):
        BOB(block=10, windows=[11]).start(Problem(arms=2, dim=2, rounds=100))


def test_bob_after_a_block_keeps_only_exp3s_weights():
    recipe, block = BOB(block=30, windows=[4, 30], alpha=0.4), small_block(30, arms=4, dim=3)
    agent = agent_for(recipe, block)
    play(agent, block)
    state = state_of(agent)
    fresh = recipe.start(Problem(arms=4, dim=3, rounds=30)).optimist.ridge
    assert all(np.array_equal(*pair) for pair in zip(ridge_of(agent), fresh, strict=True))
    assert state.diary[[LEARNED, CREDITED, NEXT, REMOVED]].tolist() == [0.0] * 4
    assert state.diary[NUMBER] == 1.0
    assert weights_of(agent).any()


def test_bob_pays_exp3_what_the_block_earned():
    block = small_block(10, arms=1)
    agent = agent_for(BOB(block=10, windows=[2, 10], alpha=0.5, sigma=0.2), block)
    play(agent, block)
    earned = (block.means[:, 0] + block.noise).sum()
    spread = 4 * 0.2 * math.sqrt(10 * math.log(10 / math.sqrt(10)))
    payment = 0.5 + earned / (20 + spread)
    assert weights_of(agent).sum() == pytest.approx(0.5 / 2 * payment / 0.5)


@pytest.mark.parametrize(("reward", "paid"), [(9.0, 1.0), (-9.0, 0.0)])
def test_bob_clips_the_payment(reward, paid):
    agent = agent_for(BOB(block=4, windows=[2, 4], alpha=0.5), small_block(4, arms=1))
    for _ in range(4):
        agent.learn(agent.choose([[0.5, 0.5]]), reward)
    assert weights_of(agent).sum() == pytest.approx(0.5 / 2 * paid / 0.5)


def test_bob_late_reward_is_learned_but_credited_to_no_block():
    block = small_block(20)
    agent = agent_for(BOB(block=5, windows=[2, 5], alpha=0.5), block)
    late = agent.choose(block.contexts[0].T)
    for t in range(1, 6):
        agent.learn(agent.choose(block.contexts[t].T), 0.0)
    diary, before = state_of(agent).diary, weights_of(agent).copy()
    assert diary[NUMBER] == 1.0
    agent.learn(late, 50.0)
    assert (diary[LEARNED], diary[CREDITED]) == (1.0, 0.0)
    assert np.array_equal(weights_of(agent), before)
    assert ridge_of(agent).moment.any()


def test_bob_counts_rewards_not_decisions():
    block = small_block(90, arms=3)
    agent = agent_for(BOB(block=5, windows=[2, 5], alpha=0.5), block)
    for t in range(90):
        decision = agent.choose(block.contexts[t].T)
        if t % 3 == 0:  # the other rewards are lost
            agent.learn(decision, 0.5)
    assert state_of(agent).diary[NUMBER] == 6.0


def test_bob_counts_a_lost_reward_as_the_mean_of_the_others():
    # Two of five rewards belong to another block: EXP3 is paid five times the mean of the others.
    state = BOB(block=5, windows=[2, 5], alpha=0.5).start(Problem(arms=3, dim=2, rounds=50))
    rng, memo, paid = np.random.default_rng(0), np.zeros(4), np.zeros(2)
    state.choose(np.eye(2, 3), rng, memo)
    other = memo.copy()
    other[MEMO_BLOCK] = 7.0
    candidate, chance = int(memo[MEMO_CANDIDATE]), memo[MEMO_CHANCE]
    for reward, note in ((0.2, memo), (0.9, other), (0.4, memo), (0.9, other), (0.6, memo)):
        state.learn(0, np.array([0.5, 0.5]), reward, note, rng)
    paid[candidate] = 0.5 * (0.5 + 5 * 0.4 / state.scale) / (2 * chance)  # α r / (N p)
    np.testing.assert_allclose(state.exp3.log_weights, paid, rtol=1e-12)


def test_bob_keeps_its_window_within_a_block():
    block = small_block(200, arms=3)
    agent = agent_for(BOB(block=20, alpha=0.9), block)
    drawn = {}

    def watch(t):
        number, *candidate = state_of(agent).diary[[NUMBER, CANDIDATE, CHANCE]]
        drawn.setdefault(number, set()).add(tuple(candidate))

    play(agent, block, watch)
    assert all(len(found) == 1 for found in drawn.values())
    assert len(drawn) == 11
    assert len(set().union(*drawn.values())) > 2
