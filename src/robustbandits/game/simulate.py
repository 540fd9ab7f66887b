"""simulate: play one game."""

from __future__ import annotations

from robustbandits.game import require
from robustbandits.game.defaults import ROUNDS
from robustbandits.game.ledger import POINTS, Ledger
from robustbandits.game.match import play_match
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.object_policy import PolicyLike, as_policy
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Attack


def simulate(
    *,
    environment: Environment,
    policy: PolicyLike,
    attack: Attack | None = None,
    rounds: int = ROUNDS,
    seed: int = 0,
    points: int = POINTS,
) -> Ledger:
    """Play one game and return its ledger.

    Parameters
    ----------
    environment, policy, attack
        Recipes of what takes part. Without an attack, nothing is changed. The policy may also be
        any object with ``choose(contexts) -> arm`` and ``learn(contexts, arm, reward)``, its class,
        or a function that returns a new one.
    rounds
        Length of the game. Memory does not grow with it.
    seed
        Equal seeds give equal results, and the same rounds for every policy and attack.
    points
        Largest number of rounds to record in the ledger.

    Examples
    --------
    >>> import robustbandits as rb
    >>> ledger = rb.simulate(environment=rb.environments.Simulation(),
    ...                      attack=rb.attacks.Garcelon(budget=10.0),
    ...                      policy=rb.policies.LinUCB(), rounds=1000, seed=0)
    >>> ledger.spent
    10.0
    """
    rounds = require.count("rounds", rounds)
    seed = require.count("seed", seed, low=0)
    points = require.count("points", points)
    require.recipe("environment", environment, "environment")
    played_policy = as_policy("policy", policy)
    if attack is not None:
        require.recipe("attack", attack, "attack")
    played_attack: Attack = NoAttack() if attack is None else attack
    (ledger,) = play_match(
        environment, [(played_attack, played_policy)], rounds, seed, points=points
    )
    return ledger
