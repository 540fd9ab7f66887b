"""Any object with ``choose`` and ``learn`` plays: same loop, same purse, same ledger."""

import copy
import functools
import subprocess
import sys

import numpy as np
import pytest

import robustbandits as rb
from catalogue import compile_few
from experiments.lab import bits
from game.plain_policies import PlainLinUCB, Rotation
from game.players import AttackRecipe
from property.laws import COMPILED_LATER
from robustbandits.experiments.registry import kinds
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.object_policy import ObjectPolicy, as_policy

SIMULATION = rb.environments.Simulation(arms=5, dim=4)
ATTACKS = [
    name
    for name in kinds("attacks")
    if name != "NoAttack" and not getattr(getattr(rb.attacks, name), "reads_policy", False)
]


def simulate(policy, attack=None, rounds=300, seed=0, environment=SIMULATION):
    return rb.simulate(
        environment=environment,
        policy=policy,
        attack=attack,
        rounds=rounds,
        seed=seed,
        points=rounds,
    )


@pytest.mark.parametrize("name", compile_few(["", *ATTACKS], {"", *ATTACKS} - {*COMPILED_LATER}))
@pytest.mark.parametrize("contexts", ["fresh", "fixed"])
def test_a_plain_linucb_plays_the_same_game_as_the_compiled_one(name, contexts):
    if name == "ConsistentLie" and contexts == "fresh":
        pytest.skip("ConsistentLie needs fixed arms")
    environment = rb.environments.Simulation(arms=5, dim=4, contexts=contexts)
    recipe = getattr(rb.attacks, name)(budget=5.0) if name else None
    compiled, plain = (
        simulate(policy, recipe, environment=environment)
        for policy in (rb.policies.LinUCB(), PlainLinUCB)
    )
    assert plain.policy == "PlainLinUCB"
    assert (plain.spent > 0.0) == (recipe is not None)
    assert bits([plain])[0][3:] == bits([compiled])[0][3:]  # all but the names


def test_an_object_is_shown_copies_and_the_attacked_reward():
    class Vandal(Rotation):
        def choose(self, contexts):
            arm = super().choose(contexts.copy())
            contexts[:] = np.nan
            return arm

    vandal = Vandal()
    simulate(lambda: vandal, rb.attacks.FlipTheta(100.0), rounds=20)
    rounds = SIMULATION.start(20, stream(0, NATURE)).draw(20)
    for t in range(20):
        (_, shown), (_, contexts, arm, reward) = vandal.log[2 * t : 2 * t + 2]
        assert arm == t % 5
        assert np.array_equal(shown, rounds.contexts[t].T)
        assert np.array_equal(contexts, shown)
        assert reward == 1.0 - (rounds.means[t, arm] + rounds.noise[t])


@pytest.mark.parametrize(
    "policy",
    [Rotation, Rotation(), lambda: Rotation(), functools.partial(Rotation, start=0)],
    ids=["class", "object", "function", "partial"],
)
def test_every_game_plays_a_new_object(policy):
    results = rb.compare(
        environments=[SIMULATION],
        attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(5.0)],
        policies={"mine": policy},
        rounds=7,
        seeds=2,
    )
    assert [list(ledger.pulls) for ledger in results.ledgers] == [[2, 2, 1, 1, 1]] * 4
    assert {ledger.policy for ledger in results.ledgers} == {"mine"}
    if isinstance(policy, Rotation):
        assert policy.log == []


def test_a_function_gets_what_its_parameters_name():
    seeds = []

    def make(arms, dim, problem, seed, other=3):
        assert (arms, dim, problem.rounds, other) == (5, 5, 2, 3)
        seeds.append(seed)
        return Rotation()

    for seed in (0, 0, 1):
        simulate(make, rounds=2, seed=seed)
    simulate(functools.partial(make, seed=7), rounds=2)
    assert seeds[0] == seeds[1] != seeds[2]
    assert seeds[3] == 7


def test_names_in_tables_come_from_the_object():
    named = Rotation()
    named.name = "my rotation"
    names = [as_policy("policy", item).name for item in (Rotation, Rotation(), named)]
    assert names == ["Rotation", "Rotation", "my rotation"]


class CannotBeCopied(Rotation):
    def __deepcopy__(self, memo):
        raise RuntimeError("it has a socket")


def test_an_object_that_cannot_be_copied_is_refused_with_the_remedy():
    message = "CannotBeCopied cannot be copied.*pass its class, or a function.*it has a socket"
    with pytest.raises(TypeError, match=message):
        simulate(CannotBeCopied())
    assert simulate(CannotBeCopied, rounds=5).pulls.sum() == 5


def test_a_function_that_returns_the_same_object_twice_is_refused():
    shared = Rotation()
    with pytest.raises(ValueError, match=r"same object for two games.*return a new object"):
        rb.compare(
            environments=[SIMULATION],
            policies={"a": lambda: shared, "b": lambda: shared},
            rounds=5,
            seeds=1,
        )


@pytest.mark.parametrize("arm", [5, -1, 1.0, None, np.array([1, 2])], ids=str)
def test_an_arm_that_does_not_exist_is_refused(arm):
    class Wrong(Rotation):
        def choose(self, contexts):
            return arm

    with pytest.raises(ValueError, match=r"Wrong.choose must return a whole number from 0 to 4"):
        simulate(Wrong)


def test_an_error_in_the_object_reaches_the_caller_with_a_note():
    class Fails(Rotation):
        def learn(self, contexts, arm, reward):
            if self.next == 10:
                raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        simulate(Fails)
    assert caught.value.__notes__ == ["KeyError in Fails.learn"]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("LinUCB", r"must be a recipe.*or an object with choose\(contexts\)"),
        (rb.policies.LinUCB, r"got the class.*add \(\)"),
        (dict, "must be or return an object with choose"),
        (lambda: None, "must be or return an object with choose"),
        (lambda: Rotation, "must be or return an object with choose"),
        (rb.Agent(rb.policies.LinUCB(), arms=5, dim=4), r"learn\(decision.*reward"),
    ],
)
def test_what_cannot_play_is_refused(policy, message):
    with pytest.raises(TypeError, match=message):
        simulate(policy)


# ------------------------------------------------------------------------------------ peeking


class Undecided(Rotation):
    """Play random arms; a peek that used the real object would change its stream."""

    def __init__(self, seed):
        super().__init__()
        self.rng = np.random.default_rng(seed)

    def choose(self, contexts):
        return int(self.rng.integers(len(contexts)))


def test_an_attack_that_peeks_asks_a_copy_and_changes_nothing():
    clean = simulate(Undecided)
    attacked = simulate(Undecided, rb.attacks.ContextDilation(1000.0))
    assert attacked.spent > 0.0
    assert np.array_equal(attacked.pulls, clean.pulls)


def test_an_object_that_cannot_be_copied_may_have_a_peek():
    with pytest.raises(TypeError, match=r"what CannotBeCopied would choose.*peek"):
        simulate(CannotBeCopied, rb.attacks.ContextDilation(5.0))

    class Peekable(CannotBeCopied):
        def peek(self, contexts):
            return self.next % len(contexts)

    peeked, copied = (
        simulate(kind, rb.attacks.ContextDilation(5.0)) for kind in (Peekable, Rotation)
    )
    assert bits([peeked])[0][3:] == bits([copied])[0][3:]


def test_an_attack_that_reads_the_policy_refuses_an_object():
    class Reads(tuple):
        reads_policy = True

    attack = AttackRecipe(Reads())
    with pytest.raises(TypeError, match="reads the policy's state, which Rotation does not have"):
        simulate(Rotation, attack)


def test_a_copied_game_continues_alone():
    problem = SIMULATION.start(20, stream(0, NATURE)).problem
    rounds = SIMULATION.start(20, stream(0, NATURE)).draw(20)
    game = Game(ObjectPolicy(PlainLinUCB, "mine"), rb.attacks.Garcelon(5.0), problem, 0, 10)
    copied = copy.deepcopy(game)
    game.advance(rounds)
    assert copied.book.clock[0] == 0
    copied.advance(rounds)
    ledgers = [played.close("here", 0) for played in (game, copied)]
    assert bits(ledgers[:1]) == bits(ledgers[1:])


def test_infinitely_many_arms_are_refused():
    with pytest.raises(ValueError, match="infinitely many arms"):
        simulate(Rotation, environment=rb.environments.UnitBall(dim=3))


PROGRAM = """
import robustbandits as rb
class Loyal:
    def choose(self, contexts):
        return 0
    def learn(self, contexts, arm, reward):
        pass
print(rb.simulate(environment=rb.environments.Simulation(), policy=Loyal, rounds=3).pulls[0])
"""


def test_the_first_game_of_an_object_warns_about_nothing():
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("3\n", "")
