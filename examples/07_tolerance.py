"""Which budgets does CautiousLinUCB withstand? Regret against budget / tolerance, as a chart."""

import tempfile
from pathlib import Path

import numpy as np

import robustbandits as rb

ROUNDS, SEEDS = 20_000, 5
RATIOS = [0.0, 0.5, 1.0, 2.0, 3.0, 5.0]  # the attacker's budget, in units of the tolerance
TOLERANCES = [25.0, 50.0]

catalogue = rb.environments.Simulation(contexts="fixed")  # 20 items, the same in every round
names = {tolerance: f"tolerance {tolerance:g}" for tolerance in TOLERANCES}
curves = {}
for tolerance, name in names.items():
    # A budget of 0 is no attack at all.
    attacks = {ratio: rb.attacks.Garcelon(ratio * tolerance) for ratio in RATIOS}
    results = rb.compare(
        environments=[catalogue],
        attacks={str(ratio): attack for ratio, attack in attacks.items()},
        policies={
            name: rb.policies.CautiousLinUCB(tolerance=tolerance),
            f"LinUCB, against {name}": rb.policies.LinUCB(),
        },
        rounds=ROUNDS,
        seeds=SEEDS,
    )
    for row in results.summary().rows:
        curves.setdefault(row.policy, []).append(row.regret)

print(f"{'budget / tolerance':30}" + "".join(f"{ratio:9g}" for ratio in RATIOS))
for name, regrets in curves.items():
    print(f"{name:30}" + "".join(f"{regret:9,.0f}" for regret in np.array(regrets)))

# Up to its tolerance the attack costs CautiousLinUCB nothing; at twice that it is hijacked.
for name in names.values():
    regret = dict(zip(RATIOS, curves[name], strict=True))
    assert regret[1.0] < 1.2 * regret[0.0]
    assert regret[2.0] > 5 * regret[0.0]
    assert curves[f"LinUCB, against {name}"][RATIOS.index(1.0)] > 3 * regret[1.0]

try:
    from matplotlib.figure import Figure
except ImportError:
    print("for the chart: pip install 'robustbandits[plot]'")
else:
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name, regrets in curves.items():
        axes.plot(
            RATIOS, regrets, "--" if name.startswith("LinUCB") else "-", marker="o", label=name
        )
    axes.set(xlabel="budget / tolerance", ylabel=f"regret after {ROUNDS:,} rounds", yscale="log")
    axes.legend()
    path = Path(tempfile.gettempdir()) / "tolerance.png"
    figure.savefig(path, dpi=150)
    print(f"chart: {path}")
