"""compare: paired games, the same bits for any number of workers."""

import pytest

import robustbandits as rb
from experiments.lab import TOY, Failing, bits

POLICIES = [rb.policies.LinUCB(), rb.policies.Greedy()]
ATTACKS = [rb.attacks.NoAttack(), rb.attacks.Garcelon(5.0)]


def compare(**changes):
    settings = {
        "environments": [TOY],
        "attacks": ATTACKS,
        "policies": POLICIES,
        "rounds": 300,
        "seeds": 3,
        "progress": False,
    }
    return rb.compare(**{**settings, **changes})


def test_each_game_equals_the_one_played_alone():
    attacks = {attack.name: attack for attack in ATTACKS}
    policies = {policy.name: policy for policy in POLICIES}
    for ledger in compare().ledgers:
        alone = rb.simulate(
            environment=TOY,
            attack=attacks[ledger.attack],
            policy=policies[ledger.policy],
            rounds=300,
            seed=ledger.seed,
        )
        assert bits([alone]) == bits([ledger])


def test_seeds_can_be_listed():
    ledgers = compare(seeds=[7, 3], policies=POLICIES[:1]).ledgers
    assert [ledger.seed for ledger in ledgers] == [7, 7, 3, 3]


def test_without_attacks_nothing_attacks():
    assert {ledger.attack for ledger in compare(attacks=None).ledgers} == {"NoAttack"}


def test_the_same_recipe_may_have_two_labels():
    first, second = rb.policies.LinUCB(), rb.policies.LinUCB()
    results = compare(
        environments={"a": TOY, "b": TOY}, policies={"one": first, "two": second}, seeds=1
    )
    labels = [(ledger.environment, ledger.policy) for ledger in results.ledgers]
    assert labels == 2 * [("a", "one"), ("a", "two")] + 2 * [("b", "one"), ("b", "two")]
    regrets = {ledger.regret.tobytes() for ledger in results.ledgers if ledger.attack == "NoAttack"}
    assert len(regrets) == 1


class WithoutParameters:
    """A policy that cannot be written to JSON."""

    name = "WithoutParameters"

    def start(self, problem):
        return rb.policies.LinUCB().start(problem)


def test_a_recipe_that_cannot_be_stored_can_be_compared():
    results = compare(policies=[WithoutParameters(), rb.policies.LinUCB()], seeds=1)
    other, linucb, *_ = results.ledgers
    assert (other.policy, linucb.policy) == ("WithoutParameters", "LinUCB")
    assert other.regret.tobytes() == linucb.regret.tobytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"policies": []}, "policies is empty"),
        ({"points": 0}, "points must be >= 1"),
        ({"workers": 0}, "workers must be >= 1"),
    ],
)
def test_a_bad_argument_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        compare(**changes)


@pytest.mark.parametrize("error", [ArithmeticError("failed"), KeyboardInterrupt()])
def test_an_error_in_one_match_ends_the_comparison(error):
    with pytest.raises(type(error)) as caught:
        compare(environments={"toy": Failing(error)}, workers=2)
    assert caught.value is error
