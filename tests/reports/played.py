"""Small experiments, played or written by hand."""

from functools import cache
from typing import Any, NamedTuple

import robustbandits as rb
from metrics.made import made
from robustbandits.experiments.spec import Spec


class Fake(NamedTuple):
    """An experiment without a store."""

    spec: Spec
    ledgers: list[rb.Ledger]
    provenance: dict[str, Any]


@cache
def played(seeds=3):
    """Play two policies against no attack and three attacks."""
    spec = Spec(
        name="small",
        environments=[rb.environments.Simulation(arms=4, dim=2)],
        attacks=[
            rb.attacks.NoAttack(),
            rb.attacks.Garcelon(2.0),
            rb.attacks.Garcelon(8.0),
            rb.attacks.Oracle(2.0),
        ],
        policies=[rb.policies.LinUCB(), rb.policies.Greedy()],
        rounds=200,
        seeds=seeds,
    )
    results = rb.compare(
        environments=spec.environments,
        attacks=spec.attacks,
        policies=spec.policies,
        rounds=spec.rounds,
        seeds=seeds,
        progress=False,
    )
    return Fake(spec, results.ledgers, {})


def written(finals, *, attacks=None, rounds=10, environments=("simulation",)):
    """Return an experiment with these final regrets: {(attack, policy): [one a seed]}."""
    names = dict.fromkeys(policy for _, policy in finals)
    recipes = [rb.policies.LinUCB(sigma=0.1 * (k + 1)) for k in range(len(names))]
    crooks = attacks or {
        attack: rb.attacks.NoAttack() if attack == "none" else rb.attacks.Garcelon(float(k))
        for k, attack in enumerate(dict.fromkeys(attack for attack, _ in finals))
    }
    seeds = max(len(values) for values in finals.values())
    spec = Spec(
        name="written",
        environments={
            name: rb.environments.Simulation(arms=4, dim=2 + k)
            for k, name in enumerate(environments)
        },
        attacks=crooks,
        policies=dict(zip(names, recipes, strict=True)),
        rounds=rounds,
        seeds=seeds,
    )
    ledgers = [
        made(
            [value],
            rounds=[rounds],
            seed=seed,
            who=(place, attack, policy),
            spent=0.0 if attack == "none" else 2.0,
            last_attack=0 if attack == "none" else 5,
        )
        for place in environments
        for (attack, policy), values in finals.items()
        for seed, value in enumerate(values)
    ]
    return Fake(spec, ledgers, {})
