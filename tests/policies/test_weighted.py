"""CW-OFUL and CautiousLinUCB: reductions, weights, and what the weights are for."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import robustbandits as rb
from reference import twins
from reference.playing import agent_for, block_of, play, ridge_of, same_bits
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.problem import Problem
from robustbandits.kernels.ridge import observe, observe_cautiously, start_ridge

needs_speed = pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")


def games(*policies, rounds=1500, attack=None):
    nature = rb.environments.Simulation(contexts="fixed").start(rounds, stream(0, NATURE))
    block = nature.draw(rounds)
    crook = attack or rb.attacks.NoAttack()
    for policy in policies:
        game = Game(policy, crook, nature.problem, 0, rounds)
        game.advance(block)
        yield game


def test_cautious_without_tolerance_is_linucb():
    linucb, cautious = games(rb.policies.LinUCB(), rb.policies.CautiousLinUCB(tolerance=0.0))
    assert same_bits(linucb.policy.optimist, cautious.policy.optimist)
    assert linucb.book.pulls.tolist() == cautious.book.pulls.tolist()


def test_cw_oful_without_budget_is_linucb_with_a_constant_radius():
    block = block_of(800)
    recipe = rb.policies.CWOFUL(budget=0.0, ridge=0.1)
    agent = agent_for(recipe, block)
    constant = recipe.start(Problem(arms=20, dim=11, rounds=800)).constant
    linucb = agent_for(rb.policies.LinUCB(), block)
    chosen = []
    for contexts, means, noise in zip(block.contexts, block.means, block.noise, strict=True):
        decision = agent.choose(contexts.T)
        ridge = ridge_of(linucb)
        widths = np.sqrt(np.einsum("ia,ij,ja->a", contexts, ridge.inverse, contexts))
        chosen.append((decision.arm, int(np.argmax(ridge.theta @ contexts + constant * widths))))
        reward = means[decision.arm] + noise
        agent.learn(decision, reward)
        linucb.learn(linucb.choose(contexts[:, [decision.arm]].T), reward)
    ours, theirs = np.array(chosen[1:]).T  # in the first round every arm of a length is equal
    assert np.array_equal(ours, theirs)
    assert same_bits(ridge_of(agent), ridge_of(linucb))


def test_cw_oful_that_fears_nothing_has_the_radius_of_its_theory():
    problem = Problem(arms=20, dim=10, rounds=1000)
    state = rb.policies.CWOFUL(budget=0.0, sigma=0.2).start(problem)
    noise = 0.2 * math.sqrt(10 * math.log((1 + 1000 / 0.04) / 0.01))  # λ = σ²: S is 1
    assert state.constant == pytest.approx(noise + 0.2, rel=1e-12)
    assert state.caution == math.inf


@pytest.mark.parametrize(
    ("policy", "bounds"),
    [
        (rb.policies.CWOFUL(), {"theta_bound": 1e200}),
        (rb.policies.CWOFUL(), {"theta_bound": 1e-200}),
        (rb.policies.CWOFUL(sigma=1e-170), {}),
        (rb.policies.CWOFUL(), {"context_bound": 1e200}),
        (rb.policies.COBE(), {"theta_bound": 1e6}),
        (rb.policies.WeightedOFUL(1.0), {"theta_bound": 1e200}),
        (rb.policies.WeightedOFUL(1.0), {"theta_bound": 1e-200}),
    ],
    ids=str,
)
def test_a_penalty_of_the_theory_that_no_number_can_hold_is_refused(policy, bounds):
    problem = Problem(arms=2, dim=2, rounds=100, **bounds)
    with pytest.raises(ValueError, match=r"ridge must be given: the theory's, .* theta_bound"):
        policy.start(problem)


def test_cw_oful_has_the_papers_constants():
    # research notes, base point: T = 10⁶, d = 10, C = 100, λ = σ² = 0.01
    problem = Problem(arms=20, dim=10, rounds=1_000_000)
    known = rb.policies.CWOFUL(budget=100.0).start(problem)
    unknown = rb.policies.CWOFUL().start(problem)
    assert known.caution == pytest.approx(4.16e-3, rel=1e-3)
    assert known.constant == pytest.approx(2.03, rel=2e-3)
    assert unknown.caution == pytest.approx(4.16e-4, rel=1e-3)
    assert unknown.constant == pytest.approx(3.24, rel=2e-3)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    caution=st.floats(1e-3, 2.0),
    seed=st.integers(0, 1000),
    corruptions=st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=30),
)
def test_corruptions_move_the_estimate_by_at_most_caution_times_their_sum(
    caution, seed, corruptions
):
    dice = np.random.default_rng(seed)
    clean, dirty = start_ridge(3, 0.1), start_ridge(3, 0.1)
    for corruption in corruptions:
        x = dice.uniform(-0.5, 0.5, 3)
        y = dice.uniform()
        width = math.sqrt(x @ clean.inverse @ x)
        before = clean.gram.copy()
        observe_cautiously(clean, x, y, caution)
        observe_cautiously(dirty, x, y + corruption, caution)
        weight = np.trace(clean.gram - before) / (x @ x)
        assert weight == pytest.approx(min(1.0, caution / width), rel=1e-6)
    assert np.array_equal(clean.gram, dirty.gram)  # weights know nothing of rewards
    error = dirty.theta - clean.theta
    moved = math.sqrt(error @ clean.gram @ error)
    assert moved <= caution * sum(map(abs, corruptions)) * (1 + 1e-9) + 1e-12


@settings(deadline=None, max_examples=30, derandomize=True)
@given(ridge=st.floats(0.01, 0.5), share=st.floats(0.01, 1.0), seed=st.integers(0, 1000))
def test_widths_of_rewards_that_count_less_add_up_to_little(ridge, share, seed):
    # Each adds log(1 + αw) to log det V, and αw <= 1 as long as α times the length is below √λ.
    dice = np.random.default_rng(seed)
    caution, careful, total = share * math.sqrt(ridge), start_ridge(3, ridge), 0.0
    for _ in range(200):
        x = dice.normal(size=3)
        x /= np.linalg.norm(x)
        width = math.sqrt(x @ careful.inverse @ x)
        total += width if width > caution else 0.0
        observe_cautiously(careful, x, dice.uniform(), caution)
    assert 0.0 < total <= 2.0 / caution * np.linalg.slogdet(careful.gram / ridge)[1] * (1 + 1e-9)


def test_full_weight_is_the_plain_observation():
    dice = np.random.default_rng(0)
    plain, careful = start_ridge(4, 0.1), start_ridge(4, 0.1)
    for _ in range(50):
        x, y = dice.uniform(-0.5, 0.5, 4), dice.uniform()
        observe(plain, x, y, 1.0)
        observe_cautiously(careful, x, y, math.inf)
    assert same_bits(plain, careful)


def test_more_tolerance_never_weighs_an_observation_more():
    # On one trajectory of arms: the widths of the cautious are larger, their weights smaller.
    dice = np.random.default_rng(1)
    ridges = [start_ridge(3, 0.1) for _ in range(3)]
    for _ in range(200):
        x = dice.uniform(-0.5, 0.5, 3)
        traces = [np.trace(ridge.gram) for ridge in ridges]
        for ridge, tolerance in zip(ridges, (1.0, 10.0, 100.0), strict=True):
            observe_cautiously(ridge, x, 0.5, 2 * math.sqrt(3) / tolerance)
        gains = [np.trace(r.gram) - t for r, t in zip(ridges, traces, strict=True)]
        assert gains[0] >= gains[1] - 1e-12
        assert gains[1] >= gains[2] - 1e-12


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rb.policies.CautiousLinUCB(tolerance=-1.0), "tolerance must be >= 0"),
        (lambda: rb.policies.CautiousLinUCB(tolerance=math.nan), "tolerance"),
        (lambda: rb.policies.CWOFUL(budget=-1.0), "budget must be >= 0"),
        (lambda: rb.policies.CWOFUL(ridge=0.0), "ridge must be > 0"),
        (lambda: rb.policies.CWOFUL(sigma=0.0), "sigma must be > 0"),
        (lambda: rb.policies.OracleLinUCB(bonus="loud"), "bonus must be one of"),
    ],
)
def test_bad_parameter_is_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_cw_oful_needs_to_know_the_horizon():
    with pytest.raises(ValueError, match="CWOFUL needs to know the horizon"):
        rb.policies.CWOFUL().start(Problem(arms=2, dim=2))


def test_oracle_without_an_attack_is_linucb():
    linucb, oracle = games(rb.policies.LinUCB(), rb.policies.OracleLinUCB())
    assert same_bits(linucb.policy.optimist, oracle.policy.optimist)


def test_oracle_hears_what_was_spent_before_it_learns():
    (game,) = games(rb.policies.OracleLinUCB(), attack=rb.attacks.Garcelon(7.0))
    assert game.policy.heard[0] == game.purse.account[0] > 0.0


def test_oracle_forgets_everything_when_the_money_is_gone():
    # From then on it is LinUCB that has never seen an attack: on the rounds that are left.
    place = rb.environments.Simulation(arms=6, dim=3)
    nature = place.start(800, stream(0, NATURE))
    blocks = [nature.draw(1) for _ in range(800)]
    attack = rb.attacks.FlipTheta(3.0)
    oracle = Game(rb.policies.OracleLinUCB(ties="first"), attack, nature.problem, 0, 10)
    end = 0
    while oracle.purse.account[0] < 3.0:
        oracle.advance(blocks[end])
        end += 1
    assert 3 < end < 700
    assert oracle.policy.optimist.ridge.tally[0] == 0.0
    clean = Game(rb.policies.LinUCB(ties="first"), rb.attacks.NoAttack(), nature.problem, 0, 10)
    for block in blocks[end:]:
        oracle.advance(block)
        clean.advance(block)
    assert same_bits(oracle.policy.optimist, clean.policy.optimist)


@pytest.mark.parametrize("bonus", ["paper", "l1", "l2"])
def test_oracle_plays_as_its_twin_does(bonus):
    block = block_of(200, arms=6, dim=3, intercept=False)
    state = rb.policies.OracleLinUCB(bonus=bonus).start(Problem(arms=6, dim=3, rounds=200))
    twin = twins.LinUCB(twins.Bounds(6, 3, 200), np.random.default_rng(0), bonus=bonus)
    rng, memo = np.random.default_rng(0), np.zeros(4)
    spent = np.cumsum(np.random.default_rng(1).random(200) < 0.1) * 0.7  # now and then a lie
    for t in range(200):
        arm = state.choose(block.contexts[t], rng, memo)
        assert arm == twin.choose(block.contexts[t].T), f"round {t}"
        state.overhear(spent[t], False)
        twin.budget = spent[t]
        context, reward = block.contexts[t][:, arm].copy(), block.means[t, arm] + block.noise[t]
        state.learn(arm, context, reward, memo, rng)
        twin.learn(context, reward)
    assert spent[-1] > 5.0


def test_oracle_hears_nothing_in_an_agent():
    block = block_of(50)
    linucb = agent_for(rb.policies.LinUCB(), block)
    with pytest.warns(UserWarning, match="OracleLinUCB is a reference for games"):
        oracle = agent_for(rb.policies.OracleLinUCB(), block)
    assert play(linucb, block) == play(oracle, block)


@needs_speed
@pytest.mark.slow
@pytest.mark.statistical
def test_cw_oful_shrugs_off_the_burst_that_ruins_linucb():
    # The paper's claim in one picture.
    place = rb.environments.Simulation(contexts="fixed")
    attacks = [rb.attacks.NoAttack(), rb.attacks.Garcelon(100.0, top="all-but-worst")]
    names = {"LinUCB": rb.policies.LinUCB(), "CWOFUL": rb.policies.CWOFUL(budget=100.0)}
    results = rb.compare(
        environments=[place], attacks=attacks, policies=names, rounds=100_000, seeds=10
    )
    mean = {(row.attack, row.policy): row.regret for row in results.summary().rows}
    assert mean["Garcelon", "CWOFUL"] < 1.1 * mean["NoAttack", "CWOFUL"]
    assert mean["Garcelon", "LinUCB"] > 20 * mean["NoAttack", "LinUCB"]


@needs_speed
@pytest.mark.slow
@pytest.mark.statistical
def test_cautious_linucb_withstands_its_tolerance_and_not_five_times_that():
    place = rb.environments.Simulation(contexts="fixed")
    attacks = {str(c): rb.attacks.Garcelon(c, top="all-but-worst") for c in (0.0, 100.0, 500.0)}
    results = rb.compare(
        environments=[place],
        attacks=attacks,
        policies=[rb.policies.CautiousLinUCB(tolerance=100.0)],
        rounds=30_000,
        seeds=20,
    )
    mean = {row.attack: row.regret for row in results.summary().rows}
    assert mean["100.0"] < 1.5 * mean["0.0"]
    assert mean["500.0"] > 5 * mean["0.0"]


@needs_speed
@pytest.mark.slow
@pytest.mark.statistical
def test_lies_about_the_best_arm_alone_break_it_between_a_third_and_the_whole_tolerance():
    place = rb.environments.Simulation(contexts="fixed")
    attacks = {str(c): rb.attacks.Garcelon(c, top="best") for c in (0.0, 33.0, 100.0)}
    results = rb.compare(
        environments=[place],
        attacks=attacks,
        policies=[rb.policies.CautiousLinUCB(tolerance=100.0)],
        rounds=100_000,
        seeds=20,
    )
    mean = {row.attack: row.regret for row in results.summary().rows}
    assert mean["33.0"] < 1.2 * mean["0.0"]
    assert mean["100.0"] > 2.5 * mean["0.0"]


def last_radius(policy, problem):
    """Return β in the last round, for contexts no longer than 1."""
    growth = (1 + problem.rounds / policy.ridge) / policy.delta
    noise = policy.sigma * math.sqrt(problem.dim * math.log(growth))
    return noise + math.sqrt(policy.ridge) * problem.theta_bound


@needs_speed
@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("sigma", [0.01, 0.1, 0.3])
def test_what_it_withstands_goes_with_its_radius(sigma):
    rounds, tolerance = 100_000, 100.0
    policy = rb.policies.CautiousLinUCB(tolerance=tolerance, sigma=sigma)
    place = rb.environments.Simulation(contexts="fixed", noise=sigma)
    problem = place.start(rounds, np.random.SeedSequence(0)).problem
    sketch = tolerance * last_radius(policy, problem) / math.sqrt(problem.dim)
    attacks = {str(k): rb.attacks.Garcelon(k * sketch, top="best") for k in (0.0, 0.5, 1.5)}
    results = rb.compare(
        environments=[place], attacks=attacks, policies=[policy], rounds=rounds, seeds=10
    )
    mean = {row.attack: row.regret for row in results.summary().rows}
    assert mean["0.5"] < 1.2 * mean["0.0"]
    assert mean["1.5"] > 1.5 * mean["0.0"]


@needs_speed
@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("seed", range(6))
def test_two_arms_break_where_the_sketch_in_the_documents_says(seed):
    rounds, tolerance = 100_000, 100.0
    policy = rb.policies.CautiousLinUCB(tolerance=tolerance)
    place = rb.environments.Simulation(arms=2, dim=2, contexts="one-hot", intercept=False)
    nature = place.start(rounds, np.random.SeedSequence(0))

    def played(budget):
        attack = rb.attacks.Garcelon(budget)
        return rb.simulate(
            environment=place, attack=attack, policy=policy, rounds=rounds, seed=seed
        )

    clean = played(0.0)
    gap = clean.final_regret / clean.pulls.min()
    best = (clean.reward[-1] + clean.final_regret) / rounds
    radius = last_radius(policy, nature.problem)
    sketch = tolerance * best / math.sqrt(2) * (radius / (best - gap) - math.sqrt(policy.ridge))
    assert played(0.7 * sketch).final_regret < 0.5 * gap * rounds
    assert played(1.4 * sketch).final_regret > 0.8 * gap * rounds


def test_recipes_survive_json():
    for recipe in (rb.policies.CWOFUL(), rb.policies.CWOFUL(budget=2.0, ridge=1.0)):
        assert type(recipe).from_dict(recipe.to_dict()) == recipe
        assert dataclasses.replace(recipe, sigma=0.2).sigma == 0.2
