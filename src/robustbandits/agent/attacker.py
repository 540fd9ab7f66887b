"""Attacker: a live attack, for a loop or a simulator of your own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robustbandits.agent.inputs import SIGMAS, Inputs
from robustbandits.game import require
from robustbandits.game.committed import commit_shifts, wanted_reward, watch
from robustbandits.game.knowledge import OBLIVIOUS, OMNISCIENT, NoPolicy, knowledge_of
from robustbandits.game.match import ATTACK, stream
from robustbandits.game.object_policy import name_of
from robustbandits.game.object_state import Handle, ObjectState, Player
from robustbandits.game.problem import Problem
from robustbandits.game.purse import SPENT, has_money, open_purse, settle_reward
from robustbandits.game.verbs import Attack, Scene, attack_contexts, reads_policy
from robustbandits.kernels.linalg import Floats


class Change(NamedTuple):
    """A change that an attacker made."""

    round: int  # counted from 0
    what: str  # "context" or "reward"
    arm: int
    clean: Any  # the context (dim,) or the reward as it was given
    shown: Any  # as it was returned
    price: float


class Attacker:
    """A live attack: recipe, state, purse and random stream.

    In each round, call :meth:`contexts`, show what it returns to your policy, and then call
    :meth:`reward` with the arm that it chose. The attacker simulates: it changes only the numbers
    that you pass to your own code.

    Parameters
    ----------
    attack
        Recipe of the attack.
    arms, dim
        Number of arms, and length of each context.
    rounds
        How many rounds you expect to play; some attacks need it.
    seed
        Seed of the attack's random stream, the same as in a simulated game with this seed.
    noise
        Standard deviation of the noise of rewards, which some attacks imitate; None if not known.
    context_bound, intercept, clicks
        Largest length of a context, whether its last coordinate is a constant, and whether rewards
        are clicks: what an attack may not exceed or change
        (:class:`~robustbandits.game.problem.Problem`).
    reward_range
        Smallest and largest possible reward; others are refused. The default is [0, 1], widened by
        six times the noise on both sides.
    policy
        Your policy, with a method ``peek(contexts)`` or one that can be copied: only for attacks
        that ask what the policy would choose.

    Examples
    --------
    >>> import robustbandits as rb
    >>> attacker = rb.Attacker(rb.attacks.FlipTheta(budget=10.0), arms=2, dim=2, seed=0)
    >>> shown = attacker.contexts([[1.0, 0.0], [0.0, 1.0]])
    >>> attacker.reward(0, 0.25)
    0.75
    >>> attacker.spent
    0.5
    """

    def __init__(
        self,
        attack: Attack,
        *,
        arms: int,
        dim: int,
        rounds: int | None = None,
        seed: int = 0,
        noise: float | None = None,
        context_bound: float = 1.0,
        intercept: bool = False,
        clicks: bool = False,
        reward_range: tuple[float, float] | None = None,
        policy: Any = None,
    ):
        require.recipe("attack", attack, "attack")
        self.attack = attack
        self.problem = Problem(
            arms=arms,
            dim=dim,
            rounds=rounds,
            noise=noise,
            context_bound=context_bound,
            intercept=intercept,
            clicks=clicks,
        )
        if reward_range is None:
            slack = SIGMAS * (self.problem.noise or 0.0)
            reward_range = (0.0 - slack, 1.0 + slack)
        self.log: list[Change] = []  # every change, in order
        self._inputs = Inputs(attack, self.problem, reward_range)
        self._state: Any = attack.start(self.problem)
        if reads_policy(attack, self._state):
            raise TypeError(
                f"{attack.name} reads the policy's state, which an attacker does not have: use "
                f"rb.simulate, or another attack"
            )
        if hasattr(self._state, "propose_arm") or hasattr(self._state, "propose_record"):
            raise TypeError(
                f"{attack.name} swaps arms or adds fake records, and an attacker changes only "
                f"contexts and rewards: use rb.simulate, or another attack"
            )
        self._level = knowledge_of(self._state)
        self._purse = open_purse(attack.budget, attack.purse, self.problem)
        seed = require.count("seed", seed, low=0)
        self._rng = np.random.Generator(np.random.PCG64(stream(seed, ATTACK)))
        self._policy = NoPolicy(0) if policy is None else _state_of(policy, self.problem.arms)
        self._shifts = np.zeros(self.problem.arms)
        self._round = -1
        self._scene: Scene | None = None  # of a round whose reward has not been given

    @property
    def spent(self) -> float:
        """What the attack has spent so far."""
        return float(self._purse.account[SPENT])

    @property
    def rounds(self) -> int:
        """Number of rounds so far."""
        return self._round + 1

    def __repr__(self) -> str:
        sizes = f"arms={self.problem.arms}, dim={self.problem.dim}"
        spending = f"spent={self.spent:g} of {self.attack.budget:g}"
        return f"Attacker({self.attack.name}, {sizes}, rounds={self.rounds}, {spending})"

    def contexts(self, contexts: npt.ArrayLike, means: npt.ArrayLike | None = None) -> Floats:
        """Begin a round, and return the contexts (arms, dim) that your policy should see.

        ``means`` are the mean rewards of the arms (arms,), for attacks that know them; others are
        not shown them.
        """
        clean = self._inputs.contexts(contexts)
        if len(clean) != self.problem.arms:
            raise ValueError(
                f"contexts must have {self.problem.arms} rows, one for each arm; got {len(clean)}"
            )
        self._inputs.check_values(clean)
        known = self._check_means(means)
        columns = np.ascontiguousarray(clean.T)
        shown = columns.copy()
        visible = np.full_like(columns, np.nan) if self._level == OBLIVIOUS else columns.copy()
        scene = Scene(self._round + 1, visible, known, self.spent, self._purse.budget)
        self._can_attack = bool(has_money(self._purse))  # for the whole round, as in a game
        if self._can_attack:
            self._propose_contexts(scene, columns, shown)
        self._round += 1
        self._scene = scene
        result = shown.T.copy()
        for arm in np.flatnonzero((result != clean).any(axis=1)).tolist():
            price = float(np.sqrt(np.square(result[arm] - clean[arm]).sum()))
            row = (clean[arm].copy(), result[arm].copy())
            self.log.append(Change(self._round, "context", arm, *row, price))
        return result

    def _propose_contexts(self, scene: Scene, clean: Floats, shown: Floats) -> None:
        if self._round < 0 and hasattr(self.attack, "prepare"):
            self.attack.prepare(self._state, clean.copy(), scene.means.copy())
        purse, rng = self._purse, self._rng
        try:
            attack_contexts(self._state, self._policy, scene, clean, shown, purse, rng)
        except AttributeError as error:
            if "NoPolicy" not in str(error):
                raise
            raise TypeError(
                f"{self.attack.name} asks what the policy would choose: give your policy, "
                f"policy=..., or use another attack"
            ) from error
        commit_shifts(self._state, scene, self._shifts, purse, rng)

    def reward(self, arm: int, reward: float) -> float:
        """Return the reward that your policy should see for the arm that it chose."""
        if self._scene is None:
            raise ValueError("call contexts(...) first: every round has contexts and one reward")
        arm = require.count("arm", arm, low=0)
        if arm >= self.problem.arms:
            raise ValueError(f"arm must be < {self.problem.arms}, the number of arms; got {arm!r}")
        clean = self._inputs.reward(reward)
        if self.problem.clicks and clean not in (0.0, 1.0):
            raise ValueError(f"reward must be 0 or 1, because rewards are clicks; got {reward!r}")
        scene, self._scene = self._scene._replace(spent=self.spent), None
        seen, before = clean, self.spent
        if self._can_attack:
            state, rng = self._state, self._rng
            wanted = wanted_reward(state, self._policy, scene, self._shifts, arm, clean, rng)
            seen = float(settle_reward(self._purse, clean, wanted))
            watch(state, scene, arm, clean)
        if seen != clean:
            change = Change(self._round, "reward", arm, clean, seen, self.spent - before)
            self.log.append(change)
        return seen

    def _check_means(self, means: npt.ArrayLike | None) -> Floats:
        """Return the mean rewards, or NaN for an attack that may not know them."""
        if self._level != OMNISCIENT:
            return np.full(self.problem.arms, np.nan)
        if means is None:
            raise ValueError(
                f"means must be given, because {self.attack.name} knows the mean rewards: pass "
                f"means=..., one number for each arm, or use an attack that needs less knowledge"
            )
        array = np.array(means, dtype=np.float64)
        if array.shape != (self.problem.arms,):
            raise ValueError(f"means: expected shape ({self.problem.arms},), got {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"means must be finite numbers, got {array}")
        return array


def _state_of(policy: Any, arms: int) -> ObjectState:
    """Return a state with which an attack can ask what the user's policy would choose."""
    player = Player(name_of(policy), arms, lambda seed: policy)
    player.begin(np.random.default_rng(), 0)  # a stream that is not the attack's
    return ObjectState(Handle(player))
