"""Three policies against two attacks, over five seeds, with intervals and a figure."""

import sys

import robustbandits as rb

results = rb.compare(
    environments=[rb.environments.Simulation(contexts="fixed")],
    attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(100.0), rb.attacks.Oracle(100.0)],
    policies=[
        rb.policies.LinUCB(),
        rb.policies.RobustLinUCB(100.0),
        rb.policies.BOBNoRestart(),
    ],
    rounds=20_000,
    seeds=5,
)
print(results.summary())
if len(sys.argv) > 1:
    results.plot(sys.argv[1])  # python examples/02_compare.py figure.png

# Without attack LinUCB is the best. Under attack the robust policies keep their regret.
regret = {(row.attack, row.policy): row.regret for row in results.summary().rows}
assert regret["NoAttack", "LinUCB"] < regret["NoAttack", "BOB-No-Restart"]
for attack in ("Garcelon", "Oracle"):
    assert regret[attack, "LinUCB"] > 5 * regret["NoAttack", "LinUCB"]
    for policy in ("RobustLinUCB", "BOB-No-Restart"):
        assert regret[attack, policy] < 1.1 * regret["NoAttack", policy]
