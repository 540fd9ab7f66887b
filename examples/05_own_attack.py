"""An attack of your own: say what the policy should see; the purse does the rest."""

from dataclasses import dataclass
from typing import NamedTuple

import robustbandits as rb
from robustbandits.extend import AttackRecipe, check_attack, kernel


class SmearState(NamedTuple):
    """What the attack needs in a game."""

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
        return SmearState(int(self.arm))


if __name__ == "__main__":
    check_attack(Smear(10.0))
    print("the contract holds")
    shares = {}
    catalogue = rb.environments.Simulation(contexts="fixed")
    clean = rb.simulate(environment=catalogue, policy=rb.policies.LinUCB(), rounds=20_000, seed=0)
    favorite = int(clean.pulls.argmax())
    for policy in (rb.policies.LinUCB(), rb.policies.BOBNoRestart()):
        for budget in (0.0, 50.0):
            ledger = rb.simulate(
                environment=catalogue,
                attack=Smear(budget, arm=favorite),
                policy=policy,
                rounds=20_000,
                seed=0,
            )
            share = ledger.pulls[favorite] / ledger.pulls.sum()
            shares[policy.name, budget] = share
            print(
                f"{policy.name:14s} budget {budget:3.0f}: favorite in {share:4.0%} of rounds, "
                f"regret {ledger.final_regret:6.0f}"
            )
    # A review bomb of 50 units drives LinUCB from the best arm; the robust policy stays with it.
    assert shares["LinUCB", 0.0] > 0.8
    assert shares["LinUCB", 50.0] < 0.05
    assert shares["BOB-No-Restart", 50.0] > 0.5
