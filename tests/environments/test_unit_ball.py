"""The ball of arms: its rounds, and the regret of games on it."""

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.game.match import NATURE, stream
from robustbandits.game.rounds import CHOSEN, HIGHEST, LOWEST
from robustbandits.metrics import random_gap

UnitBall = rb.environments.UnitBall


def nature_of(seed=0, rounds=100, **options):
    return UnitBall(**options).start(rounds, stream(seed, NATURE))


@pytest.mark.parametrize("dim", [1, 2, 40])
@pytest.mark.parametrize("seed", range(5))
def test_means_are_in_the_unit_interval(dim, seed):
    nature = nature_of(seed, dim=dim)
    block = nature.draw(10)
    length = np.linalg.norm(nature.theta)
    assert 0.0 < length <= nature.problem.theta_bound
    np.testing.assert_allclose(block.best, 0.5 + length)
    np.testing.assert_allclose(block.means[:, HIGHEST], 0.5 + length)
    np.testing.assert_allclose(block.means[:, LOWEST], 0.5 - length)
    assert (block.means[:, CHOSEN] == nature.problem.offset).all()


def test_a_smaller_ball_has_a_smaller_range_of_means():
    whole, half = (nature_of(radius=radius).draw(1).means[0] for radius in (1.0, 0.5))
    assert np.ptp(half) == pytest.approx(0.5 * np.ptp(whole))


@pytest.mark.parametrize("radius", [0.0, 1.5])
def test_a_bad_radius_is_refused(radius):
    with pytest.raises(ValueError, match=f"radius must be .*{radius}"):
        UnitBall(radius=radius)


def test_random_play_costs_half_of_the_range():
    span = np.ptp(nature_of().draw(1).means[0])
    assert random_gap(UnitBall(), 100) == pytest.approx(span / 2)


@pytest.mark.parametrize("radius", [1.0, 0.3])
def test_regret_is_what_the_vectors_of_an_agent_miss(radius):
    nature = nature_of(3, 200, dim=4, radius=radius)
    noise, problem = nature.draw(200).noise, nature.problem
    agent = rb.Agent(
        rb.policies.BOBNoRestart(),
        arms="ball",
        dim=4,
        rounds=200,
        seed=3,
        context_bound=radius,
        theta_bound=problem.theta_bound,
        offset=problem.offset,
    )
    regret = []
    for t in range(200):
        decision = agent.choose()
        mean = decision.context @ nature.theta
        regret.append(radius * np.linalg.norm(nature.theta) - mean)
        agent.learn(decision, problem.offset + mean + noise[t])
    ledger = rb.simulate(
        environment=UnitBall(dim=4, radius=radius),
        policy=rb.policies.BOBNoRestart(),
        rounds=200,
        seed=3,
    )
    # The same policy with the same seed: the same vectors, up to the rounding of the sum above.
    assert ledger.final_regret == pytest.approx(sum(regret), rel=1e-9)
    assert ledger.pulls.tolist() == [200]


def test_good_policies_find_the_best_arm_and_random_play_does_not():
    gap = random_gap(UnitBall(), 5000)
    for policy in (rb.policies.LinUCB(), rb.policies.CautiousLinUCB()):
        ledger = rb.simulate(environment=UnitBall(), policy=policy, rounds=5000)
        assert ledger.final_regret < 0.3 * gap * 5000
        assert ledger.regret.min() >= 0.0


@pytest.mark.slow
def test_compare_store_and_report_take_a_ball(tmp_path):
    spec = rb.experiments.Spec(
        name="balls",
        environments={"ball": UnitBall(dim=2), "list": rb.environments.Simulation()},
        attacks={"none": rb.attacks.NoAttack(), "Garcelon": rb.attacks.Garcelon(5.0)},
        policies={"LinUCB": rb.policies.LinUCB(), "BOB": rb.policies.BOB()},
        rounds=200,
        seeds=2,
        unsupported="skip",
    )
    outcome = rb.experiments.run(spec, tmp_path / "store", workers=1)
    assert outcome.plan.skipped == {"ball": ["BOB"]}
    again = rb.experiments.Store(tmp_path / "store").experiments()[0]
    assert again.spec.environments["ball"] == UnitBall(dim=2)
    balls = [ledger for ledger in again.ledgers if ledger.environment == "ball"]
    assert len(balls) == 4
    assert all(ledger.pulls.tolist() == [200] for ledger in balls)
    results = rb.compare(
        environments=[UnitBall(dim=2)],
        policies=[rb.policies.LinUCB(), rb.policies.Greedy()],
        attacks=[rb.attacks.FlipTheta(3.0)],
        rounds=100,
        seeds=2,
    )
    assert "UnitBall" in str(results.summary())
