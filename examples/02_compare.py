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
    results.plot(sys.argv[1])
