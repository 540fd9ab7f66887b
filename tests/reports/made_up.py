"""Experiments whose ledgers are made up: exact numbers, no time to play."""

import numpy as np

import robustbandits as rb
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store.load import Experiment
from robustbandits.game.ledger import Ledger

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
    """Regret per round: policies, attacks and seeds all differ."""
    return 0.01 * (1 + policy) * (1 + 0.5 * attack) * (1 + 0.1 * (seed % 3))


def made_up_ledger(labels, seed, spec, pace):
    environment, attack, policy = labels
    count = min(spec.points, spec.rounds)
    rounds = np.unique(np.linspace(0, spec.rounds, count + 1).round().astype(np.int64)[1:])
    budget = float(getattr(spec.attacks[attack], "budget", 0.0))
    last = spec.rounds // 10 if budget > 0 else 0
    touched = np.minimum(rounds, last).astype(np.float64)
    return Ledger(
        environment=environment,
        attack=attack,
        policy=policy,
        seed=seed,
        rounds=rounds,
        regret=pace * rounds,
        reward=0.5 * rounds,
        spent_so_far=budget * touched / max(last, 1),
        attacked_so_far=touched,
        pulls=np.full(4, spec.rounds // 4),
        spent=budget,
        spent_on_contexts=0.0,
        attacked_rounds=last,
        last_attack=last,
        bad_proposals=0,
        clipped_proposals=0,
        seen_reward=0.5 * spec.rounds,
    )


def made_up(name="mine", *, skip=lambda environment, attack, policy, seed: False, **parts):
    """Return an experiment of any shape; ``skip`` leaves games out."""
    given = {
        "environments": {"simulation": rb.environments.Simulation(arms=4, dim=2)},
        "attacks": ATTACKS,
        "policies": POLICIES,
        "rounds": 2000,
        "seeds": 3,
        "points": 100,
        **parts,
    }
    spec = Spec(name=name, about=given.pop("about", "What this is for."), **given)
    ledgers = [
        made_up_ledger((environment, attack, policy), seed, spec, slope(p, a, seed))
        for environment in spec.environments
        for seed in spec.seeds
        for a, attack in enumerate(spec.attacks)
        for p, policy in enumerate(spec.policies)
        if not skip(environment, attack, policy, seed)
    ]
    return Experiment(spec, ledgers, PROVENANCE)


def three_readings():
    """Return experiments of the size of the paper's figure under three readings."""
    places = {
        name: rb.environments.Simulation(arms=arms)
        for name, arms in (("simulation", 20), ("movielens", 21), ("netflix", 22))
    }
    names = ("figure1-as-written", "figure1-as-coded", "figure1-well-specified")
    size = {"rounds": 1_000_000, "seeds": 2, "points": 1000}
    return [made_up(name, environments=places, **size) for name in names]


def sweep_of_budgets(**parts):
    """Return an experiment with several budgets of one attack."""
    budgets = {f"Garcelon(budget={b})": rb.attacks.Garcelon(float(b)) for b in (1000, 10, 100)}
    policies = {name: POLICIES[name] for name in ("LinUCB", "Greedy")}
    attacks = {"no attack": rb.attacks.NoAttack(), **budgets}
    return made_up("budgets", attacks=attacks, policies=policies, **parts)
