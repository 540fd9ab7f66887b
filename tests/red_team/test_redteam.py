"""rb.redteam: policies of ours and of others, hijacked or not, and what the report says."""

import json
import math

import numpy as np
import pytest

import robustbandits as rb
from game.plain_policies import PlainLinUCB
from robustbandits.compiled.jit import jit_is_on
from robustbandits.red_team._details import wanted_arms

CATALOGUE = rb.environments.Simulation(arms=6, dim=3, contexts="fixed")
SMALL = {"environment": CATALOGUE, "attacks": "Garcelon", "budgets": [30.0], "rounds": 1000}
compiled = pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")


class EpsilonGreedy:
    """Ridge regression and random exploration, without any class of ours."""

    def __init__(self, dim, seed):
        self.gram, self.moment = 0.1 * np.eye(dim), np.zeros(dim)
        self.rng = np.random.default_rng(seed)

    def choose(self, contexts):
        if self.rng.random() < 0.02:
            return int(self.rng.integers(len(contexts)))
        return int(np.argmax(contexts @ np.linalg.solve(self.gram, self.moment)))

    def learn(self, contexts, arm, reward):
        self.gram += np.outer(contexts[arm], contexts[arm])
        self.moment += reward * contexts[arm]


class RandomArms:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def choose(self, contexts):
        return int(self.rng.integers(len(contexts)))

    def learn(self, contexts, arm, reward):
        pass


@compiled
def test_linucb_is_hijacked_on_a_catalogue_and_cautious_linucb_is_not():
    settings = {"attacks": ["Garcelon"], "budgets": [50.0], "rounds": 20_000, "seeds": 5}
    report = rb.redteam("LinUCB", yardsticks=["CautiousLinUCB(200)"], **settings)
    assert 5.0 < report.budget_to_hijack <= 50.0
    assert report.worst_attack == "Garcelon"
    assert report.verdict.startswith("LinUCB is hijacked with a budget of")
    assert report.confirmation.hijacked >= 4
    assert report.details.best_arm < 0.1 < report.details.clean_best_arm
    assert report.details.spent <= report.budget_to_hijack
    robust = rb.redteam("CautiousLinUCB(200)", yardsticks=[], **settings)
    assert robust.budget_to_hijack == math.inf
    assert robust.verdict.startswith("No attack hijacks CautiousLinUCB(tolerance=200.0)")
    assert robust.confirmation.hijacked == 0
    label = "CautiousLinUCB(tolerance=200.0)"
    assert robust.matrix["Garcelon"][label] == report.matrix["Garcelon"][label]


@compiled
def test_the_budget_to_hijack_hijacks_and_less_does_not():
    report = rb.redteam("LinUCB", seeds=5, yardsticks=[], **{**SMALL, "budgets": [3.0, 30.0]})
    found = report.budget_to_hijack
    again = rb.redteam("LinUCB", seeds=5, yardsticks=[], **{**SMALL, "budgets": [found]})
    assert again.is_hijacked("Garcelon", found)
    less = rb.redteam("LinUCB", seeds=5, yardsticks=[], **{**SMALL, "budgets": [found / 1.15]})
    assert not less.is_hijacked("Garcelon", found / 1.15)


@pytest.mark.parametrize("target", [PlainLinUCB, EpsilonGreedy])
def test_a_plain_python_class_is_hijacked_with_a_budget_of_thirty(target):
    report = rb.redteam(target, seeds=3, yardsticks=[], **SMALL)
    assert report.budget_to_hijack <= 30.0
    assert report.target == target.__name__
    assert report.details.lost >= 0.5


def test_a_policy_that_ignores_rewards_cannot_be_hijacked():
    report = rb.redteam(RandomArms, seeds=3, yardsticks=[], **SMALL)
    assert report.budget_to_hijack == math.inf
    assert report.details.regret == report.details.clean_regret


def test_a_yardstick_never_takes_the_place_of_a_target_of_the_same_name():
    class LinUCB(RandomArms):
        pass

    report = rb.redteam(LinUCB, seeds=2, yardsticks=["LinUCB"], **SMALL)
    assert report.policies == ["LinUCB", "LinUCB (yardstick)"]
    assert report.budget_to_hijack == math.inf
    same = rb.redteam("LinUCB", seeds=2, yardsticks=["LinUCB"], **SMALL)
    assert same.policies == ["LinUCB"]


@pytest.fixture(scope="module")
def report():
    changes = {"attacks": "Garcelon, FlipTheta", "budgets": [3, 30], "seeds": 3}
    return rb.redteam("LinUCB", yardsticks=["Greedy"], **{**SMALL, **changes})


def test_the_matrix_has_mean_regrets_with_the_largest_budget(report):
    assert list(report.matrix) == ["NoAttack", "Garcelon", "FlipTheta"]
    finals = [
        rb.simulate(
            environment=CATALOGUE,
            policy=rb.policies.LinUCB(),
            attack=rb.attacks.FlipTheta(30.0),
            rounds=1000,
            seed=seed,
        ).final_regret
        for seed in range(3)
    ]
    assert report.matrix["FlipTheta"]["LinUCB"].value == pytest.approx(np.mean(finals))


def test_the_data_frame_has_a_row_for_each_game(report):
    pytest.importorskip("pandas")
    games = report.to_pandas()
    assert len(games) == 2 * 3 * (1 + 2 * 2)
    clean = games[games.attack == "NoAttack"]
    assert not clean.hijacked.any()
    assert (clean.excess_regret == 0.0).all()
    assert (games.spent <= games.budget).all()


def test_the_summary_fits_on_a_screen(report):
    lines = str(report).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert " ".join(lines).startswith(report.verdict)
    names = [line[:23].strip() for line in lines]
    for name in ("how stealthy", "knowledge gap", "recovered", "the limit", "what would help"):
        assert name in names


def test_the_summary_of_many_attacks_shows_the_worst_of_them():
    attacks = [rb.attacks.Garcelon(1.0, top=k / 20) for k in range(20)]
    report = rb.redteam("LinUCB", seeds=2, yardsticks=["Greedy"], **{**SMALL, "attacks": attacks})
    assert len(str(report).splitlines()) <= 40
    assert "and 6 attacks that harm the target less" in str(report)
    assert len(report.matrix) == 21


def test_the_worst_attack_is_compared_with_random_changes_of_the_same_budget(report):
    finals = [
        rb.simulate(
            environment=CATALOGUE,
            policy=rb.policies.LinUCB(),
            attack=rb.attacks.RandomControl(report.worst_budget),
            rounds=1000,
            seed=seed,
        ).final_regret
        for seed in range(3)
    ]
    assert report.details.control_regret == pytest.approx(np.mean(finals))
    assert report.details.control_regret < report.details.regret


def test_the_knowledge_gap_compares_attacks_by_what_they_know(report):
    assert report.by_knowledge["omniscient"].attack == "Garcelon"
    found = report.by_knowledge["black-box"]
    assert found.attack == "FlipTheta"
    assert found.regret == report.matrix["FlipTheta"]["LinUCB"].value
    assert report.by_knowledge["omniscient"].budget == report.smallest_hijack("LinUCB")
    assert "black-box" in report.to_dict()["by_knowledge"]


def test_the_share_of_the_arms_that_an_attack_wants_is_measured(report):
    shares = []
    for ledger in report.worst_games:
        _, means = report.catalogue(ledger.seed)
        shares.append(ledger.pulls[np.argsort(-means)[3:]].sum() / 1000)  # the worse half
    assert report.details.wanted_arms == pytest.approx(np.mean(shares))
    assert report.details.wanted_arms > 0.5 > report.details.clean_wanted_arms


def test_a_targeted_attack_wants_its_target():
    means = np.array([0.5, 0.2, 0.9])
    attack = rb.attacks.OracleTarget(1.0)
    assert wanted_arms(attack, means).tolist() == [1]
    assert wanted_arms(rb.attacks.Burst(rb.attacks.Promote(1.0, target=2)), means).tolist() == [2]
    for attack in (rb.attacks.FlipTheta(1.0), rb.attacks.ConsistentLie(1.0)):
        assert wanted_arms(attack, means) is None


def test_the_advice_names_the_policy_that_does_better():
    changes = {"target": "LinUCB", "seeds": 3}
    better = rb.redteam(**{**SMALL, **changes, "yardsticks": [RandomArms]})
    assert better.is_hijacked("Garcelon", 30.0)
    assert better.advice.startswith("RandomArms: mean regret at most")
    changes["target"] = RandomArms
    worse = rb.redteam(**{**SMALL, **changes, "yardsticks": ["LinUCB"]})
    assert worse.advice.startswith("none of the other policies that were played is clearly better")
    alone = rb.redteam(**{**SMALL, **changes, "yardsticks": []})
    assert alone.advice == "no other policy was played"


def test_the_limit_is_that_of_the_catalogues(report):
    catalogues = [report.catalogue(seed) for seed in range(3)]
    prices = [rb.limits.price_of_tolerance(*found, budget=1.0) for found in catalogues]
    assert report.limit == pytest.approx(np.mean(prices))
    fresh = {**SMALL, "environment": "Simulation(arms=3)", "rounds": 100}
    without = rb.redteam("LinUCB", seeds=2, yardsticks=[], **fresh)
    assert math.isnan(without.limit)
    assert without.to_dict()["limit_per_unit"] is None
    assert math.isnan(without.details.best_arm)


def test_the_worst_attack_is_also_played_as_its_shadow(report):
    """Garcelon is given estimates of the mean rewards; FlipTheta and ConsistentLie have none."""
    shadow = rb.attacks.Shadow(report.worst_recipe)
    finals = [
        rb.simulate(
            environment=CATALOGUE,
            policy=rb.policies.LinUCB(),
            attack=shadow,
            rounds=1000,
            seed=seed,
        ).final_regret
        for seed in range(3)
    ]
    assert report.shadow_regret == pytest.approx(np.mean(finals))
    assert report.to_dict()["shadow_regret"] == report.shadow_regret
    text = f"is {report.shadow_regret:,.0f} instead of {report.details.regret:,.0f} if it must"
    assert text in " ".join(str(report).split())
    for attack in ("FlipTheta", "ConsistentLie"):
        small = {**SMALL, "attacks": attack, "rounds": 50}
        other = rb.redteam("LinUCB", seeds=2, yardsticks=[], **small)
        assert math.isnan(other.shadow_regret)
        assert other.to_dict()["shadow_regret"] is None


@pytest.mark.slow
def test_the_page_has_the_verdict_and_the_tables(report, tmp_path):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    page, *files = report.save(tmp_path / "out")
    text = page.read_text(encoding="utf-8")
    assert page.name == "index.html"
    assert report.verdict in text
    assert f"<h1>LinUCB is hijacked with a budget of {report.budget_to_hijack:.3g}" in text
    assert "The smallest of the budgets played that hijacks a policy" in text
    assert f"What would help: {report.advice}" in text
    assert "has the lowest regret" not in text  # the verdict takes the place of the findings
    order = (report.verdict, "How stealthy", "Final regret, by budget", "At a glance", "Run it")
    found = [text.index(part) for part in order]
    assert found == sorted(found)
    for row in ("Largest change of a round", "AUC of a detector of residuals", "black-box"):
        assert row in text
    stored = json.loads(files[-1].read_text(encoding="utf-8"))
    assert stored == json.loads(json.dumps(report.to_dict()))
    assert "http://" not in text.replace("http://www.w3.org", "")


def test_the_report_of_an_object_can_be_saved(tmp_path):
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    report = rb.redteam(RandomArms(0), seeds=2, yardsticks=[], **{**SMALL, "rounds": 50})
    assert "RandomArms" in report.save(tmp_path)[0].read_text(encoding="utf-8")


@compiled
def test_an_object_plays_fewer_rounds_to_fit_and_the_report_says_so():
    report = rb.redteam(
        RandomArms, seeds=4, yardsticks=[], minutes=0.05, **{**SMALL, "rounds": 10**6}
    )
    assert 1000 <= report.rounds < 10**6
    assert f"Reduced to {report.rounds:,} rounds" in str(report)
    assert len(str(report).splitlines()) <= 40


@compiled
@pytest.mark.slow
def test_a_red_team_with_a_store_plays_nothing_twice_and_keeps_its_size(tmp_path):
    pytest.importorskip("pyarrow")
    # A tenth of a second: the speed is measured, so that it would differ from call to call.
    changes = {"minutes": 0.002, "rounds": 10**6, "yardsticks": [], "store": tmp_path / "store"}
    first = rb.redteam("LinUCB", seeds=2, **{**SMALL, **changes})
    matches = tmp_path / "store" / "matches"
    files = {path: path.stat().st_mtime_ns for path in matches.iterdir()}
    second = rb.redteam("LinUCB", seeds=2, **{**SMALL, **changes})
    assert first.rounds < 10**6
    assert second.to_dict() == first.to_dict()
    assert files == {path: path.stat().st_mtime_ns for path in matches.iterdir()}


def test_budgets_that_differ_little_are_played_apart():
    budgets = [1_000_000, 1_000_001]
    report = rb.redteam("LinUCB", seeds=1, yardsticks=[], **{**SMALL, "budgets": budgets})
    assert len(report.experiment.ledgers) == 3


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"target": 3}, TypeError, "target must be a recipe, for example"),
        ({"target": "LinUBC"}, ValueError, "there is no policy 'LinUBC'; did you mean LinUCB"),
        ({"target": "mabwiser:LinUCB(1)"}, ValueError, "is not a recipe; write it as"),
        ({"budgets": []}, ValueError, "budgets must be at least one number > 0, got none"),
        ({"budgets": [0]}, ValueError, "budgets must be > 0, got 0"),
        (
            {"target": "RobustPhasedElimination", "environment": "Simulation(arms=3)"},
            ValueError,
            "RobustPhasedElimination needs",
        ),
        ({"minutes": 0}, ValueError, "minutes must be > 0, got 0"),
        ({"environment": 1}, TypeError, "environment must be a recipe"),
    ],
)
def test_wrong_arguments_are_refused(changes, error, message):
    with pytest.raises(error, match=message):
        rb.redteam(**{"target": "LinUCB", "seeds": 2, **SMALL, **changes})
