"""Experiments with chosen numbers that need no games, and one that was played."""

from functools import cache

import numpy as np

import robustbandits as rb
from metrics.sample_ledgers import sample_ledger
from robustbandits.experiments import Experiment, Spec

PROVENANCE = {
    "versions": {"robustbandits": "9.9", "numpy": "2.0"},
    "machine": {"system": "Elsewhere", "cores": 2},
    "commit": None,
    "when": "2026-01-02T03:04:05+00:00",
}
POLICIES = {
    "LinUCB": rb.policies.LinUCB(),
    "LinTS": rb.policies.LinTS(),
    "Greedy": rb.policies.Greedy(),
    "RobustBandit": rb.policies.RobustBandit(),
    "BOB-No-Restart": rb.policies.BOBNoRestart(),
}
ATTACKS = {
    "Garcelon": rb.attacks.Garcelon(100.0),
    "Oracle": rb.attacks.Oracle(100.0),
    "no attack": rb.attacks.NoAttack(),
}


def slope(policy: int, attack: int, seed: int) -> float:
    """Return the regret per round: policies, attacks and seeds all differ."""
    return 0.01 * (1 + policy) * (1 + 0.5 * attack) * (1 + 0.1 * (seed % 3))


def linear_ledger(labels, seed, spec, regret_per_round):
    count = min(spec.points, spec.rounds)
    rounds = np.unique(np.linspace(0, spec.rounds, count + 1).round().astype(np.int64)[1:])
    budget = float(getattr(spec.attacks[labels[1]], "budget", 0.0))
    return sample_ledger(
        regret_per_round * rounds,
        rounds=rounds,
        seed=seed,
        labels=labels,
        spent=budget,
        last_attack=spec.rounds // 10 if budget > 0 else 0,
    )


def linear_experiment(
    name="mine", *, skip=lambda environment, attack, policy, seed: False, **parts
):
    """Return an experiment whose regrets grow linearly; ``skip`` leaves games out."""
    given = {
        "environments": {"simulation": rb.environments.Simulation(arms=4, dim=2)},
        "attacks": ATTACKS,
        "policies": POLICIES,
        "rounds": 2000,
        "seeds": 3,
        "points": 100,
        "about": "What this is for.",
        **parts,
    }
    spec = Spec(name=name, **given)
    ledgers = [
        linear_ledger((environment, attack, policy), seed, spec, slope(p, a, seed))
        for environment in spec.environments
        for seed in spec.seeds
        for a, attack in enumerate(spec.attacks)
        for p, policy in enumerate(spec.policies)
        if not skip(environment, attack, policy, seed)
    ]
    return Experiment(spec, ledgers, PROVENANCE)


def three_readings():
    """Return experiments of the size of the paper's figure under three readings."""
    environments = {
        name: rb.environments.Simulation(arms=arms)
        for name, arms in (("simulation", 20), ("movielens", 21), ("netflix", 22))
    }
    names = ("figure1-as-written", "figure1-as-coded", "figure1-well-specified")
    size = {"rounds": 1_000_000, "seeds": 2, "points": 1000}
    return [linear_experiment(name, environments=environments, **size) for name in names]


def budget_sweep(**parts):
    """Return an experiment with several budgets of one attack."""
    budgets = {f"Garcelon(budget={b})": rb.attacks.Garcelon(float(b)) for b in (1000, 10, 100)}
    policies = {name: POLICIES[name] for name in ("LinUCB", "Greedy")}
    attacks = {"no attack": rb.attacks.NoAttack(), **budgets}
    return linear_experiment("budgets", attacks=attacks, policies=policies, **parts)


def tolerance_sweep(**parts):
    """Return an experiment with several budgets, and policies with tolerances 50 and 100."""
    policies = {
        "LinUCB": rb.policies.LinUCB(),
        "low": rb.policies.CautiousLinUCB(tolerance=50.0),
        "high": rb.policies.CautiousLinUCB(tolerance=100.0),
    }
    attacks = {f"Garcelon(budget={b})": rb.attacks.Garcelon(float(b)) for b in (0, 100, 50)}
    return linear_experiment("tolerance", attacks=attacks, policies=policies, **parts)


def experiment_with_finals(finals, *, attacks=None, rounds=10, environments=("simulation",)):
    """Return an experiment with these final regrets: {(attack, policy): [one per seed]}."""
    labels = dict.fromkeys(policy for _, policy in finals)
    attacks = attacks or {
        attack: rb.attacks.NoAttack() if attack == "none" else rb.attacks.Garcelon(float(k))
        for k, attack in enumerate(dict.fromkeys(attack for attack, _ in finals))
    }
    spec = Spec(
        name="written",
        environments={
            name: rb.environments.Simulation(arms=4, dim=2 + k)
            for k, name in enumerate(environments)
        },
        attacks=attacks,
        policies={label: rb.policies.LinUCB(sigma=0.1 * (k + 1)) for k, label in enumerate(labels)},
        rounds=rounds,
        seeds=max(len(values) for values in finals.values()),
    )
    ledgers = [
        sample_ledger(
            [regret],
            rounds=[rounds],
            seed=seed,
            labels=(environment, attack, policy),
            spent=0.0 if attack == "none" else 2.0,
            last_attack=0 if attack == "none" else 5,
        )
        for environment in environments
        for (attack, policy), values in finals.items()
        for seed, regret in enumerate(values)
    ]
    return Experiment(spec, ledgers, {})


@cache
def played_experiment(seeds=3):
    """Play two policies against no attack and three attacks."""
    parts = {
        "environments": [rb.environments.Simulation(arms=4, dim=2)],
        "attacks": [
            rb.attacks.NoAttack(),
            rb.attacks.Garcelon(2.0),
            rb.attacks.Garcelon(8.0),
            rb.attacks.Oracle(2.0),
        ],
        "policies": [rb.policies.LinUCB(), rb.policies.Greedy()],
        "rounds": 200,
        "seeds": seeds,
    }
    return Experiment(Spec(name="small", **parts), rb.compare(**parts, progress=False).ledgers, {})
