"""One game: LinUCB on a fixed catalogue, with and without an attacker who can spend 100 units."""

import robustbandits as rb

catalogue = rb.environments.Simulation(contexts="fixed")

for attack in (rb.attacks.NoAttack(), rb.attacks.Garcelon(budget=100.0)):
    ledger = rb.simulate(
        environment=catalogue,
        attack=attack,
        policy=rb.policies.LinUCB(),
        rounds=50_000,
        seed=0,
    )
    print(
        f"{attack.name:10s} regret {ledger.final_regret:8.0f}   spent {ledger.spent:6.1f} "
        f"in {ledger.attacked_rounds} rounds"
    )
