"""Which attacks a red team plays."""

import pytest

import robustbandits as rb
from robustbandits.experiments import registry
from robustbandits.game.knowledge import knowledge_of
from robustbandits.game.problem import Problem
from robustbandits.red_team._suite import QUICK, choose_attacks, playable, split_names, with_budget

PROBLEM = Problem(arms=4, dim=3, rounds=100, noise=0.1)


def test_quick_has_the_attacks_of_its_list():
    chosen = choose_attacks("quick")
    assert list(chosen) == list(QUICK)
    assert chosen["Garcelon(top='all-but-worst')"].top == "all-but-worst"


def test_full_has_every_attack_that_needs_only_a_budget():
    names = {attack.name for attack in choose_attacks("full").values()}
    for name, kind in registry.kinds("attacks").items():
        required = [
            p.name for p in registry.parameters(kind).values() if p.default is registry.MISSING
        ]
        assert (name in names) == (required == ["budget"])
    assert {"Garcelon", "Oracle", "FlipTheta", "ContextDilation"} <= names
    assert "NoAttack" not in names


def test_quick_has_the_control():
    assert isinstance(choose_attacks("quick")["RandomControl"], rb.attacks.RandomControl)


def test_context_has_the_attacks_that_change_contexts():
    assert "ContextDilation" in choose_attacks("context")
    assert not {"Garcelon", "Oracle", "FlipTheta"} & set(choose_attacks("context"))


def test_blackbox_has_the_attacks_that_know_no_more_than_the_game_shows():
    chosen = choose_attacks("blackbox")
    assert {"FlipTheta", "LinACE", "Promote", "WeakVector", "ObservationFree"} <= set(chosen)
    for name, attack in choose_attacks("full").items():
        level = knowledge_of(attack.start(PROBLEM))
        assert (name in chosen) == (level not in ("white-box", "omniscient"))


def test_attacks_can_be_named_or_given():
    typed = choose_attacks("Oracle(margin=0.05, top=best), FlipTheta")
    assert typed["Oracle(top='best', margin=0.05)"].margin == 0.05
    given = choose_attacks([rb.attacks.Oracle(7.0, top="best", margin=0.05), "FlipTheta"])
    assert given == typed


def test_names_are_split_at_commas_outside_brackets():
    assert split_names("A(x=1, y=[2, 3]), B,C ") == ["A(x=1, y=[2, 3])", "B", "C"]


@pytest.mark.parametrize(
    ("attacks", "message"),
    [
        ("Garcelo", "there is no attack 'Garcelo'; did you mean Garcelon"),
        ("NoAttack", "attacks must not include NoAttack"),
        ([], "attacks must be quick, full, blackbox, context or names of attacks; got none"),
    ],
)
def test_wrong_names_are_refused(attacks, message):
    with pytest.raises(ValueError, match=message):
        choose_attacks(attacks)


def test_a_budget_is_replaced_also_inside_a_wrapper():
    from dataclasses import dataclass
    from typing import Any

    @dataclass(frozen=True)
    class Wrapper:
        attack: Any

    assert with_budget(rb.attacks.FlipTheta(1.0), 9.0) == rb.attacks.FlipTheta(9.0)
    assert with_budget(Wrapper(rb.attacks.FlipTheta(1.0)), 9.0).attack.budget == 9.0
    with pytest.raises(TypeError, match="has no parameter budget"):
        with_budget(rb.attacks.NoAttack(), 9.0)


def test_attacks_that_cannot_attack_a_problem_are_left_out():
    ball = Problem(arms=1, dim=3, rounds=10, noise=0.1, infinite=True)
    assert "ContextDilation" not in playable(choose_attacks("FlipTheta, ContextDilation"), ball)
    with pytest.raises(ValueError, match="none of the attacks can be played here: ContextDilation"):
        playable(choose_attacks("ContextDilation"), ball)
