"""redteam_log: how far attacks on a log move the policy that is trained on it."""

import json
import math

import numpy as np
import pytest

import robustbandits as rb
from game.plain_policies import PlainLinUCB
from red_team.logs import catalogue_log
from robustbandits.compiled.jit import jit_is_on

LOG = catalogue_log(rows=300 if jit_is_on else 120)
SETTINGS = {"attacks": "Garcelon(top='best')", "budgets": [1.0, 40.0]}


@pytest.fixture(scope="module")
def report():
    return rb.redteam_log("LinUCB", LOG, promote=3, **SETTINGS)


def test_a_large_budget_changes_the_choice_and_a_small_one_does_not(report):
    small, large = report.results
    assert (small.attack, small.budget, large.budget) == ("Garcelon(top='best')", 1.0, 40.0)
    assert small.changed_choices == 0.0
    assert large.changed_choices == 1.0
    assert 0.0 < small.mean_shift < large.mean_shift <= large.largest_shift
    assert 0 < small.changed_rows <= large.changed_rows
    assert small.spent == pytest.approx(1.0)
    assert large.spent <= 40.0
    assert report.worst is large


def test_the_estimates_are_those_of_an_agent_that_learns_the_changed_log():
    attack = rb.attacks.FlipTheta(5.0)
    agents = [rb.Agent(rb.policies.LinUCB(), arms=4, dim=4, rounds=len(LOG)) for _ in range(2)]
    attacker = rb.Attacker(attack, arms=4, dim=4, rounds=len(LOG))
    for contexts, arm, reward in zip(LOG.contexts, LOG.arms, LOG.rewards, strict=True):
        agents[0].observe(contexts, arm, reward)
        shown = attacker.contexts(contexts)
        agents[1].observe(shown, arm, attacker.reward(arm, reward))
    clean, moved = (agent.scores(LOG.contexts[0]).means for agent in agents)
    report = rb.redteam_log("LinUCB", LOG, attacks=[attack], budgets=[5.0])
    assert report.results[0].mean_shift == pytest.approx(np.abs(moved - clean).mean())
    assert report.results[0].spent == pytest.approx(attacker.spent)


def test_the_value_is_estimated_with_inverse_probability_weights(report):
    means = [LOG.rewards[LOG.arms == arm].mean() for arm in range(4)]
    assert report.clean.value == pytest.approx(means[0])  # it always chooses the best arm
    assert report.clean.ips_value == pytest.approx(LOG.rewards[LOG.arms == 0].sum() * 4 / len(LOG))
    assert report.worst.value == pytest.approx(means[1])  # and after the attack the second best


def test_the_budget_to_promote_an_arm_is_enough_and_less_is_not(report):
    assert report.promoted_arm == 3
    assert report.clean.promoted_share == 0.0
    assert 1.0 < report.budget_to_promote < len(LOG)
    attack = getattr(rb.attacks, report.promoting_attack)(1.0, target=3)
    budgets = [report.budget_to_promote / 1.2, report.budget_to_promote]
    again = rb.redteam_log("LinUCB", LOG, attacks=[attack], budgets=budgets, promote=3)
    assert [result.promoted_share > 0.5 for result in again.results] == [False, True]
    assert again.budget_to_promote == report.budget_to_promote


def test_by_default_the_arm_that_is_chosen_least_is_promoted(report):
    default = rb.redteam_log("LinUCB", LOG, **SETTINGS)
    assert default.promoted_arm == 3
    assert default == report


def test_a_log_without_probabilities_has_no_value():
    log = rb.Log(LOG.contexts, LOG.arms, LOG.rewards)
    report = rb.redteam_log("LinUCB", log, **SETTINGS)
    assert math.isnan(report.clean.value)
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False))["clean"]["value"] is None


def test_changed_clicks_are_clicks():
    log = catalogue_log(rows=len(LOG), clicks=True)
    report = rb.redteam_log("LinUCB", log, attacks="FlipTheta", budgets=[7.5])
    assert report.results[0].spent == report.results[0].changed_rows == 7


def test_context_attacks_ask_the_policy_that_is_being_trained():
    log = rb.Log(0.5 * LOG.contexts, LOG.arms, LOG.rewards)
    report = rb.redteam_log("LinUCB", log, attacks="ContextDilation(top='best')", budgets=[20.0])
    assert 0.0 < report.results[0].spent <= 20.0
    assert report.results[0].mean_shift > 0.0


def test_any_object_can_be_trained():
    report = rb.redteam_log(PlainLinUCB, LOG, **SETTINGS)
    assert report.target == "PlainLinUCB"
    assert report.worst.changed_choices > 0.5
    assert math.isnan(report.worst.mean_shift)


def test_a_policy_that_ignores_rewards_does_not_move():
    class FirstArm:
        def choose(self, contexts):
            return 0

        def learn(self, contexts, arm, reward):
            pass

    report = rb.redteam_log(FirstArm, LOG, **SETTINGS)
    assert report.worst.changed_choices == 0.0
    assert report.budget_to_promote == math.inf
    assert report.promoting_attack is None
    assert "chooses the same arms under every attack with a budget of up to 40" in report.verdict
    assert "No attack makes it prefer arm 3" in report.verdict


def test_attacks_that_cannot_change_this_log_are_left_out():
    class ReadsPolicy(rb.attacks.FlipTheta):
        reads_policy = True

    contexts = LOG.contexts * np.linspace(0.5, 1.0, len(LOG))[:, None, None]
    log = rb.Log(contexts, LOG.arms, LOG.rewards)
    listed = [ReadsPolicy(1.0), rb.attacks.ConsistentLie(1.0), rb.attacks.FlipTheta(1.0)]
    report = rb.redteam_log("LinUCB", log, attacks=listed, budgets=[3.0])
    assert [result.attack for result in report.results] == ["FlipTheta"]
    with pytest.raises(ValueError, match="attacks must include one that can change a log"):
        rb.redteam_log("LinUCB", log, attacks=listed[:1])


def test_only_the_first_rows_are_used():
    report = rb.redteam_log("LinUCB", LOG, rounds=50, **SETTINGS)
    assert report.rows == 50


def test_the_text_begins_with_the_verdict_and_lists_every_attack(report):
    lines = str(report).splitlines()
    assert lines[0] == report.verdict
    assert report.verdict.startswith("LinUCB, trained on catalogue, chooses another arm in 100%")
    assert sum(line.startswith("Garcelon(top='best')") for line in lines) == 2
    assert max(map(len, lines[1:])) <= 100


def test_the_data_frame_has_a_row_for_each_attack_and_budget(report):
    pytest.importorskip("pandas")
    assert list(report.to_pandas().attack) == ["NoAttack", *["Garcelon(top='best')"] * 2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"promote": 4}, "promote must be < 4"), ({"budgets": [-1.0]}, "budgets must be")],
)
def test_wrong_arguments_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        rb.redteam_log("LinUCB", LOG, **{**SETTINGS, **changes})
