"""A match: all games that share one environment and one seed.

The environment draws a block of rounds once, and then each game plays it. So all policies and
attacks meet the same rounds, comparisons are paired, and the cost of drawing is shared.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np

from robustbandits.compiled.fallback import first_line, warn_once
from robustbandits.compiled.jit import compiled_for, python_of
from robustbandits.compiled.state_pointer import StatePointer, pointer_to, state_behind
from robustbandits.game.dispatch import GAME_KERNELS, by_address
from robustbandits.game.facts import start_policy
from robustbandits.game.ledger import PLAYED, POINTS, Ledger, close_book, open_book
from robustbandits.game.object_state import ObjectState
from robustbandits.game.play import play
from robustbandits.game.problem import Problem
from robustbandits.game.purse import open_purse
from robustbandits.game.rounds import Environment, Rounds, drop_repeated_rows
from robustbandits.game.verbs import MEMO, Attack, Policy, reads_policy

#: How many numbers the contexts of a block have: 2 MB, which fit into a core's own cache.
BLOCK_NUMBERS = 250_000

#: Numbers of the random streams, children of a match's seed. Results depend on this order.
NATURE, POLICY, ATTACK = range(3)


def stream(seed: int, number: int) -> np.random.SeedSequence:
    """Return the seed of a random stream, whose number is NATURE, POLICY or ATTACK."""
    return np.random.SeedSequence(entropy=seed, spawn_key=(number,))


class Game:
    """One policy against one attack, while it is played."""

    def __init__(
        self,
        policy: Policy,
        attack: Attack,
        problem: Problem,
        seed: int,
        points: int,
        names: tuple[str, str] | None = None,
    ):
        self.names = names or (attack.name, policy.name)  # for the ledger: attack, policy
        self.policy: Any = start_policy(policy, problem)
        self.attack: Any = attack.start(problem)
        self.purse = open_purse(attack.budget, attack.purse, problem)
        assert problem.rounds is not None
        self.book = open_book(problem.rounds, problem.arms, points)
        self.policy_rng = np.random.Generator(np.random.PCG64(stream(seed, POLICY)))
        self.attack_rng = np.random.Generator(np.random.PCG64(stream(seed, ATTACK)))
        self._reads_policy = reads_policy(attack, self.attack)
        self._prepare = getattr(attack, "prepare", None)
        if isinstance(self.policy, ObjectState):
            self._begin_object(policy.name, attack.name, seed)
        self._connect()

    def _begin_object(self, policy_name: str, attack_name: str, seed: int) -> None:
        """Make the Python object that plays, with a seed from the policy's stream."""
        if self._reads_policy:
            raise TypeError(
                f"{attack_name} reads the policy's state, which {policy_name} does not have, "
                f"because it is a Python object: use an attack that does not read it, such as "
                f"Garcelon"
            )
        object_seed = int(stream(seed, POLICY).generate_state(1)[0])
        self.policy.handle.player.begin(self.policy_rng, object_seed)

    def _connect(self) -> None:
        """Choose how to pass the policy to the loop, and the loop that is compiled for it."""
        if self._reads_policy:
            self._pass_policy(pointer_to(self.policy))
        else:
            self._pass_policy(by_address(self.policy, GAME_KERNELS))

    def _pass_policy(self, policy: Any) -> None:
        self._policy_argument = policy
        self._play = compiled_for(play, self.attack, state_behind(policy))

    def play_in_python(self, policy: Any = None) -> None:
        """Play in plain Python from now on, with the same kernels; used in checks.

        ``policy`` is passed to the loop instead of the policy's state.
        """
        self._policy_argument = self.policy if policy is None else policy
        self._play = python_of(play)

    def __getstate__(self) -> dict[str, Any]:
        # Addresses are left out: a copy has a state of its own.
        not_copied = ("_policy_argument", "_play")
        return {name: value for name, value in vars(self).items() if name not in not_copied}

    def __setstate__(self, values: dict[str, Any]) -> None:
        vars(self).update(values)
        self._connect()

    def advance(self, rounds: Rounds) -> None:
        """Play a block of rounds."""
        rounds = drop_repeated_rows(rounds)
        if self._prepare is not None and self.book.clock[PLAYED] == 0 and len(rounds.noise):
            self._prepare(self.attack, rounds.contexts[0].copy(), rounds.means[0].copy())
        streams = (self.policy_rng, self.attack_rng)
        arguments = (self.attack, self.purse, self.book, *streams, np.empty(MEMO))
        try:
            self._play(rounds, self._policy_argument, *arguments)
        except numba.errors.NumbaError as error:  # raised while compiling: no round has been played
            if not isinstance(self._policy_argument, StatePointer):
                raise
            self._pass_by_value(error)
            self._play(rounds, self._policy_argument, *arguments)

    def _pass_by_value(self, error: Exception) -> None:
        """Pass the policy's whole state to an attack that cannot be compiled for a pointer."""
        attack, policy = type(self.attack).__name__, type(self.policy).__name__
        if not self._reads_policy:
            raise TypeError(
                f"{attack} cannot be compiled; the error above says why. If its kernels do more "
                f"with `policy` than call choose(policy, ...), declare it: reads_policy = True"
            ) from error
        warn_once(
            (type(self.attack), type(self.policy)),
            f"{attack} cannot be compiled for a pointer to the state of {policy} "
            f"({first_line(error)}). It gets the state by value, so their games take longer to "
            f"compile: let the attack read fields of the state by name only",
        )
        self._pass_policy(self.policy)

    def close(self, environment: str, seed: int) -> Ledger:
        """Return the ledger of the finished game."""
        ledger = close_book(self.book, self.purse, (environment, *self.names), seed)
        if ledger.bad_proposals:
            warnings.warn(
                f"{ledger.attack} made {ledger.bad_proposals} proposals that are not finite or "
                f"name an arm that does not exist; they were ignored: run check_attack on it",
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
    names: Sequence[tuple[str, str, str]] | None = None,
    on_block: Callable[[int], None] | None = None,
) -> list[Ledger]:
    """Play each (attack, policy) pair against the same rounds; ledgers in the same order.

    ``names`` are the labels of environment, attack and policy for the ledger of each pair; by
    default the recipes' own names. ``on_block`` is called each time that a game has played a
    block, with the number of its rounds.
    """
    if names is None:
        names = [(environment.name, attack.name, policy.name) for attack, policy in pairs]
    nature = environment.start(rounds, stream(seed, NATURE))
    problem = nature.problem
    games = [
        Game(policy, attack, problem, seed, points, (attack_name, policy_name))
        for (attack, policy), (_, attack_name, policy_name) in zip(pairs, names, strict=True)
    ]
    size = max(1, BLOCK_NUMBERS // (problem.arms * problem.dim))
    for start in range(0, rounds, size):
        block = nature.draw(min(size, rounds - start))
        for game in games:
            game.advance(block)
            if on_block is not None:
                on_block(len(block.noise))
    return [
        game.close(environment_name, seed)
        for game, (environment_name, _, _) in zip(games, names, strict=True)
    ]
