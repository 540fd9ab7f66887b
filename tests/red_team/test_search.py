"""AdaptiveSearch: it finds the worst attack, keeps to its games, and measures on fresh seeds."""

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on
from robustbandits.experiments.store.store import Store
from robustbandits.red_team._attack_space import AttackSpace, short_label

CATALOGUE = rb.environments.Simulation(arms=5, dim=3, contexts="fixed")
ROUNDS = 500 if jit_is_on else 60
SMALL = {"environment": CATALOGUE, "rounds": ROUNDS, "seeds": 3, "progress": False}
ONE_ATTACK = {**SMALL, "attacks": "Garcelon", "schedules": []}


def mean_regret(attack, seeds):
    games = [
        rb.simulate(
            environment=CATALOGUE,
            policy=rb.policies.LinUCB(),
            attack=attack,
            rounds=ROUNDS,
            seed=seed,
        )
        for seed in seeds
    ]
    return np.mean([game.final_regret for game in games])


GARCELON = [
    rb.attacks.Garcelon(20.0, top=top, replace=replace)
    for top in ("best", 0.25, 0.5, "all-but-worst")
    for replace in ("noise", "floor")
]
ORACLE = [
    rb.attacks.LeverageAware(rb.attacks.Oracle(20.0, top=top, margin=margin), width=width)
    for top in ("best", 0.5, "all-but-worst")
    for margin in (0.01, 0.1, 1.0)
    for width in (0.1, 0.5)
]


@pytest.mark.parametrize(
    ("attacks", "schedules", "games", "grid"),
    [
        ("Garcelon", [], 60, GARCELON),
        pytest.param("Oracle", ["LeverageAware"], 300, ORACLE, marks=pytest.mark.slow),
    ],
    ids=["Garcelon", "Oracle"],
)
def test_the_attack_found_is_as_bad_as_the_worst_of_a_grid_played_exhaustively(
    attacks, schedules, games, grid
):
    settings = {**SMALL, "attacks": attacks, "schedules": schedules}
    result = rb.AdaptiveSearch("LinUCB", 20.0, games=games, **settings).run()
    seeds = result.search_seeds
    worst = max(mean_regret(attack, seeds) for attack in grid)
    assert mean_regret(result.attack, seeds) >= worst


@pytest.fixture(scope="module")
def result():
    return rb.AdaptiveSearch("LinUCB", 20.0, games=40, **ONE_ATTACK).run()


def test_the_reported_numbers_come_from_seeds_that_the_search_did_not_use(result):
    assert result.seeds == (0, 1, 2)
    assert not set(result.seeds) & set(result.search_seeds)
    assert result.regret.value == pytest.approx(mean_regret(result.attack, result.seeds))
    assert result.clean_regret.value == pytest.approx(mean_regret(None, result.seeds))
    difference = result.regret.value - result.clean_regret.value
    assert result.excess_regret.value == pytest.approx(difference)
    assert result.regret.low <= result.regret.value <= result.regret.high
    assert 0.0 < result.spent <= 20.0


def test_the_result_says_how_much_was_tried_and_what_was_measured(result):
    assert 0 < result.tried <= result.games <= 40
    text = str(result)
    assert text.startswith(f"The worst of {result.tried} attacks on LinUCB with a budget of 20: ")
    assert result.label in text
    assert "on 3 fresh seeds" in text


def test_equal_arguments_give_equal_results(result):
    assert rb.AdaptiveSearch("LinUCB", 20.0, games=40, **ONE_ATTACK).run() == result


@pytest.mark.parametrize("games", [1, 2, 7, 30, 100])
def test_no_search_plays_more_games_than_it_may(games):
    result = rb.AdaptiveSearch("LinUCB", 20.0, games=games, **ONE_ATTACK).run()
    assert 0 < result.games <= games


def test_fresh_seeds_may_be_any():
    seeds = [5, 1000]
    result = rb.AdaptiveSearch("LinUCB", 20.0, games=4, **{**ONE_ATTACK, "seeds": seeds}).run()
    assert result.seeds == (5, 1000)
    assert min(result.search_seeds) == 1001


def test_a_policy_of_ones_own_is_searched():
    class FirstArm:
        def choose(self, contexts):
            return 0

        def learn(self, contexts, arm, reward):
            pass

    result = rb.AdaptiveSearch(FirstArm, 20.0, games=4, **ONE_ATTACK).run()
    assert result.target == "FirstArm"
    assert result.excess_regret.value == 0.0


def space(attacks, schedules=(), environment=CATALOGUE):
    nature = environment.start(1000, np.random.SeedSequence(0))
    return AttackSpace(attacks, schedules, 30.0, nature.problem)


def test_the_space_has_every_attack_with_and_without_every_schedule():
    found = space("Garcelon, FlipTheta, ContextDilation", ["Burst", "LeverageAware"])
    assert [short_label(group[0]) for group in found.groups] == [
        "Garcelon",
        "Burst(Garcelon)",
        "LeverageAware(Garcelon)",
        "FlipTheta",
        "Burst(FlipTheta)",
        "LeverageAware(FlipTheta)",
        "ContextDilation",
        "Burst(ContextDilation)",  # LeverageAware attacks only rewards
    ]
    assert all(attack.budget == 30.0 for group in found.groups for attack in group)
    labels = [short_label(attack) for group in found.groups for attack in group]
    assert len(set(labels)) == len(labels) == found.size


def test_given_parameters_are_not_varied():
    (group,) = space("Oracle(top='best', form='shift')").groups
    assert {(attack.top, attack.form) for attack in group} == {("best", "shift")}
    assert len({attack.margin for attack in group}) == 5


def test_neighbours_differ_in_one_parameter_or_in_the_schedule():
    found = space("Garcelon, FlipTheta", ["Burst", "LeverageAware"])
    attack = rb.attacks.Burst(rb.attacks.Garcelon(30.0, top="best"), start_at=0.1)
    near = found.neighbours(attack)
    assert attack.attack in near
    assert rb.attacks.LeverageAware(attack.attack, width=0.02) in near
    bursts = [other for other in near if isinstance(other, rb.attacks.Burst)]
    for other in bursts:
        changes = [
            other.start_at != attack.start_at,
            other.length != attack.length,
            other.attack.top != "best",
            other.attack.replace != "noise",
        ]
        assert sum(changes) == 1
    assert len(bursts) == 5 + 3 + 4 + 1


def test_a_draw_has_different_attacks_from_all_groups():
    found = space("Garcelon, Oracle", ["Burst"])
    drawn = found.draw(8, np.random.default_rng(0))
    assert len(set(drawn)) == 8
    names = [short_label(attack).partition("(top")[0].partition("(form")[0] for attack in drawn]
    assert len({(name.startswith("Burst"), "Garcelon" in name) for name in names}) == 4
    assert len(found.draw(10**6, np.random.default_rng(0))) == found.size


def test_an_environment_that_no_attack_fits_is_refused():
    with pytest.raises(ValueError, match="must include one that can be played"):
        space("ContextDilation", environment=rb.environments.UnitBall())


@pytest.mark.slow
def test_the_red_team_plays_what_a_search_for_each_budget_finds_with_other_seeds(monkeypatch):
    searches = []

    def find(search):
        searches.append(search)
        return rb.attacks.Garcelon(search.budget, top="best")

    monkeypatch.setattr(rb.AdaptiveSearch, "find", find)
    settings = {"budgets": [3.0, 30.0], "rounds": 200 if jit_is_on else 20, "seeds": 2}
    report = rb.redteam("LinUCB", CATALOGUE, attacks="search", yardsticks=[], **settings)
    assert [search.budget for search in searches] == [3.0, 30.0]
    for search in searches:
        assert set(search.seeds) == {0, 1, 2, 3}  # of the grid and of the confirmation
    assert set(report.attacks) >= {"Garcelon(top='best')", "Garcelon", "Oracle", "FlipTheta"}


def test_after_an_interrupted_search_the_store_knows_rounds_and_seeds(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")

    def interrupt(search):
        raise KeyboardInterrupt

    monkeypatch.setattr(rb.AdaptiveSearch, "find", interrupt)
    settings = {"attacks": "search", "rounds": 1000 if jit_is_on else 50, "seeds": 3}
    with pytest.raises(KeyboardInterrupt):
        rb.redteam("LinUCB", CATALOGUE, minutes=60.0, yardsticks=[], store=tmp_path, **settings)
    (begun,) = Store(tmp_path).experiments()
    assert begun.spec.name == "red team of LinUCB"
    assert (begun.spec.rounds, begun.spec.seeds) == (settings["rounds"], (0, 1, 2))


@pytest.mark.slow
@pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")
def test_lies_about_well_known_arms_beat_cautious_linucb_at_a_third_of_its_tolerance():
    settings = {"attacks": "Oracle(top='best')", "schedules": ["LeverageAware"], "games": 200}
    result = rb.AdaptiveSearch("CautiousLinUCB(300)", 100.0, progress=False, **settings).run()
    assert result.attack.name == "LeverageAware"
    assert result.regret.low > 1.1 * result.clean_regret.value
