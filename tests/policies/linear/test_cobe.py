"""COBE: its bases, the draw among them, the test, and what follows when it fails."""

import math

import numpy as np
import pytest

from reference.playing import agent_for, block_of, play
from robustbandits.attacks import NoAttack
from robustbandits.compiled.jit import jit_is_on
from robustbandits.environments import Simulation
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.problem import Problem
from robustbandits.policies import COBE, CWOFUL
from robustbandits.policies.linear.cobe import (
    budget_of,
    chance_of,
    draw_base,
    guess_refuted,
    next_stage,
)

pytestmark = [pytest.mark.slow] if jit_is_on else []

PAPER = Problem(arms=20, dim=10, rounds=10**6)


def test_cobe_chances_sum_to_one_and_the_smallest_guess_has_most():
    state = COBE().start(PAPER)
    top = len(state.accounts)
    assert top == 16
    for stage in range(top):
        chances = [chance_of(state, stage, base) for base in range(stage, top)]
        assert sum(chances) == 1.0
        assert chances[0] >= 0.5
        assert chances[1:] == [2.0 ** -(i + 1) for i in range(1, len(chances))]


def test_cobe_every_base_expects_its_share_of_its_guess():
    state = COBE(max_corruption=2.0).start(PAPER)
    luck = 21 * 2.0 * math.log(10**6 / 0.01)
    for stage in (0, 3):
        for base in range(stage, len(state.accounts)):
            guess = 2.0 ** (state.bases.lowest + base)
            share = chance_of(state, stage, base) * guess
            assert budget_of(state, stage, base) == pytest.approx(1.25 * share + luck)


def test_cobe_draws_every_base_by_its_chance():
    state = COBE().start(Problem(arms=2, dim=2, rounds=1000))
    state.stage[0] = 2
    top = len(state.accounts)

    class Uniform:
        """Numbers that cover (0, 1) evenly instead of a random stream."""

        def __init__(self, levels):
            self.levels = iter(levels)

        def random(self):
            return next(self.levels)

    levels = (np.arange(4096) + 0.5) / 4096
    stream = Uniform(levels)
    plain = getattr(draw_base, "py_func", draw_base)
    counts = np.bincount([plain(state, stream) for _ in levels], minlength=top)
    wanted = [4096 * chance_of(state, 2, base) for base in range(2, top)]
    assert counts.tolist() == [0, 0, *wanted]


def test_cobe_with_one_base_is_cw_oful_bit_for_bit():
    # So few rounds that the first guess is the last one.
    block = block_of(200, arms=5, dim=3)
    cobe = agent_for(COBE(max_corruption=0.001), block)
    state = cobe._state
    assert len(state.accounts) == 1
    budget = budget_of(state, 0, 0)
    single = agent_for(CWOFUL(budget=budget), block)
    assert play(cobe, block) == play(single, block)
    ridge = single._state.optimist.ridge
    for name in ("inverse", "gram", "moment", "theta", "tally"):
        assert np.array_equal(getattr(state.ridges, name)[0], getattr(ridge, name))


def test_cobe_weights_never_exceed_what_the_caution_allows():
    block = block_of(300, arms=5, dim=3)
    agent = agent_for(COBE(), block)
    state = agent._state
    for contexts, means in zip(block.contexts, block.means, strict=True):
        before = state.ridges.gram.copy()
        widths = state.ridges.inverse.copy()
        decision = agent.choose(contexts.T)
        agent.learn(decision, means[decision.arm])
        x = contexts[:, decision.arm]
        added = state.ridges.gram - before
        changed = np.flatnonzero(np.abs(added).sum(axis=(1, 2)))
        assert len(changed) == 1
        base = int(changed[0])
        weight = np.trace(added[base]) / (x @ x)
        width = math.sqrt(x @ widths[base] @ x)
        caution = state.bases.scale / budget_of(state, 0, base)
        assert weight == pytest.approx(min(1.0, caution / width), rel=1e-6)
        assert weight * width <= caution * (1 + 1e-6)


def test_cobe_test_finds_a_base_that_earns_too_little():
    state = COBE(test_scale=0.001).start(PAPER)
    state.accounts[0] = 50_000.0, 10.0
    assert not guess_refuted(state, 0)  # nobody else has shown what can be earned
    state.accounts[1] = 25_000.0, 24_000.0
    assert guess_refuted(state, 0)
    state.accounts[0] = 50_000.0, 48_000.0
    assert not guess_refuted(state, 0)
    # A larger guess may earn less than a smaller one: that proves nothing.
    state.accounts[0], state.accounts[1] = (50_000.0, 48_000.0), (25_000.0, 0.0)
    assert not guess_refuted(state, 0)


def test_cobe_next_stage_starts_afresh_without_the_smallest_guess():
    block = block_of(200, arms=5, dim=3)
    agent = agent_for(COBE(), block)
    fresh = agent_for(COBE(), block)._state
    play(agent, block)
    next_stage(agent._state)
    assert agent._state.stage[0] == 1.0
    assert np.array_equal(agent._state.ridges.inverse, fresh.ridges.inverse)
    assert np.array_equal(agent._state.ridges.gram, fresh.ridges.gram)
    assert not agent._state.ridges.tally.any()
    assert not agent._state.accounts.any()
    play(agent, block)
    assert agent._state.accounts[0].tolist() == [0.0, 0.0]
    assert agent._state.accounts[1:, 0].sum() == 200


def test_cobe_reward_of_a_dismissed_base_is_lost_and_nothing_waits_for_it():
    block = block_of(50, arms=5, dim=3)
    agent = agent_for(COBE(), block)
    late = agent.choose(block.contexts[0].T)
    play(agent, block)
    next_stage(agent._state)
    agent.learn(late, 1.0)
    assert not agent._state.accounts.any()
    assert not agent._state.ridges.tally.any()
    play(agent, block)
    assert agent._state.accounts[:, 0].sum() == 50


def test_cobe_stage_never_falls_and_stops_at_the_last_guess():
    block = block_of(600, arms=5, dim=3)
    agent = agent_for(COBE(test_scale=1e-6, sigma=0.01), block)
    rng = np.random.default_rng(0)
    stages = []
    for contexts in block.contexts:
        decision = agent.choose(contexts.T)
        agent.learn(decision, float(rng.normal()))
        stages.append(agent._state.stage[0])
    assert np.all(np.diff(stages) >= 0)
    assert stages[-1] == len(agent._state.accounts) - 1
    assert sum(agent._state.accounts[:-1, 0]) == 0


@pytest.mark.slow
@pytest.mark.statistical
def test_cobe_without_corruption_passes_its_own_test():
    # The proof gives 1 - δ for a run. The constants are so generous that the deviations allowed
    # exceed what 300 rewards can earn at all, let alone by luck.
    for seed in range(20):
        block = block_of(300, arms=5, dim=3, seed=seed)
        agent = agent_for(COBE(), block, seed=seed)
        play(agent, block)
        assert agent._state.stage[0] == 0.0


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="200 games")
def test_cobe_without_corruption_keeps_its_first_guess_in_long_games():
    for seed in range(200):
        nature = Simulation(arms=5, dim=3).start(2000, stream(seed, NATURE))
        game = Game(COBE(), NoAttack(), nature.problem, seed, 10)
        game.advance(nature.draw(2000))
        assert game.policy.stage[0] == 0.0
