"""RobustPhasedElimination and SupportBasisExploration: phase 0, plans, and evaluations."""

import math

import numpy as np
import pytest

import robustbandits as rb
from catalogue import slow_if_compiled
from reference.playing import agent_for, answer, block_of, state_of
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

TIGHT = RobustPhasedElimination(budget=0.5, threshold="tight", first_phase=40)
RECIPES = pytest.mark.parametrize(
    "recipe",
    [RobustPhasedElimination(), TIGHT, SupportBasisExploration(scale=0.5)],
    ids=lambda recipe: recipe.label[:40],
)


def catalogue(rounds, *, arms=4, dim=2, seed=0):
    return block_of(rounds, arms=arms, dim=dim, contexts="fixed", seed=seed)


def phase_of(agent):
    return state_of(agent).diary[PHASE]


def play_phase(agent, block, start=0, stop=math.inf):
    """Play until the phase ends; return the arms."""
    phase, arms = phase_of(agent), []
    while phase_of(agent) == phase and start + len(arms) < stop:
        arms.append(answer(agent, block, start + len(arms)))
    return arms


def after_phase_0(recipe, block):
    """Return an agent at the start of phase 1, its state, and the number of rounds played."""
    agent = agent_for(recipe, block)
    return agent, state_of(agent), len(play_phase(agent, block))


# -------------------------------------------------------------------------------------- phase 0


@slow_if_compiled
@RECIPES
def test_phase_0_ends_when_every_arm_has_returned_a_reward(recipe):
    block = catalogue(400, arms=8, dim=3)
    agent = agent_for(recipe, block)
    played = set()
    while phase_of(agent) == 0:
        played.add(answer(agent, block, 0))
        assert state_of(agent).active.sum() in (len(played), 8)
    assert len(played) == 8
    assert np.array_equal(state_of(agent).contexts, block.contexts[0])


@slow_if_compiled
def test_phase_0_prefers_arms_without_a_reward():
    block = catalogue(10, arms=8, dim=3)
    agent = agent_for(TIGHT, block)
    known = set()
    while len(known) < 2:
        known.add(answer(agent, block, 0))
        probabilities = agent.choose(block.contexts[0].T).probabilities
        others = [a for a in range(8) if a not in known]
        np.testing.assert_allclose(probabilities[others], 0.875 / len(others))
        np.testing.assert_allclose(probabilities[sorted(known)], 0.125 / len(known))


@slow_if_compiled
@RECIPES
def test_phase_0_ends_without_an_arm_that_never_returns_a_reward(recipe):
    block = catalogue(1)
    agent = agent_for(recipe, block, rounds=100_000)
    contexts, missing = block.contexts[0].T, 2
    rewards = decisions = 0
    while phase_of(agent) == 0:
        decision = agent.choose(contexts)
        decisions += 1
        if decision.arm != missing:
            agent.learn(decision, 0.5)
            rewards += 1
        assert decisions < 40 * 16 * PATIENCE
    assert rewards == PATIENCE * 4
    assert state_of(agent).active.tolist() == [1, 1, 0, 1]
    for _ in range(200):
        decision = agent.choose(contexts)
        assert decision.arm != missing
        agent.learn(decision, 0.5)


# ---------------------------------------------------------------------- RobustPhasedElimination


@slow_if_compiled
@pytest.mark.parametrize("recipe", [RobustPhasedElimination(), TIGHT])
def test_phased_elimination_plays_each_arm_as_often_as_planned(recipe):
    block = catalogue(3000, arms=7, dim=3)
    agent, state, t = after_phase_0(recipe, block)
    phases = 0
    while True:
        plan, active, length = state.plan.copy(), state.active > 0, state.diary[LENGTH]
        assert np.all(plan[~active] == 0)
        arms = play_phase(agent, block, t, 2900)
        t += len(arms)
        if t >= 2900:
            break
        phases += 1
        counts = np.bincount(arms, minlength=7)
        assert counts.tolist() == plan.tolist()
        contexts = state.contexts.T[active]
        variance = known_to_within(contexts, counts[active])
        assert variance.max() <= 2 * np.linalg.matrix_rank(contexts) / length * (1 + 1e-9)
        assert state.diary[LENGTH] == 2 * length
        assert not np.any((state.active > 0) & ~active)  # dropped arms stay dropped
        assert state.active[int(state.diary[LEADER])] > 0
    assert phases > 1


@slow_if_compiled
def test_phased_elimination_does_not_use_a_reward_of_an_earlier_phase():
    block = catalogue(500)
    agent, state, t = after_phase_0(TIGHT, block)
    late = agent.choose(block.contexts[0].T)
    play_phase(agent, block, t)
    before = state.counts.copy(), state.diary.copy()
    agent.learn(late, 5.0)
    assert np.array_equal(state.counts, before[0])
    assert np.array_equal(state.diary, before[1])


@slow_if_compiled
def test_phased_elimination_repeats_plays_whose_rewards_are_lost():
    block = catalogue(2000)
    agent, state, _ = after_phase_0(TIGHT, block)
    left, decisions = state.diary[LEFT], 0
    while phase_of(agent) == 1:
        decision = agent.choose(block.contexts[0].T)
        decisions += 1
        if decisions % 2:
            agent.learn(decision, 0.5)
    assert decisions == 2 * left - 1


@slow_if_compiled
@pytest.mark.parametrize("recipe", [RobustPhasedElimination(first_phase=30), TIGHT])
def test_phased_elimination_waits_for_every_arm_when_rewards_are_late(recipe):
    # Some arms are then played more often than planned; that must not end the phase for others.
    block = catalogue(3000, arms=7, dim=3)
    agent, state, _ = after_phase_0(recipe, block)
    waiting, phases, surplus = [], 0, 0
    for t in range(2500):
        waiting.append((t, agent.choose(block.contexts[0].T)))
        if len(waiting) <= 20:
            continue
        chosen_at, decision = waiting.pop(0)
        phase, plan, counts = phase_of(agent), state.plan.copy(), state.counts.copy()
        agent.learn(decision, block.means[chosen_at, decision.arm] + block.noise[chosen_at])
        if phase_of(agent) != phase:
            counts[decision.arm] += 1
            assert np.all(counts >= plan)
            surplus += (counts > plan).sum()
            phases += 1
    assert phases > 2
    assert surplus > 0  # or nothing would have been tested


@slow_if_compiled
def test_phased_elimination_guess_shrinks_and_is_capped():
    block = catalogue(3000)
    recipe = RobustPhasedElimination(threshold="tight", first_phase=20, c_hat_scale=3.0)
    agent, state, t = after_phase_0(recipe, block)
    assert state.rules.cap == pytest.approx(3 * math.sqrt(3000) / (20 * math.log2(3000)))
    assert state.diary[GUESS] == pytest.approx(3 * 20 * math.sqrt(3) * 3000)
    play_phase(agent, block, t)
    assert state.diary[GUESS] == pytest.approx(3 * 20 * math.sqrt(3) * 1500)


def test_phased_elimination_first_phase_has_the_papers_length():
    assert first_length(10) == pytest.approx(753.36, abs=0.01)
    assert first_length(1) == 72.0


@slow_if_compiled
def test_phased_elimination_works_in_the_span_of_the_arms():
    # Arms on a line in five dimensions, the middle one twice: everything happens on the line.
    contexts = np.outer([0.2, 1.0, 0.6, 0.6], np.full(5, 1 / math.sqrt(5)))
    agent = rb.Agent(TIGHT, arms=4, dim=5, rounds=5000, seed=0, reward_range=(-9, 9))
    rng, arms = np.random.default_rng(0), []
    for _ in range(1500):
        decision = agent.choose(contexts)
        arms.append(decision.arm)
        agent.learn(decision, 0.8 * contexts[decision.arm].sum() + 0.1 * rng.standard_normal())
    assert state_of(agent).active.tolist() == [0, 1, 0, 0]
    assert set(arms[-200:]) == {1}


@slow_if_compiled
def test_phased_elimination_continues_if_all_contexts_are_zero():
    agent = rb.Agent(TIGHT, arms=3, dim=2, rounds=5000, seed=0)
    for _ in range(300):
        agent.learn(agent.choose(np.zeros((3, 2))), 0.5)
    assert phase_of(agent) > 2
    assert np.isfinite(state_of(agent).means).all()


@slow_if_compiled
def test_phased_elimination_keeps_the_best_arm():
    # The threshold fails with probability 0.01 at most in each run: three of twelve would be a bug.
    lost = 0
    for seed in range(12):
        block = catalogue(2000, arms=6, seed=seed)
        agent = agent_for(TIGHT, block, seed=seed)
        for t in range(2000 if jit_is_on else 600):
            answer(agent, block, t)
        lost += state_of(agent).active[int(block.means[0].argmax())] == 0
    assert lost < 3


# ---------------------------------------------------------------------- SupportBasisExploration


@slow_if_compiled
def test_support_basis_epochs_grow_fourfold_and_explore_as_the_gap_demands():
    block = catalogue(4000)
    agent, state, t = after_phase_0(SupportBasisExploration(scale=0.5), block)
    base = math.ceil(0.5 * 9 * math.log(3 * 4000 / 0.01))
    assert state.diary[SURPLUS] == 0.0  # the first epoch only explores
    epoch = 1
    while t < 3900:
        length, gap = base * 4 ** (epoch - 1), state.diary[GAP]
        assert state.diary[PHASE] == epoch
        assert state.diary[LENGTH] == pytest.approx(length)
        assert state.plan.sum() == pytest.approx(base / gap**2)
        assert state.plan.sum() + state.diary[SURPLUS] == pytest.approx(length)
        assert gap >= 2.0 ** -(epoch - 1)
        played = len(play_phase(agent, block, t, 3900))
        t += played
        assert played == length or t == 3900
        epoch += 1
    assert epoch > 3


@pytest.mark.slow
@pytest.mark.statistical
def test_support_basis_means_of_an_epoch_without_attack_are_unbiased():
    # Two orthogonal arms, no noise; the first epoch of many games. Its counts are binomial, and in
    # an epoch as short as this one a fraction of a round would be noticed.
    recipe, truth, games = SupportBasisExploration(scale=0.05), np.array([0.8, 0.4]), 1500
    length = recipe.start(Problem(arms=2, dim=2, rounds=100)).rules.length
    assert length == 2.0  # 0.05 · 4 · ln(2·100/0.01) = 1.98, in whole rounds
    found = []
    for seed in range(games):
        agent = rb.Agent(recipe, arms=2, dim=2, rounds=100, seed=seed)
        while phase_of(agent) < 2:
            decision = agent.choose(np.eye(2))
            agent.learn(decision, truth[decision.arm])
        found.append(state_of(agent).means.copy())
    spread = truth / math.sqrt(length * games)
    assert np.all(np.abs(np.mean(found, axis=0) - truth) < 6 * spread)


@slow_if_compiled
def test_support_basis_does_not_use_the_rewards_of_the_leader():
    recipe = SupportBasisExploration(scale=0.3)
    agent = rb.Agent(recipe, arms=3, dim=2, rounds=2000, seed=0, reward_range=(-9.0, 9.0))
    contexts = np.array([[1.0, 0.0], [0.0, 1.0], [0.7, 0.7]])
    state, rng = state_of(agent), np.random.default_rng(0)
    used = ignored = 0
    for _ in range(1500):
        before, epoch, exploits = state.counts.sum(), phase_of(agent), state.diary[SURPLUS] > 0
        decision = agent.choose(contexts)
        agent.learn(decision, (0.9, 0.1, 0.7)[decision.arm] + 0.05 * rng.standard_normal())
        if not exploits or phase_of(agent) != epoch:
            continue
        if state.counts.sum() == before:
            ignored += 1
            assert decision.arm == state.diary[LEADER] == 0
        else:
            used += 1
    assert ignored > used > 0


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="too long without compiled code")
def test_phased_policies_withstand_the_attack_that_misleads_linucb():
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
        regrets = [ledger.final_regret for ledger in play_match(environment, games, 20_000, seed)]
        (linucb, *clean), (misled, *attacked) = regrets[:5], regrets[5:]
        assert misled > 50 * linucb
        np.testing.assert_allclose(attacked, clean, rtol=0.1)
        assert clean[1] < 0.7 * clean[0]  # a smaller threshold eliminates sooner
