"""compare: paired games, the same bits for any number of workers."""

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.experiments.engines.engine import Match, play_matches, split

SMALL = rb.environments.Simulation(arms=4, dim=2)
POLICIES = [rb.policies.LinUCB(), rb.policies.Greedy()]
ATTACKS = [rb.attacks.NoAttack(), rb.attacks.Garcelon(5.0)]


def play(**changes):
    settings = {
        "environments": [SMALL],
        "attacks": ATTACKS,
        "policies": POLICIES,
        "rounds": 300,
        "seeds": 3,
        "progress": False,
    }
    return rb.compare(**{**settings, **changes})


def bits(results):
    return [
        (one.environment, one.attack, one.policy, one.seed, one.regret.tobytes(), one.spent)
        for one in results.ledgers
    ]


@pytest.mark.parametrize("workers", [2, 3, 16])
def test_results_do_not_depend_on_the_number_of_workers(workers):
    assert bits(play(workers=workers)) == bits(play(workers=1))


def test_each_game_equals_the_one_played_alone():
    for ledger in play().ledgers:
        attack = next(one for one in ATTACKS if one.name == ledger.attack)
        policy = next(one for one in POLICIES if one.name == ledger.policy)
        alone = rb.simulate(
            environment=SMALL, attack=attack, policy=policy, rounds=300, seed=ledger.seed
        )
        assert np.array_equal(alone.regret, ledger.regret)


def test_seeds_can_be_named():
    assert [one.seed for one in play(seeds=[7, 3], policies=POLICIES[:1]).ledgers] == [7, 7, 3, 3]


def test_attack_defaults_to_none():
    assert {one.attack for one in play(attacks=None).ledgers} == {"NoAttack"}


def test_same_policy_with_other_parameters_gets_its_own_label():
    results = play(policies=[rb.policies.LinUCB(), rb.policies.LinUCB(sigma=0.5)])
    assert {one.policy for one in results.ledgers} == {"LinUCB", "LinUCB(sigma=0.5)"}


def test_mapping_gives_the_labels():
    results = play(policies={"ours": rb.policies.LinUCB()}, environments={"toy": SMALL})
    assert {(one.environment, one.policy) for one in results.ledgers} == {("toy", "ours")}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"policies": []}, "policies is empty"),
        ({"policies": [rb.policies.LinUCB(), rb.policies.LinUCB()]}, "policies has .LinUCB. twice"),
        ({"rounds": 0}, "rounds must be >= 1"),
        ({"seeds": 0}, "seeds must be >= 1"),
        ({"seeds": [1, 1]}, "seeds must be different"),
        ({"workers": 0}, "workers must be >= 1"),
    ],
)
def test_bad_argument_is_refused_before_anything_is_played(changes, message):
    with pytest.raises(ValueError, match=message):
        play(**changes)


def test_matches_are_cut_until_every_worker_has_one():
    pairs = [(attack, policy) for attack in ATTACKS for policy in POLICIES]
    parts = split([Match(SMALL, pairs, 10, 0)], workers=3)
    assert [len(part.pairs) for _, part in parts] == [2, 2]
    assert len(split([Match(SMALL, pairs, 10, seed) for seed in range(6)], workers=3)) == 6
    # Two of five are left over when three workers have played one each: those are cut.
    parts = split([Match(SMALL, pairs, 10, seed) for seed in range(5)], workers=3)
    assert [len(part.pairs) for _, part in parts] == [4, 4, 4, 2, 2, 2, 2]


class Broken:
    """A policy that refuses to start after the warm-up."""

    name = "Broken"

    def start(self, problem):
        raise RuntimeError("no")


def test_failure_of_one_match_is_raised_and_ends_the_others():
    matches = [Match(SMALL, [(ATTACKS[0], Broken())], 10, seed) for seed in range(4)]
    with pytest.raises(RuntimeError, match="no"):
        play_matches(matches, workers=2)


def test_progress_counts_every_round():
    counts = []
    pairs = [(ATTACKS[0], POLICIES[0])]
    matches = [Match(SMALL, pairs, 1000, seed) for seed in range(3)]
    play_matches(matches, workers=2, on_block=counts.append)
    assert sum(counts) == 3000


def test_keyboard_interrupt_stops_all_workers():
    def interrupt(count):
        raise KeyboardInterrupt

    matches = [Match(SMALL, [(ATTACKS[0], POLICIES[0])], 1000, seed) for seed in range(4)]
    with pytest.raises(KeyboardInterrupt):
        play_matches(matches, workers=2, on_block=interrupt)
