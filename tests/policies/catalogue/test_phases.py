"""RobustPhasedElimination and SupportBasisExploration: roll call, plans, conclusions."""

import math

import numpy as np
import pytest

import robustbandits as rb
from reference.playing import agent_for, block_of
from reference.twins_fixed import known_to_within
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.match import play_match
from robustbandits.game.problem import Problem
from robustbandits.policies import RobustPhasedElimination, SupportBasisExploration
from robustbandits.policies.catalogue._phases import (
    GAP,
    GUESS,
    LEADER,
    LEFT,
    LENGTH,
    PATIENCE,
    PHASE,
    SURPLUS,
)
from robustbandits.policies.catalogue.robust_phased_elimination import first_length

compiles = pytest.mark.slow if jit_is_on else pytest.mark.skipif(False, reason="runs")

TIGHT = RobustPhasedElimination(budget=0.5, threshold="tight", first_phase=40)
RECIPES = [RobustPhasedElimination(), TIGHT, SupportBasisExploration(scale=0.5)]


def names(recipe):
    return recipe.label[:40]


def answer(agent, block, t):
    decision = agent.choose(block.contexts[t].T)
    agent.learn(decision, block.means[t, decision.arm] + block.noise[t])
    return decision.arm


def past_the_roll_call(recipe, block, seed=0):
    agent = agent_for(recipe, block, seed=seed)
    t = 0
    while agent._state.diary[PHASE] == 0:
        answer(agent, block, t)
        t += 1
    return agent, t


# ------------------------------------------------------------------------------------ roll call


@compiles
@pytest.mark.parametrize("recipe", RECIPES, ids=names)
def test_roll_call_hears_every_arm(recipe):
    block = block_of(400, arms=8, dim=3, contexts="fixed")
    agent = agent_for(recipe, block)
    heard = set()
    while agent._state.diary[PHASE] == 0:
        heard.add(answer(agent, block, 0))
        assert agent._state.active.sum() in (len(heard), 8)
    assert len(heard) == 8
    assert np.array_equal(agent._state.contexts, block.contexts[0])


@compiles
def test_roll_call_plays_who_has_not_answered():
    block = block_of(10, arms=8, dim=3, contexts="fixed")
    agent = agent_for(TIGHT, block)
    first = answer(agent, block, 0)
    chances = agent.choose(block.contexts[0].T).probabilities
    assert chances[first] == pytest.approx(0.125)
    np.testing.assert_allclose(np.delete(chances, first), 0.125)  # seven share 7/8
    second = answer(agent, block, 1)
    chances = agent.choose(block.contexts[0].T).probabilities
    others = [a for a in range(8) if a not in (first, second)]
    if second != first:
        np.testing.assert_allclose(chances[others], 0.875 / 6)
        np.testing.assert_allclose(chances[[first, second]], 0.0625)


@compiles
@pytest.mark.parametrize("recipe", RECIPES, ids=names)
def test_roll_call_goes_on_without_an_arm_that_never_answers(recipe):
    block = block_of(1, arms=4, dim=2, contexts="fixed")
    agent = agent_for(recipe, block, rounds=100_000)
    contexts, missing = block.contexts[0].T, 2
    rewards = decisions = 0
    while agent._state.diary[PHASE] == 0:
        decision = agent.choose(contexts)
        decisions += 1
        if decision.arm != missing:
            agent.learn(decision, 0.5)
            rewards += 1
        assert decisions < 40 * 16 * PATIENCE
    assert rewards == PATIENCE * 4
    assert agent._state.active.tolist() == [1, 1, 0, 1]
    for _ in range(200):
        decision = agent.choose(contexts)
        assert decision.arm != missing
        agent.learn(decision, 0.5)


# --------------------------------------------------------------------------------------- phases


@compiles
@pytest.mark.parametrize("recipe", [RobustPhasedElimination(), TIGHT], ids=names)
def test_phased_elimination_plays_each_arm_as_often_as_planned(recipe):
    block = block_of(3000, arms=7, dim=3, contexts="fixed")
    agent, t = past_the_roll_call(recipe, block)
    state = agent._state
    phases = 0
    while t < 2900:
        plan, active = state.plan.copy(), state.active > 0
        length, phase = state.diary[LENGTH], state.diary[PHASE]
        assert np.all(plan[~active] == 0)
        counts = np.zeros(7)
        while state.diary[PHASE] == phase and t < 2900:
            counts[answer(agent, block, t)] += 1
            t += 1
        if state.diary[PHASE] == phase:
            break
        phases += 1
        assert counts.tolist() == plan.tolist()
        arms = state.contexts.T[active]
        rank = np.linalg.matrix_rank(arms)
        reach = known_to_within(arms, counts[active])
        assert reach.max() <= 2 * rank / length * (1 + 1e-9)
        assert state.diary[LENGTH] == 2 * length
        assert not np.any((state.active > 0) & ~active)  # nobody comes back
        assert state.active[int(state.diary[LEADER])] > 0
    assert phases > 1


@compiles
def test_phased_elimination_does_not_count_a_reward_of_an_earlier_phase():
    block = block_of(500, arms=4, dim=2, contexts="fixed")
    agent, t = past_the_roll_call(TIGHT, block)
    late = agent.choose(block.contexts[0].T)
    while agent._state.diary[PHASE] == 1:
        answer(agent, block, t)
        t += 1
    before = agent._state.counts.copy(), agent._state.diary.copy()
    agent.learn(late, 5.0)
    assert np.array_equal(agent._state.counts, before[0])
    assert np.array_equal(agent._state.diary, before[1])


@compiles
def test_phased_elimination_lost_rewards_are_asked_for_again():
    block = block_of(2000, arms=4, dim=2, contexts="fixed")
    agent, _ = past_the_roll_call(TIGHT, block)
    left = agent._state.diary[LEFT]
    decisions = 0
    while agent._state.diary[PHASE] == 1:
        decision = agent.choose(block.contexts[0].T)
        decisions += 1
        if decisions % 2:
            agent.learn(decision, 0.5)
    assert decisions == 2 * left - 1


@compiles
@pytest.mark.parametrize("recipe", [RobustPhasedElimination(first_phase=30), TIGHT], ids=names)
def test_phased_elimination_waits_for_every_arm_when_rewards_come_late(recipe):
    # Some arms are then played more often than planned; that must not end the phase for others.
    block = block_of(3000, arms=7, dim=3, contexts="fixed")
    agent, _ = past_the_roll_call(recipe, block)
    state, waiting = agent._state, []
    phases = surplus = 0
    for t in range(2500):
        waiting.append((t, agent.choose(block.contexts[0].T)))
        if len(waiting) <= 20:
            continue
        made, decision = waiting.pop(0)
        phase, plan, counts = state.diary[PHASE], state.plan.copy(), state.counts.copy()
        agent.learn(decision, block.means[made, decision.arm] + block.noise[made])
        if state.diary[PHASE] != phase:
            counts[decision.arm] += 1
            assert np.all(counts >= plan)
            surplus += (counts > plan).sum()
            phases += 1
    assert phases > 2
    assert surplus > 0  # or there was nothing to see


@compiles
def test_phased_elimination_guess_shrinks_and_is_capped():
    block = block_of(3000, arms=4, dim=2, contexts="fixed")
    recipe = RobustPhasedElimination(threshold="tight", first_phase=20, c_hat_scale=3.0)
    agent, t = past_the_roll_call(recipe, block)
    state = agent._state
    assert state.rules.cap == pytest.approx(3 * math.sqrt(3000) / (20 * math.log2(3000)))
    assert state.diary[GUESS] == pytest.approx(3 * 20 * math.sqrt(3) * 3000)
    while state.diary[PHASE] == 1:
        answer(agent, block, t)
        t += 1
    assert state.diary[GUESS] == pytest.approx(3 * 20 * math.sqrt(3) * 1500)


def test_phased_elimination_first_phase_is_the_papers():
    assert first_length(10) == pytest.approx(753.36, abs=0.01)
    assert first_length(1) == 72.0


@compiles
def test_phased_elimination_in_fewer_dimensions_than_the_contexts_have():
    # Arms on a line in five dimensions, the middle one twice: everything happens on the line.
    contexts = np.outer([0.2, 1.0, 0.6, 0.6], np.full(5, 1 / math.sqrt(5)))
    agent = rb.Agent(TIGHT, arms=4, dim=5, rounds=5000, seed=0, reward_range=(-9, 9))
    rng = np.random.default_rng(0)
    arms = []
    for _ in range(1500):
        decision = agent.choose(contexts)
        arms.append(decision.arm)
        agent.learn(decision, 0.8 * contexts[decision.arm].sum() + 0.1 * rng.standard_normal())
    assert agent._state.active.tolist() == [0, 1, 0, 0]
    assert set(arms[-200:]) == {1}


@compiles
def test_phased_elimination_of_arms_that_are_all_zero_goes_on():
    agent = rb.Agent(TIGHT, arms=3, dim=2, rounds=5000, seed=0)
    for _ in range(300):
        agent.learn(agent.choose(np.zeros((3, 2))), 0.5)
    assert agent._state.diary[PHASE] > 2
    assert np.isfinite(agent._state.means).all()


# ------------------------------------------------------------------------------------------ SBE


@compiles
def test_support_basis_epochs_grow_fourfold_and_explore_as_the_gap_demands():
    block = block_of(4000, arms=4, dim=2, contexts="fixed")
    agent, t = past_the_roll_call(SupportBasisExploration(scale=0.5), block)
    state = agent._state
    base = math.ceil(0.5 * 9 * math.log(3 * 4000 / 0.01))
    assert state.diary[SURPLUS] == 0.0  # the first epoch only explores
    epoch = 1
    while t < 3900:
        assert state.diary[PHASE] == epoch
        assert state.diary[LENGTH] == pytest.approx(base * 4 ** (epoch - 1))
        assert state.plan.sum() == pytest.approx(base / state.diary[GAP] ** 2)
        assert state.plan.sum() + state.diary[SURPLUS] == pytest.approx(state.diary[LENGTH])
        assert state.diary[GAP] >= 2.0 ** -(epoch - 1)
        played = 0
        while state.diary[PHASE] == epoch and t < 3900:
            answer(agent, block, t)
            t += 1
            played += 1
        if t < 3900:
            assert played == math.ceil(base * 4 ** (epoch - 1))
        epoch += 1
    assert epoch > 3


@pytest.mark.slow
@pytest.mark.statistical
def test_support_basis_means_of_a_clean_epoch_are_unbiased():
    # Two arms at right angles, no noise; the first epoch of many games. Its counts are binomial,
    # and epochs as short as this one are where a fraction of a round would show.
    recipe, truth, games = SupportBasisExploration(scale=0.05), np.array([0.8, 0.4]), 1500
    length = recipe.start(Problem(arms=2, dim=2, rounds=100)).rules.length
    assert length == 2.0  # 0.05 · 4 · ln(2·100/0.01) = 1.98, in whole rounds
    found = []
    for seed in range(games):
        agent = rb.Agent(recipe, arms=2, dim=2, rounds=100, seed=seed)
        while agent._state.diary[PHASE] < 2:
            decision = agent.choose(np.eye(2))
            agent.learn(decision, truth[decision.arm])
        found.append(agent._state.means.copy())
    spread = truth / math.sqrt(length * games)
    assert np.all(np.abs(np.mean(found, axis=0) - truth) < 6 * spread)


@compiles
def test_support_basis_does_not_use_what_the_leader_earns():
    recipe = SupportBasisExploration(scale=0.3)
    agent = rb.Agent(recipe, arms=3, dim=2, rounds=2000, seed=0, reward_range=(-9.0, 9.0))
    contexts = np.array([[1.0, 0.0], [0.0, 1.0], [0.7, 0.7]])
    state, luck = agent._state, np.random.default_rng(0)
    used = ignored = 0
    for _ in range(1500):
        before, epoch, exploits = state.counts.sum(), state.diary[PHASE], state.diary[SURPLUS] > 0
        decision = agent.choose(contexts)
        agent.learn(decision, (0.9, 0.1, 0.7)[decision.arm] + 0.05 * luck.standard_normal())
        if not exploits or state.diary[PHASE] != epoch:
            continue
        if state.counts.sum() == before:
            ignored += 1
            assert decision.arm == state.diary[LEADER] == 0
        else:
            used += 1
    assert ignored > used > 0


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("recipe", RECIPES, ids=names)
def test_phased_policy_refuses_arms_that_change(recipe):
    problem = Problem(arms=3, dim=2, rounds=100, fixed_arms=False)
    with pytest.raises(ValueError, match=rf"{recipe.name} needs the same arms.*CautiousLinUCB"):
        recipe.start(problem)


@pytest.mark.parametrize("recipe", RECIPES, ids=names)
def test_phased_policy_needs_the_horizon(recipe):
    with pytest.raises(ValueError, match="needs to know the horizon"):
        recipe.start(Problem(arms=3, dim=2))


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (RobustPhasedElimination, "budget", -1.0),
        (RobustPhasedElimination, "threshold", "loose"),
        (RobustPhasedElimination, "delta", 0.0),
        (RobustPhasedElimination, "sigma", -1.0),
        (RobustPhasedElimination, "max_corruption", 0.0),
        (RobustPhasedElimination, "c_hat_scale", -1.0),
        (RobustPhasedElimination, "first_phase", 0),
        (SupportBasisExploration, "scale", 0.0),
        (SupportBasisExploration, "delta", 1.0),
    ],
)
def test_phased_policy_bad_parameter_is_named(kind, name, value):
    with pytest.raises(ValueError, match=name):
        kind(**{name: value})


@pytest.mark.parametrize("leader", [-1.0, 3.0, 0.5, math.nan])
def test_phased_policy_leader_that_does_not_exist_is_refused(leader):
    state = TIGHT.start(Problem(arms=3, dim=2, rounds=100))
    state.check(np.zeros((1, 4)))
    state.diary[LEADER] = leader
    with pytest.raises(ValueError, match="leader must be"):
        state.check(np.zeros((0, 4)))


# ----------------------------------------------------------------------------------- statistics


@compiles
def test_phased_elimination_keeps_the_best_arm():
    # The threshold fails with probability 0.01 at most in each run: three of twelve, never.
    lost = 0
    for seed in range(12):
        block = block_of(2000, arms=6, dim=2, seed=seed, contexts="fixed")
        agent = agent_for(TIGHT, block, seed=seed)
        for t in range(2000 if jit_is_on else 600):
            answer(agent, block, t)
        lost += agent._state.active[int(block.means[0].argmax())] == 0
    assert lost < 3


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="too long without compiled code")
def test_phased_policies_withstand_what_linucb_does_not():
    environment = rb.environments.Simulation(arms=6, dim=2, contexts="fixed")
    games = [
        (rb.attacks.Garcelon(budget=budget), recipe)
        for budget in (0.0, 30.0)
        for recipe in (
            rb.policies.LinUCB(),
            RobustPhasedElimination(budget=30.0, threshold="tight", first_phase=100),
            RobustPhasedElimination(threshold="tight", c_hat_scale=200.0),
            RobustPhasedElimination.practical(30.0),
            SupportBasisExploration(scale=0.05),
        )
    ]
    for seed in range(4):
        ledgers = play_match(environment, games, 20_000, seed)
        linucb, *clean = (ledger.regret[-1] for ledger in ledgers[:5])
        fooled, *attacked = (ledger.regret[-1] for ledger in ledgers[5:])
        assert fooled > 50 * linucb
        np.testing.assert_allclose(attacked, clean, rtol=0.1)
        assert clean[1] < 0.7 * clean[0]  # a smaller threshold eliminates sooner
