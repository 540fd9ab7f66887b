"""AttackedGame: an attacked game as an environment of Gymnasium."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from robustbandits.adapters._layouts import library
from robustbandits.game import require
from robustbandits.game.defaults import ROUNDS
from robustbandits.game.ledger import PLAYED, REGRET, REWARD
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.object_policy import ObjectPolicy
from robustbandits.game.problem import UnsupportedProblem
from robustbandits.game.purse import SPENT
from robustbandits.game.rounds import Environment, Rounds
from robustbandits.game.verbs import Attack
from robustbandits.kernels.linalg import Floats

_gymnasium: Any = library("gymnasium", "gymnasium")
_Env: Any = _gymnasium.Env
#: Rounds that are drawn at once.
BLOCK = 1000


class _Player:
    """The policy of the game: it plays what the user of the environment chose."""

    def __init__(self) -> None:
        self.arm = 0
        self.shown: Any = None
        self.seen = 0.0

    def choose(self, contexts: Floats) -> int:
        self.shown = contexts
        return self.arm

    def learn(self, contexts: Floats, arm: int, reward: float) -> None:
        self.seen = reward

    def peek(self, contexts: Floats) -> int:
        raise UnsupportedProblem(
            "the attack looks at what the policy would choose, which an environment of Gymnasium "
            "cannot know: use another attack, such as Garcelon"
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> _Player:
        return self  # so that a copy of the game shows its contexts here


class AttackedGame(_Env):  # type: ignore[misc]
    """A game against an attack, with Gymnasium's ``reset`` and ``step``.

    An observation is the contexts of a round as the attack shows them, (arms, dim); an action is
    an arm; the reward is the one that the policy sees after the attack. ``info`` has the clean
    reward of the round, and the regret and spending of the game so far. An episode is one game and
    ends, truncated, after ``rounds`` rounds. Attacks that look at the next choice are refused.

    Parameters
    ----------
    environment, attack
        Recipes. Without an attack, nothing is changed.
    rounds
        Length of an episode.
    """

    def __init__(
        self, environment: Environment, attack: Attack | None = None, rounds: int = ROUNDS
    ):
        require.recipe("environment", environment, "environment")
        if attack is not None:
            require.recipe("attack", attack, "attack")
        self.environment = environment
        self.attack: Attack = NoAttack() if attack is None else attack
        self.rounds = require.count("rounds", rounds)
        problem = environment.start(self.rounds, stream(0, NATURE)).problem
        if problem.infinite:
            raise UnsupportedProblem(
                f"{environment.name} has infinitely many arms, which cannot be numbered as "
                f"actions: use an environment with a list of arms"
            )
        bound, shape = problem.context_bound, (problem.arms, problem.dim)
        self.observation_space = _gymnasium.spaces.Box(-bound, bound, shape, np.float64)
        self.action_space = _gymnasium.spaces.Discrete(problem.arms)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin a game; the same seed begins the same game."""
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(2**31))
        self._nature = self.environment.start(self.rounds, stream(seed, NATURE))
        player = _Player()
        policy = ObjectPolicy(lambda: player, "AttackedGame")
        self._player = player
        self._game = Game(policy, self.attack, self._nature.problem, seed, points=1)
        self._earned = 0.0
        return self._show(), self._info()

    def step(self, action: Any) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Play an arm in the round that was shown, and show the next one."""
        shown = self._shown
        self._player.arm = int(action)
        self._game.advance(self._round)
        seen = float(self._player.seen)
        over = int(self._game.book.clock[PLAYED]) >= self.rounds
        return shown if over else self._show(), seen, False, over, self._info()

    def _show(self) -> Floats:
        """Draw a round, and return its contexts as the attack shows them."""
        played = int(self._game.book.clock[PLAYED])
        if played % BLOCK == 0:
            self._block = self._nature.draw(min(BLOCK, self.rounds - played))
        index = played % BLOCK
        arrays = (array[index : index + 1] for array in self._block[:4])
        self._round = Rounds(*arrays)
        if hasattr(self._game.attack, "propose_contexts"):
            copy.deepcopy(self._game).advance(self._round)  # the attack does the same again later
            self._shown = self._player.shown
        else:
            self._shown = self._round.contexts[0].T.copy()
        return self._shown

    def _info(self) -> dict[str, Any]:
        regret, earned = self._game.book.sums[[REGRET, REWARD]]
        reward, self._earned = float(earned) - self._earned, float(earned)
        spent = float(self._game.purse.account[SPENT])
        return {"clean_reward": reward, "regret": float(regret), "spent": spent}
