"""A match: every game that shares one environment and one seed.

Nature draws a block of rounds once; then each game plays it. So all policies and all attacks meet
the same rounds, comparisons are paired, and the cost of drawing is shared.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from robustbandits.compiled.jit import compiled_for, python_of
from robustbandits.compiled.state_pointer import lease_state
from robustbandits.game.dispatch import IN_GAME, Handle, hold, looks_inside
from robustbandits.game.ledger import POINTS, Ledger, close_book, open_book
from robustbandits.game.play import play
from robustbandits.game.problem import Problem
from robustbandits.game.purse import open_purse
from robustbandits.game.rounds import Environment, Rounds
from robustbandits.game.verbs import MEMO, Attack, Policy

#: Numbers in a block of rounds: 2 MB of contexts, which stays in a core's own cache.
BLOCK_NUMBERS = 250_000

#: Which child of a match's seed feeds whom. Never reorder: results depend on it.
NATURE, POLICY, ATTACK = range(3)


def stream(seed: int, whose: int) -> np.random.SeedSequence:
    """Return the root of a player's random stream; the three never overlap."""
    return np.random.SeedSequence(entropy=seed, spawn_key=(whose,))


class Game:
    """One policy against one attack, in the middle of play."""

    def __init__(self, policy: Policy, attack: Attack, problem: Problem, seed: int, points: int):
        self.names = (attack.name, policy.name)
        self.policy: Any = policy.start(problem)
        self.attack: Any = attack.start(problem)
        self.purse = open_purse(attack.budget, attack.purse, problem)
        assert problem.rounds is not None
        self.book = open_book(problem.rounds, problem.arms, points)
        self.policy_rng = np.random.Generator(np.random.PCG64(stream(seed, POLICY)))
        self.attack_rng = np.random.Generator(np.random.PCG64(stream(seed, ATTACK)))
        self._connect()

    def _connect(self) -> None:
        """Join the states and machine code."""
        if looks_inside(self.attack):
            self._player = self._lease = lease_state(self.policy)
        else:
            self._player, self._lease = hold(self.policy, IN_GAME)
        self._choose_loop()

    def _choose_loop(self) -> None:
        inside = () if isinstance(self._player, Handle) else (self.policy,)
        self._play = compiled_for(play, self.attack, *inside)

    def play_plainly(self) -> None:
        """Go on with the plain Python of the loop, over the same kernels: to check the other."""
        self._player = self.policy
        self._play = python_of(play)

    def __getstate__(self) -> dict[str, Any]:
        # A copy must find its own addresses: these are of the state that it was copied from.
        own = ("_player", "_lease", "_play")
        return {name: value for name, value in vars(self).items() if name not in own}

    def __setstate__(self, values: dict[str, Any]) -> None:
        vars(self).update(values)
        self._connect()

    def advance(self, rounds: Rounds) -> None:
        """Play a block of rounds."""
        streams = (self.policy_rng, self.attack_rng)
        others = (self.attack, self.purse, self.book, *streams, np.empty(MEMO))
        try:
            self._play(rounds, self._player, *others)
        except NumbaError:  # from compiling: nothing has been played
            if self._player is self.policy:
                raise
            # The attack does what neither a handle nor a lease can: it unpacks the state, say.
            self._player = self.policy
            self._choose_loop()
            self._play(rounds, self._player, *others)

    def close(self, environment: str, seed: int) -> Ledger:
        """Return the ledger of the finished game."""
        ledger = close_book(self.book, self.purse, (environment, *self.names), seed)
        if ledger.bad_proposals:
            warnings.warn(
                f"{ledger.attack} proposed {ledger.bad_proposals} values that are not finite; "
                f"they were ignored",
                RuntimeWarning,
                stacklevel=2,
            )
        return ledger


def play_match(
    environment: Environment,
    pairs: Sequence[tuple[Attack, Policy]],
    rounds: int,
    seed: int,
    *,
    points: int = POINTS,
    on_block: Callable[[int], None] | None = None,
) -> list[Ledger]:
    """Play each (attack, policy) pair against the same rounds; ledgers in the same order.

    ``on_block`` is told how many rounds, summed over games, each step has played.
    """
    nature = environment.start(rounds, stream(seed, NATURE))
    problem = nature.problem
    games = [Game(policy, attack, problem, seed, points) for attack, policy in pairs]
    size = max(1, BLOCK_NUMBERS // (problem.arms * problem.dim))
    for start in range(0, rounds, size):
        block = nature.draw(min(size, rounds - start))
        for game in games:
            game.advance(block)
            if on_block is not None:
                on_block(len(block.noise))
    return [game.close(environment.name, seed) for game in games]
