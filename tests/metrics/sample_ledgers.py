"""Ledgers with regrets chosen by hand."""

import numpy as np

from robustbandits.game.ledger import Ledger


def sample_ledger(
    regret, rounds=None, seed=0, labels=("env", "attack", "policy"), spent=0.0, last_attack=0
):
    """Return a ledger with this regret curve, recorded in every round unless rounds are given."""
    regret = np.asarray(regret, dtype=np.float64)
    rounds = np.arange(1, len(regret) + 1) if rounds is None else np.asarray(rounds)
    attacked = (rounds >= last_attack) * float(last_attack > 0)
    return Ledger(
        *labels,
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


def with_finals(*regrets, **changes):
    """Return a game of ten rounds for each final regret, with seeds 0, 1, 2, ..."""
    return [
        sample_ledger([regret], rounds=[10], seed=seed, **changes)
        for seed, regret in enumerate(regrets)
    ]
