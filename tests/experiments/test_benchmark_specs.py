"""The specs that docs/policies.md and docs/cautious.md are made of."""

import pytest

import robustbandits as rb
from robustbandits.experiments.catalogue import kinds, parameters, presets
from robustbandits.experiments.plan import make_plan
from robustbandits.experiments.spec import Spec, parse_spec, read_spec, ready_specs

BUDGET = 100.0


@pytest.mark.parametrize("name", ["table1", "cautious", "tolerance"])
def test_specs_are_valid_and_carry_their_own_name(name):
    made = read_spec(name)
    assert made.name == name
    assert made.about
    assert made.rounds == 100_000
    assert Spec.from_dict(made.to_dict()) == made == parse_spec(ready_specs()[name])


def test_table1_has_every_policy():
    assert {type(one).__name__ for one in read_spec("table1").policies.values()} == set(
        kinds("policies")
    )


def fair(kind):
    """Return a policy as its theory has it, and its practical preset; told the budget, or not."""
    makers = [kind, kind.practical] if "practical" in presets(kind) else [kind]
    tellings = [{}, {"budget": BUDGET}] if "budget" in parameters(kind) else [{}]
    found = {}
    for maker in makers:
        for told in tellings:
            try:
                found[maker is kind, bool(told)] = maker(**told)
            except TypeError:  # it must be told
                assert not told
    return found


def test_table1_tunes_nobody_by_hand():
    for label, recipe in read_spec("table1").policies.items():
        assert recipe in fair(type(recipe)).values(), label
        practical = recipe not in [one for (own, _), one in fair(type(recipe)).items() if own]
        assert practical == label.endswith(" practical"), label


@pytest.mark.parametrize("name", rb.policies.__all__)
def test_table1_shows_theory_first_then_practice_and_tells_the_budget(name):
    listed = list(read_spec("table1").policies.values())
    options = fair(getattr(rb.policies, name))
    theory = [one for (own, _), one in options.items() if own and one in listed]
    practice = [one for (own, _), one in options.items() if not own and one in listed]
    assert theory
    assert bool(practice) == ("practical" in presets(getattr(rb.policies, name)))
    assert all(listed.index(theory[0]) < listed.index(one) for one in practice)
    told = [one for (_, known), one in options.items() if known]
    assert not told or any(one in listed for one in told)


def test_table1_is_the_benchmark_that_was_promised():
    made = read_spec("table1")
    places = {label: one.contexts for label, one in made.environments.items()}
    assert places == {"fixed": "fixed", "fresh": "fresh"}
    assert [one.name for one in made.attacks.values()] == [
        "NoAttack",
        "Garcelon",
        "Oracle",
        "FlipTheta",
    ]
    assert [one.budget for one in made.attacks.values()] == [0.0, 100.0, 100.0, 100.0]
    assert len(made.seeds) == 20


def test_table1_plays_catalogue_policies_on_the_catalogue_only():
    made = read_spec("table1")
    picky = [
        label
        for label, one in made.policies.items()
        if type(one).facts.setting in ("MAB", "fixed arms")
    ]
    expected = {"fresh": picky} if picky else {}
    assert make_plan(made).left_out == expected


def test_cautious_has_twenty_four_panels():
    made = read_spec("cautious")
    assert len(made.environments) * len(made.attacks) == 24
    assert [one.name for one in made.environments.values()] == [
        "Simulation",
        "Simulation",
        "MovieLens",
    ]
    tops = [(one.name, getattr(one, "top", None)) for one in made.attacks.values()]
    for name in ("Garcelon", "Oracle"):
        assert {top for kind, top in tops if kind == name} == {"best", 0.5, "all-but-worst"}
    for tolerance in (BUDGET, 3 * BUDGET):
        assert rb.policies.CautiousLinUCB(tolerance=tolerance) in made.policies.values()
    assert made.policies["CWOFUL known C"].budget == BUDGET
    assert made.policies["CWOFUL"].budget is None


def test_tolerance_reaches_five_times_the_default_tolerance():
    made = read_spec("tolerance")
    budgets = sorted(one.budget for one in made.attacks.values())
    assert budgets[0] == 0.0
    assert budgets[-1] == 500.0
    assert {one.top for one in made.attacks.values()} == {"best", 0.5, "all-but-worst"}
    assert rb.policies.CautiousLinUCB() in made.policies.values()
