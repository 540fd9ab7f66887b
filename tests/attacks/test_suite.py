"""What each attack of the suite proposes, and what it does to LinUCB."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from attacks.scenes import proposed, scene
from property.laws import FORMS, WILD, attack_of, deal_rounds, law, same_bits, trace
from robustbandits.attacks import (
    Contamination,
    ContextMirror,
    ContextNudge,
    ContextStuffing,
    Garcelon,
    LinACE,
    ObservationFree,
    OracleTarget,
    Promote,
    RandomControl,
    Shadow,
    WeakVector,
)
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.knowledge import knowledge_of
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.object_policy import as_policy
from robustbandits.game.problem import Problem
from robustbandits.game.rounds import make_rounds

MEANS = [0.2, 0.9, 0.5, 0.7]
means_of_arms = st.lists(st.floats(0.0, 1.0), min_size=2, max_size=6)
CATALOGUE = rb.environments.Simulation(contexts="fixed", noise=0.01)
LINUCB = rb.policies.LinUCB(sigma=0.01)


def regret(attack, environment=CATALOGUE, policy=LINUCB, rounds=20_000):
    """Return the mean regret of three games."""
    games = [
        rb.simulate(environment=environment, attack=attack, policy=policy, rounds=rounds, seed=s)
        for s in range(3)
    ]
    return statistics.mean(game.final_regret for game in games)


# --------------------------------------------------------------------------------- one round


@law
@given(means=means_of_arms, arm=st.integers(0, 5), reward=st.floats(-0.5, 1.5))
def test_oracle_target_never_raises_a_reward_and_spares_the_target(means, arm, reward):
    arm %= len(means)
    target = means.index(min(means))
    wanted = proposed(OracleTarget(1.0, margin=0.05), means, arm, reward)
    lowered = reward - (means[arm] - min(means) + 0.05)
    assert wanted == (reward if arm == target else pytest.approx(lowered))
    assert wanted <= reward


def test_oracle_target_leaves_arms_alone_that_are_worse_than_the_target_by_the_margin():
    attack = OracleTarget(1.0, target=2, margin=0.1)
    assert proposed(attack, MEANS, 0, 0.2) == 0.2
    assert proposed(attack, MEANS, 2, 0.5) == 0.5
    assert proposed(attack, MEANS, 1, 0.9) == pytest.approx(0.4)


def test_promote_praises_the_target_and_lowers_the_others_with_its_share_of_the_budget():
    assert proposed(Promote(1.0, target=2), MEANS, 2, 0.4) == 1.0
    assert proposed(Promote(1.0, target=2, lowering=0.0), MEANS, 1, 0.4) == 0.4
    game = trace(Promote(10.0, lowering=0.3), rounds=300)
    assert (game.seen >= game.earned)[game.arms == 0].all()
    lowered = game.reward_prices[game.arms != 0].sum()
    assert lowered == pytest.approx(3.0)
    assert (game.seen <= game.earned)[game.arms != 0].all()


@pytest.mark.parametrize(
    ("payload", "low", "high"),
    [("zero", 0, 0), ("one", 1, 1), ("exaggerate", 0, 1), ("reverse", 1, 0), ("flip", 0.75, 0.25)],
)
def test_contamination_shows_its_payload(payload, low, high):
    attack = Contamination(1.0, probability=1.0, payload=payload, arms=(1,))
    assert [proposed(attack, MEANS, 1, reward) for reward in (0.25, 0.75)] == [low, high]
    assert proposed(attack, MEANS, 0, 0.25) == 0.25


def test_contamination_attacks_its_share_of_the_rounds():
    game = trace(Contamination(math.inf, probability=0.3, payload="flip"), rounds=3000)
    attacked = int((game.seen != game.earned).sum())
    assert abs(attacked - 900) < 4.5 * math.sqrt(3000 * 0.3 * 0.7)


def test_random_changes_have_the_mean_zero_away_from_the_ends():
    plain = rb.environments.Simulation(arms=5, dim=2, noise=0.0)
    game = trace(RandomControl(math.inf, probability=0.5, size=0.1), environment=plain, rounds=4000)
    changes = (game.seen - game.earned)[game.seen != game.earned]
    assert abs(len(changes) - 2000) < 150
    assert abs(changes).max() <= 0.1
    assert abs(changes.mean()) < 5 * 0.1 / math.sqrt(3 * len(changes))


def test_observation_free_starves_all_arms_and_then_feeds_the_target():
    game = trace(ObservationFree(math.inf, target=2, starve=30, feed=50), rounds=200)
    assert (game.seen[:30] == np.minimum(game.earned[:30], 0.0)).all()
    fed = np.where(game.arms == 2, np.maximum(game.earned, 1.0), np.minimum(game.earned, 0.0))
    assert (game.seen[30:80] == fed[30:80]).all()
    assert same_bits(game.seen[80:], game.earned[80:])


def test_observation_free_derives_its_phases_from_the_budget():
    state = ObservationFree(100.0).start(Problem(arms=3, dim=2))
    assert (state.first, state.last) == pytest.approx((57.0, 167.0))


def test_lin_ace_lowers_rewards_by_the_lead_that_a_regression_gives():
    """With one-hot contexts the regression is one mean for each arm, computed here by hand."""
    attack = LinACE(1.0, target=0, sigma=0.1, delta=0.05, ridge=0.5, margin=0.02)
    state = attack.start(Problem(arms=2, dim=2))
    here = scene([0.5, 0.5], np.eye(2))
    rng = np.random.default_rng(0)
    assert state.propose_reward(None, here, 0, 0.4, rng) == 0.4
    state.propose_reward(None, here, 1, 0.9, rng)
    wanted = state.propose_reward(None, here, 1, 0.7, rng)
    lead = (0.9 + 0.7) / 2.5 - 0.4 / 1.5
    width = math.sqrt(1 / 2.5 + 1 / 1.5)
    radius = 0.1 * math.sqrt(2 * math.log((1 + 3 / 0.5) / 0.05)) + math.sqrt(0.5)
    assert wanted == pytest.approx(0.7 - (lead + radius * width + 0.02))


def test_weak_vector_lowers_the_arms_that_have_earned_most():
    state = WeakVector(1.0, size=0.4).start(Problem(arms=4, dim=4))
    here = scene(np.full(4, np.nan), np.eye(4))
    for arm, reward in enumerate((0.1, 0.9, 0.2, 0.8)):
        state.watch(here, arm, reward)
    shifts = np.zeros(4)
    state.propose_shifts(here, shifts, np.random.default_rng(0))
    assert shifts.tolist() == [0.0, -0.4, 0.0, -0.4]


def test_context_mirror_shows_the_opposite_features_of_the_arm_about_to_be_chosen():
    game = trace(ContextMirror(math.inf, top=1.0), rounds=100)
    changed = (game.shown != game.dealt).any(axis=1)
    assert (changed.sum(axis=1) == 1).all()
    rounds, arms = np.nonzero(changed)
    assert (game.shown[rounds, :-1, arms] == -game.dealt[rounds, :-1, arms]).all()
    assert (game.shown[:, -1] == game.dealt[:, -1]).all()


def test_context_nudge_pays_only_if_the_policy_then_chooses_the_target():
    game = trace(ContextNudge(math.inf, target=1), rounds=300)
    changed = (game.shown != game.dealt).any(axis=1)
    assert changed.any()
    assert (changed.any(axis=1) <= (game.arms == 1)).all()
    assert not changed[:, [0, 2, 3, 4]].any()


def test_context_nudge_is_minimal():
    """More steps find a smaller change, and no change is twice as large as needed."""
    costs = [trace(ContextNudge(math.inf, target=1, steps=n), rounds=30).spent for n in (2, 30)]
    first = np.flatnonzero(costs[1])[0]
    assert 0.0 < costs[1][first] <= costs[0][first]


def test_context_stuffing_adds_one_vector_along_its_estimate_of_theta_from_its_launch_on():
    attack = ContextStuffing(math.inf, target=2, size=0.1, launch=30)
    game = trace(attack, rounds=100)
    changes = game.shown - game.dealt
    assert not changes[:30].any()
    assert not changes[:, :, [0, 1, 3, 4]].any()
    assert not changes[:, -1].any()
    seen = game.dealt[np.arange(30), :, game.arms[:30]]
    gram, target = 0.1 * np.eye(3) + seen.T @ seen, seen.T @ game.earned[:30]
    theta = np.linalg.solve(gram, target)[:-1]
    free = np.linalg.norm(game.dealt[30:, :, 2], axis=1) < 0.85  # not shortened to length 1
    assert free.sum() > 10
    expected = 0.1 * theta / np.linalg.norm(theta)
    np.testing.assert_allclose(
        changes[30:, :-1, 2][free], np.tile(expected, (free.sum(), 1)), atol=1e-12
    )


TARGETED = [OracleTarget, Promote, LinACE, ObservationFree, ContextNudge, ContextStuffing]


@pytest.mark.parametrize("kind", TARGETED)
def test_a_target_that_does_not_exist_is_an_error(kind):
    with pytest.raises(ValueError, match="target must be < 4, the number of arms; got 4"):
        kind(1.0, target=4).start(Problem(arms=4, dim=2))
    with pytest.raises(ValueError, match="target must be"):
        kind(1.0, target=-1)


@pytest.mark.parametrize("arms", [(4,), [0, 7]])
def test_contaminated_arms_that_do_not_exist_are_an_error(arms):
    with pytest.raises(ValueError, match=f"arms must be < 4, the number of arms; got {arms[-1]}"):
        Contamination(1.0, arms=arms).start(Problem(arms=4, dim=2))
    with pytest.raises(TypeError, match="arms must be a list of indices, got 3"):
        Contamination(1.0, arms=3)


# ---------------------------------------------------------------------------------- knowledge

BELOW_OMNISCIENT = [
    form
    for form in FORMS
    if knowledge_of(attack_of(form, 1.0).start(Problem(arms=5, dim=3, rounds=100, noise=0.1)))
    != "omniscient"
]


class Listed:
    """A policy that plays given arms, and notes what it is shown."""

    def __init__(self, arms, notes):
        self._arms = iter(arms)
        self._notes = notes

    def choose(self, contexts):
        return next(self._arms)

    def learn(self, contexts, arm, reward):
        self._notes.append((*contexts.ravel(), reward))

    def peek(self, contexts):
        return 0


def shown(form, arms, means, contexts=None, noise=None):
    """Return the contexts and the reward of each round, as they are shown to a listed policy."""
    nature = WILD.start(len(arms), stream(0, NATURE))
    drawn = nature.draw(len(arms))
    contexts = drawn.contexts if contexts is None else contexts
    block = make_rounds(contexts, means, drawn.noise if noise is None else noise)
    notes = []
    policy = as_policy("policy", lambda: Listed(arms, notes))
    Game(policy, attack_of(form, 100.0), nature.problem, 0, points=1).advance(block)
    return np.array(notes)


@pytest.mark.parametrize("form", BELOW_OMNISCIENT)
def test_means_of_arms_that_are_not_chosen_do_not_matter_below_omniscience(form):
    rng = np.random.default_rng(1)
    arms = rng.integers(0, 5, 60).tolist()
    means = deal_rounds(WILD, 60)[1].means
    scrambled = rng.random(means.shape)
    index = np.arange(60)
    scrambled[index, arms] = means[index, arms]  # so that the rewards stay the same
    assert same_bits(shown(form, arms, means), shown(form, arms, scrambled))


@pytest.mark.parametrize("form", ["ObservationFree", "ObservationFree rounds", "RandomControl"])
def test_an_oblivious_attack_has_the_same_plan_for_every_policy(form):
    means, noise = np.full((60, 5), 0.5), np.zeros(60)
    plans = [
        shown(form, [arm] * 60, means, np.full((60, 3, 5), feature), noise)[:, -1].copy()
        for arm, feature in ((1, 0.0), (3, 0.1))
    ]
    assert same_bits(*plans)
    assert (plans[0] != 0.5).any()


def test_a_weak_attack_does_not_see_the_arm_of_the_current_round():
    """Which arms it lowers depends on earlier rounds only."""
    state = WeakVector(1.0).start(Problem(arms=4, dim=2))
    assert not hasattr(state, "propose_reward")


# -------------------------------------------------------------------------------- whole games

LONG = pytest.mark.skipif(not jit_is_on, reason="plays 20,000 rounds, too many for plain Python")


@LONG
def test_black_box_attack_hijacks_linucb_on_a_catalogue():
    """The attack of the literature: a few units are enough, and every later round is the target."""
    for number in range(3):
        game = rb.simulate(
            environment=CATALOGUE,
            attack=LinACE(100.0, target=number, sigma=0.01),
            policy=LINUCB,
            rounds=20_000,
            seed=number,
        )
        assert game.pulls[number] > 0.95 * 20_000
        assert game.spent < 20.0


@LONG
@pytest.mark.parametrize(
    "attack",
    [
        OracleTarget(100.0),
        Promote(100.0),
        LinACE(100.0, sigma=0.01),
        ObservationFree(100.0),
        WeakVector(100.0),
        ContextNudge(100.0),
    ],
    ids=lambda attack: attack.name,
)
def test_attack_does_more_harm_than_the_control_with_the_same_budget(attack):
    fresh = rb.environments.Simulation(noise=0.01)
    assert regret(attack, fresh) > 2.0 * regret(RandomControl(100.0, probability=0.5), fresh)


@LONG
def test_the_control_does_little_harm():
    fresh = rb.environments.Simulation(noise=0.01)
    assert regret(RandomControl(100.0), fresh) < 1.5 * regret(rb.attacks.NoAttack(), fresh) + 5.0


@pytest.mark.slow
@LONG
def test_a_shadow_hijacks_linucb_with_estimates_alone():
    attack = Shadow(Garcelon(100.0, top="all-but-worst"), sigma=0.01)
    regrets = {
        name: rb.simulate(
            environment=CATALOGUE,
            attack=played,
            policy=rb.policies.LinUCB(sigma=0.01),
            rounds=20_000,
        ).final_regret
        for name, played in (("clean", None), ("attacked", attack), ("known", attack.attack))
    }
    assert regrets["attacked"] > 50 * regrets["clean"]
    assert regrets["attacked"] > 0.5 * regrets["known"]
