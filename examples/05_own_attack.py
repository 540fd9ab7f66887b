"""An attack of your own: say what the policy should see; the purse does the rest."""

from dataclasses import dataclass
from typing import NamedTuple

import robustbandits as rb
from robustbandits import kernel
from robustbandits.attacks._base import AttackRecipe
from robustbandits.checks import check_attack


class SmearState(NamedTuple):
    """Whom to smear."""

    arm: int

    @kernel
    def propose_reward(self, policy, scene, arm, reward, rng):
        """Make one arm look worthless, and leave the others alone."""
        return 0.0 if arm == self.arm else reward


@dataclass(frozen=True)
class Smear(AttackRecipe):
    """Zero every reward of one arm: a review bomb."""

    arm: int = 0

    def start(self, problem):
        """Return a fresh state."""
        return SmearState(int(self.arm))


if __name__ == "__main__":
    check_attack(Smear(10.0))
    print("the contract holds")
    catalogue = rb.environments.Simulation(contexts="fixed")
    clean = rb.simulate(environment=catalogue, policy=rb.policies.LinUCB(), rounds=20_000, seed=0)
    favourite = int(clean.pulls.argmax())
    for policy in (rb.policies.LinUCB(), rb.policies.BOBNoRestart()):
        for budget in (0.0, 50.0):
            ledger = rb.simulate(
                environment=catalogue,
                attack=Smear(budget, arm=favourite),
                policy=policy,
                rounds=20_000,
                seed=0,
            )
            share = ledger.pulls[favourite] / ledger.pulls.sum()
            print(
                f"{policy.name:14s} budget {budget:3.0f}: favourite in {share:4.0%} of rounds, "
                f"regret {ledger.final_regret:6.0f}"
            )
