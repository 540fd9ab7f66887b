"""What the property tests share: policies, attacks, and a record of every round of a game."""

import dataclasses
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import hypothesis
import numpy as np

import robustbandits as rb
from catalogue import CORE, example, policy
from robustbandits.compiled.jit import jit_is_on, kernel
from robustbandits.experiments.registry import kinds
from robustbandits.game.ledger import Book
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.problem import Problem
from robustbandits.game.purse import Purse
from robustbandits.game.rounds import Rounds, make_rounds
from robustbandits.game.verbs import choose, learn

#: Budgets from 0 to infinity.
BUDGETS = (0.0, 1e-12, 0.3, 7.3, 100.0, 1e9, math.inf)

#: With few dimensions and much noise, so that rewards are often outside [0, 1].
WILD = rb.environments.Simulation(arms=5, dim=2, noise=0.25)
PLAIN = rb.environments.Simulation(arms=5, dim=2, noise=0.25, intercept=False)

#: Settings of hypothesis: the same examples in every run.
law = hypothesis.settings(deadline=None, max_examples=80, derandomize=True)


#: Parameters of policies that differ from the defaults: RobustBandit should restart often.
_PARAMETERS: dict[str, dict[str, Any]] = {"RobustBandit": {"epoch": 20}}


def make_attack(name: str, budget: float = 5.0, **values: Any) -> Any:
    """Make an exported attack; NoAttack has no budget."""
    kind = getattr(rb.attacks, name)
    fields = {field.name for field in dataclasses.fields(kind)}
    if "attack" in fields:  # an attack around another one, which has the budget
        inner = {"purse": values.pop("purse")} if "purse" in values else {}
        return kind(**{"attack": rb.attacks.Garcelon(budget, **inner), **values})
    if "budget" not in fields:
        return kind()
    return example(kind, budget=budget, **values)


#: Attacks that need the same arms in every round; tests/attacks has tests of their own.
FOR_FIXED_ARMS = ("ConsistentLie",)
NAMES = [name for name in kinds("attacks") if name not in FOR_FIXED_ARMS]

#: Attacks that change more than a `Trace` shows; tests/attacks has tests of their own.
OTHER_SURFACES = ("ActionSwap", "FakeInjection")
#: Attacks that only slow tests compile.
COMPILED_LATER = ("RestartAware", "Periodic", "Shadow", *OTHER_SURFACES)

POLICIES = {name: policy(name, **_PARAMETERS.get(name, {})) for name in CORE}

#: Every exported attack with its defaults, and other forms of some.
FORMS: dict[str, tuple[str, dict[str, Any]]] = {
    name: (name, {}) for name in NAMES if name not in OTHER_SURFACES
}
FORMS |= {
    "Garcelon floor": ("Garcelon", {"replace": "floor", "top": "all-but-worst"}),
    "Garcelon top=1": ("Garcelon", {"top": 1.0}),
    "Oracle shift": ("Oracle", {"form": "shift", "top": "all-but-worst"}),
    "FlipTheta mean": ("FlipTheta", {"form": "mean"}),
    "FlipTheta origin": ("FlipTheta", {"form": "origin", "rounds": 40}),
    "Promote only": ("Promote", {"lowering": 0.0}),
    "ObservationFree rounds": ("ObservationFree", {"starve": 10.0, "feed": 20.0}),
    "Contamination reverse": ("Contamination", {"payload": "reverse", "arms": (0, 2)}),
    "RandomControl contexts": ("RandomControl", {"surface": "contexts", "probability": 0.5}),
    "Burst now": ("Burst", {"start_at": 3, "length": 60, "shape": "triangle"}),
    "Drip rate": ("Drip", {"rate": 0.2, "cap": 0.5}),
    "RestartAware one": ("RestartAware", {"epoch": 30, "spend": "one", "which": 1}),
    "Periodic short": ("Periodic", {"period": 10, "active": 0.3, "cap": 0.5}),
    "LeverageAware above": ("LeverageAware", {"attack_where": "above"}),
    "ContextDilation every": ("ContextDilation", {"which": "every", "factor": 10.0}),
}
ATTACKERS = [form for form in FORMS if form != "NoAttack"]
#: The forms that quick tests compile: few, because each takes seconds.
FEW = ("NoAttack", "Garcelon", "Oracle shift", "ContextDilation")
#: Attacks that spend early and often, so that their budget is spent in a short game.
EAGER = [
    form
    for form, (name, _) in FORMS.items()
    if name in ("Garcelon", "Oracle", "FlipTheta", "ContextDilation")
]


#: Attacks that plan with their budget, so that a larger one changes them from the first round on.
PLANNERS = ("Promote", "ObservationFree", "Drip", "RestartAware")


def quick(forms: Iterable[str]) -> list[str]:
    """Return all of the forms in plain Python, and only those in `FEW` if they must be compiled.

    tests/parity compares compiled games of every attack with plain Python.
    """
    return [form for form in forms if form in FEW or not jit_is_on]


def attack_of(form: str, budget: float, purse: str = "truncate") -> Any:
    """Make the attack of a form, a key of `FORMS`."""
    name, values = FORMS[form]
    return make_attack(name, budget, **values, **({} if name == "NoAttack" else {"purse": purse}))


def pairs() -> list[tuple[str, str]]:
    """Return (attack, policy) pairs: all in plain Python, fewer if each must be compiled."""
    every = [(attack, policy) for attack in NAMES for policy in POLICIES]
    if not jit_is_on:
        return every
    few = {FORMS[form][0] for form in FEW}
    return [
        (attack, policy)
        for attack, policy in every
        if (policy == "LinUCB" and attack in few) or attack in ("NoAttack", "Garcelon")
    ]


# ---------------------------------------------------------------------------- policies and attacks


class RecorderState(NamedTuple):
    """A policy's state, and everything that the policy saw."""

    inner: Any
    shown: np.ndarray  # (rounds, dim, arms) contexts
    taught: np.ndarray  # (rounds, dim) context that the policy got with the reward
    seen: np.ndarray  # (rounds,) rewards
    arms: np.ndarray  # (rounds,)
    clock: np.ndarray  # (1,) rounds learned

    @kernel
    def choose(self, contexts, rng, memo):
        for i in range(contexts.shape[0]):
            for a in range(contexts.shape[1]):
                self.shown[self.clock[0], i, a] = contexts[i, a]
        return choose(self.inner, contexts, rng, memo)

    @kernel
    def learn(self, arm, context, reward, memo, rng):
        t = self.clock[0]
        for i in range(context.shape[0]):
            self.taught[t, i] = context[i]
        self.seen[t] = reward
        self.arms[t] = arm
        self.clock[0] = t + 1
        learn(self.inner, arm, context, reward, memo, rng)


@dataclass(frozen=True)
class Recorder:
    """Recipe of any policy, with a record of what it sees."""

    policy: Any
    name: str = "Recorder"

    def start(self, problem: Problem) -> RecorderState:
        rounds = problem.rounds
        assert rounds is not None
        return RecorderState(
            inner=self.policy.start(problem),
            shown=np.full((rounds, problem.dim, problem.arms), np.nan),
            taught=np.full((rounds, problem.dim), np.nan),
            seen=np.full(rounds, np.nan),
            arms=np.full(rounds, -1, dtype=np.int64),
            clock=np.zeros(1, dtype=np.int64),
        )


class ScriptedState(NamedTuple):
    """Proposals that were chosen before the game."""

    contexts: np.ndarray  # (rounds, dim, arms) wanted
    rewards: np.ndarray  # (rounds,) wanted
    has_contexts: np.ndarray  # (rounds,) whether contexts are proposed
    has_reward: np.ndarray  # (rounds,) whether a reward is proposed

    @kernel
    def propose_contexts(self, policy, scene, wanted, rng):
        rng.random()
        if self.has_contexts[scene.round]:
            for i in range(wanted.shape[0]):
                for a in range(wanted.shape[1]):
                    wanted[i, a] = self.contexts[scene.round, i, a]

    @kernel
    def propose_reward(self, policy, scene, arm, reward, rng):
        rng.random()
        return self.rewards[scene.round] if self.has_reward[scene.round] else reward


@dataclass(frozen=True, eq=False)
class Scripted:
    """An attack that proposes given contexts and rewards; None changes nothing."""

    budget: float
    contexts: np.ndarray | None = None
    rewards: np.ndarray | None = None
    purse: str = "truncate"
    name: str = "Scripted"

    def start(self, problem: Problem) -> ScriptedState:
        rounds = problem.rounds
        assert rounds is not None
        zeros = np.zeros((rounds, problem.dim, problem.arms))
        return ScriptedState(
            contexts=zeros if self.contexts is None else np.array(self.contexts, dtype=float),
            rewards=np.zeros(rounds) if self.rewards is None else np.array(self.rewards, float),
            has_contexts=np.full(rounds, self.contexts is not None),
            has_reward=np.full(rounds, self.rewards is not None),
        )


class OverwriterState(NamedTuple):
    """A policy that overwrites its arguments, which its contract forbids."""

    nothing: np.ndarray

    @kernel
    def choose(self, contexts, rng, memo):
        arm = 0
        for a in range(contexts.shape[1]):
            if contexts[0, a] > contexts[0, arm]:
                arm = a
        for i in range(contexts.shape[0]):
            for a in range(contexts.shape[1]):
                contexts[i, a] = 77.0
        return arm

    @kernel
    def learn(self, arm, context, reward, memo, rng):
        for i in range(context.shape[0]):
            context[i] = 88.0


@dataclass(frozen=True)
class Overwriter:
    """Recipe of a policy that overwrites its arguments."""

    name: str = "Overwriter"

    def start(self, problem: Problem) -> OverwriterState:
        return OverwriterState(np.zeros(1))


class NoterState(NamedTuple):
    """A policy that writes its memo in some rounds only, and counts what it gets back."""

    counts: np.ndarray  # (2,) rounds learned; rounds whose memo had been written

    @kernel
    def choose(self, contexts, rng, memo):
        if contexts[0, 0] > 0.0:
            memo[0] = 1.0
        return 0

    @kernel
    def learn(self, arm, context, reward, memo, rng):
        self.counts[0] += 1.0
        self.counts[1] += memo[0]

    @kernel
    def score(self, contexts, memo, means, bonuses):
        for a in range(means.shape[0]):
            means[a] = self.counts[1]
            bonuses[a] = 0.0


@dataclass(frozen=True)
class Noter:
    """Recipe of a policy that writes its memo in some rounds only."""

    name: str = "Noter"

    def start(self, problem: Problem) -> NoterState:
        return NoterState(np.zeros(2))


# --------------------------------------------------------------------------------------- games


def deal_rounds(environment: Any, rounds: int, seed: int = 0) -> tuple[Problem, Rounds]:
    """Draw all rounds of a match with this seed."""
    nature = environment.start(rounds, stream(seed, NATURE))
    return nature.problem, nature.draw(rounds)


def copy_rounds(rounds: Rounds) -> Rounds:
    """Copy a block, so that a test may change it."""
    return make_rounds(rounds.contexts.copy(), rounds.means.copy(), rounds.noise.copy())


def enter(problem: Problem, attack: Any, policy: Any, seed: int = 0) -> Game:
    """Start a game that records every round."""
    assert problem.rounds is not None
    return Game(policy, attack, problem, seed, points=problem.rounds)


def played(problem: Problem, rounds: Rounds, attack: Any, policy: Any, seed: int = 0) -> Game:
    """Play a game, and return it with its book and states."""
    game = enter(problem, attack, policy, seed)
    game.advance(rounds)
    return game


@dataclass(frozen=True)
class Trace:
    """Every round of a game: clean and shown contexts, clean and seen rewards, what was spent."""

    dealt: np.ndarray  # (rounds, dim, arms) clean contexts
    shown: np.ndarray  # (rounds, dim, arms) contexts as the policy saw them
    taught: np.ndarray  # (rounds, dim) contexts that the policy learned
    arms: np.ndarray  # (rounds,)
    means: np.ndarray  # (rounds, arms)
    earned: np.ndarray  # (rounds,) clean rewards
    seen: np.ndarray  # (rounds,)
    spent: np.ndarray  # (rounds,) spent so far, after each round
    touched: np.ndarray  # (rounds,) rounds attacked so far
    purse: Purse
    book: Book
    inner: Any  # the state of the policy

    @property
    def context_prices(self) -> np.ndarray:
        """Price of the changed contexts, computed again."""
        return np.sqrt(((self.shown - self.dealt) ** 2).sum(axis=1)).sum(axis=1)

    @property
    def reward_prices(self) -> np.ndarray:
        """Price of the changed reward, computed again."""
        return np.abs(self.seen - self.earned)


def trace_rounds(
    problem: Problem, rounds: Rounds, attack: Any, policy: Any, seed: int = 0
) -> Trace:
    """Play a game and record every round."""
    game = played(problem, rounds, attack, Recorder(policy), seed)
    state = game.policy
    index = np.arange(len(rounds.noise))
    return Trace(
        dealt=rounds.contexts,
        shown=state.shown,
        taught=state.taught,
        arms=state.arms,
        means=rounds.means,
        earned=rounds.means[index, state.arms] + rounds.noise,
        seen=state.seen,
        spent=game.book.columns[:, 2],
        touched=game.book.columns[:, 3],
        purse=game.purse,
        book=game.book,
        inner=state.inner,
    )


def trace(
    attack: Any,
    policy: Any = None,
    *,
    environment: Any = WILD,
    rounds: int = 120,
    seed: int = 0,
) -> Trace:
    """Play a game in an environment, by default of LinUCB, and record every round."""
    problem, block = deal_rounds(environment, rounds, seed)
    return trace_rounds(problem, block, attack, policy or rb.policies.LinUCB(), seed)


# ---------------------------------------------------------------------------------------- bits


def arrays_of(state: Any, path: str = "state") -> Iterator[tuple[str, np.ndarray]]:
    """Yield every array of a state with its path."""
    for name, value in zip(state._fields, state, strict=True):
        if isinstance(value, np.ndarray):
            yield f"{path}.{name}", value
        elif hasattr(value, "_fields"):
            yield from arrays_of(value, f"{path}.{name}")


def first_above(values: np.ndarray, level: float) -> int:
    """Return the index of the first value above a level, or the number of values."""
    above = np.flatnonzero(values > level)
    return int(above[0]) if len(above) else len(values)


def bits_of(state: Any) -> dict[str, bytes]:
    """Return every bit of a state's arrays."""
    return {path: array.tobytes() for path, array in arrays_of(state)}


def game_bits(game: Game) -> dict[str, Any]:
    """Return every bit of a game that its attack may have influenced."""
    return {
        "pulls": game.book.pulls.tobytes(),
        "regret and rewards": game.book.columns[:, :2].tobytes(),
        "sums": game.book.sums.tobytes(),
        "policy stream": game.policy_rng.bit_generator.state,
        **bits_of(game.policy),
    }


def same_bits(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two arrays agree in every bit, also in the signs of zeros."""
    return first.shape == second.shape and first.tobytes() == second.tobytes()
