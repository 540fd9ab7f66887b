"""Our policies behind the interfaces of other libraries."""

import numpy as np
import pytest

import robustbandits as rb
from game.plain_policies import PlainLinUCB
from robustbandits.game.match import NATURE, stream

FRESH = rb.environments.Simulation(arms=4, dim=3)
BEST = np.array([[0.9, 0.1], [0.1, 0.9]])  # mean reward of each arm for each of two contexts


def two_contexts(rounds, seed=0):
    """Yield a one-hot context and the mean rewards of two arms."""
    rng = np.random.default_rng(seed)
    for kind in rng.integers(2, size=rounds):
        yield np.eye(2)[kind], BEST[kind]


# --------------------------------------------------------------------------------- the estimator


def test_estimator_plays_the_game_of_its_policy():
    estimator = rb.adapters.Estimator(rb.policies.LinUCB(), arms=list("abcd"), rounds=200)

    class Player:
        def choose(self, contexts):
            return "abcd".index(estimator.predict(contexts[np.newaxis]))

        def learn(self, contexts, arm, reward):
            estimator.partial_fit(["abcd"[arm]], [reward], contexts[np.newaxis])

    games = [
        rb.simulate(environment=FRESH, policy=policy, rounds=200)
        for policy in (lambda: Player(), rb.policies.LinUCB())
    ]
    assert games[0].regret.tobytes() == games[1].regret.tobytes()


def test_estimator_has_a_theta_for_each_arm_if_contexts_are_shared():
    estimator = rb.adapters.Estimator(rb.policies.LinUCB(), arms=["news", "sport"])
    log = list(two_contexts(200))
    contexts = np.array([context for context, _ in log])
    decisions = ["news", "sport"] * 100
    rewards = [means[arm] for (_, means), arm in zip(log, [0, 1] * 100, strict=True)]
    estimator.fit(decisions, rewards, contexts)
    assert estimator.predict(np.eye(2)) == ["news", "sport"]
    expected = estimator.predict_expectations(np.eye(2))
    assert [list(row) for row in expected] == [["news", "sport"]] * 2
    assert np.allclose([list(row.values()) for row in expected], BEST, atol=0.02)
    assert estimator.predict_expectations([[1.0, 0.0]]) == expected[0]
    estimator.fit(["news"], [0.5], [[1.0, 0.0]])  # forgets the log
    assert estimator.predict_expectations([[1.0, 0.0]])["sport"] == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["news"], [0.1, 0.2]), "the same length, got 1 and 2"),
        ((["books"], [0.1]), r"one of \['news', 'sport'\], got 'books'"),
        ((["news"], [0.1], np.zeros(3)), r"contexts must have shape .* got \(3,\)"),
    ],
)
def test_estimator_refuses_wrong_logs(arguments, message):
    with pytest.raises(ValueError, match=message):
        rb.adapters.Estimator(rb.policies.LinUCB(), arms=["news", "sport"]).fit(*arguments)


# --------------------------------------------------------------------------------- coba and river


@pytest.mark.adapters
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("policy", [rb.policies.LinUCB(), rb.policies.LinTS()], ids=["p", "no p"])
def test_coba_runs_an_experiment_with_our_policy(library, policy):
    coba = library("coba")
    environments = coba.Environments.from_linear_synthetic(
        300, n_actions=3, n_context_features=2, n_action_features=0, seed=1
    )
    learners = [
        rb.adapters.CobaLearner(policy, context_bound=10.0, rounds=300),
        coba.RandomLearner(),
    ]
    result = coba.Experiment(environments, learners).run(quiet=True)
    frame = result.interactions.to_pandas()
    ours, random = frame.groupby("learner_id")["reward"].mean()
    assert ours > random + 0.1


@pytest.mark.adapters
@pytest.mark.filterwarnings("default")
def test_coba_learner_plays_the_game_of_its_policy(library):
    library("coba")
    learner = rb.adapters.CobaLearner(rb.policies.LinUCB(), rounds=200)
    games = [
        rb.simulate(environment=FRESH, policy=policy, rounds=200)
        for policy in (lambda: rb.adapters.Coba(learner), rb.policies.LinUCB())
    ]
    assert games[0].regret.tobytes() == games[1].regret.tobytes()


def test_coba_learner_learns_a_log():
    learner = rb.adapters.CobaLearner(rb.policies.LinUCB())
    learner.predict((1.0, 0.0), ["a", "b"])
    for context, means in two_contexts(200):
        for arm, action in enumerate("ab"):
            learner.learn(tuple(context), action, means[arm], 0.5)
    assert learner.predict((1.0, 0.0), ["a", "b"])[0] == "a"
    assert learner.predict((0.0, 1.0), ["a", "b"])[0] == "b"
    with pytest.raises(ValueError, match="actions must be the same"):
        learner.predict((1.0, 0.0), ["b", "a"])


@pytest.mark.adapters
@pytest.mark.filterwarnings("default")
def test_river_pulls_with_our_policy(library):
    library("river.bandit")
    policy = rb.adapters.RiverPolicy(rb.policies.CautiousLinUCB(5.0), rounds=300)
    right = 0
    for context, means in two_contexts(300):
        named = {"sun": context[0], "rain": context[1]}
        arm = policy.pull(["beach", "museum"], context=named)
        reward = means[["beach", "museum"].index(arm)]
        policy.update(arm, named, reward)
        right += reward > 0.5
    assert right > 250
    fresh = policy.clone()
    assert fresh.policy == rb.policies.CautiousLinUCB(5.0)
    assert fresh.pull(["x", "y"], context={"sun": 1.0}) in ("x", "y")


def test_policy_for_open_bandit_pipeline_learns():
    policy = rb.adapters.OBPPolicy(rb.policies.LinUCB(), n_actions=2)
    for context, means in two_contexts(200):
        (action,) = policy.select_action(context.reshape(1, -1))
        policy.update_params(action, means[action], context.reshape(1, -1))
    chosen = [policy.select_action(context.reshape(1, -1))[0] for context in np.eye(2)]
    assert chosen == [0, 1]


@pytest.mark.adapters
def test_open_bandit_pipeline_runs_our_policy():
    reason = "obp is not installed"  # its dependencies do not install with Python 3.11
    simulator = pytest.importorskip("obp.simulator", reason=reason, exc_type=ImportError)
    log = list(two_contexts(400))
    actions = np.random.default_rng(1).integers(2, size=400)
    feedback = {
        "n_rounds": 400,
        "n_actions": 2,
        "context": np.array([context for context, _ in log]),
        "action": actions,
        "position": np.zeros(400, dtype=int),
        "reward": np.array([means[arm] for (_, means), arm in zip(log, actions, strict=True)]),
        "pscore": np.full(400, 0.5),
    }
    policy = rb.adapters.OBPPolicy(rb.policies.LinUCB(), n_actions=2)
    chosen = simulator.run_bandit_simulation(feedback, policy)[:, :, 0]
    right = np.array([means.argmax() for _, means in log])
    assert np.mean(chosen[np.arange(400), right]) > 0.9


# -------------------------------------------------------------------------------------- gymnasium


@pytest.mark.adapters
@pytest.mark.parametrize("attack", [None, rb.attacks.Garcelon(5.0)], ids=["none", "Garcelon"])
def test_attacked_game_passes_the_checks_of_gymnasium(library, attack):
    checker = library("gymnasium.utils.env_checker")
    checker.check_env(rb.adapters.AttackedGame(FRESH, attack, rounds=30), skip_render_check=True)


@pytest.mark.adapters
@pytest.mark.parametrize(
    "attack",
    [
        None,
        rb.attacks.Garcelon(5.0),
        rb.attacks.FlipTheta(5.0),
        rb.attacks.ContextDilation(5.0, which="every"),
    ],
    ids=["none", "Garcelon", "FlipTheta", "ContextDilation"],
)
def test_an_episode_is_the_game_of_simulate(library, attack):
    library("gymnasium")
    rounds = 1100  # more than one block
    game = rb.adapters.AttackedGame(FRESH, attack, rounds=rounds)
    policy = PlainLinUCB(FRESH.start(rounds, stream(3, NATURE)).problem)
    contexts, _ = game.reset(seed=3)
    over, earned = False, 0.0
    while not over:
        arm = policy.choose(contexts)
        shown = contexts.copy()
        contexts, seen, terminated, over, info = game.step(arm)
        policy.learn(shown, arm, seen)
        earned += info["clean_reward"]
        assert not terminated
    ledger = rb.simulate(
        environment=FRESH, policy=rb.policies.LinUCB(), attack=attack, rounds=rounds, seed=3
    )
    assert (info["regret"], info["spent"]) == (ledger.final_regret, ledger.spent)
    assert earned == pytest.approx(ledger.final_reward)


@pytest.mark.adapters
def test_an_attack_that_peeks_is_refused(library):
    library("gymnasium")
    game = rb.adapters.AttackedGame(FRESH, rb.attacks.ContextDilation(5.0), rounds=10)
    with pytest.raises(ValueError, match="looks at what the policy would choose"):
        game.reset(seed=0)
