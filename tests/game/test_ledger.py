"""The ledger: what is recorded, in which rounds, and that it does not grow with the game."""

import builtins
import tracemalloc

import numpy as np
import pytest

import robustbandits as rb
from property.laws import WILD, same_bits
from robustbandits.compiled.jit import jit_is_on
from robustbandits.game.ledger import POINTS, open_book

TINY = rb.environments.Simulation(arms=2, dim=1)


def ledger_of(rounds: int = 300, attack=None, environment=WILD, **values) -> rb.Ledger:
    return rb.simulate(
        environment=environment, policy=rb.policies.LinUCB(), attack=attack, rounds=rounds, **values
    )


@pytest.mark.parametrize("rounds", [1, 2, 3, 7, 999, 1000, 1001, 1500, 123_457, 10**9])
@pytest.mark.parametrize("points", [1, 2, 3, 10, 1000])
def test_recorded_rounds_are_evenly_spaced_and_end_with_the_last_round(rounds, points):
    marks = open_book(rounds, 2, points).marks
    assert marks[-1] == rounds
    assert marks[0] >= 1
    assert len(marks) == min(points, rounds)
    gaps = np.diff(marks, prepend=0)
    assert 1 <= gaps.min() <= gaps.max() <= gaps.min() + 1


def test_points_sets_the_number_of_recorded_rounds():
    assert len(ledger_of(rounds=2500).rounds) == POINTS == 1000
    assert len(ledger_of(rounds=2500, points=7).rounds) == 7
    assert ledger_of(rounds=5, points=100).rounds.tolist() == [1, 2, 3, 4, 5]


def test_fewer_points_are_some_of_the_same_records():
    attack = rb.attacks.Garcelon(5.0)
    fine, coarse = (ledger_of(attack=attack, points=points) for points in (300, 12))
    at = coarse.rounds - 1
    assert same_bits(coarse.regret, fine.regret[at])
    assert same_bits(coarse.reward, fine.reward[at])
    assert same_bits(coarse.spent_so_far, fine.spent_so_far[at])
    assert same_bits(coarse.attacked_so_far, fine.attacked_so_far[at])


def test_totals_are_the_last_records_and_records_never_fall():
    ledger = ledger_of(attack=rb.attacks.Garcelon(5.0))
    assert ledger.final_regret == ledger.regret[-1]
    assert ledger.final_reward == ledger.reward[-1]
    assert ledger.spent == ledger.spent_so_far[-1] == 5.0
    assert ledger.attacked_rounds == ledger.attacked_so_far[-1] > 0
    assert ledger.pulls.sum() == ledger.rounds[-1] == 300

    for column in (ledger.regret, ledger.spent_so_far, ledger.attacked_so_far):
        assert (np.diff(column, prepend=0.0) >= 0.0).all()


def test_the_last_attacked_round_is_counted_from_one():
    ledger = ledger_of(attack=rb.attacks.FlipTheta(1e9, rounds=7))
    assert ledger.last_attack == ledger.attacked_rounds == 7


def test_an_unattacked_game_has_no_last_attack():
    ledger = ledger_of()
    assert ledger.last_attack == ledger.attacked_rounds == 0
    assert ledger.spent == ledger.spent_on_contexts == 0.0
    assert ledger.seen_reward == ledger.final_reward


def test_spending_on_contexts_is_recorded_separately():
    assert ledger_of(attack=rb.attacks.ContextDilation(2.0)).spent_on_contexts == 2.0
    assert ledger_of(attack=rb.attacks.Garcelon(2.0)).spent_on_contexts == 0.0


def test_clipped_proposals_are_counted():
    attack = rb.attacks.Garcelon(1e9, top=1.0, noise=0.01)
    clipped = ledger_of(attack=attack).clipped_proposals
    assert 100 < clipped < 200  # half of 300 draws around zero are negative


def test_to_pandas_returns_a_row_for_each_recorded_round():
    frame = ledger_of(attack=rb.attacks.Garcelon(5.0), points=10).to_pandas()
    assert list(frame.columns) == [
        "environment",
        "attack",
        "policy",
        "seed",
        "round",
        "regret",
        "reward",
        "spent",
        "attacked_rounds",
    ]
    assert len(frame) == 10
    assert frame["round"].tolist() == list(range(30, 301, 30))
    assert frame["spent"].iloc[-1] == 5.0
    assert set(frame["attack"]) == {"Garcelon"}
    assert frame["attacked_rounds"].dtype.kind == "i"


def test_the_error_without_pandas_says_how_to_install_it(monkeypatch):
    real_import = builtins.__import__

    def no_pandas(name, *rest, **more):
        if name == "pandas":
            raise ImportError(name)
        return real_import(name, *rest, **more)

    ledger = ledger_of(rounds=3)
    monkeypatch.setattr(builtins, "__import__", no_pandas)
    with pytest.raises(ImportError, match=r"pip install 'robustbandits\[pandas\]'"):
        ledger.to_pandas()


def peak_memory(rounds: int) -> int:
    tracemalloc.start()
    try:
        rb.simulate(environment=TINY, policy=rb.policies.Greedy(), rounds=rounds)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not jit_is_on, reason="millions of rounds need compiled code")
def test_memory_does_not_grow_with_the_length_of_the_game():
    peak_memory(1000)  # compile first
    short, long = peak_memory(200_000), peak_memory(2_000_000)
    assert long <= short + 100_000


def test_repr_is_one_short_line():
    shown = repr(ledger_of(rounds=1500, seed=3))
    assert "\n" not in shown
    assert len(shown) < 200
    for part in ("policy='LinUCB'", "attack='NoAttack'", "seed=3", "rounds=1,500", "regret="):
        assert part in shown
