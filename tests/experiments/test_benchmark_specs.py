"""The ready specs behind the measured pages: policies, cautious, tight, presets, infinite."""

import dataclasses

import pytest

import robustbandits as rb
from robustbandits.experiments.plan import make_plan
from robustbandits.experiments.registry import MISSING, kinds, parameters, presets
from robustbandits.experiments.spec import read_spec

BUDGET = 100.0
WITH_PRESET = [name for name, kind in kinds("policies").items() if "practical" in presets(kind)]


def test_table1_has_every_policy():
    kinds_played = {type(policy).__name__ for policy in read_spec("table1").policies.values()}
    assert kinds_played == set(kinds("policies"))


def variants(kind):
    """Return a policy by theory and by its practical preset, with and without the budget.

    Keys: whether it is the theory's variant, and whether it is given the budget.
    """
    makers = [kind, kind.practical] if "practical" in presets(kind) else [kind]
    arguments = [{}, {"budget": BUDGET}] if "budget" in parameters(kind) else [{}]
    found = {}
    for maker in makers:
        for given in arguments:
            try:
                found[maker is kind, bool(given)] = maker(**given)
            except TypeError:  # the budget is required
                assert not given
    return found


def test_table1_has_no_policy_tuned_by_hand():
    for label, policy in read_spec("table1").policies.items():
        known = variants(type(policy))
        assert policy in known.values(), label
        by_theory = [variant for (theory, _), variant in known.items() if theory]
        assert (policy not in by_theory) == label.endswith(" practical"), label


@pytest.mark.parametrize("name", rb.policies.__all__)
def test_table1_has_theory_before_practice_and_gives_the_budget(name):
    listed = list(read_spec("table1").policies.values())
    known = variants(getattr(rb.policies, name))
    theory = [policy for (by_theory, _), policy in known.items() if by_theory and policy in listed]
    practice = [
        policy for (by_theory, _), policy in known.items() if not by_theory and policy in listed
    ]
    assert theory
    assert bool(practice) == ("practical" in presets(getattr(rb.policies, name)))
    assert all(listed.index(theory[0]) < listed.index(policy) for policy in practice)
    with_budget = [policy for (_, budget), policy in known.items() if budget]
    assert not with_budget or any(policy in listed for policy in with_budget)


def panels(name):
    """Return the numbers of environments, attacks, rounds and seeds of a ready spec."""
    made = read_spec(name)
    return len(made.environments), len(made.attacks), made.rounds, len(made.seeds)


def test_benchmarks_have_the_documented_sizes():
    assert panels("table1") == (2, 8, 100_000, 20)
    assert panels("cautious")[:3] == (3, 20, 100_000)
    assert panels("tight") == (3, 6, 100_000, 10)
    assert panels("infinite") == (5, 4, 100_000, 20)
    balls = [e for e in read_spec("infinite").environments.values() if e.name == "UnitBall"]
    assert [ball.dim for ball in balls] == [2, 10, 40]
    assert panels("presets")[2:] == (100_000, 5)
    budgets = {attack.budget for attack in read_spec("tolerance").attacks.values()}
    assert min(budgets) == 0.0
    assert max(budgets) == 5 * rb.policies.CautiousLinUCB().tolerance


def test_table1_skips_policies_for_fixed_arms_where_arms_change():
    made = read_spec("table1")
    settings = {label: type(policy).facts.setting for label, policy in made.policies.items()}
    fixed_only = [label for label, setting in settings.items() if setting != "contextual"]
    assert fixed_only
    assert make_plan(made).skipped == {"fresh": ["ConsistentLie", *fixed_only]}


def test_table1_attacks_rewards_and_contexts_and_for_a_target():
    facts = [type(attack).facts for attack in read_spec("table1").attacks.values()]
    assert {"rewards", "contexts"} <= {fact.changes for fact in facts}
    assert "promote a target" in {fact.goal for fact in facts}
    assert "ConsistentLie" in {attack.name for attack in read_spec("table1").attacks.values()}


def test_exploration_is_table1_unattacked_and_ten_times_as_long():
    made, short = read_spec("exploration"), read_spec("table1")
    assert made.policies == short.policies
    assert list(made.policies) == list(short.policies)
    assert made.environments == short.environments
    assert [attack.name for attack in made.attacks.values()] == ["NoAttack"]
    assert made.rounds == 10 * short.rounds
    assert len(made.seeds) == 3


def test_presets_has_the_environments_and_the_papers_attacks_of_table1():
    made, short = read_spec("presets"), read_spec("table1")
    assert made.environments == short.environments
    # Garcelon also attacks fewer arms.
    for label in ("no attack", "Garcelon", "Oracle", "FlipTheta"):
        assert made.attacks[label] == short.attacks[label]
    tops = {attack.top for attack in made.attacks.values() if attack.name == "Garcelon"}
    assert tops == {0.5, 0.25, "best"}
    assert len(made.seeds) == 5
    # FastSlowElimination is included to show that no scale works for it.
    names = {type(policy).__name__ for policy in made.policies.values()}
    assert names == {"LinUCB", "FastSlowElimination", *WITH_PRESET}


def changed(policy, other):
    names = [field.name for field in dataclasses.fields(policy)]
    return [name for name in names if getattr(policy, name) != getattr(other, name)]


@pytest.mark.parametrize("name", [n for n in WITH_PRESET if n != "RobustPhasedElimination"])
def test_presets_sweeps_one_scale_beyond_the_preset(name):
    kind = getattr(rb.policies, name)
    required = [p.name for p in parameters(kind).values() if p.default is MISSING]
    given = {"budget": BUDGET} if "budget" in required else {}
    theory, preset = kind(**given), kind.practical(**given)
    rows = [policy for policy in read_spec("presets").policies.values() if type(policy) is kind]
    assert theory in rows
    assert preset in rows
    # All rows but the theory's differ from the preset in one parameter, in both directions.
    (scale,) = {scale for row in rows if row != theory for scale in changed(row, preset)}
    values = [getattr(row, scale) for row in rows if not set(changed(row, preset)) - {scale}]
    assert min(values) < getattr(preset, scale) < max(values)
