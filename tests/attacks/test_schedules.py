"""Attacks around another attack: when, and by how much, it may change something."""

import dataclasses
import json
import math

import numpy as np
import pytest

import robustbandits as rb
from property.laws import WILD, deal_rounds, game_bits, played, same_bits, trace
from robustbandits.attacks import (
    AfterConvergence,
    Burst,
    Contamination,
    ContextMirror,
    Drip,
    Garcelon,
    LeverageAware,
    LinACE,
    Periodic,
    RandomControl,
    RestartAware,
    threats,
)
from robustbandits.compiled.jit import jit_is_on
from robustbandits.experiments import Spec
from robustbandits.experiments.recipe_text import parse_recipe
from robustbandits.game.knowledge import knowledge_of
from robustbandits.game.problem import Problem, UnsupportedProblem

pytestmark = pytest.mark.skipif(
    jit_is_on, reason="plain Python plays these games; tests/parity compares it with compiled code"
)
PROBLEM = Problem(arms=4, dim=3, rounds=1000, noise=0.1)
CATALOGUE = rb.environments.Simulation(arms=5, dim=2, contexts="fixed")
#: One attack of each kind: on rewards, on rewards before the choice, on contexts.
INNER = {
    "rewards": Garcelon(20.0),
    "shifts": RandomControl(20.0, probability=0.5),
    "contexts": ContextMirror(20.0),
}
EACH = pytest.mark.parametrize("kind", INNER)


@EACH
def test_a_burst_in_all_rounds_is_the_attack_itself(kind):
    problem, block = deal_rounds(CATALOGUE, 80)
    attacks = (INNER[kind], Burst(INNER[kind], start_at=0))
    games = [played(problem, block, attack, rb.policies.LinUCB()) for attack in attacks]
    assert game_bits(games[0]) == game_bits(games[1])
    assert games[0].purse.account.tolist() == games[1].purse.account.tolist()


@EACH
def test_a_burst_changes_nothing_outside_its_window(kind):
    game = trace(Burst(INNER[kind], start_at=0.25, length=30), rounds=120)
    changed = (game.shown != game.dealt).any(axis=(1, 2)) | (game.seen != game.earned)
    assert changed.any()
    assert np.flatnonzero(changed).min() >= 30
    assert np.flatnonzero(changed).max() < 60


def test_a_triangular_burst_pays_most_in_the_middle():
    attack = Burst(Garcelon(math.inf, top=1.0), start_at=0, length=100, shape="triangle")
    prices = trace(attack, rounds=120).reward_prices
    limit = 1.0 - np.abs(np.arange(100) + 0.5 - 50) / 50
    assert (prices[:100] <= limit + 1e-12).all()
    assert prices[:10].max() < prices[40:60].max()
    assert not prices[100:].any()
    with pytest.raises(ValueError, match="length must be finite if shape is 'triangle', got inf"):
        Burst(shape="triangle")


@EACH
def test_no_window_of_a_drip_costs_more_than_was_saved_and_earned(kind):
    game = trace(Drip(INNER[kind], rate=0.05, saved=0.4, cap=0.3), rounds=200)
    spent = np.concatenate([[0.0], game.spent])
    assert spent[-1] > 1.0
    assert np.diff(spent).max() <= 0.3 + 1e-12
    for length in (1, 7, 50, 199):
        windows = spent[length:] - spent[:-length]
        assert (windows <= 0.4 + 0.05 * length + 1e-9).all()


def test_a_drip_spreads_its_budget_over_the_horizon():
    game = trace(Drip(Garcelon(6.0, top=1.0)), rounds=120)
    assert game.spent[59] == pytest.approx(3.0, abs=0.7)
    assert game.spent[-1] > 5.0


@EACH
def test_restart_aware_with_one_epoch_is_the_attack_itself(kind):
    problem, block = deal_rounds(CATALOGUE, 80)
    attacks = (INNER[kind], RestartAware(INNER[kind], epoch=80))
    games = [played(problem, block, attack, rb.policies.LinUCB()) for attack in attacks]
    assert game_bits(games[0]) == game_bits(games[1])
    assert games[0].purse.account.tolist() == games[1].purse.account.tolist()


@EACH
def test_restart_aware_has_an_equal_part_of_its_budget_for_each_epoch(kind):
    attack = dataclasses.replace(INNER[kind], budget=4.0)
    game = trace(RestartAware(attack, epoch=30), rounds=120)
    for epoch in range(4):
        assert game.spent[30 * epoch + 29] <= epoch + 1.0 + 1e-9
    assert game.spent[-1] > 2.0


def test_restart_aware_strikes_at_the_start_of_each_epoch():
    """One unit is spent in the first rounds of each epoch, against a policy that restarts."""
    policy = rb.policies.RobustBandit(epoch=50)
    game = trace(RestartAware(Garcelon(4.0, top=1.0), epoch=50), policy, rounds=200)
    prices = game.reward_prices.reshape(4, 50)
    np.testing.assert_allclose(prices.sum(axis=1), 1.0)
    assert (prices[:, :10] > 0.0).any(axis=1).all()
    assert not prices[:, 10:].any()


def test_restart_aware_can_spend_everything_in_one_epoch():
    game = trace(RestartAware(Garcelon(3.0, top=1.0), epoch=0.25, spend="one", which=2), rounds=120)
    assert game.spent[59] == 0.0
    assert game.spent[89] == game.spent[-1] == 3.0


def test_after_convergence_waits_until_the_best_arm_is_chosen_nearly_always():
    attack = AfterConvergence(Garcelon(5.0, top=1.0), share=0.8, window=20)
    game = trace(attack, environment=CATALOGUE, rounds=600)
    hits = game.means[np.arange(600), game.arms] == game.means.max(axis=1)
    average, begin = 0.0, None
    for t, hit in enumerate(hits):
        if average > 0.8 and begin is None:
            begin = t
        average += (hit - average) / 20
    assert begin is not None
    assert not game.spent[:begin].any()
    assert game.spent[begin] > 0.0


@pytest.mark.parametrize("where", ["below", "above"])
def test_leverage_aware_attacks_on_one_side_of_its_width(where):
    reverse = Contamination(math.inf, probability=1.0, payload="reverse")
    attack = LeverageAware(reverse, width=0.3, attack_where=where)
    game = trace(attack, rounds=150)
    gram = 0.1 * np.eye(3)
    for t, arm in enumerate(game.arms):
        x = game.dealt[t, :, arm]
        wide = math.sqrt(x @ np.linalg.solve(gram, x)) > 0.3
        assert (game.seen[t] != game.earned[t]) == (wide == (where == "above"))
        gram += np.outer(x, x)


@pytest.mark.parametrize("inner", [RandomControl(1.0), ContextMirror(1.0)])
def test_leverage_aware_refuses_attacks_before_the_choice(inner):
    with pytest.raises(UnsupportedProblem, match="needs an attack that changes rewards after"):
        LeverageAware(inner).start(PROBLEM)


def test_the_wrapped_attack_goes_on_learning_while_it_waits():
    problem, block = deal_rounds(CATALOGUE, 60)
    game = played(problem, block, Burst(LinACE(math.inf), start_at=50), rb.policies.LinUCB())
    assert game.attack.inner.ridge.tally[0] == 60.0


def test_the_budget_the_purse_rule_and_the_level_are_those_of_the_attack():
    attack = Drip(Garcelon(3.0, purse="skip"))
    assert (attack.budget, attack.purse) == (3.0, "skip")
    assert knowledge_of(Burst(LinACE(1.0)).start(PROBLEM)) == "black-box"
    assert knowledge_of(Burst(RandomControl(1.0)).start(PROBLEM)) == "oblivious"
    assert knowledge_of(LeverageAware(LinACE(1.0)).start(PROBLEM)) == "black-box"
    assert knowledge_of(AfterConvergence(LinACE(1.0)).start(PROBLEM)) == "omniscient"


def test_schedules_can_be_nested():
    attack = Burst(Drip(Garcelon(20.0, top=1.0), rate=0.5), start_at=20, length=40)
    spent = trace(attack, rounds=100).spent
    assert spent[19] == 0.0 < spent[30] < spent[59] == spent[-1]


def test_a_schedule_comes_back_from_json_from_text_and_in_a_spec():
    attack = Burst(Contamination(7.0, arms=(1, 2)), start_at=0.25, length=math.inf)
    values = attack.to_dict()
    assert values["attack"]["name"] == "Contamination"
    assert Burst.from_dict(values) == attack
    assert json.dumps(Burst(Garcelon(1.0), length=5).to_dict())
    text = "Burst(Contamination(7, arms=[1, 2]), start_at=0.25)"
    assert parse_recipe("attacks", text) == attack
    assert Burst({"kind": "Garcelon", "budget": 7.0, "top": "best"}) == Burst(
        Garcelon(7.0, top="best")
    )
    spec = Spec(
        name="nested",
        environments=[CATALOGUE],
        attacks=[attack],
        policies=[rb.policies.LinUCB()],
        rounds=10,
        seeds=1,
    )
    assert Spec.from_dict(json.loads(json.dumps(spec.to_dict()))).id == spec.id


def test_a_bad_inner_attack_is_an_error():
    with pytest.raises(TypeError, match="attack must be"):
        Burst(3.0)
    with pytest.raises(ValueError, match="kind of attack must be the name of an attack of"):
        Burst({"name": "Nobody"})


def test_a_share_of_the_horizon_needs_the_horizon():
    with pytest.raises(ValueError, match=r"Burst\(start_at=0.5\) needs to know the horizon"):
        Burst(Garcelon(1.0, noise=0.1)).start(Problem(arms=2, dim=2))
    Burst(Garcelon(1.0, noise=0.1), start_at=7).start(Problem(arms=2, dim=2))


THREATS = {
    "click_fraud": threats.click_fraud(5.0, rivals=[0, 1, 2], share=0.5),
    "click_farm": threats.click_farm(5.0, own=1, share=0.5),
    "publisher_inflation": threats.publisher_inflation(5.0, share=0.5),
    "review_bombing": threats.review_bombing(5.0, victim=0, length=0.4, share=1.0),
    "feature_spoofing": threats.feature_spoofing(5.0, own=1, reach=1.0),
    "metadata_stuffing": threats.metadata_stuffing(5.0, own=1),
    "cold_start_poisoning": threats.cold_start_poisoning(5.0, own=1),
    "user_spoofing": threats.user_spoofing(5.0, own=1, share=0.2),
    "shilling": threats.shilling(5.0, own=1),
    "log_forgery": threats.log_forgery(5.0, own=1, every=50),
    "serving_fraud": threats.serving_fraud(5.0, own=1),
    "night_shift": threats.night_shift(Garcelon(5.0), period=40),
    "sybils": threats.sybils(Garcelon(5.0), share=0.2),
    "sleeper": threats.sleeper(Garcelon(5.0)),
    "low_and_slow": threats.low_and_slow(Garcelon(5.0)),
    "stop_and_go": threats.stop_and_go(Garcelon(5.0), window=50),
    "measurement_error": threats.measurement_error(5.0, length=0.2),
}


def test_every_threat_is_tested_and_described():
    public = [
        name
        for name, value in vars(threats).items()
        if getattr(value, "__module__", "") == threats.__name__ and not name.startswith("_")
    ]
    assert sorted(public) == sorted(THREATS)
    first_lines = [getattr(threats, name).__doc__.splitlines()[0] for name in public]
    assert all(line.count(".") == 1 and line.endswith(".") for line in first_lines)


@pytest.mark.parametrize("name", THREATS)
def test_threat_spends_some_of_its_budget(name):
    ledger = rb.simulate(
        environment=WILD, attack=THREATS[name], policy=rb.policies.LinUCB(), rounds=200
    )
    assert 0.0 < ledger.spent <= 5.0


def test_a_threat_by_a_share_of_the_visitors_attacks_only_them():
    game = trace(threats.sybils(Garcelon(50.0, top=1.0), share=0.05, each=0.1), rounds=200)
    changed = np.flatnonzero(game.seen != game.earned)
    assert len(changed) > 5
    assert set(changed % 20) == {0}
    assert game.reward_prices.max() <= 0.1 + 1e-12
    with pytest.raises(ValueError, match="share must be"):
        threats.sybils(Garcelon(1.0), share=0.0)


def test_stop_and_go_changes_less_in_every_window_than_its_monitor_would_notice():
    attack = threats.stop_and_go(Garcelon(50.0, top=1.0), window=50, limit=2.0, noise=0.25)
    spent = np.concatenate([[0.0], trace(attack, rounds=200).spent])
    windows = spent[50:] - spent[:-50]
    unnoticed = 2.0 * 0.25 * math.sqrt(50)
    assert 0.6 * unnoticed < windows.max() <= unnoticed
    with pytest.raises(ValueError, match="limit must be"):
        threats.stop_and_go(Garcelon(1.0), limit=0.0)


@EACH
def test_periodic_attacks_only_in_the_first_part_of_each_period(kind):
    game = trace(Periodic(INNER[kind], period=40, active=0.25), rounds=160)
    changed = (game.shown != game.dealt).any(axis=(1, 2)) | (game.seen != game.earned)
    assert set(np.flatnonzero(changed) // 40) >= {0, 1}
    assert (np.flatnonzero(changed) % 40).max() < 10


@EACH
def test_periodic_in_all_rounds_is_the_attack_itself(kind):
    games = [trace(attack, rounds=80) for attack in (INNER[kind], Periodic(INNER[kind], active=1))]
    assert same_bits(games[0].seen, games[1].seen)
    assert same_bits(games[0].shown, games[1].shown)


def test_review_bombing_lowers_only_the_victim_and_only_in_its_window():
    game = trace(threats.review_bombing(50.0, victim=2, start=0.5, length=0.25), rounds=200)
    changed = np.flatnonzero(game.seen != game.earned)
    assert len(changed) > 0
    assert (game.arms[changed] == 2).all()
    assert changed.min() >= 100
    assert changed.max() < 150
    assert (game.seen <= game.earned).all()
    assert same_bits(game.shown, game.dealt)
