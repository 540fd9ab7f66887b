"""Shadow: an attack is given estimates, never the mean rewards or the policy."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import robustbandits as rb
from property.laws import FORMS, WILD, attack_of, deal_rounds, same_bits, trace, trace_rounds
from robustbandits.attacks import (
    AfterConvergence,
    Burst,
    ConsistentLie,
    ContextMirror,
    ContextNudge,
    Garcelon,
    LinACE,
    Oracle,
    OracleTarget,
    RandomControl,
    Shadow,
)
from robustbandits.compiled.jit import jit_is_on, kernel
from robustbandits.game.knowledge import knowledge_of
from robustbandits.game.problem import Problem
from robustbandits.game.rounds import make_rounds

pytestmark = pytest.mark.skipif(
    jit_is_on, reason="plain Python plays these games; tests/parity compares it with compiled code"
)
ROUNDS = 120
PROBLEM = Problem(arms=4, dim=3, rounds=1000, noise=0.1)


class RotationState(NamedTuple):
    """Chooses the arms in turn, whatever it is shown."""

    count: np.ndarray  # (1,) rounds learned

    @kernel
    def choose(self, contexts, rng, memo):
        return int(self.count[0]) % contexts.shape[1]

    @kernel
    def learn(self, arm, context, reward, memo, rng):
        self.count[0] += 1.0


@dataclass(frozen=True)
class Rotation:
    """Recipe of a policy that chooses the arms in turn."""

    name: str = "Rotation"

    def start(self, problem):
        return RotationState(np.zeros(1))


def with_other_means(block):
    """Scramble the means of all arms but the one that Rotation chooses, so that rewards stay."""
    rounds, arms = block.means.shape
    means = np.random.default_rng(5).random((rounds, arms))
    index = np.arange(rounds)
    means[index, index % arms] = block.means[index, index % arms]
    return make_rounds(block.contexts.copy(), means, block.noise.copy())


def changes(attack, policy):
    """Return what the policy saw, with the true means and with scrambled ones."""
    problem, block = deal_rounds(WILD, ROUNDS)
    games = [trace_rounds(problem, b, attack, policy) for b in (block, with_other_means(block))]
    assert same_bits(games[0].earned, games[1].earned)
    return [(game.shown.tobytes(), game.seen.tobytes()) for game in games], games[0].spent[-1]


WRAPPED = {
    "Garcelon": Garcelon(20.0),
    "Oracle": Oracle(20.0),
    "OracleTarget": OracleTarget(20.0, target=1),
    "ContextMirror": ContextMirror(20.0),
    "AfterConvergence": AfterConvergence(Garcelon(20.0), share=0.1),
}
EACH = pytest.mark.parametrize("name", WRAPPED)


@EACH
def test_a_shadow_never_sees_the_mean_rewards(name):
    (first, second), spent = changes(Shadow(WRAPPED[name]), Rotation())
    assert first == second
    assert spent > 0.0


@EACH
def test_the_attack_itself_does_see_them(name):
    """Otherwise the test above would prove nothing."""
    (first, second), _ = changes(WRAPPED[name], Rotation())
    assert first != second


def test_a_shadow_does_not_ask_the_policy():
    """The proposals in a scene without a policy, and without means, are finite."""
    state = Shadow(ContextNudge(5.0, target=0)).start(PROBLEM)
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(3, 4)) / 3.0
    scene = rb.extend.Scene(0, contexts, np.full(4, np.nan), 0.0, 5.0)
    for arm in (0, 1, 2, 3, 1):
        state.watch(scene, arm, 0.2 * arm)
    wanted = contexts.copy()
    state.propose_contexts(None, scene, wanted, rng)
    assert np.isfinite(wanted).all()
    assert not same_bits(wanted, contexts)


def ridge_estimate(game, t, ridge=0.1):
    """Return the inverse and the estimate of a regression on the clean rewards before round t."""
    x = game.dealt[np.arange(t), :, game.arms[:t]]
    inverse = np.linalg.inv(ridge * np.eye(game.dealt.shape[1]) + x.T @ x)
    return inverse, inverse @ (x.T @ game.earned[:t])


def test_a_shadow_of_garcelon_lowers_the_arms_that_a_regression_ranks_highest():
    game = trace(Shadow(Garcelon(math.inf, replace="floor")), rounds=ROUNDS)
    hit = game.seen != game.earned
    for t in range(1, ROUNDS):
        _, theta = ridge_estimate(game, t)
        best = np.argsort(-(game.dealt[t].T @ theta))[:2]
        # A reward below 0 cannot be lowered.
        assert hit[t] == (game.arms[t] in best and game.earned[t] > 0.0)
    assert 20 < hit.sum() < 110


def test_a_shadow_of_context_mirror_mirrors_the_choice_of_its_own_linucb():
    game = trace(Shadow(ContextMirror(math.inf, top=1.0), sigma=0.2, delta=0.1), rounds=ROUNDS)
    changed = (game.shown != game.dealt).any(axis=1)
    assert (changed.sum(axis=1) == 1).all()
    right = 0
    for t in range(1, ROUNDS):
        inverse, theta = ridge_estimate(game, t)
        contexts = game.dealt[t].T
        widths = np.sqrt(np.einsum("ai,ij,aj->a", contexts, inverse, contexts))
        radius = 0.2 * math.sqrt(3 * math.log((1 + t / 0.1) / 0.1)) + math.sqrt(0.1)
        assert changed[t, np.argmax(contexts @ theta + radius * widths)]
        right += changed[t, game.arms[t]]
    assert right < ROUNDS  # it does not know what the policy does


def test_a_shadow_of_an_attack_without_knowledge_is_that_attack():
    for attack in (LinACE(9.0), RandomControl(9.0, probability=0.5)):
        games = [trace(form, rounds=ROUNDS) for form in (attack, Shadow(attack))]
        assert same_bits(games[0].seen, games[1].seen)


def test_a_shadow_is_black_box_also_inside_a_schedule():
    assert knowledge_of(Shadow(Garcelon(1.0)).start(PROBLEM)) == "black-box"
    assert knowledge_of(Burst(Shadow(Garcelon(1.0))).start(PROBLEM)) == "black-box"
    assert knowledge_of(Shadow(AfterConvergence(Garcelon(1.0))).start(PROBLEM)) == "black-box"


@pytest.mark.parametrize("inner", [ConsistentLie(1.0), Burst(ConsistentLie(1.0))])
def test_an_attack_that_plans_with_the_means_before_the_game_is_refused(inner):
    with pytest.raises(ValueError, match=r"attack must not plan with the mean rewards.*Consistent"):
        Shadow(inner)


@pytest.mark.parametrize("form", [form for form in FORMS if form != "NoAttack"])
def test_every_attack_has_a_shadow_that_stays_within_its_budget(form):
    game = trace(Shadow(attack_of(form, 3.0)), rounds=60)
    assert 0.0 <= game.spent[-1] <= 3.0
    assert game.purse.account[2] == 0.0  # no proposal was NaN
