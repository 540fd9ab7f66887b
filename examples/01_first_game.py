"""One game: LinUCB on a fixed catalogue, with and without an attacker who can spend 100 units."""

import robustbandits as rb

catalogue = rb.environments.Simulation(contexts="fixed")

ledgers = {}
for attack in (rb.attacks.NoAttack(), rb.attacks.Garcelon(budget=100.0)):
    ledger = rb.simulate(
        environment=catalogue,
        attack=attack,
        policy=rb.policies.LinUCB(),
        rounds=50_000,
        seed=0,
    )
    ledgers[attack.name] = ledger
    print(
        f"{attack.name:10s} regret {ledger.final_regret:8.0f}   spent {ledger.spent:6.1f} "
        f"in {ledger.attacked_rounds} rounds"
    )

# The attack changes less than 1 round in 100, and LinUCB never recovers.
clean, attacked = ledgers["NoAttack"], ledgers["Garcelon"]
assert clean.spent == 0.0 < attacked.spent <= 100.0
assert attacked.attacked_rounds < 500
assert attacked.final_regret > 10 * clean.final_regret
