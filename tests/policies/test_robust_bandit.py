"""RobustBandit: the plan of a run, its epochs, and what EXP3 is paid for them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import COUNT, start_ridge
from robustbandits.policies import BOBNoRestart, LinUCB, RobustBandit, RobustLinUCB
from robustbandits.policies.robust_bandit import (
    CANDIDATE,
    CHANCE,
    CREDITED,
    EARNED,
    EVER,
    LEARNED,
    NUMBER,
)

PAPER = Problem(arms=20, dim=10, rounds=10**6)


def diary(agent):
    return agent._state.diary


# ----------------------------------------------------------------------------------- reductions


@pytest.mark.parametrize("epoch", ["balanced", "never", "paper", 601, 10**9])
@pytest.mark.parametrize("radius", ["trace", "det"])
def test_robust_bandit_with_the_candidate_zero_and_one_epoch_is_linucb(epoch, radius):
    block = block_of(600, arms=8, dim=4)
    robust = RobustBandit(candidates=[0], epoch=epoch, radius=radius)
    if epoch == "paper":  # with this noise the paper's epoch is longer than the game
        robust = RobustBandit(candidates=[0], epoch=epoch, radius=radius, sigma=0.5)
    linucb = LinUCB(radius=radius, sigma=robust.sigma)
    ours, theirs = agent_for(robust, block), agent_for(linucb, block)
    assert play(ours, block) == play(theirs, block)
    assert same_bits(ridge_of(ours), ridge_of(theirs))


def test_robust_bandit_epoch_of_the_whole_game_plays_like_linucb():
    # Epoch = rounds: the last reward restarts it, too late to matter.
    block = block_of(600, arms=8, dim=4)
    ours = agent_for(RobustBandit(candidates=[0], epoch=600), block)
    assert play(ours, block) == play(agent_for(LinUCB(), block), block)
    assert diary(ours)[NUMBER] == 1


@pytest.mark.parametrize("bonus", ["paper", "l1", "l2"])
def test_robust_bandit_with_one_candidate_and_one_epoch_is_robust_linucb(bonus):
    block = block_of(400, arms=8, dim=4)
    ours = agent_for(RobustBandit(candidates=[6.0], epoch="never", bonus=bonus), block)
    theirs = agent_for(RobustLinUCB(6.0, bonus=bonus), block)
    assert play(ours, block) == play(theirs, block)
    assert same_bits(ridge_of(ours), ridge_of(theirs))


def test_robust_bandit_with_epochs_of_one_round_and_no_restart_is_bob():
    # The two algorithms differ in epochs only; here both draw a candidate before every round.
    block = block_of(300, arms=8, dim=4)
    shared = {"candidates": [0, 1, 9], "alpha": 0.3, "radius": "det"}
    ours = agent_for(RobustBandit(epoch=1, restart=False, delta_split=False, **shared), block)
    theirs = agent_for(BOBNoRestart(**shared), block)
    assert play(ours, block) == play(theirs, block)
    assert same_bits(ridge_of(ours), ridge_of(theirs))
    assert same_bits(ours._state.exp3, theirs._state.exp3)


def test_robust_bandit_with_short_epochs_is_linucb_started_anew():
    block = block_of(120, arms=8, dim=4)
    ours = agent_for(RobustBandit(candidates=[0], epoch=30, delta_split=False), block)
    fresh = []
    for start in range(0, 120, 30):
        part = type(block)(*(array[start : start + 30] for array in block))
        fresh += play(agent_for(LinUCB(), part), part)
    assert play(ours, block) == fresh


# ------------------------------------------------------------------------------------- the plan


def test_plan_as_written_golden_constants():
    plan = RobustBandit.as_written().plan(PAPER)
    beta, gamma = 1.7557855, 16.6225820
    exact = beta * gamma * math.sqrt(10**6) / math.sqrt(math.e - 1)
    assert gamma == pytest.approx(math.sqrt(20 * math.log(1 + 10**6)), abs=5e-8)
    assert len(plan.levels) == 28
    assert exact == pytest.approx(22265.0028, abs=2e-3)
    assert plan.epoch == 22266  # rounded up; the paper says only 22265.0028
    assert plan.epoch - 1 < exact <= plan.epoch
    assert plan.epochs == 45 == math.ceil(10**6 / plan.epoch)
    assert plan.alpha == 1.0  # 1.0985 before the cut: EXP3 can learn nothing
    assert plan.delta == 0.01


def test_plan_theorem_three_counts_rounds():
    plan = RobustBandit.as_written(exp3_horizon="rounds").plan(PAPER)
    assert plan.alpha == pytest.approx(0.0073688, abs=5e-8)
    assert plan.alpha < RobustBandit.as_written().plan(PAPER).alpha


def test_plan_with_the_codes_noise_golden_constants():
    plan = RobustBandit.as_written(sigma=0.01).plan(PAPER)
    assert (plan.epoch, plan.epochs) == (5836, 172)
    assert plan.alpha == pytest.approx(0.562, abs=5e-4)


def test_plan_as_coded_golden_constants():
    plan = RobustBandit.as_coded().plan(PAPER)
    assert len(plan.levels) == 19
    assert plan.levels[-1] == 131072
    assert plan.epoch == math.inf  # the code's H is not whole, so its restart never comes
    assert plan.epochs == 1
    exact = 5835.5577
    assert RobustBandit.as_coded(epoch="paper").plan(PAPER).epoch == math.ceil(exact)
    assert not any(t % exact == 0 for t in range(1, 10**5))
    assert plan.levels[-1] <= 2 * 20 * exact < 2 * plan.levels[-1]


@pytest.mark.parametrize(
    ("recipe", "dim", "size", "epoch", "epochs", "alpha"),
    [
        (RobustBandit(candidates="2KT"), 10, 28, 2306, 434, 0.3537),
        (RobustBandit(candidates="2KT", sigma=0.01), 10, 28, 605, 1653, 0.1812),
        (RobustBandit(), 11, 12, 4433, 226, 0.277),
    ],
)
def test_plan_balanced_golden_constants(recipe, dim, size, epoch, epochs, alpha):
    plan = recipe.plan(Problem(arms=20, dim=dim, rounds=10**6))
    assert (len(plan.levels), plan.epoch, plan.epochs) == (size, epoch, epochs)
    assert plan.alpha == pytest.approx(alpha, abs=5e-4)
    # Balanced is the paper's epoch divided by √(N ln N), rounded up.
    paper = RobustBandit(**{**recipe.changes(), "epoch": "paper"})
    longest = paper.plan(Problem(arms=20, dim=dim, rounds=10**6)).epoch
    root = math.sqrt(size * math.log(size))
    assert (longest - 1) / root <= plan.epoch <= longest / root + 1
    assert plan.delta == pytest.approx(0.01 / epochs)


@given(
    st.integers(1, 100),
    st.integers(1, 50),
    st.integers(1, 10**7),
    st.sampled_from(["balanced", "paper", "never", 1, 100]),
    st.sampled_from(["sqrtT", "T", "2KT", "2KT-floor", "2KH-floor", (0.0,), (0.0, 3.0)]),
)
def test_plan_any_problem_has_whole_epochs_that_cover_the_game(
    arms, dim, rounds, epoch, candidates
):
    plan = RobustBandit(epoch=epoch, candidates=candidates).plan(
        Problem(arms=arms, dim=dim, rounds=rounds)
    )
    assert plan.epoch >= 1
    assert plan.epoch == math.inf or plan.epoch == int(plan.epoch)
    assert (plan.epochs - 1) * min(plan.epoch, rounds) < rounds <= plan.epochs * plan.epoch
    assert 0.0 <= plan.alpha <= 1.0
    assert 0.0 < plan.delta <= 0.01
    assert plan.delta * plan.epochs == pytest.approx(0.01)
    assert plan.levels[0] == 0.0


def test_plan_given_alpha_is_kept():
    assert RobustBandit(alpha=0.125).plan(PAPER).alpha == 0.125


# ----------------------------------------------------------------------------------- the epochs


@pytest.mark.parametrize(("rounds", "epoch"), [(100, 30), (90, 30), (29, 30), (12, 1), (5, 5)])
def test_robust_bandit_plays_as_many_epochs_as_planned(rounds, epoch):
    block = block_of(rounds, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=epoch), block)
    numbers = [0.0]  # of the epoch that each round begins in
    play(agent, block, watch=lambda t: numbers.append(diary(agent)[NUMBER]))
    plan = agent.policy.plan(agent.problem)
    lengths = np.bincount(np.array(numbers[:-1], dtype=int))
    assert len(lengths) == plan.epochs == math.ceil(rounds / epoch)
    assert (lengths[:-1] == epoch).all()
    assert lengths[-1] == rounds - (plan.epochs - 1) * epoch


def test_robust_bandit_candidate_is_kept_within_an_epoch_and_redrawn_after():
    block = block_of(400, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=20, candidates=[0, 1, 2, 4, 8, 16], alpha=1.0), block)
    seen = []
    memos = []
    for contexts, reward in zip(block.contexts, block.noise, strict=True):
        decision = agent.choose(contexts.T)
        memos.append(agent._pending[decision.id][1][0])
        agent.learn(decision, reward)
        seen.append(diary(agent)[CANDIDATE])
    drawn = np.array(memos).reshape(20, 20)
    assert (drawn == drawn[:, :1]).all()
    assert len(np.unique(drawn[:, 0])) > 2
    assert (np.array(seen).reshape(20, 20)[:, :-1] == drawn[:, :1]).all()


def test_robust_bandit_after_an_epoch_is_fresh():
    block = block_of(50, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=25), block)
    resets = []

    def watch(t):
        if t % 25 == 24:
            resets.append(same_bits(ridge_of(agent), start_ridge(3, 0.1)))
            assert diary(agent)[[LEARNED, CREDITED, EARNED]].tolist() == [0.0, 0.0, 0.0]
            assert diary(agent)[EVER] == t + 1
        else:
            assert ridge_of(agent).tally[COUNT] == t % 25 + 1

    play(agent, block, watch)
    assert resets == [True, True]


def test_robust_bandit_without_restart_keeps_what_it_learned():
    block = block_of(50, arms=4, dim=2)
    agent = agent_for(RobustBandit(epoch=25, restart=False), block)
    play(agent, block)
    assert ridge_of(agent).tally[COUNT] == 50
    assert diary(agent)[NUMBER] == 2


def test_robust_bandit_as_coded_never_restarts_and_keeps_its_candidate():
    # The trap of `t % H == 0` with an H that is not whole: true in the first round only.
    block = block_of(3000, arms=4, dim=2)
    agent = agent_for(RobustBandit.as_coded(), block)
    candidates = set()
    play(agent, block, watch=lambda t: candidates.add(diary(agent)[CANDIDATE]))
    assert len(candidates) == 1
    assert diary(agent)[NUMBER] == 0
    assert ridge_of(agent).tally[COUNT] == 3000
    assert not agent._state.exp3.log_weights.any()


@pytest.mark.parametrize("epoch", [5835.5577, 100.0, np.float64(7.0), True])
def test_robust_bandit_epoch_that_is_not_whole_is_refused(epoch):
    with pytest.raises(TypeError, match="epoch must be a whole number, got"):
        RobustBandit(epoch=epoch)


# --------------------------------------------------------------------------- what EXP3 is paid


def rewarded(recipe, rewards):
    """Play a game of one arm with these rewards; return the agent."""
    agent = rb.Agent(recipe, arms=1, dim=2, rounds=len(rewards), reward_range=(-9.0, 9.0))
    for reward in rewards:
        agent.learn(agent.choose([[0.6, 0.1]]), reward)
    return agent


@pytest.mark.parametrize(
    ("options", "rewards", "paid"),
    [
        ({}, [0.2, 0.4, 0.9], 0.5),
        ({}, [2.0, 2.0, 2.0], 1.0),
        ({}, [-1.0, 0.1, 0.1], 0.0),
        ({"clip": False}, [2.0, 2.0, 2.0], 2.0),
        ({"clip": False}, [-1.0, 0.1, 0.0], -0.3),
        ({"reward_scale": "none"}, [0.2, 0.4, 0.9], 1.5),
        ({"reward_scale": "none"}, [-1.0, 0.1, 0.0], -0.9),
    ],
)
def test_robust_bandit_pays_exp3_for_an_epoch(options, rewards, paid):
    recipe = RobustBandit(candidates=[0, 1, 2, 3], epoch=3, alpha=0.4, **options)
    weights = rewarded(recipe, rewards)._state.exp3.log_weights
    assert weights.sum() == pytest.approx(0.4 / 4 * paid / 0.25, abs=1e-15)
    assert np.count_nonzero(weights) == (1 if paid else 0)


def test_robust_bandit_pays_with_the_chance_its_candidate_was_drawn_with():
    recipe = RobustBandit(candidates=[0, 1], epoch=2, alpha=0.5)
    agent = rewarded(recipe, [1.0, 1.0])
    first = agent._state.exp3.log_weights.copy()
    weights = np.exp(first - first.max())
    chances = 0.5 * weights / weights.sum() + 0.25
    candidate = int(diary(agent)[CANDIDATE])
    assert diary(agent)[CHANCE] == pytest.approx(chances[candidate], rel=1e-14)
    for _ in range(2):
        agent.learn(agent.choose([[0.6, 0.1]]), 0.5)
    step = agent._state.exp3.log_weights - first
    assert step[candidate] == pytest.approx(0.25 * 0.5 / chances[candidate], rel=1e-13)
    assert step[1 - candidate] == 0.0


def test_robust_bandit_late_reward_is_learned_but_not_credited():
    recipe = RobustBandit(candidates=[0, 4], epoch=4, alpha=0.5)
    agent = rb.Agent(recipe, arms=1, dim=2, rounds=100)
    context = [[0.6, 0.1]]
    agent.learn(agent.choose(context), 0.5)
    late = agent.choose(context)
    for _ in range(3):
        agent.learn(agent.choose(context), 0.5)
    assert diary(agent)[NUMBER] == 1
    before = diary(agent).copy()
    agent.learn(late, 1.0)
    assert diary(agent)[LEARNED] == before[LEARNED] + 1
    assert diary(agent)[CREDITED] == before[CREDITED] == 0
    assert diary(agent)[EARNED] == before[EARNED] == 0
    assert ridge_of(agent).tally[COUNT] == 1
    assert ridge_of(agent).moment.tolist() == [0.6, 0.1]
    # The epoch then ends after three rewards of its own, and is paid for those alone.
    weights = agent._state.exp3.log_weights.copy()
    candidate, chance = int(before[CANDIDATE]), before[CHANCE]
    for _ in range(3):
        agent.learn(agent.choose(context), 0.2)
    assert diary(agent)[NUMBER] == 2
    step = agent._state.exp3.log_weights - weights
    assert step[candidate] == pytest.approx(0.25 * 0.2 / chance)


def test_robust_bandit_epoch_of_late_rewards_only_pays_nobody():
    recipe = RobustBandit(candidates=[0, 4], epoch=2, alpha=0.5)
    agent = rb.Agent(recipe, arms=1, dim=2, rounds=100)
    context = [[0.6, 0.1]]
    agent.learn(agent.choose(context), 0.5)
    late = [agent.choose(context) for _ in range(3)]
    agent.learn(late[0], 0.5)
    paid = agent._state.exp3.log_weights.copy()
    for decision in late[1:]:
        agent.learn(decision, 1.0)
    assert diary(agent)[NUMBER] == 2
    assert np.array_equal(agent._state.exp3.log_weights, paid)


def test_robust_bandit_first_reward_settles_the_first_candidate():
    recipe = RobustBandit(candidates=[0, 1, 2, 4, 8], epoch=50, alpha=1.0)
    agent = rb.Agent(recipe, arms=1, dim=2, rounds=100)
    early = [agent.choose([[0.6, 0.1]]) for _ in range(30)]
    memos = [agent._pending[decision.id][1][0] for decision in early]
    assert len(set(memos)) > 1  # nothing settled yet: each choice draws for itself
    assert diary(agent)[CANDIDATE] == -1
    agent.learn(early[17], 0.5)
    assert diary(agent)[CANDIDATE] == memos[17]
    for t, decision in enumerate(early):
        if t != 17:
            agent.learn(decision, 0.5)
    assert diary(agent)[LEARNED] == 30
    assert diary(agent)[CREDITED] == memos.count(memos[17])


# ------------------------------------------------------------------------------ scores, horizon


def test_robust_bandit_probabilities_are_over_the_candidates_not_yet_drawn():
    # A short arm with nothing known and a long one: widths decide, whatever the candidate.
    recipe = RobustBandit(candidates=[0, 4, 8])
    agent = rb.Agent(recipe, arms=2, dim=2, rounds=100)
    assert agent.scores([[0.1, 0.0], [0.0, 0.9]]).probabilities.tolist() == [0.0, 1.0]
    np.testing.assert_allclose(
        agent.scores([[0.9, 0.0], [0.0, 0.9]]).probabilities, [0.5, 0.5], rtol=1e-15
    )


def test_robust_bandit_bonuses_follow_the_settled_candidate():
    recipe = RobustBandit(candidates=[0, 100], epoch=1000, bonus="l1", delta_split=False)
    contexts = np.array([[0.3, 0.2], [0.1, -0.4]])
    bonuses = {}
    for seed in range(8):
        agent = rb.Agent(recipe, arms=2, dim=2, rounds=100, seed=seed, reward_range=(-1, 2))
        decision = agent.choose(contexts[:1])
        agent.learn(decision, 0.5)
        bonuses[int(diary(agent)[CANDIDATE])] = agent.scores(contexts).bonuses
    assert set(bonuses) == {0, 1}
    beta = 0.1 * math.sqrt(2 * math.log((1 + 2 / 0.1) / 0.01)) + math.sqrt(0.1)
    np.testing.assert_allclose(bonuses[1] / bonuses[0], (beta + 100) / beta, rtol=1e-12)


@pytest.mark.parametrize(
    "recipe",
    [
        RobustBandit(),
        RobustBandit.as_written(),
        RobustBandit.as_coded(),
        RobustBandit(candidates=[0, 1], alpha=0.1, delta_split=False),
        RobustBandit(candidates=[0, 1], epoch=10, delta_split=False),
        RobustBandit(candidates=[0, 1], epoch=10, alpha=0.1),
    ],
)
def test_robust_bandit_without_a_horizon_says_so_in_one_sentence(recipe):
    with pytest.raises(ValueError, match="RobustBandit needs to know the horizon") as caught:
        recipe.start(Problem(arms=3, dim=2))
    assert "rounds=" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_robust_bandit_with_everything_given_needs_no_horizon():
    recipe = RobustBandit(candidates=[0, 1], epoch=10, alpha=0.1, delta_split=False)
    state = recipe.start(Problem(arms=3, dim=2))
    assert (state.length, state.exp3.alpha) == (10.0, 0.1)


# ------------------------------------------------------------------------------------- recipes


def test_robust_bandit_as_written_has_the_papers_fields():
    assert RobustBandit.as_written() == RobustBandit(
        candidates="2KT",
        epoch="paper",
        restart=True,
        reward_scale="none",
        exp3_horizon="epochs",
        bonus="paper",
        index="local",
        delta_split=False,
        clip=False,
        sigma=0.1,
        ties="random",
    )
    assert RobustBandit.as_written(epoch=9).epoch == 9


def test_robust_bandit_as_coded_has_the_codes_fields():
    assert RobustBandit.as_coded() == RobustBandit(
        candidates="2KH-floor",
        epoch="never",
        restart=False,
        reward_scale="none",
        bonus="paper",
        index="global",
        delta_split=False,
        clip=False,
        sigma=0.01,
        ties="first",
    )
    assert RobustBandit.as_coded(ties="random").ties == "random"


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"epoch": 0}, ValueError, "epoch must be >= 1, got 0"),
        ({"epoch": "long"}, ValueError, "epoch must be one of .*; got 'long'"),
        ({"epoch": None}, TypeError, "epoch must be a whole number, got None"),
        ({"restart": 0}, TypeError, "restart must be True or False, got 0"),
        ({"reward_scale": "sum"}, ValueError, "reward_scale must be one of .*; got 'sum'"),
        ({"exp3_horizon": "T"}, ValueError, "exp3_horizon must be one of .*; got 'T'"),
        ({"bonus": None}, ValueError, "bonus must be one of .*; got None"),
        ({"max_corruption": 0.0}, ValueError, r"max_corruption must be > 0, got 0\.0"),
        ({"index": "both"}, ValueError, "index must be one of .*; got 'both'"),
        ({"delta_split": "yes"}, TypeError, "delta_split must be True or False, got 'yes'"),
        ({"clip": None}, TypeError, "clip must be True or False, got None"),
        ({"alpha": -1}, ValueError, "alpha must be between 0 and 1, got -1"),
        ({"delta": 0}, ValueError, "delta must be between 0 and 1 .*, got 0"),
    ],
)
def test_robust_bandit_bad_parameter_is_named(parameters, error, words):
    with pytest.raises(error, match=words):
        RobustBandit(**parameters)
