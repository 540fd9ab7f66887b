"""The specs that docs/policies.md, docs/cautious.md and docs/presets.md are made of."""

import dataclasses

import pytest

import robustbandits as rb
from robustbandits.experiments.plan import make_plan
from robustbandits.experiments.registry import MISSING, kinds, parameters, presets
from robustbandits.experiments.spec import Spec, parse_spec, read_spec, ready_specs

BUDGET = 100.0


PRESET = [name for name, kind in kinds("policies").items() if "practical" in presets(kind)]


@pytest.mark.parametrize("name", ["table1", "cautious", "tolerance", "presets", "exploration"])
def test_specs_are_valid_and_carry_their_own_name(name):
    made = read_spec(name)
    assert made.name == name
    assert made.about
    assert made.rounds == (1_000_000 if name == "exploration" else 100_000)
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


def test_cautious_has_thirty_panels():
    made = read_spec("cautious")
    assert len(made.environments) * len(made.attacks) == 30
    assert [one.name for one in made.environments.values()] == [
        "Simulation",
        "Simulation",
        "MovieLens",
    ]
    tops = [(one.name, getattr(one, "top", None)) for one in made.attacks.values()]
    for name in ("Garcelon", "Oracle"):
        assert {top for kind, top in tops if kind == name} == {"best", 0.25, 0.5, "all-but-worst"}
    for tolerance in (BUDGET, 3 * BUDGET):
        assert rb.policies.CautiousLinUCB(tolerance=tolerance) in made.policies.values()
    assert made.policies["CWOFUL known C"].budget == BUDGET
    assert made.policies["CWOFUL"].budget is None


def test_tolerance_reaches_five_times_the_default_tolerance():
    made = read_spec("tolerance")
    budgets = sorted(one.budget for one in made.attacks.values())
    assert budgets[0] == 0.0
    assert budgets[-1] == 500.0
    assert {one.top for one in made.attacks.values()} == {"best", 0.25, 0.5, "all-but-worst"}
    assert rb.policies.CautiousLinUCB() in made.policies.values()


def test_exploration_is_table1_unattacked_and_ten_times_as_long():
    made, short = read_spec("exploration"), read_spec("table1")
    assert made.policies == short.policies
    assert list(made.policies) == list(short.policies)
    assert made.environments == short.environments
    assert [one.name for one in made.attacks.values()] == ["NoAttack"]
    assert made.rounds == 10 * short.rounds
    assert len(made.seeds) == 3


def test_presets_are_played_as_table1_is():
    made, short = read_spec("presets"), read_spec("table1")
    assert made.environments == short.environments
    # The same attacks, and lies about fewer arms.
    assert made.attacks.items() >= short.attacks.items()
    tops = {one.top for one in made.attacks.values() if one.name == "Garcelon"}
    assert tops == {0.5, 0.25, "best"}
    assert made.rounds == short.rounds
    assert len(made.seeds) == 5
    # FastSlowElimination is there to show that no scale would do.
    names = {type(one).__name__ for one in made.policies.values()}
    assert names == {"LinUCB", "FastSlowElimination", *PRESET}


def needed(kind):
    """Return the parameters that a policy must be told."""
    return [one for one in parameters(kind).values() if one.default is MISSING]


def changed(one, other):
    names = [field.name for field in dataclasses.fields(one)]
    return [name for name in names if getattr(one, name) != getattr(other, name)]


def test_presets_have_both_thresholds_of_phased_elimination():
    kind = rb.policies.RobustPhasedElimination
    rows = [one for one in read_spec("presets").policies.values() if type(one) is kind]
    assert rows == [kind(budget=BUDGET), kind.practical(BUDGET)]
    assert changed(*rows) == ["threshold"]


@pytest.mark.parametrize("name", [name for name in PRESET if name != "RobustPhasedElimination"])
def test_presets_sweep_one_scale_from_the_theory_past_the_preset(name):
    kind = getattr(rb.policies, name)
    told = {"budget": BUDGET} if parameters(kind).get("budget") in needed(kind) else {}
    theory, chosen = kind(**told), kind.practical(**told)
    rows = [one for one in read_spec("presets").policies.values() if type(one) is kind]
    assert theory in rows
    assert chosen in rows
    # All but the theory's row differ from the preset in one parameter, and reach beyond it.
    scales = {scale for row in rows if row != theory for scale in changed(row, chosen)}
    assert len(scales) == 1
    (scale,) = scales
    values = [getattr(row, scale) for row in rows if not set(changed(row, chosen)) - scales]
    assert min(values) < getattr(chosen, scale) < max(values)
