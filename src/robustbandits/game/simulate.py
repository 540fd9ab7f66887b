"""simulate: one game, from start to ledger."""

from __future__ import annotations

from robustbandits.game import require
from robustbandits.game.defaults import ROUNDS
from robustbandits.game.ledger import POINTS, Ledger
from robustbandits.game.match import play_match
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Attack, Policy


def simulate(
    *,
    environment: Environment,
    policy: Policy,
    attack: Attack | None = None,
    rounds: int = ROUNDS,
    seed: int = 0,
    points: int = POINTS,
) -> Ledger:
    """Play one game and return its ledger.

    Parameters
    ----------
    environment, policy, attack
        Who plays; no attack by default.
    rounds
        Length of the game. Memory does not grow with it.
    seed
        Equal seeds give equal bits: the same rounds for every policy and attack.
    points
        How many rounds to record at most.

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
    require.recipe("policy", policy, "policy")
    if attack is not None:
        require.recipe("attack", attack, "attack")
    crook: Attack = NoAttack() if attack is None else attack
    (ledger,) = play_match(environment, [(crook, policy)], rounds, seed, points=points)
    return ledger
