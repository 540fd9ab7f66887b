"""Ledgers written by hand."""

import numpy as np

from robustbandits.game.ledger import Ledger


def made(regret, rounds=None, seed=0, who=("env", "attack", "policy"), spent=0.0, last_attack=0):
    """Return a ledger with this regret curve; recorded each round unless told otherwise."""
    regret = np.asarray(regret, dtype=np.float64)
    rounds = np.arange(1, len(regret) + 1) if rounds is None else np.asarray(rounds)
    attacked = (rounds >= last_attack) * float(last_attack > 0)
    return Ledger(
        environment=who[0],
        attack=who[1],
        policy=who[2],
        seed=seed,
        rounds=rounds,
        regret=regret,
        reward=rounds - regret,
        spent_so_far=attacked * spent,
        attacked_so_far=attacked,
        pulls=np.array([rounds[-1]]),
        spent=spent,
        spent_on_contexts=0.0,
        attacked_rounds=int(last_attack > 0),
        last_attack=last_attack,
        bad_proposals=0,
        clipped_proposals=0,
        seen_reward=0.0,
    )


def finals(*values, **changes):
    """Return one game of ten rounds for each final regret, with seeds 0, 1, 2, ..."""
    return [made([value], rounds=[10], seed=i, **changes) for i, value in enumerate(values)]
