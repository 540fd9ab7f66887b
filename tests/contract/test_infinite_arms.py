"""Every policy and every attack either plays infinitely many arms or refuses them with advice."""

import re
import typing

import numpy as np
import pytest

import robustbandits as rb
from catalogue import compile_few, example, policy
from property.laws import ATTACKERS, COMPILED_LATER, FORMS, OTHER_SURFACES, make_attack
from robustbandits.checks import BrokenContract, check_policy
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.policies._infinite_arms import FOR_INFINITE_ARMS

BALL = rb.environments.UnitBall(dim=3)
PROBLEM = BALL.start(100, stream(0, NATURE)).problem
ABLE = [name for name in rb.policies.__all__ if getattr(rb.policies, name).facts.infinite_arms]
UNABLE = [name for name in rb.policies.__all__ if name not in ABLE]


def test_the_advice_names_every_policy_that_can_play_in_order():
    assert re.split(", | or ", FOR_INFINITE_ARMS) == ABLE


@pytest.mark.parametrize("name", UNABLE)
def test_other_policy_refuses_and_names_those_that_can(name):
    message = f"^{name} needs a list of arms.*{re.escape(FOR_INFINITE_ARMS)}$"
    with pytest.raises(UnsupportedProblem, match=message):
        policy(name).start(PROBLEM)
    with pytest.raises(UnsupportedProblem, match=message):
        rb.Agent(policy(name), arms="ball", dim=3, rounds=100)


@pytest.mark.parametrize("name", compile_few(ABLE, []))
def test_policy_keeps_its_contract_on_a_ball(name):
    check_policy(policy(name), BALL)


class Unaware(rb.policies.LinUCB):
    """A policy that is not made for a ball."""

    facts = rb.policies.LinUCB.facts._replace(infinite_arms=False)


class TooFarState(typing.NamedTuple):
    """Writes a vector outside the ball."""

    numbers: np.ndarray

    def choose(self, contexts, rng, memo):
        contexts[:, 0] = 1.0
        return 0

    def learn(self, arm, context, reward, memo, rng):
        pass

    def score(self, contexts, memo, means, bonuses):
        means[:] = 0.0
        bonuses[:] = 0.0


class TooFar(rb.policies.LinUCB):
    """A policy that leaves the ball."""

    def start(self, problem):
        return TooFarState(np.zeros(1))


def test_policy_from_outside_that_does_not_know_of_a_ball_is_refused():
    with pytest.raises(UnsupportedProblem, match=r"Unaware .*infinite_arms.*such as LinUCB"):
        rb.simulate(environment=BALL, policy=Unaware(), rounds=5)
    with pytest.raises(UnsupportedProblem, match="Unaware"):
        rb.Agent(Unaware(), arms="ball", dim=3)


def test_policy_that_leaves_the_ball_breaks_its_contract():
    with pytest.raises(BrokenContract, match=r"TooFar.choose must write a vector of length 1 or"):
        check_policy(TooFar(), BALL)


def test_a_problem_with_infinitely_many_arms_has_no_number_of_arms():
    with pytest.raises(ValueError, match="arms must be 1 if there are infinitely many, got 2"):
        Problem(arms=2, dim=3, infinite=True)


@pytest.mark.parametrize("candidates", ["2KT", "2KT-floor"])
@pytest.mark.parametrize("name", ["RobustBandit", "BOBNoRestart"])
def test_candidates_that_depend_on_the_number_of_arms_are_refused(name, candidates):
    with pytest.raises(UnsupportedProblem, match=f"candidates='{candidates}'.*use 'T'"):
        policy(name, candidates=candidates).start(PROBLEM)


@pytest.mark.parametrize("name", ["RobustBandit", "BOBNoRestart"])
def test_candidates_go_up_to_the_horizon(name):
    assert policy(name).start(PROBLEM).levels.tolist() == [0, 1, 2, 4, 8, 16, 32, 64, 128]
    own = policy(name, candidates=(0.0, 3.0))
    assert own.start(PROBLEM).levels.tolist() == [0.0, 3.0]


# ------------------------------------------------------------------------------------- attacks


def attack_of(form, budget=5.0):
    name, values = FORMS[form]
    return make_attack(name, budget, **values)


def start(form):
    return attack_of(form).start(Problem(arms=4, dim=3, noise=0.1, rounds=100))


ON_CONTEXTS = [form for form in ATTACKERS if hasattr(start(form), "propose_contexts")]
ON_LISTED_ARMS = [
    *["OracleTarget", "Promote", "Promote only", "LinACE", "ObservationFree"],
    *["ObservationFree rounds", "WeakVector", "Contamination reverse"],
    *["AfterConvergence", "LeverageAware", "LeverageAware above", "Shadow"],
]
ON_REWARDS = [form for form in ATTACKERS if form not in ON_CONTEXTS + ON_LISTED_ARMS]
BY_WORD = [form for form in ON_REWARDS if isinstance(FORMS[form][1].get("top"), str)]


@pytest.mark.parametrize("form", ON_CONTEXTS)
def test_attack_on_contexts_refuses_a_ball(form):
    with pytest.raises(
        UnsupportedProblem, match=r"changes contexts.*Garcelon, Oracle or FlipTheta"
    ):
        rb.simulate(environment=BALL, policy=rb.policies.LinUCB(), attack=attack_of(form), rounds=5)


@pytest.mark.parametrize("form", [*ON_LISTED_ARMS, *OTHER_SURFACES])
def test_attack_that_tells_arms_apart_refuses_a_ball(form):
    attack = make_attack(form) if form in OTHER_SURFACES else attack_of(form)
    with pytest.raises(UnsupportedProblem, match=r"needs a list of arms.*Garcelon, Oracle or Flip"):
        attack.start(PROBLEM)


@pytest.mark.parametrize("form", BY_WORD)
def test_attack_on_a_number_of_arms_refuses_a_ball(form):
    with pytest.raises(UnsupportedProblem, match=r"needs top as a share from 0 to 1.*'all-but-wo"):
        attack_of(form).start(PROBLEM)


@pytest.mark.parametrize(
    "form",
    compile_few(
        [form for form in ON_REWARDS if form not in BY_WORD],
        [form for form in ON_REWARDS if FORMS[form][0] not in COMPILED_LATER],
    ),
)
def test_attack_on_rewards_stays_within_its_budget_on_a_ball(form):
    ledger = rb.simulate(
        environment=BALL, policy=rb.policies.LinUCB(), attack=attack_of(form, 2.0), rounds=300
    )
    assert 0.0 < ledger.spent <= 2.0
    assert ledger.attacked_rounds > 0


def test_attack_without_a_budget_changes_no_bit_on_a_ball():
    games = [
        rb.simulate(environment=BALL, policy=rb.policies.BOBNoRestart(), attack=attack, rounds=200)
        for attack in (None, example(rb.attacks.Garcelon, budget=0.0))
    ]
    assert games[0].regret.tobytes() == games[1].regret.tobytes()


class Recorder(typing.NamedTuple):
    """Wraps an attack's state; records mean, reward and proposal of every round."""

    attack: typing.Any
    rows: list

    def propose_reward(self, policy, scene, arm, reward, rng):
        wanted = self.attack.propose_reward(policy, scene, arm, reward, rng)
        self.rows.append((*scene.means, reward, wanted))
        return wanted


def proposals(attack):
    """Return lowest and highest mean, chosen mean, reward and proposal of the rounds of a game."""
    nature = rb.environments.UnitBall(dim=2, noise=0.05).start(300, stream(1, NATURE))
    game = Game(rb.policies.LinTS(), attack, nature.problem, 1, 10)
    rows = []
    game.attack = Recorder(game.attack, rows)
    game.play_in_python()
    game.advance(nature.draw(300))
    chosen, low, high, reward, wanted = np.array(rows).T
    return low, high, chosen, reward, wanted


@pytest.mark.parametrize("top", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("name", ["Garcelon", "Oracle"])
def test_attack_hits_the_upper_share_of_the_range_of_means(name, top):
    attack = getattr(rb.attacks, name)(1e9, top=top)
    low, high, chosen, reward, wanted = proposals(attack)
    hit = chosen >= high - top * (high - low)
    assert hit.any()
    assert hit.all() == (top == 1.0)
    assert (wanted[~hit] == reward[~hit]).all()
    assert (wanted[hit] != reward[hit]).mean() > 0.8  # Oracle never raises a reward
    expected = low[0] - 0.01 if name == "Oracle" else 0.0
    assert wanted[hit].mean() == pytest.approx(expected, abs=0.03)


def test_flip_theta_mirrors_the_whole_reward():
    _, _, _, reward, wanted = proposals(rb.attacks.FlipTheta(1e9))
    np.testing.assert_allclose(wanted, 1.0 - reward)
