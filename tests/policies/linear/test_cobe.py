"""COBE: its bases, the draw among them, the test of the guesses, and the next stage."""

import math

import numpy as np
import pytest

from reference.playing import agent_for, answer, block_of, play, state_of
from reference.twins import Bounds
from reference.twins_contextual import COBE as Twin
from robustbandits.attacks import NoAttack
from robustbandits.compiled.jit import jit_is_on, python_of
from robustbandits.environments import Simulation
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.problem import Problem
from robustbandits.policies import COBE, CWOFUL
from robustbandits.policies.linear.cobe import (
    EARNED,
    PULLS,
    budget_of,
    chance_of,
    draw_base,
    guess_refuted,
    next_stage,
)

pytestmark = [pytest.mark.slow] if jit_is_on else []

PAPER = Problem(arms=20, dim=10, rounds=10**6)


def small_game(rounds, **options):
    block = block_of(rounds, arms=5, dim=3)
    agent = agent_for(COBE(**options), block)
    return block, agent, state_of(agent)


def test_cobe_constants_are_those_of_cw_oful():
    state = COBE().start(PAPER)
    known = CWOFUL(budget=7.0).start(PAPER)
    assert state.bases.radius == known.constant
    assert state.bases.scale / 7.0 == known.caution
    assert state.ridges.penalty == known.optimist.ridge.penalty
    # β₁, β₂ and β₃ of the bound on a base's regret, in rewards as they are seen.
    iota, tail = 10 * math.log(1 + 10**6 / (10 * 0.01)), math.log(10**6 / 0.01)
    beta = max(1.0, known.constant)
    assert state.bases.root == pytest.approx(math.sqrt(8 * beta**2 * iota) + math.sqrt(8 * tail))
    assert state.bases.slope == pytest.approx(4 * beta * iota / state.bases.scale + 2)
    assert state.bases.offset == pytest.approx(4 * beta * iota)
    assert state.bases.root == pytest.approx(85, abs=0.5)
    highest = state.bases.lowest + len(state.accounts) - 1
    assert highest == math.ceil(math.log2(10**6))
    price = state.bases.root * 1000 + state.bases.slope + state.bases.offset
    assert 2**state.bases.lowest >= price / state.bases.slope > 2 ** (state.bases.lowest - 1)


def test_cobe_first_guess_is_at_least_one():
    recipe = COBE(sigma=0.002, max_corruption=0.2)
    state = recipe.start(Problem(arms=5, dim=3, rounds=1000))
    bases = state.bases
    assert (bases.root * math.sqrt(1000) + bases.offset) / bases.slope + 0.2 < 0.5
    assert bases.lowest == 0
    assert len(state.accounts) == 1 + math.ceil(math.log2(200))


def test_cobe_probabilities_sum_to_one_and_the_smallest_guess_has_most():
    state = COBE().start(PAPER)
    top = len(state.accounts)
    assert top == 16
    for stage in range(top):
        probabilities = [chance_of(state, stage, base) for base in range(stage, top)]
        assert sum(probabilities) == 1.0
        assert probabilities[0] >= 0.5
        assert probabilities[1:] == [2.0 ** -(i + 1) for i in range(1, len(probabilities))]


def test_cobe_every_base_expects_its_share_of_its_guess():
    state = COBE(max_corruption=2.0).start(PAPER)
    deviation = 21 * 2.0 * math.log(10**6 / 0.01)
    for stage in (0, 3):
        for base in range(stage, len(state.accounts)):
            guess = 2.0 ** (state.bases.lowest + base)
            share = chance_of(state, stage, base) * guess
            assert budget_of(state, stage, base) == pytest.approx(1.25 * share + deviation)


class EvenNumbers:
    """Numbers that cover (0, 1) evenly, in place of a random stream."""

    def __init__(self, count):
        self.numbers = iter((np.arange(count) + 0.5) / count)

    def random(self):
        return next(self.numbers)


def test_cobe_draws_every_base_by_its_chance():
    state = COBE().start(Problem(arms=2, dim=2, rounds=1000))
    state.stage[0] = 2
    top, numbers, draw = len(state.accounts), EvenNumbers(4096), python_of(draw_base)
    counts = np.bincount([draw(state, numbers) for _ in range(4096)], minlength=top)
    assert counts.tolist() == [
        0,
        0,
        *(4096 * chance_of(state, 2, base) for base in range(2, top)),
    ]


def test_cobe_with_one_base_is_cw_oful_bit_for_bit():
    block, cobe, state = small_game(200, max_corruption=0.001)  # the first guess is the last one
    assert len(state.accounts) == 1
    single = agent_for(CWOFUL(budget=budget_of(state, 0, 0)), block)
    assert play(cobe, block) == play(single, block)
    ridge = state_of(single).optimist.ridge
    for name in ("inverse", "gram", "moment", "theta", "tally"):
        assert np.array_equal(getattr(state.ridges, name)[0], getattr(ridge, name))


def test_cobe_weights_are_those_that_the_caution_allows():
    block, agent, state = small_game(300)
    for t in range(300):
        gram, inverse = state.ridges.gram.copy(), state.ridges.inverse.copy()
        x = block.contexts[t][:, answer(agent, block, t)]
        added = state.ridges.gram - gram
        (base,) = np.flatnonzero(np.abs(added).sum(axis=(1, 2)))
        weight = np.trace(added[base]) / (x @ x)
        width = math.sqrt(x @ inverse[base] @ x)
        caution = state.bases.scale / budget_of(state, 0, int(base))
        assert weight == pytest.approx(min(1.0, caution / width), rel=1e-6)


def test_cobe_test_refutes_a_guess_whose_base_earns_too_little():
    state = COBE(test_scale=0.001).start(PAPER)
    state.accounts[0] = 50_000.0, 10.0
    assert not guess_refuted(state, 0)  # no other base has shown what can be earned
    state.accounts[1] = 25_000.0, 24_000.0
    assert guess_refuted(state, 0)
    state.accounts[0] = 50_000.0, 48_000.0
    assert not guess_refuted(state, 0)
    # A larger guess may earn less than a smaller one: that proves nothing.
    state.accounts[1] = 25_000.0, 0.0
    assert not guess_refuted(state, 0)


@pytest.mark.parametrize("seed", range(60))
def test_cobe_test_agrees_with_that_of_its_twin(seed):
    # Random accounts, but the smallest guess earned just enough, or just not enough.
    rng = np.random.default_rng(seed)
    rounds = int(10 ** rng.uniform(3, 7))
    options = {
        "test_scale": 10.0 ** rng.uniform(-3, 0),
        "max_corruption": (1.0, 0.5, 5.0)[seed % 3],
    }
    state = COBE(**options).start(Problem(arms=4, dim=3, rounds=rounds))
    twin = Twin(Bounds(4, 3, rounds), rng, **options)
    lowest, count = state.bases.lowest, state.accounts.shape[0]
    assert lowest == twin.k
    stage = int(rng.integers(0, count - 1))
    twin.basic(lowest + stage)
    first, *larger = twin.bases
    for i in twin.bases:
        twin.bases[i].count = state.accounts[i - lowest, PULLS] = int(rounds * rng.random() ** 3)
        twin.earned[i] = rng.random() * twin.alpha[i] * rounds
    for _ in larger:  # none of the larger guesses may be refuted
        for i in larger:
            short = max(map(twin.least, larger)) - twin.most(i)
            twin.earned[i] += twin.alpha[i] * max(0.0, 1.01 * short)
    enough = max(map(twin.least, larger)) - twin.most(first)
    enough = twin.earned[first] + twin.alpha[first] * enough
    for step, expected in ((1e-9, False), (-1e-9, True)):
        twin.earned[first] = enough + step * abs(enough)
        assert twin.stops() == expected
        for i in twin.bases:
            state.accounts[i - lowest, EARNED] = twin.earned[i]
        assert guess_refuted(state, stage) == expected


def test_cobe_next_stage_starts_again_without_the_smallest_guess():
    block, agent, state = small_game(200)
    fresh = state_of(agent_for(COBE(), block))
    play(agent, block)
    next_stage(state)
    assert state.stage[0] == 1.0
    assert np.array_equal(state.ridges.inverse, fresh.ridges.inverse)
    assert np.array_equal(state.ridges.gram, fresh.ridges.gram)
    assert not state.ridges.tally.any()
    assert not state.accounts.any()
    play(agent, block)
    assert state.accounts[0].tolist() == [0.0, 0.0]
    assert state.accounts[1:, PULLS].sum() == 200


def test_cobe_reward_of_an_earlier_stage_is_not_used():
    block, agent, state = small_game(50)
    late = agent.choose(block.contexts[0].T)
    play(agent, block)
    next_stage(state)
    agent.learn(late, 1.0)
    assert not state.accounts.any()
    assert not state.ridges.tally.any()
    play(agent, block)
    assert state.accounts[:, PULLS].sum() == 50


def test_cobe_stage_never_falls_and_stops_at_the_last_guess():
    block, agent, state = small_game(600, test_scale=1e-6, sigma=0.01)
    rng, stages = np.random.default_rng(0), []
    for contexts in block.contexts:
        agent.learn(agent.choose(contexts.T), float(rng.normal()))
        stages.append(state.stage[0])
    assert np.all(np.diff(stages) >= 0)
    assert stages[-1] == len(state.accounts) - 1
    assert sum(state.accounts[:-1, PULLS]) == 0


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.skipif(not jit_is_on, reason="200 games")
def test_cobe_without_corruption_keeps_its_first_guess():
    # The proof gives 1 - δ for a run. The constants are so generous that the deviations allowed
    # exceed what these rewards can earn at all.
    for seed in range(200):
        nature = Simulation(arms=5, dim=3).start(2000, stream(seed, NATURE))
        game = Game(COBE(), NoAttack(), nature.problem, seed, 10)
        game.advance(nature.draw(2000))
        assert game.policy.stage[0] == 0.0
